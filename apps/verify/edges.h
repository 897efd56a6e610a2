/* The edges of a file, read once: against what the model promises, and against those that it makes.
 */
#ifndef APPS_VERIFY_EDGES_H
#define APPS_VERIFY_EDGES_H

#include "apps/verify/fit.h"
#include "apps/verify/verify.h"

/* What may be wrong with an edge. */
typedef enum {
    BAD_SRC_RANGE, /* no such vertex */
    BAD_DST_RANGE,
    BAD_LOOP,
    BAD_DIRECTION,
    BAD_REVERSE, /* edge 2 i + 1 is not edge 2 i reversed */
    BAD_ORDER,   /* of a sorted graph: belongs before the edge before it */
    BAD_TWICE,   /* of a unique one: is the edge before it */
    BAD_SRC,     /* another one than is made */
    BAD_DST,
    BAD_WEIGHT,
    BAD_EDGE, /* any of these three */
    N_BAD
} bad_edge;

typedef struct {
    uint64_t count, first;    /* the first one's index, where there are any */
    uint64_t found, expected; /* its id, or the bits of its weight, where BAD_SRC and the like */
} bad_edges;

/* What a thread finds. */
typedef struct {
    bad_edges bad[N_BAD];
    uint64_t edges;   /* that were looked at */
    uint64_t places;  /* runs of BAD_EDGE */
    uint64_t surplus; /* fingerprint of the bad ones, minus that of those which belong there */
    fit_sums fit;
} edge_tally;

/* apps/verify/scan.c: ids, loops, direction, reverse edges.  Counts loops for the fit too. */
void scan_edges(edge_tally *tally, const rmat_config *model, const edge_block *found);

/* The order of a sorted graph; last: the edge before the first one, NULL if unknown. */
void scan_order(edge_tally *tally, const edge_block *found, const edge_block *last, bool unique);

/* apps/verify/compare.c.  Whether the last edge differs; `differs`: whether the one before the
 * first. */
bool compare_edges(edge_tally *tally, const edge_block *found, const edge_block *expected,
                   bool differs);

bool edge_differs(const edge_block *a, const edge_block *b, uint64_t i);

/* One more that is bad; true where it is the first one so far. */
bool edge_is_bad(bad_edges *bad, uint64_t index);

/* All threads' together. */
typedef struct {
    bad_edges bad[N_BAD];
    uint64_t edges, places, surplus;
    uint64_t sample; /* chunks; 0: all edges */
    bool some_rows;  /* a sample or a shard of a sorted graph */
    fit_totals fit;
    const char *error; /* NULL, or what could not be read or made; of `text` or static */
    char text[2048];
    int signal; /* 0, or what stopped it */
} edge_results;

/* What they are edges of. */
typedef struct {
    verify_part *parts;
    int n_parts, id_bytes;
    bool weights;
    uint64_t rows; /* of CSR, else 0 */
    /* Of a file that has no model: what made it, and its vertices; else NULL. */
    const char *maker;
    const rmat_config *ids;
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
