/* Edge sources on a GPU: the tests of test_rmat_source.c. */
#include "tests/support/gpu_util.h"

#define BACKEND   RMAT_BACKEND_GPU
#define GPU_SUITE run_gpu_suite
#define SMALL     small_run()
#include "tests/rmat/test_rmat_source.c"

int main(void)
{
    return test_rmat_source();
}
