/*
 * Search keys, as Graph500's benchmark selects them: candidates are drawn one by one; a candidate
 * that is a key already, or that has no edge but loops, is passed over.  After as many candidates
 * as there are vertices the next ones are taken as they come.
 *
 * Only the candidates matter, so one pass over the edges that marks those with an edge is enough,
 * in little memory.  If there are too few candidates with edges it is done again with more.
 */
#include "apps/roots/select.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/engine/status.h"
#include "rmat/rmat_graph500.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Candidates for each key, at first: more than half of the vertices may be isolated. */
#define CANDIDATES ((uint64_t)16)

enum { FILTER_BITS = 1 << 18 };

/* What is known of a candidate. */
enum { ISOLATED, HAS_EDGE, IS_KEY };

typedef struct {
    uint64_t *candidates; /* in the order in which they are drawn */
    uint64_t *sorted;     /* the same vertices in order */
    atomic_char *used;    /* what is known of sorted[i] */
    uint64_t n;
    uint8_t filter[FILTER_BITS / 8]; /* a bit for the last digits of each candidate */
} candidates;

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The place of a vertex among the sorted candidates, or n. */
static uint64_t place_of(const candidates *c, uint64_t vertex)
{
    uint64_t low = 0, high = c->n;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (c->sorted[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->n && c->sorted[low] == vertex ? low : c->n;
}

static void mark(candidates *c, uint64_t vertex)
{
    const uint64_t bit = vertex % FILTER_BITS;

    if (c->filter[bit / 8] >> bit % 8 & 1) {
        const uint64_t at = place_of(c, vertex);

        if (at < c->n) {
            atomic_store_explicit(&c->used[at], HAS_EDGE, memory_order_relaxed);
        }
    }
}

static int visit(void *state, int thread, const edge_piece_memory *piece, char *text, size_t size)
{
    const edge_block *e = &piece->edges;

    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t src = edge_id(e->src, i, e->id_bytes);
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes);

        if (src != dst) {
            mark(state, src);
            mark(state, dst);
        }
    }
    return 0;
}

/* Draws n candidates. */
static int draw(candidates *c, const roots_job *job, uint64_t n)
{
    rmat_graph500 *g;
    uint64_t distinct = 0;
    int status;

    free(c->candidates);
    free(c->sorted);
    free((void *)c->used);
    memset(c, 0, sizeof *c);
    c->candidates = malloc(n * sizeof *c->candidates);
    c->sorted = malloc(n * sizeof *c->sorted);
    c->used = calloc(n, sizeof *c->used);
    if (c->candidates == NULL || c->sorted == NULL || c->used == NULL) {
        return engine_fail("memory is exhausted");
    }
    status = rmat_graph500_create(&g, job->scale, job->seeds[0], job->seeds[1], RMAT_ISA_AUTO);
    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    rmat_graph500_candidates(g, n, c->candidates);
    rmat_graph500_destroy(g);
    memcpy(c->sorted, c->candidates, n * sizeof *c->sorted);
    qsort(c->sorted, n, sizeof *c->sorted, compare);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bit = c->sorted[i] % FILTER_BITS;

        c->filter[bit / 8] |= (uint8_t)(1 << bit % 8);
        if (i == 0 || c->sorted[i] != c->sorted[i - 1]) {
            c->sorted[distinct++] = c->sorted[i];
        }
    }
    c->n = distinct;
    return ENGINE_OK;
}

/* Goes through n marked candidates.  Returns whether they were enough. */
static bool choose(candidates *c, roots_job *job, uint64_t n)
{
    const uint64_t vertices = (uint64_t)1 << job->scale;
    uint64_t found = 0, i = 0;

    for (; i < n && found < job->count; i++) {
        const uint64_t vertex = c->candidates[i], at = place_of(c, vertex);

        if (i >= vertices || c->used[at] == HAS_EDGE) {
            job->keys[found++] = vertex;
            c->used[at] = IS_KEY;
        }
    }
    job->candidates = i;
    return found == job->count;
}

int roots_select(edge_source *source, roots_job *job, client *c)
{
    const graphfile_graph *graph = &edge_source_facts_of(source)->graph;
    candidates *all = calloc(1, sizeof *all);
    const edge_walk_body body = {.visit = visit, .state = all};
    uint64_t n = CANDIDATES * job->count;
    int status = all != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    do {
        engine_meter meter =
            engine_meter_of(&c->watch, "looking for edges", graph->edges, 2 * graph->id_bytes);

        status = status == ENGINE_OK ? draw(all, job, n) : status;
        status = status == ENGINE_OK ? edge_walk(source, job->threads, &body, &meter) : status;
    } while (status == ENGINE_OK && !choose(all, job, n) && (n *= 8) > 0);
    if (all != NULL) {
        free(all->candidates);
        free(all->sorted);
        free((void *)all->used);
        free(all);
    }
    return status;
}
