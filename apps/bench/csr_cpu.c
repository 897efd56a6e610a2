/* bench_csr in host memory. */
#include "apps/bench/csr.h"

#include <stdlib.h>
#include <unistd.h>

static uint64_t memory(void)
{
    return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void release(csr_place *place)
{
    free(place->pointers);
    free(place->indices);
}

static int reserve(csr_place *place)
{
    place->pointers = calloc(place->rows, sizeof *place->pointers);
    place->indices = calloc(place->edges, (size_t)place->id_bytes);
    return place->pointers && place->indices ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int wait_for_it(void)
{
    return RMAT_OK;
}

static int pointers(const rmat_interval *b, uint64_t first_row, uint64_t rows, const csr_place *to)
{
    return rmat_interval_pointers(b, first_row, rows, 0, to->pointers);
}

static int indices(const rmat_interval *b, uint64_t first, uint64_t count, const csr_place *to)
{
    return rmat_interval_read(b, first, count,
                              &(rmat_arrays){.dst = to->indices, .id_bytes = to->id_bytes});
}

const csr_backend csr_on_cpu = {"cpu", memory, reserve, release, wait_for_it, pointers, indices};
