/*
 * An edge source that is read piece by piece, as one of which every range of edges can be had: what
 * sorting and the other steps of the engine take (rmat_source.h).
 */
#ifndef APPS_ENGINE_SOURCE_EDGE_STREAM_H
#define APPS_ENGINE_SOURCE_EDGE_STREAM_H

#include "apps/engine/source/edge_source.h"

typedef struct edge_stream edge_stream;

/* The source is borrowed until edge_stream_close(), and not to be read otherwise meanwhile.  Pieces
 * that were read are kept, one for each thread that reads at a time.  Returns an engine_status. */
int edge_stream_open(edge_stream **out, edge_source *s);
void edge_stream_close(edge_stream *x); /* NULL is allowed */

/* For engine_job.source: the edges, what is known of them, and error(); the rest is zero.  A vertex
 * beyond those that the source says is an error. */
engine_source edge_stream_source(edge_stream *x);

#endif
