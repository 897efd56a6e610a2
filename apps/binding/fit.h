/*
 * fit.h - the R-MAT model of a graph in arrays, for other languages: what `rmat fit` does, with the
 * report as JSON text.
 */
#ifndef APPS_BINDING_FIT_H
#define APPS_BINDING_FIT_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The options of `rmat fit`; 0 stands for the default of each.  Fixed widths and no padding: other
 * languages repeat this struct. */
typedef struct {
    uint64_t vertices, memory, multiply, seed;
    double time;      /* seconds; 0: any */
    int32_t edges;    /* 0: find out; 1: directed; 2: undirected */
    int32_t backend;  /* 0: auto; 1: cpu; 2: gpu */
    int32_t device;   /* number of the GPU; -1: the current one */
    int32_t threads;  /* of the CPU; 0: one per processor that the process may use */
    int32_t densify;  /* 0 or 1 */
    int32_t chung_lu; /* 0 or 1: compare with a graph of the same expected degrees */
} binding_fit_options;

/*
 * Fits `edges` edges: src and dst have as many elements of id_bytes (4 or 8) bytes, borrowed during
 * the call, unsigned or signed and not negative.  *json becomes the report, a text that the caller
 * frees with binding_fit_free(), or NULL.  binding_watch() can stop the fit.  Returns 0 or a
 * negative status (graph.h): BINDING_ERR_OPTION, BINDING_ERR_NOMEM, BINDING_ERR_STOPPED,
 * BINDING_ERR_FIT.
 */
int binding_fit(const void *src, const void *dst, uint64_t edges, int id_bytes,
                const binding_fit_options *options, char **json);
void binding_fit_free(char *json);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
