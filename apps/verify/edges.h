/* rmat verify: checks of all edges of a file in one pass, against the properties that the model
 * promises and against the edges that it generates. */
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
} edge_tally;

/* apps/verify/scan.c: ids, loops, direction and reverse edges.  Also counts loops for the fit. */
void scan_edges(edge_tally *tally, const rmat_config *model, const edge_block *found);

/* The order of a sorted graph; last: the edge before the first one, NULL if unknown. */
void scan_order(edge_tally *tally, const edge_block *found, const edge_block *last, bool unique);

/* apps/verify/compare.c: compare edges with the generated ones.  `differs` says whether the edge
 * before the first one differed; returns whether the last one differs. */
bool compare_edges(edge_tally *tally, const edge_block *found, const edge_block *expected,
                   bool differs);

bool edge_differs(const edge_block *a, const edge_block *b, uint64_t i);

/* Count a bad edge.  Returns whether its index is the lowest so far. */
bool edge_is_bad(bad_edges *bad, uint64_t index);

/* The findings of all threads together. */
typedef struct {
    bad_edges bad[N_BAD];
    uint64_t edges, places, surplus;
    uint64_t sample; /* chunks; 0: all edges */
    bool some_rows;  /* a sample or a shard of a sorted graph */
    fit_totals fit;
    const char *error; /* NULL, or why edges could not be read or generated */
    bool damaged;      /* the error is that of the file */
    char text[2048];
    int signal; /* 0, or the signal that stopped the check */
} edge_results;

/* The file that the edges belong to. */
typedef struct {
    verify_part *parts;
    int n_parts, id_bytes;
    bool weights;
    uint64_t rows; /* of CSR, else 0 */
    /* Of a file without a model: the program that wrote it, and what it promises of its edges and
     * their order, if they are sorted; else NULL. */
    const char *maker;
    const rmat_config *promised;
    const model_order *order;
} edge_file;

/* apps/verify/edges.c: look at all edges of the parts, or a sample, which are in the order of the
 * stream.  model NULL: nothing is known of it.  Sets parts[].found where all were looked at. */
void verify_edges(edge_results *results, const verify_options *options, const rmat_config *model,
                  const edge_file *file);

/* apps/verify/edges_report.c.  order: of a sorted graph, else NULL. */
void verify_edges_report(verify_report *report, const edge_results *results,
                         const verify_options *options, const rmat_config *model,
                         const model_order *order, const edge_file *file);

#endif
