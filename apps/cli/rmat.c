/* The program `rmat`. */
#include "apps/client/commands.h"

int main(int argc, char **argv)
{
    return rmat_main(argc, argv);
}
