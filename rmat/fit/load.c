/* All edges of a source in host memory: threads take one piece after another. */
#include "rmat/fit/load.h"

#include <omp.h>
#include <stdlib.h>

#define PIECE ((uint64_t)1 << 18) /* edges, where the source has any range at the same price */

static uint64_t piece_end(const rmat_source *source, uint64_t first)
{
    const uint64_t end =
        source->piece_end != NULL ? source->piece_end(source->state, first) : first + PIECE;

    return end < source->edges ? end : source->edges;
}

static int fill_all(const fit_loaded *l, const rmat_source *source, int threads)
{
    uint64_t next = 0;
    int st = RMAT_OK;

#pragma omp parallel num_threads(threads)
    for (;;) {
        uint64_t first, end;
        int failed;

#pragma omp critical(rmat_fit_load)
        {
            first = st == RMAT_OK ? next : source->edges;
            next = end = first < source->edges ? piece_end(source, first) : first;
        }
        if (first == end) {
            break;
        }
        failed = source->fill(source->state, first, end - first,
                              &(rmat_arrays){l->src + first, l->dst + first, NULL, 4});
        if (failed) {
#pragma omp critical(rmat_fit_load)
            st = RMAT_ERR_SOURCE;
        }
    }
    return st;
}

int fit_load(fit_loaded *loaded, const rmat_source *source, const rmat_fit_input *input)
{
    const uint64_t n = source->edges;

    *loaded = (fit_loaded){.vertices = source->rows, .edges = n};
    if (source->rows != source->cols) {
        return RMAT_ERR_SQUARE;
    }
    if (source->rows > (uint64_t)1 << 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    if (n >= RMAT_SHAPE_MOST_EDGES) {
        return RMAT_ERR_EDGES;
    }
    if (input->memory == 0 || 2 * sizeof *loaded->src * n <= input->memory) {
        loaded->src = malloc(n > 0 ? 2 * sizeof *loaded->src * n : 1);
    }
    if (loaded->src == NULL) {
        return RMAT_ERR_NOMEM;
    }
    loaded->dst = loaded->src + n;
    return fill_all(loaded, source, input->threads > 0 ? input->threads : omp_get_max_threads());
}

void fit_unload(fit_loaded *loaded)
{
    free(loaded->src);
    loaded->src = NULL;
}

static void copy(const uint32_t *ids, uint64_t count, void *to, int id_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        if (id_bytes == 4) {
            ((uint32_t *)to)[i] = ids[i];
        } else {
            ((uint64_t *)to)[i] = ids[i];
        }
    }
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_loaded *l = state;

    copy(l->src + first, count, to->src, to->id_bytes);
    copy(l->dst + first, count, to->dst, to->id_bytes);
    return 0;
}

rmat_source fit_loaded_source(fit_loaded *loaded)
{
    return (rmat_source){.rows = loaded->vertices,
                         .cols = loaded->vertices,
                         .edges = loaded->edges,
                         .fill = fill,
                         .fill_device = fit_loaded_fill_device(),
                         .state = loaded};
}
