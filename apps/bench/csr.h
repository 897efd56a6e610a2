/* What the parts of bench_csr share. */
#ifndef APPS_BENCH_CSR_H
#define APPS_BENCH_CSR_H

#include "rmat/rmat_interval.h"
#include <stdbool.h>
#include <stdint.h>

/* Where the CSR of a block goes, in host or device memory; pieces of larger ones one after the
 * other. */
typedef struct {
    uint64_t *pointers;
    void *indices;
    uint64_t rows, edges; /* of a piece */
    int id_bytes;
} csr_place;

enum { CSR_GATHER, CSR_SORT, CSR_POINTERS, CSR_INDICES, CSR_PHASES };

typedef struct {
    double seconds[CSR_PHASES];
    uint64_t edges;
} csr_times;

/*
 * For a backend each.  Bytes of memory that may be used; a place with so many elements; CSR of a
 * sorted block, each returning once it is done; 0 and an rmat_status otherwise.
 */
typedef struct {
    const char *name;
    uint64_t (*memory)(void);
    int (*place)(csr_place *place);
    void (*free)(csr_place *place);
    int (*wait)(void); /* until all work is done */
    int (*pointers)(const rmat_interval *b, uint64_t first_row, uint64_t rows, const csr_place *to);
    int (*indices)(const rmat_interval *b, uint64_t first, uint64_t count, const csr_place *to);
} csr_backend;

extern const csr_backend csr_on_cpu;
const csr_backend *csr_on_gpu(void); /* NULL where there is none */

/*
 * Compares a sorted block with another pass over the first `stream` edges, on the GPU: keys rise,
 * and each edge of the interval is there, as often as it should be.  *right tells.
 */
int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
               const rmat_cell *end, uint64_t stream, bool unique, bool *right);

#endif
