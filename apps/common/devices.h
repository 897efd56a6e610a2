/* What this machine and this build have to work with: `rmat info --devices`. */
#ifndef APPS_COMMON_DEVICES_H
#define APPS_COMMON_DEVICES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of the CPU backend: their names, separated so. */
void devices_isas(FILE *stream, const char *separator);

/* As lines, or as one JSON object, on standard output. */
void devices_show(bool json);

enum { DEVICES_TEXT = 256 };

typedef struct {
    char name[DEVICES_TEXT];
    uint64_t memory, free; /* bytes */
    int major, minor;      /* compute capability */
    uint64_t bus;          /* its place in this host, whatever CUDA_VISIBLE_DEVICES calls it */
} device_gpu;

/* Whether the program was built to use GPUs, and if so with which CUDA ("13.0"). */
bool devices_cuda(char version[DEVICES_TEXT]);

/* How many GPUs there are to use.  Where none: `why` says so; else it names the driver. */
int devices_gpus(char why[DEVICES_TEXT]);

/* GPU 0 .. devices_gpus() - 1: true, or false where CUDA refuses, and why. */
bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT]);

#endif
