/* rmat verify: sorted graphs, generated again interval by interval and compared with the file. */
#ifndef APPS_VERIFY_SORTED_H
#define APPS_VERIFY_SORTED_H

#include "apps/engine/sorted/fill.h"
#include "apps/verify/pointers.h"
#include "apps/verify/run.h"

/* A stretch of a sample that is not where its first and last edge belong. */
typedef struct {
    uint64_t count;          /* of such stretches; the first of them: */
    uint64_t first, edges;   /* the file's edges */
    uint64_t place, between; /* edges of the graph before it, and in it */
    bool counted;            /* place is known */
} misplaced_edges;

typedef struct {
    edge_results edges;
    pointer_tally pointers;
    bool is_shard;        /* the file is one of a graph's */
    bool counted;         /* all intervals were made: */
    uint64_t made, pairs; /* edges of the graph; those of them with src >= dst */
    misplaced_edges misplaced;
    bool last_known; /* of a unique graph: */
    rmat_cell last;  /* the stream's last edge of which it is made */
    uint64_t copies; /* of that before it */
} sorted_results;

/* Look at all edges of the file, or a sample.  reader: of the file, or of the master. */
void verify_sorted(sorted_results *results, const verify_options *options, const file_model *model,
                   const edge_file *file, edgefile_reader *reader);

/* What verify_edges_report() does not tell.  base_edges: what `rmat generate` is told. */
void verify_sorted_report(verify_report *report, const sorted_results *results,
                          const file_model *model, const edge_file *file, uint64_t base_edges);

/* --- Between verify_sorted*.c --- */

typedef struct {
    edge_run run;
    sorted_results *results;
    const file_model *model;
    edgefile_reader *reader;
    int threads;
    rmat_cell end;  /* of the graph */
    uint64_t edges; /* of the graph, UINT64_MAX where the file is a shard of it */
    rmat_interval *interval;
    sorted_cuts cuts;
} interval_check;

typedef struct {
    uint64_t first, end;
} edge_range;

/* apps/verify/sorted_plan.c: s->interval and s->cuts.  Returns 0, or -1: it has failed. */
int check_plan(interval_check *s, const verify_options *options);

/* Make the intervals of the cuts, of which the first one begins at edge `at` of the graph, and look
 * at these edges of the file, n ranges in order.  *made: the edges of all intervals.  Returns 0, or
 * -1: it was stopped or has failed. */
int check_intervals(interval_check *s, uint64_t at, uint64_t n, const edge_range *ranges,
                    uint64_t *made);

/* The sample, with a pass over the stream for each of its chunks. */
int check_sample(interval_check *s, uint64_t n, const edge_range *ranges);

/* How many edges of the stream before `end` are in [*from, *to). */
int check_count(interval_check *s, uint64_t end, const rmat_cell *from, const rmat_cell *to,
                uint64_t *count);

/* The next place in the order. */
rmat_cell check_behind(const interval_check *s, const rmat_cell *cell);

/* Notes a status of rmat, or SORTED_STOPPED; returns -1, or 0 where it is RMAT_OK. */
int check_status(interval_check *s, int status);

#endif
