/*
 * edges.h - the edges of the file beside those that should be there.
 *
 * The engine makes the graph again and hands it to a sink where `rmat generate` would write it; the
 * sink reads what the file has in that place and compares the two.  Edges of another generator
 * cannot be made: they are read, for their fingerprint and for what the attributes promise.
 */
#ifndef APPS_VERIFY_EDGES_H
#define APPS_VERIFY_EDGES_H

#include "apps/engine/job.h"
#include "apps/verify/verify.h"

/* What a check of edges came to.  Elements are numbered as in the file. */
typedef struct {
    uint64_t looked_at, wrong;
    uint64_t first;   /* the first wrong one, if there is one, and of it: */
    const char *what; /* the dataset, or for edges that are only read what is wrong */
    char found[32], expected[32];
} element_findings;

typedef struct {
    edgefile_reader *reader;
    uint64_t edges, rows; /* rows 0 unless the file is CSR */
    int id_bytes;
    edgefile_weight weights; /* that are compared */
    element_findings found_edges, pointers;
    uint64_t fingerprint;        /* of the edges that were looked at, without their weights */
    uint64_t made, stream_edges; /* of a graph that was made again: its edges, of so many draws */
    bool failed,
        damaged;     /* the check could not be finished, for lack of something or of the file */
    char text[1024]; /* why */
} edge_results;

/* compare.c: makes the graph again, and compares these spans of it. */
void compare_edges(edge_results *r, const verify_options *options, const file_model *model,
                   const pipeline_span *spans, size_t n);

/* read.c: reads these spans, and checks what such a file promises.  promised NULL: nothing. */
void read_edges(edge_results *r, const verify_options *options, const file_model *promised,
                const pipeline_span *spans, size_t n);

/* One element that is wrong, of `wrong` that come together. */
void note_wrong(element_findings *f, uint64_t first, uint64_t wrong, const char *what,
                const char *found, const char *expected);

#endif
