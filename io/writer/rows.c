/*
 * rows.c - writes the row pointers of a sorted graph: for each row the number of its first edge,
 * and after the last row the number of edges.
 *
 * A piece gives the pointers of the rows that begin inside it, after its first edge.  Pointers of
 * rows that begin between two pieces are written at the end, when the first and last edges of all
 * pieces are known.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <string.h>

enum { WAITING = 1 << 15 }; /* bytes */

/* Collects the pointers of consecutive rows and writes many at once. */
typedef struct {
    graphfile_writer *w;
    uint64_t row; /* the next one; waiting holds the n before it */
    uint64_t n;
    char waiting[WAITING];
} pointer_run;

static int flush(pointer_run *r)
{
    const size_t width = (size_t)r->w->rows.width, bytes = r->n * width;
    const uint64_t at = r->w->rows.offset + (r->row - r->n) * width;

    r->n = 0;
    return bytes > 0 ? io_file_write(&r->w->file, at, r->waiting, bytes) : EDGEFILE_OK;
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

/* All remaining rows up to this one begin at the same edge. */
static int put_rows(pointer_run *r, uint64_t row, uint64_t edge)
{
    const graphfile_pointers *x = &r->w->rows;
    const size_t width = (size_t)x->width;
    int st = EDGEFILE_OK;

    for (; r->row <= row && r->row < x->count && st == EDGEFILE_OK; r->row++) {
        if ((r->n + 1) * width > WAITING) {
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
    pointer_run run = {.w = w, .row = row + 1};

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t next = graphfile_id(id_bytes, p->src, i);

        if (next != row) {
            EDGEFILE_TRY(put_rows(&run, next, p->first + i));
        }
        row = next;
    }
    return flush(&run);
}

int graphfile_finish_rows(graphfile_writer *w)
{
    pointer_run run = {.w = w};

    if (!edgefile_group_leads(w->spec.group)) {
        return EDGEFILE_OK;
    }
    for (uint64_t k = 0; k < w->n_ends; k++) {
        const graphfile_ends *ends = &w->ends[k];

        if (ends->count > 0) {
            EDGEFILE_TRY(put_rows(&run, ends->first_src, ends->first));
            EDGEFILE_TRY(flush(&run));
            run.row = ends->last_src + 1;
        }
    }
    EDGEFILE_TRY(put_rows(&run, w->rows.count, w->spec.graph.edges));
    return flush(&run);
}
