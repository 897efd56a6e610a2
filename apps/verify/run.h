/* rmat verify: the threads that check the edges of a file. */
#ifndef APPS_VERIFY_RUN_H
#define APPS_VERIFY_RUN_H

#include "apps/common/progress.h"
#include "apps/verify/pieces.h"
#include "rmat/rmat_interval.h"
#include <stdatomic.h>

typedef struct {
    const rmat_config *model; /* what is promised of each edge; NULL: unknown */
    rmat_gen *gen;            /* or NULL */
    const rmat_interval
        *interval; /* the edges of a sorted graph from interval_first on; NULL: by gen */
    uint64_t interval_first;
    bool sorted, unique; /* promised too */
    verify_part *parts;
    piece_source source;
    uint64_t generated;  /* edges made at a time */
    uint64_t fit_stride; /* blocks from one that is counted to the next; 0: none is */

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t ended;
    int running;
    edge_results *results;

    atomic_bool stop;
    _Atomic uint64_t done;
    progress bar;
} edge_run;

typedef struct {
    edge_tally tally;
    edge_piece piece;
    void *src, *dst, *weight; /* made */
} edge_worker;

/* apps/verify/edges.c: *x for these edges and, if a model is given, the generator of drawn.  The
 * results say where that fails; edge_run_end() in either case. */
void edge_run_begin(edge_run *x, edge_results *results, const verify_options *options,
                    const edge_file *file, const rmat_config *drawn, int generator_threads);
void edge_run_end(edge_run *x);

/* One piece; returns its fingerprint. */
uint64_t edge_run_look(edge_run *x, edge_worker *w);

/* apps/verify/threads.c: until all pieces of the source were looked at, or it shall stop. */
void edge_run_threads(edge_run *x, int threads);

/* Any thread: it cannot go on. */
void edge_run_fail(edge_run *x, const char *text);
void edge_run_failed(edge_run *x, int status);     /* of rmat */
void edge_run_unreadable(edge_run *x, int status); /* of edgefile, with edgefile_detail() */

#endif
