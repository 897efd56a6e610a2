/* rmat verify: checks of edges, against the properties that the model promises and against the
 * edges that it generates. */
#ifndef APPS_VERIFY_EDGES_H
#define APPS_VERIFY_EDGES_H

#include "apps/verify/fit.h"
#include "apps/verify/verify.h"

/* What may be wrong with an edge. */
typedef enum {
    BAD_SRC_RANGE, /* no such vertex */
    BAD_DST_RANGE,
    BAD_LOOP,      /* a self loop where there are none */
    BAD_DIRECTION, /* in the wrong triangle of the matrix */
    BAD_REVERSE,   /* edge 2 i + 1 is not edge 2 i reversed */
    BAD_ORDER,     /* of a sorted graph: precedes the edge before it in the order */
    BAD_TWICE,     /* of a graph of distinct edges: equals the edge before it */
    BAD_SRC,       /* differs from the generated one */
    BAD_DST,
    BAD_WEIGHT,
    BAD_EDGE, /* any of these three */
    N_BAD
} bad_edge;

typedef struct {
    uint64_t count, first;    /* the index of the first, if count > 0 */
    uint64_t found, expected; /* for BAD_SRC to BAD_WEIGHT: its id, or the bits of its weight */
} bad_edges;

/* The findings of one thread. */
typedef struct {
    bad_edges bad[N_BAD];
    uint64_t edges;   /* that were checked */
    uint64_t places;  /* runs of BAD_EDGE */
    uint64_t surplus; /* fingerprint of the bad edges minus that of the generated ones */
    fit_sums fit;
} edge_findings;

/* Row pointers.  All zero: none were looked at. */
typedef struct {
    uint64_t looked_at;
    uint64_t begin, end;    /* that of row 0, and behind the last row: where they were looked at */
    uint64_t descents, row; /* rows that begin before the one before them; the first of them */
    uint64_t wrong, first, found, expected; /* that are not those of the graph; the first of them */
} pointer_findings;

/* scan.c: ids, loops, direction and reverse edges.  Also counts loops for the fit. */
void scan_edges(edge_findings *findings, const rmat_config *model, const edge_block *found);

/* The order of a sorted graph; last: the edge before the first one, NULL if unknown. */
void scan_order(edge_findings *findings, const edge_block *found, const edge_block *last,
                bool unique);

/* Compares edges with the generated ones.  `differs` says whether the edge before the first one
 * differed; returns whether the last one differs. */
bool scan_differences(edge_findings *findings, const edge_block *found, const edge_block *expected,
                      bool differs);

/* Does edge i of one block differ from edge i of the other? */
bool scan_differs(const edge_block *a, const edge_block *b, uint64_t i);

/* Stretches of a sample that are not where their first and last edge belong. */
typedef struct {
    uint64_t count;          /* of such stretches; the first of them: */
    uint64_t first, edges;   /* the file's edges */
    uint64_t place, between; /* edges of the graph before it, and in it */
    bool counted;            /* place is known */
} misplaced_edges;

/* The findings of all threads together. */
typedef struct {
    bad_edges bad[N_BAD];
    uint64_t edges, places, surplus;
    uint64_t fingerprint; /* of the edges that were looked at */
    uint64_t sample;      /* chunks; 0: all edges */
    fit_totals fit;
    pointer_findings pointers;
    misplaced_edges misplaced;   /* of a sample of a sorted graph */
    bool counted;                /* the whole graph was made: */
    uint64_t made, stream_edges; /* its edges, of so many of the stream */
    const char *error;           /* NULL, or why edges could not be read or generated */
    bool damaged;                /* the error is that of the file */
    bool impossible;             /* there is no such graph as the attributes describe */
    char text[2048];
    int signal; /* 0, or the signal that stopped the check */
} edge_results;

/* The file that the edges belong to. */
typedef struct {
    edgefile_reader *reader;
    uint64_t edges, fingerprint; /* as the attributes have them */
    int id_bytes;
    bool weights;
    uint64_t rows; /* of CSR, else 0 */
    /* Of a file without a model: the program that wrote it, and what it promises of its edges and
     * their order, if they are sorted; else NULL. */
    const char *maker;
    const rmat_config *promised;
    const model_order *order;
} edge_file;

/* check.c: looks at all edges of the file, or a sample.  model NULL: nothing is known of them. */
void verify_edges(edge_results *results, const verify_options *options, const file_model *model,
                  const edge_file *file);

/* edges_report.c.  model NULL: likewise. */
void verify_edges_report(verify_report *report, const edge_results *results,
                         const verify_options *options, const file_model *model,
                         const edge_file *file);

#endif
