/*
 * rmat verify: the edges of the file beside those that should be there.
 *
 * The engine makes the graph again and hands it to a sink, chunk by chunk, where `rmat generate`
 * would write it.  The sink reads what the file has in that place, compares the two, and adds up
 * what the other checks need.
 */
#ifndef APPS_VERIFY_LOOK_H
#define APPS_VERIFY_LOOK_H

#include "apps/common/progress.h"
#include "apps/engine/pipeline/pipeline.h"
#include "apps/engine/sink.h"
#include "apps/verify/edges.h"
#include <pthread.h>

typedef struct {
    const rmat_config *model; /* what is promised of each edge; NULL: unknown */
    bool sorted, unique;      /* promised, too */
    uint64_t fit_stride;      /* blocks from one that is counted to the next; 0: none is */
    rmat_gen *gen;            /* to undo a permutation, for that; or NULL */
    const edge_file *file;
    edge_results *results;
    _Atomic uint64_t
        row; /* of CSR, of an edge that some thread read lately: where to search next */

    pthread_mutex_t lock;      /* guards what follows */
    struct look_worker *spare; /* memory and findings of threads */
    struct look_ends {
        uint64_t *list;
        size_t n, room;
    } begins, ends; /* chunks whose first or last edge differs: where they begin or end */
} look;

/* For the edges of the file.  look_end() in any case; it adds up the findings. */
void look_begin(look *x, edge_results *results, const edge_file *file);
void look_end(look *x);

/* Made edges, and row pointers, to compare with. */
pipeline_sink look_sink(look *x);

/* Edges [first, first + count) of the file, which have nothing to be compared with.  Returns 0, or
 * -1: it was stopped, or the results say why not. */
int look_at_file(look *x, uint64_t first, uint64_t count, int threads, pipeline_tick tick,
                 void *argument);

/* Any thread: the check cannot go on.  failed_read: after an edgefile_status, with
 * edgefile_detail(). */
void look_fail(look *x, const char *text);
void look_failed_read(look *x, int status);

/* What check.c and sample.c share.  Private to them. */

typedef struct {
    const verify_options *options;
    const file_model
        *model; /* NULL: the edges are those of another program, or of nobody's model */
    const edge_file *file;
    look look;
    rmat_config promised; /* what look.model points to */
    progress bar;
} check_run;

/* Shows how many edges are done.  Returns the signal that is to stop the check, or 0. */
int check_tick(void *check, uint64_t done);

/* Looks at these spans of a sorted graph; the results say what was found, or why that failed. */
void check_sample(check_run *c, const pipeline_span *spans, size_t n);

#endif
