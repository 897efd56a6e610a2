/* devices.h - the processors and GPUs of this machine. */
#ifndef APPS_COMMON_DEVICES_H
#define APPS_COMMON_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Print the names of the instruction sets that the CPU backend can use, with a separator between
 * them. */
void devices_isas(FILE *stream, const char *separator);

enum { DEVICES_TEXT = 256 };

typedef struct {
    char name[DEVICES_TEXT];
    uint64_t memory, free; /* bytes */
    int major, minor;      /* compute capability */
    uint64_t bus;          /* PCI address, which does not depend on CUDA_VISIBLE_DEVICES */
} device_gpu;

/* The number of usable GPUs.  `text` names the driver, or says why there is none. */
int devices_gpus(char text[DEVICES_TEXT]);

/* Describe GPU `index`, which is less than devices_gpus().  Returns false if CUDA refuses; `why` is
 * then the reason. */
bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT]);

/* Returns the version of CUDA, such as "13.0"; NULL: this build has no CUDA. */
const char *devices_cuda_version(void);

/* The version of NVIDIA's kernel driver. */
enum { DRIVER_VERSION_TEXT = 64 };

/* Finds the version in the first line of /proc/driver/nvidia/version; "unknown" if there is none.
 */
void driver_version_parse(const char *line, char version[DRIVER_VERSION_TEXT]);

/* The version of the running driver; "unknown" if there is none. */
void driver_version(char version[DRIVER_VERSION_TEXT]);

/* The processor that this process runs on. */

/* Its name as the manufacturer writes it; "unknown" if the system does not say. */
void cpu_model(char *model, size_t size);

/* The number of hardware threads that this process may use; at least 1. */
int cpu_usable(void);

enum { CPU_MAX_THREADS = 4096 };

/* Returns the number of threads to start if `asked` were requested. asked 0: OMP_NUM_THREADS, or
 * the hardware threads for this rank.  OMP_THREAD_LIMIT is the maximum. */
int cpu_threads(uint64_t asked);

#endif
