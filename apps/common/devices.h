/* The processors and GPUs of this machine, and the libraries of this build: `rmat info --devices`.
 */
#ifndef APPS_COMMON_DEVICES_H
#define APPS_COMMON_DEVICES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Print the names of the instruction sets that the CPU backend can use, with a separator between
 * them. */
void devices_isas(FILE *stream, const char *separator);

/* Print all of it on standard output, as lines or as one JSON object. */
void devices_show(bool json);

enum { DEVICES_TEXT = 256 };

typedef struct {
    char name[DEVICES_TEXT];
    uint64_t memory, free; /* bytes */
    int major, minor;      /* compute capability */
    uint64_t bus;          /* PCI address, which does not depend on CUDA_VISIBLE_DEVICES */
} device_gpu;

/* Whether this build can use GPUs; if so, `version` is that of CUDA ("13.0"). */
bool devices_cuda(char version[DEVICES_TEXT]);

/* The number of usable GPUs.  `text` names the driver, or says why there is none. */
int devices_gpus(char text[DEVICES_TEXT]);

/* Describe GPU `index`, which is less than devices_gpus().  Returns false if CUDA refuses; `why` is
 * then the reason. */
bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT]);

#endif
