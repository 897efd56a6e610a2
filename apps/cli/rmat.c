/* The program `rmat`. */
#include "apps/client/client.h"

int main(int argc, char **argv)
{
    return rmat_main(argc, argv);
}
