/*
 * edges.h - compares the edges of the file with those that should be there.
 *
 * The engine makes the graph again and passes its edges to a sink, in the place where `rmat
 * generate` would write them.  The sink reads the same place of the file and compares.  Edges of
 * another generator cannot be made.  They are only read, for their fingerprint and to check the
 * promises of the attributes.
 */
#ifndef APPS_VERIFY_EDGES_H
#define APPS_VERIFY_EDGES_H

#include "apps/engine/job.h"
#include "apps/verify/verify.h"

/* The results of a check of edges.  Elements are numbered as in the file. */
typedef struct {
    uint64_t looked_at, wrong;
    uint64_t first;   /* the first wrong element, if there is one, and: */
    const char *what; /* its dataset or, for edges that are only read, the error */
    char found[32], expected[32];
} element_findings;

typedef struct {
    edgefile_reader *reader;
    uint64_t edges, rows; /* rows 0 unless the file is CSR */
    int id_bytes;
    edgefile_weight weights; /* that are compared */
    element_findings found_edges, pointers;
    uint64_t fingerprint;        /* of the checked edges, without their weights */
    uint64_t made, stream_edges; /* of a graph that was made again: its edges, and its draws */
    bool failed, damaged;        /* the check was not finished: the system or the file failed */
    char text[1024];             /* the reason */
} edge_results;

/* compare.c: makes the graph again, and compares these spans of it. */
void compare_edges(edge_results *r, const verify_options *options, const file_model *model,
                   const pipeline_span *spans, size_t n);

/* read.c: reads these spans, and checks the promises of such a file.  promised NULL: nothing. */
void read_edges(edge_results *r, const verify_options *options, const file_model *promised,
                const pipeline_span *spans, size_t n);

/* Notes the first of `wrong` consecutive wrong elements. */
void note_wrong(element_findings *f, uint64_t first, uint64_t wrong, const char *what,
                const char *found, const char *expected);

#endif
