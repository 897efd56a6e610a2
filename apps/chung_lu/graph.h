/* The edges of a Chung-Lu graph as an edge source, from which the engine makes files. */
#ifndef APPS_CHUNG_LU_GRAPH_H
#define APPS_CHUNG_LU_GRAPH_H

#include "apps/chung_lu/edges.h"
#include "apps/chung_lu/gpu.h"
#include "apps/engine/engine.h"
#include <pthread.h>

/* Weights of all vertices, each for free(). */
typedef struct {
    double *out, *in; /* as sources, and as destinations; in NULL: the same */
    double sum;       /* of either */
} chung_lu_degrees;

/* Weights, and the tables that are built of them, on the CPU, on a GPU or on both, when they are
 * first needed. */
typedef struct {
    const chung_lu_stream *stream;
    const chung_lu_degrees *degrees;
    int threads; /* that build tables */
    pthread_mutex_t lock;
    chung_lu_tables cpu, device;
    chung_lu_gpu *gpu;
    double table_seconds; /* that building took */
    char text[512];       /* what failed first, or "" */
} chung_lu_graph;

/* Everything is borrowed until chung_lu_graph_close(). */
void chung_lu_graph_open(chung_lu_graph *g, const chung_lu_stream *stream,
                         const chung_lu_degrees *degrees, int threads);
void chung_lu_graph_close(chung_lu_graph *g);

/* The tables on this backend, which are built if they do not exist.  Returns 0, or -1 and why. */
int chung_lu_graph_prepare(chung_lu_graph *g, rmat_backend backend, int device, char *text,
                           size_t size);

/* The source, without what describes it: attributes and command. */
engine_source chung_lu_source(chung_lu_graph *g);

#endif
