/*
 * The vertices of an edge source: other numbers for them, the connected components, their classes,
 * and tables of them.  Functions return an engine_status.
 */
#ifndef APPS_ENGINE_VERTICES_VERTICES_H
#define APPS_ENGINE_VERTICES_VERTICES_H

#include "apps/engine/source/edge_source.h"
#include "io/small_file.h"

/* What all functions here need to read a source; memory: bytes, 0: half of what is available. */
typedef struct {
    int threads;
    uint64_t memory;
    const engine_watch *watch; /* or NULL */
} vertices_run;

/* The memory that `run` grants, less `bytes`, which are taken already.  ENGINE_ERR_JOB with the
 * field "memory" if `more` do not fit into it; what: what takes them, for the message. */
int vertices_memory(const vertices_run *run, uint64_t bytes, uint64_t more, const char *what);

/*
 * Components, by union-find in 8 bytes for each of n vertices.  unite(): any number of threads.
 * components_close(), once: from then on component[v] is the least vertex that is connected with v,
 * whatever the directions of edges; *largest: that of the largest component, of equal ones the
 * first.
 */
void components_begin(uint64_t *component, uint64_t n);
void components_unite(uint64_t *component, uint64_t u, uint64_t v);
void components_close(uint64_t *component, uint64_t n, uint64_t *largest);

/*
 * Compact numbers: the vertices that have an edge get the numbers from 0 on, in the order of their
 * old numbers or as they appear in the edges (a source before its destination).  The others, and
 * edges with them, are no longer there.
 */
typedef struct {
    bool first;                        /* in the order of their appearance */
    bool largest;                      /* those of the largest component alone */
    bool no_isolated;                  /* only vertices that have an edge to another one */
    const graphfile_name_table *names; /* of the source, which has hashes of these as numbers, or
                                     NULL: the order of old numbers is that of the names then */
} compact_options;

/*
 * Puts in the place of *source one with compact numbers, which owns it and reads it again for each
 * read: two to four passes over the edges beforehand.  Memory: for each vertex that has an edge 8
 * bytes, and 8 more for each of `first` and `largest`; and a bitmap of all numbers, or where that
 * is larger a hash table of up to 43 bytes for each vertex that has an edge.  ENGINE_ERR_JOB, field
 * "memory": this is too much.  On errors *source is as before.  Sources and destinations must be
 * the same vertices: rows == cols.
 */
int compact_source(edge_source **source, const compact_options *options, const vertices_run *run);

/* The number that vertex v of a compact source had before; v itself of other sources. */
uint64_t compact_old(const edge_source *source, uint64_t v);

/* How a table begins, in the words of the program that is to import it. */
typedef enum {
    VERTICES_PLAIN, /* id,out_degree,...: of Kuzu, pandas, PyTorch Geometric */
    VERTICES_NEO4J, /* id:ID,out_degree:long,...: of neo4j-admin database import */
    VERTICES_DGL,   /* node_id,out_degree,...: of DGL's CSVDataset */
    VERTICES_LIST   /* no line of names, and no column but `old` */
} vertices_header;
extern const char *const vertices_headers[]; /* the names of the first three, NULL at the end */

/* A table of all vertices, one per row: id; the old number or name, if the source is compact; out-
 * and in-degree; the component, if asked for; and the label, if there are classes. */
typedef struct {
    vertices_header header;
    graphfile_format format;    /* of the file: csv, tsv or, without names, h5 or parquet, with a
                                   column of int64 for each */
    uint64_t add;               /* to the number of each vertex */
    const edge_source *numbers; /* whose old numbers these are, or NULL: none are shown */
    const graphfile_name_table *names; /* which stand for names, or NULL */
    bool components;
    uint64_t classes;        /* 0: no labels */
    const file_model *model; /* that gives labels to old numbers */
} vertices_table;

/* Writes the table, but does not publish the file: the edges of the source are read once, or more
 * often where memory does not hold the degrees of all vertices. */
int vertices_write(edge_source *source, edgefile_small *file, const vertices_table *table,
                   const vertices_run *run);

#endif
