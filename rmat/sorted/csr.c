/* Rows of the graph as CSR: counted, gathered in one block, read out. */
#include "rmat/rmat_csr.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/memory.h"

#include <stdlib.h>
#include <string.h>

static int check(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                 const rmat_csr_spec *spec, const rmat_csr *out)
{
    if (gen == NULL || spec == NULL || out == NULL ||
        (spec->id_bytes != 4 && spec->id_bytes != 8)) {
        return RMAT_ERR_ARG;
    }
    if (first_row > last_row || last_row > gen->view.rows || spec->edges > RMAT_MAX_EDGES) {
        return RMAT_ERR_RANGE;
    }
    if (spec->id_bytes == 4 && gen->config.cols_scale > 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    return spec->weights && gen->config.weights == RMAT_NO_WEIGHTS ? RMAT_ERR_WEIGHTS : RMAT_OK;
}

/* A block of these rows, sorted. */
static int gather(const rmat_gen *gen, const rmat_cell *bounds, const rmat_csr_spec *spec,
                  rmat_block **block)
{
    const int all = bounds[0].src == 0 && bounds[1].src == gen->view.rows;
    uint64_t edges = spec->edges;
    int st = all ? RMAT_OK : rmat_count_cells(gen, 0, spec->edges, 2, bounds, &edges);

    if (st) {
        return st;
    }
    edges += spec->unique ? edges / 3 + 4 : 0; /* 3/4 of it suffice: rmat_block_add() */
    edges = edges > RMAT_BLOCK_LEAST ? edges : RMAT_BLOCK_LEAST;
    st = rmat_block_create(block, gen, rmat_block_bytes(gen, edges));
    st = st ? st : rmat_block_begin(*block, &bounds[0], &bounds[1], spec->unique);
    st = st ? st : rmat_block_add(*block, 0, spec->edges);
    return st ? st : rmat_block_sort(*block);
}

/* Where the arrays are to be. */
typedef struct {
    int on_gpu;
    void *(*allocate)(const rmat_gen *gen, size_t bytes); /* NULL: there is none left */
    void (*release)(const rmat_gen *gen, void *memory);
} place;

static void *allocate_host(const rmat_gen *gen, size_t bytes)
{
    (void)gen;
    return malloc(bytes);
}

static void release_host(const rmat_gen *gen, void *memory)
{
    (void)gen;
    free(memory);
}

static const place host = {0, allocate_host, release_host};
static const place device = {1, rmat_gpu_allocate, rmat_gpu_release};

static void release(const rmat_gen *gen, rmat_csr *csr, const place *at)
{
    if (csr != NULL) {
        at->release(gen, csr->pointers);
        at->release(gen, csr->indices);
        at->release(gen, csr->weights);
        memset(csr, 0, sizeof *csr);
    }
}

static int read_out(const rmat_block *block, const rmat_csr_spec *spec, rmat_csr *csr,
                    const place *at)
{
    const rmat_gen *gen = block->gen;
    const uint64_t n = rmat_block_edges(block);
    const uint64_t room = n ? n : 1; /* a pointer for nothing, too */
    rmat_arrays to = {.id_bytes = spec->id_bytes};
    int st;

    csr->edges = n;
    csr->pointers = at->allocate(gen, (csr->rows + 1) * sizeof *csr->pointers);
    csr->indices = at->allocate(gen, room * (uint64_t)spec->id_bytes);
    csr->weights = spec->weights ? at->allocate(gen, room * sizeof(float)) : NULL;
    if (csr->pointers == NULL || csr->indices == NULL || (spec->weights && csr->weights == NULL)) {
        return RMAT_ERR_NOMEM;
    }
    to.dst = csr->indices;
    to.weight = csr->weights;
    if (at->on_gpu) {
        st = rmat_block_pointers_device(block, csr->first_row, csr->rows + 1, 0, csr->pointers,
                                        NULL);
        st = st ? st : rmat_block_read_device(block, 0, n, &to, NULL);
        return st ? st : rmat_gpu_finish(gen);
    }
    st = rmat_block_pointers(block, csr->first_row, csr->rows + 1, 0, csr->pointers);
    return st ? st : rmat_block_read(block, 0, n, &to);
}

static int make(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                const rmat_csr_spec *spec, rmat_csr *out, const place *at)
{
    const rmat_cell bounds[] = {{first_row, 0}, {last_row, 0}};
    rmat_block *block = NULL;
    int st = check(gen, first_row, last_row, spec, out);

    if (!st && at->on_gpu && gen->gpu == NULL) {
        st = RMAT_ERR_ARG;
    }
    if (st) {
        return st;
    }
    *out = (rmat_csr){.first_row = first_row, .rows = last_row - first_row};
    st = gather(gen, bounds, spec, &block);
    st = st ? st : read_out(block, spec, out, at);
    rmat_block_destroy(block);
    if (st) {
        release(gen, out, at);
    }
    return st;
}

int rmat_csr_block(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                   const rmat_csr_spec *spec, rmat_csr *out)
{
    return make(gen, first_row, last_row, spec, out, &host);
}

int rmat_csr_block_device(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                          const rmat_csr_spec *spec, rmat_csr *out)
{
    return make(gen, first_row, last_row, spec, out, &device);
}

void rmat_csr_free(rmat_csr *csr)
{
    release(NULL, csr, &host);
}

void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr)
{
    release(gen, csr, &device);
}
