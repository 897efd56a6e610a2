/* model_attrs.h - the attributes that describe a file's model and make the file again.
 * Also the attributes of files without an R-MAT model. */
#ifndef APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H
#define APPS_ENGINE_ATTRIBUTES_MODEL_ATTRS_H

#include "apps/engine/job.h"

enum {
    MODEL_ATTRS = 48,
    MODEL_COMMAND = 1024,
    MODEL_VERSION = 64,
    MODEL_WEIGHTS = 48,
    MODEL_BINSPARSE = 1024
};

/* A file's edges: their order, copies and ids, and their number. */
typedef struct {
    bool sorted, csr, unique;
    bool dedup;            /* unique, with a fixed number of draws, not of edges */
    uint64_t edges;        /* of the file */
    uint64_t stream_edges; /* of a sorted graph: the stream's edges that it is made of, as numbered
                              by rmat_generate() */
    int id_bytes;
    bool signed_ids;
} model_order;

typedef struct {
    edgefile_attr list[MODEL_ATTRS];
    size_t n; /* elements of list[] */
    char command[MODEL_COMMAND];

    /* Values that the list points to. */
    rmat_config model;
    rmat_matrix levels[RMAT_MAX_SCALE];
    uint64_t stream_version;
    uint64_t numbers[MODEL_ATTRS]; /* by their places in the list */
    char version[MODEL_VERSION], weights[MODEL_WEIGHTS], binsparse[MODEL_BINSPARSE];
} model_attrs;

/*
 * Fills *attrs for a valid model, whose rows and cols are not 0, that makes `edges` edges, not
 * counting the reverse edges of symmetrize.  The list points into *attrs.  The command makes the
 * same file again, byte for byte; FILE in it stands for the file of level matrices.
 */
void model_attrs_fill(model_attrs *attrs, const rmat_config *model, uint64_t edges,
                      const model_order *order);

/* The same for a job's file of this format, which has `edges` edges, made of `stream_edges` edges
 * of the stream.  For edges of a source, the attributes are those of the source, the command, and
 * the job's options other than the defaults. */
void model_attrs_of_plan(model_attrs *attrs, const engine_plan *plan, graphfile_format format,
                         uint64_t edges, uint64_t stream_edges);

extern const char *const model_direction_names[]; /* of an rmat_direction */

/* "none", "uniform", "int:MIN:MAX" or "float:MIN:MAX". */
const char *model_weights_name(char text[MODEL_WEIGHTS], const rmat_config *model);

/* Puts such a text into the model.  Returns whether it is one; a minimum may be above the maximum.
 */
bool model_parse_weights(const char *text, rmat_config *model);

/* --- Reading --- */

typedef struct {
    rmat_config given; /* the options of `rmat generate`; levels are those drawn from */
    rmat_config drawn; /* makes the edges: without noise, which the levels contain */
    bool has_levels;   /* the attribute `matrices` */
    rmat_matrix levels[RMAT_MAX_SCALE];
    model_order order;
    uint64_t base_edges; /* the edges that `rmat generate` was given, without reverse edges */
} file_model;

/* Called for each wrong attribute with a description, such as "noise is 'x', allowed: ..."; may be
 * NULL.
 */
typedef void (*model_complaint)(void *state, const char *text);

/* Reads the attributes.  Returns an engine_status: after complaints they make no graph.  After 0
 * each attribute has the right type and an allowed value; rmat_create() checks whether the values
 * fit together. drawn.levels points into *model. */
int model_read(file_model *model, edgefile_reader *r, model_complaint complain, void *state);

/* --- Files of ours whose edges no R-MAT model makes: converted ones, and those of other generators
 * --- */

/* Attributes of a file that `rmat convert` made from a file without a model. */
#define FOREIGN_CONVERT "rmat convert"
#define FOREIGN_COMMAND "rmat convert IN OUT"

/* Fills in the attributes of a graph without a model, except its command.  The list points into
 * *attrs. */
void model_attrs_foreign(model_attrs *attrs, const graphfile_graph *graph);

#endif
