/* devices.c - the processor as Linux describes it, the threads to start, and the GPUs' driver. */
#include "apps/common/system.h"
#include "mpi/dist.h"
#include "rmat/rmat.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef RMAT_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

/* The first "model name" of /proc/cpuinfo. */
void cpu_model(char *model, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512], name[sizeof line] = "unknown";

    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "model name : %511[^\n]", name) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    snprintf(model, size, "%s", name);
}

int cpu_threads(uint64_t asked)
{
    const int most =
        omp_get_thread_limit() < CPU_MAX_THREADS ? omp_get_thread_limit() : CPU_MAX_THREADS;

    if (asked == 0) {
        asked = (uint64_t)(getenv("OMP_NUM_THREADS") != NULL ? omp_get_max_threads()
                           : dist_size() > 1                 ? dist_processors()
                                                             : omp_get_num_procs());
    }
    return asked < (uint64_t)most ? (int)asked : most;
}

/* GPUs as the CUDA runtime sees them, that is, after CUDA_VISIBLE_DEVICES. */

#ifdef RMAT_HAVE_CUDA

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

    if (refused(cudaDriverGetVersion(&cuda), text)) {
        return 0;
    }
    if (cuda == 0) {
        snprintf(text, DEVICES_TEXT, "no CUDA driver is installed");
    } else if (!refused(cudaGetDeviceCount(&count), text)) {
        snprintf(text, DEVICES_TEXT, "for CUDA up to %d.%d", cuda / 1000, cuda % 1000 / 10);
    }
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

#else

int devices_gpus(char text[DEVICES_TEXT])
{
    snprintf(text, DEVICES_TEXT, "this program was built without CUDA");
    return 0;
}

bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT])
{
    (void)index, (void)gpu;
    devices_gpus(why);
    return false;
}

const char *devices_cuda_version(void)
{
    return NULL;
}

#endif
