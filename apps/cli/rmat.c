/* The program `rmat`. */
#include "apps/cli/commands.h"

int main(int argc, char **argv)
{
    return rmat_main(argc, argv);
}
