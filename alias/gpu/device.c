/*
 * alias/gpu/device.c - CUDA devices and errors: the functions of alias/gpu/device.h, and those of
 * alias/alias_gpu.h that need no table.
 */
#include "alias/gpu/device.h"
#include "alias/core/table.h"

#include <stdio.h>

static _Thread_local char message[160];
static _Thread_local int launches_to_failure = -1;

int alias_gpu_status(cudaError_t error)
{
    if (error == cudaSuccess) {
        return ALIAS_OK;
    }
    snprintf(message, sizeof(message), "%s: %s", cudaGetErrorName(error),
             cudaGetErrorString(error));
    (void)cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation:
        return ALIAS_ERR_NOMEM;
    case cudaErrorInvalidDevice:
        return ALIAS_ERR_DEVICE;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        return ALIAS_ERR_NO_BACKEND;
    default:
        return ALIAS_ERR_CUDA;
    }
}

const char *alias_gpu_error(void)
{
    return message;
}

const char *alias_gpu_missing(void)
{
    static _Thread_local char text[160];
    int count;
    cudaError_t error = cudaGetDeviceCount(&count);

    (void)cudaGetLastError();
    snprintf(text, sizeof(text), "no GPU can be used: %s",
             error == cudaSuccess ? "CUDA finds none" : cudaGetErrorString(error));
    return text;
}

int alias_gpu_launched(void)
{
    cudaError_t error = cudaGetLastError();

    if (launches_to_failure >= 0 && launches_to_failure-- == 0) {
        error = cudaErrorLaunchFailure;
    }
    return alias_gpu_status(error);
}

void alias_gpu_fail_launch(int after)
{
    launches_to_failure = after;
}

int alias_gpu_count(void)
{
    int count = 0;

    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

int alias_gpu_choose(int *device)
{
    if (*device >= alias_gpu_count()) {
        *device = -1;
        return ALIAS_ERR_DEVICE;
    }
    return *device < 0 ? alias_gpu_status(cudaGetDevice(device)) : ALIAS_OK;
}

int alias_gpu_enter(int device, int *before)
{
    cudaError_t error = cudaGetDevice(before);

    if (error == cudaSuccess && device != *before) {
        error = cudaSetDevice(device);
    }
    return alias_gpu_status(error);
}

void alias_gpu_leave(int before)
{
    int now;

    if (cudaGetDevice(&now) == cudaSuccess && now != before) {
        (void)cudaSetDevice(before);
    }
}
