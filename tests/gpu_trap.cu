/* A kernel that fails for good, for tests/test_alias_gpu_errors.c. */
static __global__ void trap_kernel(void)
{
    __trap();
}

extern "C" int gpu_trap(void)
{
    trap_kernel<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
