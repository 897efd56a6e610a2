/*
 * Where in the file each rank's part begins, when edges are not made unique: on several ranks, or
 * where loops are left out, it takes a look at the edges.
 *
 * Ranks of one interval each make it and tell.  Else the stream is made once more beforehand, of
 * which each rank makes a part, to count who gets how many.
 */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include <stdlib.h>

void sorted_add_up(sorted_run *r, uint64_t mine)
{
    uint64_t sum = 0;

    dist_gather(&mine, sizeof mine, r->starts);
    for (int k = 0; k <= dist_size(); k++) {
        uint64_t count = k < dist_size() ? r->starts[k] : 0;

        r->starts[k] = sum;
        sum += count;
    }
    r->edges = sum;
}

typedef struct {
    sorted_run *run;
    uint64_t *counts, *more; /* of the ranks */
} counting;

static int count_piece(void *state, uint64_t first, uint64_t count)
{
    counting *c = state;
    int ranks = dist_size();
    int status =
        rmat_count_cells(c->run->gen, first, count, (uint64_t)ranks + 1, c->run->bounds, c->more);

    for (int k = 0; k < ranks && status == RMAT_OK; k++) {
        c->counts[k] += c->more[k];
    }
    return status;
}

/* Item k of n equal parts begins there. */
static uint64_t part_start(uint64_t items, int k, int n)
{
    return (uint64_t)((unsigned __int128)items * (unsigned)k / (unsigned)n);
}

static int count_all(sorted_run *r)
{
    int ranks = dist_size(), rank = dist_rank(), status = RMAT_OK;
    counting c = {r, calloc((size_t)ranks, sizeof *c.counts),
                  calloc((size_t)ranks, sizeof *c.more)};
    uint64_t stream = sorted_stream(r, r->draws);

    if (c.counts == NULL || c.more == NULL) {
        status = sorted_failed(r, RMAT_ERR_NOMEM);
    } else {
        r->pass++;
        status =
            sorted_each_piece(part_start(stream, rank, ranks), part_start(stream, rank + 1, ranks),
                              count_piece, &c, sorted_work_tick, r);
        sorted_failed(r, status);
    }
    status = sorted_agree(r, status);
    if (status == ENGINE_OK) {
        dist_sum(c.counts, (size_t)ranks);
        sorted_add_up(r, c.counts[rank]);
    }
    free(c.counts);
    free(c.more);
    return status;
}

int sorted_count(sorted_run *r)
{
    uint64_t cut = 0;
    int status;

    r->draws = r->job->edges;
    r->edges = sorted_stream(r, r->draws);
    if (dist_size() == 1 && !engine_drops_loops(r->job)) {
        r->starts[0] = 0;
        r->starts[1] = r->edges;
        return ENGINE_OK;
    }
    if (r->plan.passes > 1) {
        return count_all(r);
    }
    r->pass++;
    status = sorted_make_interval(r, r->slots[0].interval, 0, r->edges, sorted_work_tick);
    status = sorted_agree(r, sorted_failed(r, status));
    if (status != ENGINE_OK) {
        return status;
    }
    r->kept = true;
    cut = r->cuts.n > 1; /* no room after all */
    dist_sum(&cut, 1);
    if (cut > 0) {
        return count_all(r);
    }
    sorted_add_up(r, rmat_interval_edges(r->slots[0].interval));
    return ENGINE_OK;
}
