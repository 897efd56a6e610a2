/*
 * rows.c - writes the row pointers of a sorted graph: for each row the number of the edge with
 * which it begins, and behind the last row the number of edges.
 *
 * Writing a piece yields the pointers of the rows that begin inside it, after its first edge.
 * Pointers of rows that begin between two pieces are written at the end, when the first and last
 * edges of all pieces are known.
 */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

#include <string.h>
#include <zlib.h>

enum { WAITING = 1 << 15 }; /* bytes */

/* Collects the pointers of consecutive rows and writes many at once. */
typedef struct {
    const graphfile_pointers *x;
    uint64_t row; /* the next one; waiting holds the n before it */
    uint64_t n;
    uint32_t crc; /* of all that were written, if x->sums */
    char waiting[WAITING];
} pointer_run;

static int flush(pointer_run *r)
{
    const size_t width = (size_t)r->x->width, bytes = r->n * width;
    const uint64_t i = r->row - r->n - r->x->first; /* all of them are in its page */
    const uint64_t gaps = r->x->page > 0 ? i / r->x->page * r->x->gap : 0;
    const uint64_t at = r->x->offset + i * width + gaps;

    if (r->x->sums) {
        r->crc = graphfile_crc(r->crc, r->waiting, bytes);
    }
    r->n = 0;
    return bytes > 0 ? graphfile_plain_write(r->x->file, at, r->waiting, bytes) : EDGEFILE_OK;
}

static void put(const graphfile_pointers *x, char *to, uint64_t edge)
{
    const uint64_t pointer = x->base + x->scale * edge;

    if (x->text) {
        graphfile_put_field(to, (int64_t)pointer, (size_t)x->width);
    } else {
        memcpy(to, &pointer, (size_t)x->width);
    }
}

/* All rows that are left up to this one begin at the same edge. */
static int put_rows(pointer_run *r, uint64_t row, uint64_t edge)
{
    const graphfile_pointers *x = r->x;
    const size_t width = (size_t)x->width;
    int st = EDGEFILE_OK;

    row = row < x->last ? row : x->last;
    r->row = r->row > x->first ? r->row : x->first;
    for (; r->row <= row && st == EDGEFILE_OK; r->row++) {
        if ((r->n + 1) * width > WAITING || (x->page > 0 && (r->row - x->first) % x->page == 0)) {
            st = flush(r);
        }
        put(x, r->waiting + r->n++ * width, edge);
    }
    return st;
}

int graphfile_write_rows(graphfile_writer *w, const graphfile_piece *p)
{
    const int id_bytes = w->spec.graph.id_bytes;
    uint64_t row = p->count > 0 ? graphfile_id(id_bytes, p->src, 0) : 0;
    pointer_run run = {.x = &w->rows, .row = row + 1};

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t next = graphfile_id(id_bytes, p->src, i);

        if (next != row) {
            EDGEFILE_TRY(put_rows(&run, next, p->first + i));
        }
        row = next;
    }
    EDGEFILE_TRY(flush(&run));
    if (w->rows.sums && p->count > 0) {
        graphfile_set_sum(w, p, GRAPHFILE_SUM_ROWS, run.crc);
    }
    return EDGEFILE_OK;
}

int graphfile_finish_rows(graphfile_writer *w)
{
    pointer_run run = {.x = &w->rows, .crc = w->rows.crc};
    int st;

    if (!graphfile_is_first(w)) {
        return EDGEFILE_OK;
    }
    for (uint64_t k = 0; k < w->n_ends; k++) {
        const graphfile_ends *ends = &w->ends[k];
        const uint64_t bytes = (ends->last_src - ends->first_src) * (uint64_t)w->rows.width;

        if (ends->count > 0) {
            EDGEFILE_TRY(put_rows(&run, ends->first_src, ends->first));
            EDGEFILE_TRY(flush(&run));
            run.crc =
                (uint32_t)crc32_combine(run.crc, ends->sum[GRAPHFILE_SUM_ROWS], (z_off_t)bytes);
            run.row = ends->last_src + 1;
        }
    }
    EDGEFILE_TRY(put_rows(&run, w->rows.last, w->spec.graph.edges));
    st = flush(&run);
    w->rows.crc = run.crc;
    return st;
}
