/*
 * io/formats/order.c - are the edges what was said of them?
 *
 * Vertices below rows and cols, and for formats that need it, edges in order: within a piece when
 * it comes; between pieces, which come in any order, when all are there.
 */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>

int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge)
{
    const unsigned traits = graphfile_table[w->spec.format].traits;

    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "edge %" PRIu64 " is not in order, %s needs a sorted graph%s", edge,
                         graphfile_table[w->spec.format].name,
                         traits & GRAPHFILE_NEEDS_UNIQUE ? " without duplicates" : "");
}

static uint64_t id_at(const graphfile_writer *w, const void *ids, uint64_t i)
{
    return w->spec.graph.id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static uint64_t highest_32(const uint32_t *ids, uint64_t count)
{
    uint32_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        most = ids[i] > most ? ids[i] : most;
    }
    return most;
}

static uint64_t highest_64(const uint64_t *ids, uint64_t count)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        most = ids[i] > most ? ids[i] : most;
    }
    return most;
}

static int check_ids(const graphfile_writer *w, const void *ids, uint64_t count, uint64_t vertices,
                     const char *what)
{
    const uint64_t most =
        w->spec.graph.id_bytes == 4 ? highest_32(ids, count) : highest_64(ids, count);

    if (count > 0 && most >= vertices) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s %" PRIu64 " of an edge, there are %" PRIu64,
                             what, most, vertices);
    }
    return EDGEFILE_OK;
}

/* Does (s, d) follow (a, b)? */
static bool follows(const graphfile_writer *w, uint64_t a, uint64_t b, uint64_t s, uint64_t d)
{
    const bool unique = graphfile_table[w->spec.format].traits & GRAPHFILE_NEEDS_UNIQUE;

    return s > a || (s == a && (d > b || (d == b && !unique)));
}

static int check_order(const graphfile_writer *w, const graphfile_piece *p)
{
    uint64_t a = id_at(w, p->src, 0), b = id_at(w, p->dst, 0);

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t s = id_at(w, p->src, i), d = id_at(w, p->dst, i);
        if (!follows(w, a, b, s, d)) {
            return graphfile_not_sorted(w, p->first + i);
        }
        a = s;
        b = d;
    }
    return EDGEFILE_OK;
}

static int keep_ends(graphfile_writer *w, const graphfile_piece *p)
{
    const uint64_t last = p->count - 1;
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&w->lock);
    if (p->number >= w->n_ends) {
        const uint64_t n = 2 * p->number + 64;
        graphfile_ends *ends = realloc(w->ends, n * sizeof *ends);
        if (ends == NULL) {
            st = edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
        } else {
            for (uint64_t i = w->n_ends; i < n; i++) {
                ends[i].count = 0;
            }
            w->ends = ends;
            w->n_ends = n;
        }
    }
    if (st == EDGEFILE_OK) {
        w->ends[p->number] = (graphfile_ends){p->first,
                                              p->count,
                                              id_at(w, p->src, 0),
                                              id_at(w, p->dst, 0),
                                              id_at(w, p->src, last),
                                              id_at(w, p->dst, last)};
    }
    pthread_mutex_unlock(&w->lock);
    return st;
}

int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p)
{
    int st = check_ids(w, p->src, p->count, w->spec.graph.rows, "source");

    if (st == EDGEFILE_OK) {
        st = check_ids(w, p->dst, p->count, w->spec.graph.cols, "destination");
    }
    if (p->count == 0 || !(graphfile_table[w->spec.format].traits & GRAPHFILE_NEEDS_SORTED)) {
        return st;
    }
    if (st == EDGEFILE_OK) {
        st = check_order(w, p);
    }
    return st == EDGEFILE_OK ? keep_ends(w, p) : st;
}

int graphfile_check_ends(const graphfile_writer *w)
{
    const graphfile_ends *before = NULL;

    for (uint64_t i = 0; i < w->n_ends; i++) {
        const graphfile_ends *e = &w->ends[i];
        if (e->count == 0) {
            continue;
        }
        if (before != NULL &&
            !follows(w, before->last_src, before->last_dst, e->first_src, e->first_dst)) {
            return graphfile_not_sorted(w, e->first);
        }
        before = e;
    }
    return EDGEFILE_OK;
}
