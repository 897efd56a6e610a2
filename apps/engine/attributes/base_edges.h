/* The number of edges that `rmat generate` was told to draw, from the attributes of its file. */
#ifndef APPS_ENGINE_ATTRIBUTES_BASE_EDGES_H
#define APPS_ENGINE_ATTRIBUTES_BASE_EDGES_H

#include "apps/engine/attributes/model_read.h"

/*
 * Before --symmetrize adds reverse edges, for the whole graph, also if the reader has a shard
 * alone. A shard, and a symmetric graph of distinct edges, tell it by the attribute `command` only.
 */
uint64_t model_base_edges(edgefile_reader *r, const file_model *model);

#endif
