/*
 * How many blocks of a kernel a multiprocessor of each architecture can run, by CUDA's occupancy
 * calculator, which needs no GPU.  gpu_architectures.py uses it.
 *
 * Reads lines "architecture threads registers static-bytes dynamic-bytes", writes one number for
 * each.
 */
#include <stddef.h>

#include <cuda_occupancy.h>
#include <stdio.h>

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
static const struct {
    int number, threads;
    size_t shared_kib, block_kib; /* of a multiprocessor, of a block */
} architectures[] = {{75, 1024, 64, 64},  {80, 2048, 164, 163}, {86, 1536, 100, 99},
                     {89, 1536, 100, 99}, {90, 2048, 228, 227}, {100, 2048, 228, 227},
                     {120, 1536, 100, 99}};

static int blocks_of(int number, int threads, int registers, size_t fixed, size_t dynamic)
{
    const cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED,
                                      .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};

    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        if (architectures[i].number == number) {
            const cudaOccDeviceProp device = {
                .computeMajor = number / 10,
                .computeMinor = number % 10,
                .maxThreadsPerBlock = 1024,
                .maxThreadsPerMultiprocessor = architectures[i].threads,
                .regsPerBlock = 65536,
                .regsPerMultiprocessor = 65536,
                .warpSize = 32,
                .sharedMemPerBlock = 48 << 10,
                .sharedMemPerMultiprocessor = architectures[i].shared_kib << 10,
                .numSms = 1,
                .sharedMemPerBlockOptin = architectures[i].block_kib << 10,
                .reservedSharedMemPerBlock = number >= 80 ? 1 << 10 : 0};
            const cudaOccFuncAttributes kernel = {.maxThreadsPerBlock = threads,
                                                  .numRegs = registers,
                                                  .sharedSizeBytes = fixed,
                                                  .partitionedGCConfig = PARTITIONED_GC_OFF,
                                                  .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                                  .maxDynamicSharedSizeBytes = dynamic,
                                                  .numBlockBarriers = 1};
            cudaOccResult result;

            return cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                           threads, dynamic) == CUDA_OCC_SUCCESS
                       ? result.activeBlocksPerMultiprocessor
                       : 0;
        }
    }
    return 0;
}

int main(void)
{
    int number, threads, registers;
    size_t fixed, dynamic;

    while (scanf("%d %d %d %zu %zu", &number, &threads, &registers, &fixed, &dynamic) == 5) {
        printf("%d\n", blocks_of(number, threads, registers, fixed, dynamic));
    }
    return 0;
}
