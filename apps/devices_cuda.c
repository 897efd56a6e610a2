/* GPUs as the CUDA runtime sees them: CUDA_VISIBLE_DEVICES counts. */
#include "apps/devices.h"
#include <cuda_runtime_api.h>
#include <string.h>

bool devices_cuda(char version[DEVICES_TEXT])
{
    snprintf(version, DEVICES_TEXT, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return true;
}

static bool refused(cudaError_t error, char why[DEVICES_TEXT])
{
    if (error == cudaSuccess) {
        return false;
    }
    (void)cudaGetLastError();
    snprintf(why, DEVICES_TEXT, "%s", cudaGetErrorString(error));
    return true;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ...": the number after "Module". */
static void kernel_driver(char version[64])
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[512];
    const char *at;

    snprintf(version, 64, "unknown");
    if (file == NULL) {
        return;
    }
    if (fgets(line, sizeof line, file) != NULL && (at = strstr(line, "Module")) != NULL) {
        at = strpbrk(at, "0123456789");
        if (at != NULL) {
            snprintf(version, 64, "%.*s", (int)strcspn(at, " \n"), at);
        }
    }
    fclose(file);
}

int devices_gpus(char why[DEVICES_TEXT])
{
    int count = 0, cuda = 0;
    char driver[64];

    if (refused(cudaDriverGetVersion(&cuda), why)) {
        return 0;
    }
    if (cuda == 0) {
        snprintf(why, DEVICES_TEXT, "no CUDA driver is installed");
        return 0;
    }
    if (refused(cudaGetDeviceCount(&count), why)) {
        return 0;
    }
    if (count == 0) {
        snprintf(why, DEVICES_TEXT, "CUDA shows none");
        return 0;
    }
    kernel_driver(driver);
    snprintf(why, DEVICES_TEXT, "%s, for CUDA up to %d.%d", driver, cuda / 1000, cuda % 1000 / 10);
    return count;
}

bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT])
{
    struct cudaDeviceProp properties;
    size_t free_bytes = 0, total = 0;

    if (refused(cudaGetDeviceProperties(&properties, index), why) ||
        refused(cudaSetDevice(index), why) || refused(cudaMemGetInfo(&free_bytes, &total), why)) {
        return false;
    }
    snprintf(gpu->name, sizeof gpu->name, "%s", properties.name);
    gpu->memory = total;
    gpu->free = free_bytes;
    gpu->major = properties.major;
    gpu->minor = properties.minor;
    return true;
}
