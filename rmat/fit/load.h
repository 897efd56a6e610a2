/* load.h - private to rmat/fit/: all edges of a source in host memory, for a GPU. */
#ifndef RMAT_FIT_LOAD_H
#define RMAT_FIT_LOAD_H

#include "rmat/rmat_fit.h"

typedef struct {
    uint32_t *src, *dst;
    uint64_t vertices, edges;
} fit_loaded;

/* *loaded is to be unloaded in any case. */
int fit_load(fit_loaded *loaded, const rmat_source *source, const rmat_fit_input *input);
void fit_unload(fit_loaded *loaded);

/* The same edges; its state is *loaded. */
rmat_source fit_loaded_source(fit_loaded *loaded);

/* upload.cu: rmat_source.fill_device; NULL in a build without CUDA. */
#ifdef __cplusplus
extern "C"
#endif
    rmat_source_fill_device *
    fit_loaded_fill_device(void);

#endif
