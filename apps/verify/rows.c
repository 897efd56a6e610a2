/*
 * rmat verify: the source of each edge of a CSR file.
 *
 * Edges are asked for in the order of the file for the most part, so the row of the next edge is
 * remembered; after a jump it is found by binary search in the row pointers.  A window of the
 * pointers is kept, so that they are read in large pieces.
 */
#include "apps/verify/rows.h"

static int pointer_at(verify_rows *x, edgefile_reader *r, uint64_t row, uint64_t *pointer)
{
    if (row - x->first >= x->count) {
        uint64_t left = x->rows + 1 - row, count = left < VERIFY_POINTERS ? left : VERIFY_POINTERS;
        int status = edgefile_read_pointers(r, row, count, x->window);

        x->count = 0;
        if (status != EDGEFILE_OK) {
            return status;
        }
        x->first = row;
        x->count = count;
    }
    *pointer = x->window[row - x->first];
    return EDGEFILE_OK;
}

/* The last row that begins at this edge or before. */
static int find(verify_rows *x, edgefile_reader *r, uint64_t edge)
{
    uint64_t low = 0, high = x->rows, pointer;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        int status = pointer_at(x, r, middle, &pointer);

        if (status != EDGEFILE_OK) {
            return status;
        }
        if (pointer <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    x->row = low;
    return EDGEFILE_OK;
}

static void fill(void *src, uint64_t from, uint64_t to, uint64_t row, int id_bytes)
{
    for (uint64_t i = from; i < to; i++) {
        if (id_bytes == 4) {
            ((uint32_t *)src)[i] = (uint32_t)row;
        } else {
            ((uint64_t *)src)[i] = row;
        }
    }
}

int verify_rows_expand(verify_rows *x, edgefile_reader *r, uint64_t first, uint64_t count,
                       void *src, int id_bytes)
{
    uint64_t made = 0, end;
    int status = first == x->at ? EDGEFILE_OK : find(x, r, first);

    while (status == EDGEFILE_OK && made < count) {
        status = pointer_at(x, r, x->row + 1, &end);
        if (status != EDGEFILE_OK) {
            break;
        }
        if (x->row + 1 == x->rows || end > first + count) {
            end = first + count;
        }
        if (end > first + made) {
            fill(src, made, end - first, x->row, id_bytes);
            made = end - first;
        }
        x->row += made < count;
    }
    x->at = first + count;
    return status;
}
