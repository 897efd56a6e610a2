/* The numbers of vertices are the rows of a sorted graph that has one column and, for every edge of
 * the graph, two: the sorting is that of rmat_interval.h.  A number is found again by bisection. */
#include "apps/fit/compact.h"
#include "rmat/rmat_interval.h"
#include "rmat/try.h"
#include <stdlib.h>
#include <string.h>

/* Numbers for each end of an edge, from which on they are found anew; and those that do no harm. */
#define HOLES    ((uint64_t)8)
#define HARMLESS ((uint64_t)1 << 20)

int fit_has_holes(const rmat_source *source)
{
    const uint64_t n = source->rows > source->cols ? source->rows : source->cols;

    return n > HARMLESS && n / HOLES > 2 * source->edges;
}

/* The ends of edges as edges: of edge i, 2 i and 2 i + 1. */
static int fill_ends(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_compact *c = state;
    const uint64_t from = first / 2, n = (first + count + 1) / 2 - from;
    uint64_t *src = malloc(2 * n * sizeof *src);
    const rmat_arrays edges = {src, src + n, NULL, 8};
    int status = src == NULL || c->from.fill(c->from.state, from, n, &edges) != 0;

    for (uint64_t i = 0; i < count && status == 0; i++) {
        const uint64_t end = first + i;
        const uint64_t id = end % 2 == 0 ? src[end / 2 - from] : src[n + end / 2 - from];

        ((uint64_t *)to->src)[i] = id;
        ((uint64_t *)to->dst)[i] = 0;
    }
    free(src);
    return status;
}

static uint64_t ends_piece(void *state, uint64_t first)
{
    const fit_compact *c = state;

    return 2 * c->from.piece_end(c->from.state, first / 2);
}

/* All ids, in a sorted interval. */
static int find(const rmat_gen *gen, uint64_t ends, rmat_interval **interval)
{
    const rmat_cell first = {0, 0}, end = {(uint64_t)1 << RMAT_MAX_SCALE, 0};
    const uint64_t room = ends > RMAT_INTERVAL_LEAST_EDGES ? ends : RMAT_INTERVAL_LEAST_EDGES;
    uint64_t bytes;
    int st;

    RMAT_TRY(rmat_interval_bytes(gen, room, &bytes));
    RMAT_TRY(rmat_interval_create(interval, gen, bytes));
    RMAT_TRY(rmat_interval_begin(*interval, &first, &end, 1));
    RMAT_TRY(rmat_interval_add(*interval, 0, ends));
    RMAT_TRY(rmat_interval_sort(*interval));
done:
    return st;
}

int fit_compact_open(fit_compact *c, const rmat_source *from, int threads)
{
    const uint64_t ends = 2 * from->edges;
    const rmat_source source = {.rows = (uint64_t)1 << RMAT_MAX_SCALE,
                                .cols = 1,
                                .edges = ends,
                                .fill = fill_ends,
                                .piece_end = from->piece_end != NULL ? ends_piece : NULL,
                                .state = c};
    rmat_interval *interval = NULL;
    rmat_arrays to = {.id_bytes = 8};
    rmat_gen *gen = NULL;
    rmat_config config;
    int st;

    memset(c, 0, sizeof *c);
    c->from = *from;
    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.threads = threads;
    RMAT_TRY(rmat_create_from(&gen, &source, &config));
    RMAT_TRY(find(gen, ends, &interval));
    c->n = rmat_interval_edges(interval);
    to.src = c->ids = malloc((c->n + 1) * sizeof *c->ids);
    if (c->ids == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(rmat_interval_read(interval, 0, c->n, &to));
done:
    rmat_interval_destroy(interval);
    rmat_destroy(gen);
    return st;
}

void fit_compact_close(fit_compact *c)
{
    free(c->ids);
    c->ids = NULL;
}

static uint64_t number_of(const fit_compact *c, uint64_t id)
{
    uint64_t low = 0, high = c->n - 1;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (c->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_compact *c = state;
    uint64_t *src = malloc(2 * count * sizeof *src), *dst = src + count;
    const rmat_arrays edges = {src, dst, NULL, 8};
    int status = src == NULL || c->from.fill(c->from.state, first, count, &edges) != 0;

    for (uint64_t i = 0; i < count && status == 0; i++) {
        const uint64_t u = number_of(c, src[i]), v = number_of(c, dst[i]);

        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = (uint32_t)u;
            ((uint32_t *)to->dst)[i] = (uint32_t)v;
        } else {
            ((uint64_t *)to->src)[i] = u;
            ((uint64_t *)to->dst)[i] = v;
        }
    }
    free(src);
    return status;
}

static uint64_t piece_end(void *state, uint64_t first)
{
    const fit_compact *c = state;

    return c->from.piece_end(c->from.state, first);
}

rmat_source fit_compact_source(fit_compact *c)
{
    return (rmat_source){.rows = c->n,
                         .cols = c->n,
                         .edges = c->from.edges,
                         .fill = fill,
                         .piece_end = c->from.piece_end != NULL ? piece_end : NULL,
                         .state = c};
}
