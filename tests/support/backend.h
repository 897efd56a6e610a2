/* backend.h - functions beyond device.h that tests of rmat/ need on either backend. */
#ifndef TESTS_SUPPORT_BACKEND_H
#define TESTS_SUPPORT_BACKEND_H

#include "rmat/rmat_csr.h"
#include "tests/support/device.h"

#ifdef TEST_ON_GPU
#include "rmat/rmat_gpu.h"
#define TESTED RMAT_BACKEND_GPU
#else
#define TESTED RMAT_BACKEND_CPU
#endif

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
