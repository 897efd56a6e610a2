/*
 * models.h - models of tests, given by the members that matter, and their generators, on the CPU or
 * on the backend under test (device.h).
 */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "rmat/rmat_csr.h"
#include "tests/support/device.h"

#include <stdbool.h>

#ifdef TEST_ON_GPU
#include "rmat/rmat_gpu.h"
#define TESTED RMAT_BACKEND_GPU
#else
#define TESTED RMAT_BACKEND_CPU
#endif

SCOPED(rmat_destroy, rmat_gen *)

/* The given model, with the usual seed, matrix or largest weight in place of 0, so that a row of a
 * table names only the members that it tests. */
static inline rmat_config model_of(rmat_config given)
{
    rmat_config usual, c = given;

    rmat_config_default(&usual);
    if (c.matrix.a + c.matrix.b + c.matrix.c + c.matrix.d == 0) {
        c.matrix = usual.matrix;
    }
    c.seed = c.seed ? c.seed : usual.seed;
    c.device = usual.device;
    if (c.weights == RMAT_WEIGHTS_INT && c.weight_max == 0) {
        c.weight_max = 99;
    }
    return c;
}

/* In a row of a table: a square model of this many bits per side. */
#define SQUARE(bits) .rows_scale = (bits), .cols_scale = (bits)

/* Such a model with the usual values. */
static inline rmat_config square_model(int scale)
{
    return model_of((rmat_config){SQUARE(scale)});
}

/* A matrix for each level, all different. */
static inline void slope(rmat_matrix levels[RMAT_MAX_SCALE])
{
    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = (rmat_matrix){0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
}

static inline uint64_t rows_of(const rmat_config *c)
{
    return c->rows ? c->rows : UINT64_C(1) << c->rows_scale;
}

static inline uint64_t cols_of(const rmat_config *c)
{
    return c->cols ? c->cols : UINT64_C(1) << c->cols_scale;
}

/* Whether ids of 32 bits hold all vertices. */
static inline bool is_narrow(const rmat_config *c)
{
    return c->rows_scale <= 32 && c->cols_scale <= 32;
}

/* Element i of an array of ids of this many bytes. */
static inline uint64_t id_of(const void *ids, uint64_t i, int id_bytes)
{
    uint64_t id = 0;

    memcpy(&id, (const char *)ids + i * (uint64_t)id_bytes, (size_t)id_bytes); /* little-endian */
    return id;
}

/* A generator, of the model's backend or of another. */
static inline rmat_gen *create_gen(const rmat_config *c)
{
    rmat_gen *gen;
    const int st = rmat_create(&gen, c);

    must(st == RMAT_OK, "rmat_create(): %s", rmat_strerror(st));
    return gen;
}

static inline rmat_gen *create_on(rmat_backend backend, rmat_config c)
{
    c.backend = backend;
    return create_gen(&c);
}

/* Moves rows from a GPU generator's memory to the host, as if rmat_csr_rows() had made them. */
static inline void move_csr_to_host(const rmat_gen *gen, const rmat_csr_spec *spec, rmat_csr *csr)
{
    rmat_csr device = *csr;

    csr->pointers = to_host(device.pointers, (device.rows + 1) * sizeof *device.pointers);
    csr->indices = to_host(device.indices, device.edges * (uint64_t)spec->id_bytes);
    csr->weights = spec->weights ? to_host(device.weights, device.edges * 4) : NULL;
    rmat_csr_free_device(gen, &device);
}

#endif
