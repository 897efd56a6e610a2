/* All edges of a source in host memory, read by several threads. */
#include "rmat/fit/load.h"
#include "rmat/model/generator.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

static void copy(uint32_t *to, const void *ids, uint64_t n, int id_bytes)
{
    if (id_bytes == 4) {
        memcpy(to, ids, n * sizeof *to);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        to[i] = (uint32_t)((const uint64_t *)ids)[i];
    }
}

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                const void *weight, int id_bytes)
{
    const fit_loaded *l = to;

    (void)thread, (void)weight;
    copy(l->src + first, src, n, id_bytes);
    copy(l->dst + first, dst, n, id_bytes);
    return 0;
}

int fit_load(fit_loaded *loaded, const rmat_source *source, const rmat_fit_input *input)
{
    const uint64_t n = source->edges;
    rmat_pass pass = {.count = n};
    rmat_gen *gen = NULL;
    rmat_config config;
    int st;

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
    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.threads = input->threads;
    RMAT_TRY(rmat_create_from(&gen, source, &config));
    if (input->memory == 0 || 2 * sizeof *loaded->src * n <= input->memory) {
        loaded->src = malloc(n > 0 ? 2 * sizeof *loaded->src * n : 1);
    }
    if (loaded->src == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    loaded->dst = loaded->src + n;
    pass.gen = gen;
    rmat_run_pass(&pass, rmat_threads_for(gen, n, RMAT_PASS_PIECE), take, loaded);
    RMAT_TRY(rmat_pass_end(&pass));
done:
    rmat_destroy(gen);
    return st;
}

void fit_unload(fit_loaded *loaded)
{
    free(loaded->src);
    loaded->src = NULL;
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_loaded *l = state;

    for (uint64_t i = 0; i < count; i++) {
        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = l->src[first + i];
            ((uint32_t *)to->dst)[i] = l->dst[first + i];
        } else {
            ((uint64_t *)to->src)[i] = l->src[first + i];
            ((uint64_t *)to->dst)[i] = l->dst[first + i];
        }
    }
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
