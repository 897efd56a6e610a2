/* The work on one piece of the edges, in any pass. */
#include "apps/stats/visit.h"
#include <inttypes.h>
#include <stdio.h>

/* An edge with a vertex that the graph does not have, for which there is no counter. */
static int report_wrong(const stats_state *r, const edge_block *e, char *text, size_t size)
{
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= r->rows || v >= r->cols) {
            snprintf(text, size, "%s: edge %" PRIu64 " has %s %" PRIu64 ", allowed: below %" PRIu64,
                     r->job->options.name, e->first + i, u >= r->rows ? "source" : "destination",
                     u >= r->rows ? u : v, u >= r->rows ? r->rows : r->cols);
            break;
        }
    }
    return -1;
}

/* The largest ids and the number of loops; one copy per width, which the compiler vectorises. */
#define LOOK(NAME, ID)                                                                             \
    static uint64_t NAME(const ID *src, const ID *dst, uint64_t n, uint64_t most[2])               \
    {                                                                                              \
        ID u = 0, v = 0;                                                                           \
        uint64_t loops = 0;                                                                        \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            u = src[i] > u ? src[i] : u;                                                           \
            v = dst[i] > v ? dst[i] : v;                                                           \
            loops += src[i] == dst[i];                                                             \
        }                                                                                          \
        most[0] = u;                                                                               \
        most[1] = v;                                                                               \
        return loops;                                                                              \
    }
LOOK(look_32, uint32_t)
LOOK(look_64, uint64_t)

/* What failed is asked for when all threads are through. */
static int count_on_gpu(stats_state *r, int thread, const edge_block *e, char *text)
{
    if (gpu_tables_cuda()->add(r->gpu, thread, e) != 0) {
        r->failed = true;
        text[0] = '\0';
        return -1;
    }
    return 0;
}

int stats_visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    stats_state *r = state;
    thread_sums *sums = &r->sums[thread];
    const edge_block *e = &m->edges;
    uint64_t most[2], loops;

    if (e->count == 0) {
        return 0;
    }
    /* In each pass, since the file may change between them. */
    loops = e->id_bytes == 4 ? look_32(e->src, e->dst, e->count, most)
                             : look_64(e->src, e->dst, e->count, most);
    if (most[0] >= r->rows || most[1] >= r->cols) {
        return report_wrong(r, e, text, size);
    }
    if (r->first) {
        sums->loops += loops;
    }
    if (r->gpu != NULL) {
        return count_on_gpu(r, thread, e, text);
    }
    if (r->first && r->job->levels && !levels_add(sums->levels, r->gen, e)) {
        snprintf(text, size, "%s: the permutation of its vertices cannot be undone",
                 r->job->options.name);
        return -1;
    }
    if (r->counts && !counters_add(&r->counters, e, thread)) {
        snprintf(text, size, "memory is exhausted");
        return -1;
    }
    if (r->finds && !r->full && !pairs_add(&r->pairs, e, thread, &sums->pairs)) {
        r->full = true;
    }
    return 0;
}
