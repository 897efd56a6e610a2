/*
 * read.c - rmat verify: reads edges that cannot be made again, in order and in one thread, for
 * their fingerprint and to check the promises of the attributes.
 */
#include "apps/client/client.h"
#include "apps/engine/source/edge_source.h"
#include "apps/verify/edges.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1 << 17 };

typedef struct {
    edge_results *r;
    const file_model *promised; /* or NULL */
    uint64_t row;               /* for CSR: the row of the edge that was read last */
    bool follows;               /* there is an edge before the piece, which is: */
    uint64_t src, dst;
} reading;

/* Returns what is wrong with edge (s, d), or NULL. */
static const char *broken_promise(const reading *x, uint64_t edge, uint64_t s, uint64_t d)
{
    const rmat_config *m = &x->promised->drawn;
    const model_order *order = &x->promised->order;
    const bool reverse = m->symmetrize && edge % 2 != 0;

    return s >= m->rows                 ? "src is not below num_rows"
           : d >= m->cols               ? "dst is not below num_cols"
           : m->no_self_loops && s == d ? "is a self loop, although the attributes exclude them"
           : (m->direction == RMAT_LOWER && !reverse && s < d) ||
                   (m->direction == RMAT_UPPER && !reverse && s > d)
               ? "has its ends in the other order"
           : reverse && x->follows && (s != x->dst || d != x->src)
               ? "is not the reverse of the edge before it"
           : order->sorted && x->follows && (s < x->src || (s == x->src && d < x->dst))
               ? "is not in order: it belongs before the preceding edge"
           : order->unique && x->follows && s == x->src && d == x->dst
               ? "is a duplicate of the preceding edge, although the attributes exclude duplicates"
               : NULL;
}

static void check_piece(reading *x, uint64_t first, uint64_t count, const void *src,
                        const void *dst)
{
    edge_results *r = x->r;

    r->fingerprint += rmat_fingerprint(src, dst, count, r->id_bytes);
    r->found_edges.looked_at += count;
    for (uint64_t i = 0; x->promised != NULL && i < count; i++) {
        const uint64_t s = edge_id(src, i, r->id_bytes), d = edge_id(dst, i, r->id_bytes);
        const char *broken = broken_promise(x, first + i, s, d);

        if (broken != NULL) {
            note_wrong(&r->found_edges, first + i, 1, broken, "", "");
        }
        x->src = s;
        x->dst = d;
        x->follows = true;
    }
}

static void fail(edge_results *r, const char *text, bool damaged)
{
    r->failed = true;
    r->damaged = damaged;
    snprintf(r->text, sizeof r->text, "%s", text);
}

/* Returns whether the piece could be read. */
static bool read_piece(reading *x, uint64_t first, uint64_t count, void *src, void *dst)
{
    edge_results *r = x->r;
    const bool csr = r->rows > 0;
    int status = edgefile_read(r->reader, first, count, csr ? NULL : src, dst, NULL);

    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(r->reader, first, count, src, &x->row);
        if (status == EDGEFILE_ERR_RANGE) {
            fail(r, "dataset 'pointers_to_1' is not in order", true);
            return false;
        }
    }
    if (status != EDGEFILE_OK) {
        fail(r, edgefile_detail(), !verify_is_failure(status));
    }
    return status == EDGEFILE_OK;
}

void read_edges(edge_results *r, const verify_options *options, const file_model *promised,
                const pipeline_span *spans, size_t n)
{
    reading x = {.r = r, .promised = promised};
    void *src = malloc(PIECE * (size_t)r->id_bytes), *dst = malloc(PIECE * (size_t)r->id_bytes);
    progress bar;
    uint64_t all = 0;

    for (size_t k = 0; k < n; k++) {
        all += spans[k].count;
    }
    progress_start(&bar, all, (r->rows > 0 ? 1 : 2) * r->id_bytes, options->quiet);
    if (src == NULL || dst == NULL) {
        fail(r, "memory is exhausted", false);
    }
    for (size_t k = 0; k < n; k++) {
        const uint64_t end = spans[k].first + spans[k].count;

        x.follows = false;
        for (uint64_t at = spans[k].first; at < end && !r->failed && interrupt_signal() == 0;) {
            const uint64_t count = end - at < PIECE ? end - at : PIECE;

            if (read_piece(&x, at, count, src, dst)) {
                check_piece(&x, at, count, src, dst);
            }
            at += count;
            progress_update(&bar, r->found_edges.looked_at);
        }
    }
    progress_end(&bar);
    free(src);
    free(dst);
}
