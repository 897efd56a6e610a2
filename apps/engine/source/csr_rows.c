/*
 * The sources of CSR edges, from row pointers.
 *
 * The row of the first edge is searched for in the pointers in the file; from there on
 * pointers are read a buffer at a time, and each row is written as often as it has edges.
 */
#include "apps/engine/source/edge_source.h"

enum { BUFFER = 4096 };

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

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void fill_row(void *src, int id_bytes, uint64_t first, uint64_t end, uint64_t row)
{
    for (uint64_t i = first; i < end; i++) {
        if (id_bytes == 4) {
            ((uint32_t *)src)[i] = (uint32_t)row;
        } else {
            ((uint64_t *)src)[i] = row;
        }
    }
}

int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near)
{
    const uint64_t end = first + count;
    uint64_t pointer[BUFFER + 1], row = *near, edge = first;

    while (edge < end) {
        int status = search_row(r, row, edge, &row);
        const uint64_t rows = least(edgefile_rows(r) - row, BUFFER);

        if (status == EDGEFILE_OK) {
            status = edgefile_read_pointers(r, row, rows + 1, pointer);
        }
        if (status == EDGEFILE_OK && (rows == 0 || pointer[0] > edge || pointer[1] <= edge)) {
            status = EDGEFILE_ERR_RANGE;
        }
        for (uint64_t i = 0; i < rows && edge < end && status == EDGEFILE_OK; i++) {
            if (pointer[i + 1] < pointer[i] || pointer[i + 1] > edgefile_edges(r)) {
                status = EDGEFILE_ERR_RANGE;
            } else {
                const uint64_t next = least(pointer[i + 1], end);

                fill_row(src, edgefile_id_bytes(r), edge - first, next - first, row + i);
                edge = next;
                *near = row + i;
            }
        }
        if (status != EDGEFILE_OK) {
            return status;
        }
        row = *near;
    }
    return EDGEFILE_OK;
}
