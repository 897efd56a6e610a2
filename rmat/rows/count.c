/*
 * count.c - rmat_rows_count(): counts rows by their edges, without making the edges.  Walks down
 * the tree end at the rows; threads share the nodes.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_rows.h"
#include "rmat/rows/tables.h"
#include "rmat/try.h"

#include <omp.h>
#include <stdlib.h>

/* Counts the rows below a node that begin in the range. */
static void count_below(const rmat_rows_part *part, const rmat_rows_node *top, rmat_rows_counts *to)
{
    const rmat_rows_view *v = part->view;
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    stack[n++] = *top;
    while (n > 0) {
        const rmat_rows_node node = stack[--n];

        if (node.count == 0 || node.start >= part->last || node.start + node.count <= part->first) {
            continue;
        }
        if (node.level < v->levels) {
            n = rmat_rows_push_children(v, &node, stack, n);
        } else if (node.start >= part->first) {
            rmat_rows_count_one(to, node.count);
        }
    }
}

void rmat_rows_add_counts(rmat_rows_counts *to, const rmat_rows_counts *more)
{
    to->rows += more->rows;
    to->edges += more->edges;
    for (int i = 0; i < RMAT_ROWS_FEW; i++) {
        to->few[i] += more->few[i];
    }
    for (int i = 0; i < 64; i++) {
        to->many[i] += more->many[i];
    }
    to->largest = to->largest > more->largest ? to->largest : more->largest;
}

int rmat_rows_check_count(const rmat_rows *rows, uint64_t first, uint64_t count)
{
    const uint64_t edges = rows->view.edges;

    return first > edges || count > edges - first ? RMAT_ERR_RANGE : RMAT_OK;
}

int rmat_rows_count(const rmat_rows *rows, uint64_t first, uint64_t count, rmat_rows_counts *counts)
{
    const int most = rows->gen->threads ? rows->gen->threads : omp_get_max_threads();
    const int threads = count > RMAT_WORTH_THREAD ? most : 1;
    rmat_rows_nodes list = {NULL, 0, 0};
    rmat_rows_counts *mine;
    rmat_rows_part part;
    _Atomic bool stopped = false;
    int st;

    RMAT_OR_RETURN(rmat_rows_check_count(rows, first, count));
    if (count == 0) {
        return RMAT_OK;
    }
    part = rmat_rows_part_of(&rows->view, first, count);
    mine = calloc((size_t)threads, sizeof *mine);
    st = mine != NULL ? rmat_rows_cut(part.view, part.begin, part.end,
                                      count / (64 * (uint64_t)threads) + 4096, &list)
                      : RMAT_ERR_NOMEM;
    if (st == RMAT_OK) {
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
        for (size_t i = 0; i < list.n; i++) {
            if (omp_get_thread_num() == 0 && rmat_stops(rows->gen)) {
                atomic_store(&stopped, true);
            }
            if (!atomic_load_explicit(&stopped, memory_order_relaxed)) {
                count_below(&part, &list.list[i], &mine[omp_get_thread_num()]);
            }
        }
        st = atomic_load(&stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
    }
    for (int t = 0; t < threads && st == RMAT_OK; t++) {
        rmat_rows_add_counts(counts, &mine[t]);
    }
    free(list.list);
    free(mine);
    return st;
}
