/* try_cuda.cuh - for test programs on a GPU: TRY ends the program at the first CUDA call that
 * fails. */
#ifndef TESTS_SUPPORT_TRY_CUDA_CUH
#define TESTS_SUPPORT_TRY_CUDA_CUH

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Returns to CTest that the test is skipped, if there is no GPU. */
static inline void need_gpu(void)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        exit(77);
    }
}

#endif
