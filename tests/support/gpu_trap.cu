/* A kernel that fails permanently, for tests of the errors that follow. */
static __global__ void trap_kernel(void)
{
    __trap();
}

extern "C" int gpu_trap(void)
{
    trap_kernel<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
