/* The edges of a graph in a file, in the order in which `rmat updates FILE` inserts them. */
#ifndef APPS_UPDATES_GRAPH_H
#define APPS_UPDATES_GRAPH_H

#include "apps/engine/engine.h"
#include "rmat/model/permutation.h"

enum { UPDATES_MADE_BY = 1024 };

typedef struct {
    void *src, *dst; /* all edges, of id_bytes each */
    int id_bytes;
    uint64_t edges;
    bool unique; /* each is known to be there once */
    rmat_permutation order;
    rmat_source source;            /* its state is this struct */
    char made_by[UPDATES_MADE_BY]; /* the command that made the file, or "" */
} updates_graph;

/* Reads the file into memory.  Returns an engine_status; updates_graph_close() in either case,
 * which may be called for a struct of zeros. */
int updates_graph_open(updates_graph *g, const char *name, int threads, uint64_t seed,
                       const engine_watch *watch);
void updates_graph_close(updates_graph *g);

#endif
