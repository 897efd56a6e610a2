/* Before a sorted graph is made: memory for blocks, and where they begin. */
#include "apps/common/message.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sorted_free_blocks(sorted_run *r)
{
    for (int i = 0; i < SORTED_BLOCKS; i++) {
        rmat_block_destroy(r->parts[i].block);
        r->parts[i].block = NULL;
    }
}

/* An exit code. */
static int plan(sorted_run *r)
{
    uint64_t least = 0;
    int status;

    sorted_free_plan(&r->plan);
    status = sorted_make_plan(&r->plan, r->options, r->backend, &least);
    if (status == RMAT_ERR_FULL) {
        return generate_memory_error(r->options, r->backend->used, least);
    }
    return status == RMAT_OK ? EXIT_OK : runtime_error("generate", "%s", rmat_strerror(status));
}

static int allocate(sorted_run *r)
{
    int status = RMAT_OK;

    r->gen = r->backend->used == RMAT_BACKEND_GPU ? r->backend->gpu_gen : r->backend->sorting_gen;
    for (int i = 0; i < r->plan.blocks && status == RMAT_OK; i++) {
        status = rmat_block_create(&r->parts[i].block, r->gen, r->plan.block_bytes);
    }
    return sorted_failed(r, status);
}

/* No rank looks how much memory there is once another has taken its part. */
int sorted_get_memory(sorted_run *r)
{
    int status = generate_agree(plan(r));

    if (status != EXIT_OK) {
        return status;
    }
    status = allocate(r);
    if (status != RMAT_OK && r->backend->used == RMAT_BACKEND_GPU && r->options->fall_back) {
        sorted_free_blocks(r);
        snprintf(r->backend->gpu_failed, sizeof r->backend->gpu_failed, "blocks: %.900s", r->text);
        generate_backend_without_gpu(r->backend);
        status = plan(r);
        if (status == EXIT_OK && allocate(r) != RMAT_OK) {
            status = runtime_error("generate", "%s", r->text);
        }
    } else if (status != RMAT_OK) {
        status = runtime_error("generate", "memory for blocks: %s", r->text);
    }
    return generate_agree(status);
}

int sorted_cut(sorted_run *r)
{
    uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank(), passes = 0, parts;
    uint64_t *all = calloc(ranks, sizeof *all);
    rmat_cell *cells = NULL;
    int status = RMAT_OK;

    r->starts = calloc(ranks + 1, sizeof *r->starts);
    r->bounds = calloc(ranks + 1, sizeof *r->bounds);
    if (all == NULL || r->starts == NULL || r->bounds == NULL) {
        status = RMAT_ERR_NOMEM;
    }
    status = sorted_agree(r, sorted_failed(r, status));
    if (status != EXIT_OK) {
        goto done;
    }
    dist_gather(&r->plan.passes, sizeof r->plan.passes, all);
    for (uint64_t k = 0; k < ranks; k++) {
        passes = all[k] > passes ? all[k] : passes;
    }
    sorted_plan_passes(&r->plan, r->options, passes);
    parts = ranks * passes;
    cells = calloc(parts + 1, sizeof *cells);
    r->cuts = (sorted_cuts){calloc(passes + 1, sizeof *r->cuts.cells), passes};
    status = cells == NULL || r->cuts.cells == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    if (status == RMAT_OK && parts == 1) {
        cells[1] = (rmat_cell){r->options->model.rows, 0};
    } else if (status == RMAT_OK && rank == 0) {
        double draws = (double)(r->plan.stream_edges >> r->options->model.symmetrize);

        status = rmat_sample_cut(r->plan.sample, draws > 0 ? draws : 1,
                                 sorted_by_distinct(&r->plan, r->options), parts, cells);
    }
    status = sorted_agree(r, sorted_failed(r, status));
    if (status == EXIT_OK) {
        dist_broadcast(cells, (parts + 1) * sizeof *cells);
        memcpy(r->cuts.cells, &cells[rank * passes], (passes + 1) * sizeof *cells);
        for (uint64_t k = 0; k <= ranks; k++) {
            r->bounds[k] = cells[k * passes];
        }
    }
done:
    free(all);
    free(cells);
    return status;
}
