/*
 * The sources of CSR edges, from row pointers.
 *
 * The row of the first edge is searched for in the pointers in the file; from there on
 * pointers are read a buffer at a time, and each row is written as often as it has edges.
 */
#include "apps/engine/source/edge_source.h"

enum { BUFFER = 4096 };

/* Pointers [row, row + count). */
typedef struct {
    uint64_t row, count;
    uint64_t pointer[BUFFER];
} pointers;

static int load_pointers(edgefile_reader *r, uint64_t row, pointers *p)
{
    uint64_t left = edgefile_rows(r) + 1 - row;

    p->row = row;
    p->count = left < BUFFER ? left : BUFFER;
    return edgefile_read_pointers(r, row, p->count, p->pointer);
}

/* The last row that begins at or before the edge: from `near` in steps that double, until the row
 * lies between two of them, then by binary search: where edges are read in order, it is near. */
static int search_row(edgefile_reader *r, uint64_t near, uint64_t edge, uint64_t *row)
{
    const uint64_t rows = edgefile_rows(r);
    uint64_t low = near, high = near, step = 1, pointer = 0;
    int status = edgefile_read_pointers(r, near, 1, &pointer);
    const bool up = pointer <= edge;

    while (status == EDGEFILE_OK &&
           (up ? high < rows && pointer <= edge : pointer > edge && low > 0)) {
        if (up) {
            low = high;
            high = rows - high > step ? high + step : rows;
        } else {
            high = low;
            low = low > step ? low - step : 0;
        }
        step *= 2;
        status = edgefile_read_pointers(r, up ? high : low, 1, &pointer);
    }
    while (status == EDGEFILE_OK && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        status = edgefile_read_pointers(r, middle, 1, &pointer);
        if (pointer <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *row = low;
    return status;
}

/* Makes p hold the edge's row, and the pointer behind it. */
static int move_to(edgefile_reader *r, uint64_t edge, pointers *p)
{
    uint64_t row = p->row;
    int status = search_row(r, row, edge, &row);

    return status == EDGEFILE_OK ? load_pointers(r, row, p) : status;
}

int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near)
{
    int id_bytes = edgefile_id_bytes(r), status = EDGEFILE_OK;
    pointers p = {.row = *near};
    uint64_t at = 0; /* in p: the row that is being filled */

    for (uint64_t i = 0; i < count; i++) {
        uint64_t edge = first + i;

        while (at + 1 < p.count && p.pointer[at + 1] <= edge) {
            at++;
            if (p.pointer[at] < p.pointer[at - 1]) {
                return EDGEFILE_ERR_RANGE;
            }
        }
        if (at + 1 >= p.count) {
            p.row += at;
            at = 0;
            status = move_to(r, edge, &p);
            if (status != EDGEFILE_OK) {
                return status;
            }
        }
        if (p.count < 2 || p.pointer[at] > edge || p.pointer[at + 1] <= edge ||
            p.pointer[at + 1] > edgefile_edges(r)) {
            return EDGEFILE_ERR_RANGE;
        }
        if (id_bytes == 4) {
            ((uint32_t *)src)[i] = (uint32_t)(p.row + at);
        } else {
            ((uint64_t *)src)[i] = p.row + at;
        }
    }
    *near = p.row + at;
    return EDGEFILE_OK;
}
