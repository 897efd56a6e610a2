/* What a file says of its model: the attributes from which it can be made again. */
#ifndef APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H
#define APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H

#include "apps/engine/job.h"
#include <stdbool.h>

enum { MODEL_ATTRS = 48, MODEL_COMMAND = 1024, MODEL_WEIGHTS = 48, MODEL_BINSPARSE = 1024 };

/* Of a sorted graph: what became of the stream's edges. */
typedef struct {
    bool sorted, csr, unique;
    uint64_t edges;        /* of the file */
    uint64_t stream_edges; /* of which it is made, as rmat_generate() numbers them */
    bool dedup;            /* unique, and of so many draws, not so many edges */
} model_order;

/* Of the file: 4 or 8 bytes, and whether ids are signed integers. */
typedef struct {
    int bytes;
    bool is_signed;
} model_ids;

typedef struct {
    edgefile_attr list[MODEL_ATTRS];
    size_t n; /* of them */
    char command[MODEL_COMMAND];

    /* What the list points to. */
    rmat_config model;
    rmat_matrix levels[RMAT_MAX_SCALE];
    uint64_t num_rows, num_cols, stream_version;
    uint64_t numbers[MODEL_ATTRS]; /* by their places in the list */
    char weights[MODEL_WEIGHTS], binsparse[MODEL_BINSPARSE];
} model_attrs;

/*
 * For a valid model that makes so many edges, with symmetrize before the reverse ones are added;
 * order is NULL for a graph that is not sorted.  The list points into *attrs.  The command makes
 * the same file again, byte for byte; FILE in it stands for the level matrices that were given.
 */
void model_attrs_fill(model_attrs *attrs, const rmat_config *model, uint64_t edges, model_ids ids,
                      const model_order *order);

/* The same for a file of this format that a job makes, with so many edges of so many of the stream.
 * Where these come from a source, the attributes are those of the source, the command, and the
 * options of the job that are not the defaults. */
void model_attrs_of_plan(model_attrs *attrs, const engine_plan *plan, graphfile_format format,
                         uint64_t edges, uint64_t stream_edges);

/* "directed", "lower" or "upper". */
const char *model_direction_name(rmat_direction direction);

/* "none", "uniform", "int:MIN:MAX" or "float:MIN:MAX". */
const char *model_weights_name(char text[MODEL_WEIGHTS], const rmat_config *model);

#endif
