/* What a file says of its model: the attributes from which it can be made again, written by
 * model_attrs.c and read by model_read.c; and files whose edges no R-MAT model makes. */
#ifndef APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H
#define APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H

#include "apps/engine/job.h"

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

/* --- Reading: the other way round --- */

typedef struct {
    rmat_config given; /* as `rmat generate` was told, but for levels: the ones drawn from */
    rmat_config drawn; /* makes the edges: without noise, which the levels have already */
    bool has_levels;   /* the attribute `matrices` */
    rmat_matrix levels[RMAT_MAX_SCALE];
    model_order order; /* of a sorted graph; else all is 0 but edges */
} file_model;

/* Called for each attribute with what is wrong with it, as "noise is 'x', allowed: ..."; or NULL.
 */
typedef void (*model_complaint)(void *state, const char *text);

/* Returns 0, or -1 after complaints: nothing can be made from these attributes.  Where it is 0 they
 * have the right types and each its allowed values; rmat_create() knows whether they fit together.
 * drawn.levels points into *model. */
int model_read(file_model *model, edgefile_reader *r, model_complaint complain, void *state);

/* How many edges `rmat generate` was told, by the command and the number that there are. */
uint64_t model_base_edges(edgefile_reader *r, const file_model *model);

/* --- Files of ours whose edges no R-MAT model makes: converted ones, and those of other generators
 * --- */

/* Attributes of a file that `rmat convert` made of one without a model. */
#define FOREIGN_CONVERT "rmat convert"
#define FOREIGN_COMMAND "rmat convert IN OUT"

/* The attributes of a graph without a model, but for its command.  The list points into *attrs. */
void model_attrs_foreign(model_attrs *attrs, const graphfile_graph *graph);

#endif
