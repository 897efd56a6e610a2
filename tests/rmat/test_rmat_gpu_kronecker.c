/* Initiators of n x n on a GPU: the tests of test_rmat_kronecker.c. */
#include "tests/support/gpu_util.h"

#define BACKEND   RMAT_BACKEND_GPU
#define GPU_SUITE run_gpu_suite
#include "tests/rmat/test_rmat_kronecker.c"

int main(void)
{
    return test_rmat_kronecker();
}
