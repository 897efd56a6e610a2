/* A kernel that fails for good, for the tests of what happens then. */
static __global__ void trap_kernel(void)
{
    __trap();
}

extern "C" int gpu_trap(void)
{
    trap_kernel<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
