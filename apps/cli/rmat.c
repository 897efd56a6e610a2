/* The program `rmat`. */
#include "apps/cli/run.h"

int main(int argc, char **argv)
{
    return rmat_main(argc, argv);
}
