/* rmat verify: what is counted of edges: properties that every edge has, independent of the seed,
 * and differences from the generated ones. */
#include "apps/verify/edges.h"
#include <string.h>

typedef struct {
    uint64_t src_range, dst_range, loops, less; /* less: src < dst */
} scan_counts;

/* Sums without branches, which the compiler vectorises; one copy per width of ids. */
#define SCAN(name, type)                                                                           \
    static void name(scan_counts *out, const type *src, const type *dst, uint64_t count,           \
                     type last_row, type last_col)                                                 \
    {                                                                                              \
        type rows = 0, cols = 0, loops = 0, less = 0; /* a block has fewer than 2^32 */            \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            rows += src[i] > last_row;                                                             \
            cols += dst[i] > last_col;                                                             \
            loops += src[i] == dst[i];                                                             \
            less += src[i] < dst[i];                                                               \
        }                                                                                          \
        *out = (scan_counts){rows, cols, loops, less};                                             \
    }

SCAN(scan_32, uint32_t)
SCAN(scan_64, uint64_t)

/* Returns whether the index is the lowest so far. */
static bool note_bad(bad_edges *bad, uint64_t index)
{
    bool is_first = bad->count == 0 || index < bad->first;

    bad->count++;
    if (is_first) {
        bad->first = index;
    }
    return is_first;
}

/* Edge by edge, to find those that the sums have counted. */
static void find_suspects(edge_findings *t, const rmat_config *m, const edge_block *b,
                          uint64_t last_row, uint64_t last_col)
{
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t u = edge_id(b->src, i, b->id_bytes), v = edge_id(b->dst, i, b->id_bytes);
        bool is_reverse = m->symmetrize && (b->first + i) % 2 != 0;
        uint64_t from = is_reverse ? v : u, to = is_reverse ? u : v;

        if (u > last_row) {
            note_bad(&t->bad[BAD_SRC_RANGE], b->first + i);
        }
        if (v > last_col) {
            note_bad(&t->bad[BAD_DST_RANGE], b->first + i);
        }
        if (u == v && m->no_self_loops) {
            note_bad(&t->bad[BAD_LOOP], b->first + i);
        }
        if ((m->direction == RMAT_LOWER && from < to) ||
            (m->direction == RMAT_UPPER && from > to)) {
            note_bad(&t->bad[BAD_DIRECTION], b->first + i);
        }
    }
}

/* Pairs of edges, one the reverse of the other; counts the loops among the first ones. */
static uint64_t scan_pairs(edge_findings *t, const edge_block *b)
{
    uint64_t loops = 0;

    for (uint64_t i = b->first % 2; i < b->count; i += 2) {
        uint64_t u = edge_id(b->src, i, b->id_bytes), v = edge_id(b->dst, i, b->id_bytes);

        loops += u == v;
        if (i + 1 < b->count && (edge_id(b->src, i + 1, b->id_bytes) != v ||
                                 edge_id(b->dst, i + 1, b->id_bytes) != u)) {
            note_bad(&t->bad[BAD_REVERSE], b->first + i + 1);
        }
    }
    return loops;
}

void scan_edges(edge_findings *t, const rmat_config *m, const edge_block *b)
{
    uint64_t last_row = (m->rows != 0 ? m->rows : (uint64_t)1 << m->rows_scale) - 1;
    uint64_t last_col = (m->cols != 0 ? m->cols : (uint64_t)1 << m->cols_scale) - 1;
    uint64_t suspects;
    scan_counts c;

    if (b->id_bytes == 4) {
        scan_32(&c, b->src, b->dst, b->count, (uint32_t)last_row, (uint32_t)last_col);
    } else {
        scan_64(&c, b->src, b->dst, b->count, last_row, last_col);
    }
    suspects = c.src_range + c.dst_range + (m->no_self_loops ? c.loops : 0);
    if (m->direction != RMAT_DIRECTED) {
        suspects += m->symmetrize                ? 1 /* every second one */
                    : m->direction == RMAT_LOWER ? c.less
                                                 : b->count - c.loops - c.less;
    }
    if (suspects > 0) {
        find_suspects(t, m, b, last_row, last_col);
    }
    t->fit.looked_at += m->symmetrize ? (b->count + 1 - b->first % 2) / 2 : b->count;
    t->fit.loops += m->symmetrize ? scan_pairs(t, b) : c.loops;
}

void scan_order(edge_findings *t, const edge_block *b, const edge_block *last, bool unique)
{
    uint64_t row = 0, col = 0;
    bool known = last != NULL;

    if (known) {
        row = edge_id(last->src, 0, b->id_bytes);
        col = edge_id(last->dst, 0, b->id_bytes);
    }
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t u = edge_id(b->src, i, b->id_bytes), v = edge_id(b->dst, i, b->id_bytes);

        if (known && (u < row || (u == row && v <= col))) {
            if (u < row || v < col) {
                note_bad(&t->bad[BAD_ORDER], b->first + i);
            } else if (unique) {
                note_bad(&t->bad[BAD_TWICE], b->first + i);
            }
        }
        row = u;
        col = v;
        known = true;
    }
}

static uint64_t weight_bits(const void *weights, uint64_t i)
{
    return ((const uint32_t *)weights)[i];
}

static bool note_difference(bad_edges *bad, uint64_t index, uint64_t found, uint64_t expected)
{
    if (found == expected) {
        return false;
    }
    if (note_bad(bad, index)) {
        bad->found = found;
        bad->expected = expected;
    }
    return true;
}

bool scan_differs(const edge_block *a, const edge_block *b, uint64_t i)
{
    return edge_id(a->src, i, a->id_bytes) != edge_id(b->src, i, b->id_bytes) ||
           edge_id(a->dst, i, a->id_bytes) != edge_id(b->dst, i, b->id_bytes) ||
           (a->weight != NULL && b->weight != NULL &&
            weight_bits(a->weight, i) != weight_bits(b->weight, i));
}

bool scan_differences(edge_findings *t, const edge_block *found, const edge_block *expected,
                      bool differs)
{
    int width = found->id_bytes;
    size_t bytes = found->count * (uint64_t)width;
    bool weights = found->weight != NULL && expected->weight != NULL;

    if (memcmp(found->src, expected->src, bytes) == 0 &&
        memcmp(found->dst, expected->dst, bytes) == 0 &&
        (!weights || memcmp(found->weight, expected->weight, found->count * 4) == 0)) {
        return false;
    }
    t->surplus += rmat_fingerprint(found->src, found->dst, found->count, width) -
                  rmat_fingerprint(expected->src, expected->dst, found->count, width);
    for (uint64_t i = 0; i < found->count; i++) {
        uint64_t index = found->first + i;
        bool differed = differs;

        differs = note_difference(&t->bad[BAD_SRC], index, edge_id(found->src, i, width),
                                  edge_id(expected->src, i, width));
        differs |= note_difference(&t->bad[BAD_DST], index, edge_id(found->dst, i, width),
                                   edge_id(expected->dst, i, width));
        if (weights) {
            differs |= note_difference(&t->bad[BAD_WEIGHT], index, weight_bits(found->weight, i),
                                       weight_bits(expected->weight, i));
        }
        if (differs) {
            note_bad(&t->bad[BAD_EDGE], index);
            t->places += !differed;
        }
    }
    return differs;
}
