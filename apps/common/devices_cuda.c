/* GPUs as the CUDA runtime sees them, that is, after CUDA_VISIBLE_DEVICES. */
#include "apps/common/devices.h"
#include <cuda_runtime_api.h>

const char *devices_cuda_version(void)
{
    static char version[16];

    snprintf(version, sizeof version, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return version;
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

int devices_gpus(char text[DEVICES_TEXT])
{
    int count = 0, cuda = 0;
    char driver[DRIVER_VERSION_TEXT];

    if (refused(cudaDriverGetVersion(&cuda), text)) {
        return 0;
    }
    if (cuda == 0) {
        snprintf(text, DEVICES_TEXT, "no CUDA driver is installed");
        return 0;
    }
    if (refused(cudaGetDeviceCount(&count), text)) {
        return 0;
    }
    if (count == 0) {
        snprintf(text, DEVICES_TEXT, "CUDA finds none");
        return 0;
    }
    driver_version(driver);
    snprintf(text, DEVICES_TEXT, "%s, for CUDA up to %d.%d", driver, cuda / 1000, cuda % 1000 / 10);
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
    gpu->bus = (uint64_t)properties.pciDomainID << 16 | (uint64_t)properties.pciBusID << 8 |
               (uint64_t)properties.pciDeviceID;
    return true;
}
