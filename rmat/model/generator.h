/* Private to rmat/: the generator behind the handle, its backends and the CPU kernels. */
#ifndef RMAT_MODEL_GENERATOR_H
#define RMAT_MODEL_GENERATOR_H

#include "rmat/model/edge.h"
#include "rmat/rmat.h"

#include <stdatomic.h>

/* A backend.  Ranges, widths and pointers are checked before these are called. */
typedef struct {
    int (*generate)(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);
    int (*redraws)(const rmat_gen *gen, uint64_t *redraws);
    int (*prepare)(rmat_gen *gen); /* once the tables are built; NULL: nothing to do */
    void (*destroy)(rmat_gen *gen);
} rmat_backend_ops;

struct rmat_gen {
    rmat_view view;     /* points into tables */
    void *tables;       /* one allocation: every distinct table, full rows then fast rows */
    rmat_config config; /* without levels: */
    rmat_matrix levels[RMAT_MAX_SCALE]; /* those that edges are drawn from */
    const rmat_backend_ops *ops;
    void *gpu; /* state of the GPU backend; NULL for a CPU generator */
    rmat_isa isa;
    int threads;
    uint64_t weight_key;
    double kept;              /* as in rmat_expectation */
    _Atomic uint64_t redraws; /* by the CPU */
};

/* rmat.c: everything but RMAT_ERR_REDRAW. */
int rmat_check_config(const rmat_config *c);

static inline int rmat_scale(const rmat_config *c)
{
    return c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
}

/* shape.c: how many vertices a side has, and all of the view that tables do not decide. */
uint64_t rmat_vertices(const rmat_config *c, rmat_side side);
void rmat_set_transform(rmat_gen *gen);

/* How many int weights there are. */
static inline uint64_t rmat_weight_range(const rmat_config *c)
{
    return (uint64_t)((int64_t)c->weight_max - c->weight_min) + 1;
}

/* NULL where the backend is not part of this build, or (GPU) no device is there. */
const rmat_backend_ops *rmat_cpu_backend(void);
const rmat_backend_ops *rmat_gpu_backend(void);

/* The checks of rmat_generate(), for every function of its kind. */
int rmat_check_range(const rmat_gen *gen, uint64_t first, uint64_t count, const void *src,
                     const void *dst, int id_bytes);

/* Fill gen->view and gen->tables from gen->config (with levels still valid). */
int rmat_build_tables(rmat_gen *gen);

/*
 * One instruction set's code.  generate: edges [first, first + count), which do not cross a
 * multiple of 2^32; returns the redraws as rmat_redraws() counts them.  weights: of a model that
 * has some.  fingerprint: as rmat_fingerprint().
 */
typedef struct {
    uint64_t (*generate)(const rmat_view *view, uint64_t first, uint64_t count, void *src,
                         void *dst, int id_bytes);
    void (*weights)(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight);
    uint64_t (*fingerprint)(const void *src, const void *dst, uint64_t count, int id_bytes);
} rmat_cpu_kernels;

extern const rmat_cpu_kernels rmat_kernels_generic;
#ifdef RMAT_X86
extern const rmat_cpu_kernels rmat_kernels_avx2;
extern const rmat_cpu_kernels rmat_kernels_avx512;
#endif

/* The kernels of an instruction set that rmat_cpu_has_isa() allows; AUTO: the fastest. */
const rmat_cpu_kernels *rmat_cpu_kernels_of(rmat_isa isa);
rmat_isa rmat_best_isa(void);

#endif
