/* What the attributes of a file say of its model: model_attrs.h the other way round. */
#ifndef APPS_ENGINE_ATTRIBUTES_MODEL_READ_H
#define APPS_ENGINE_ATTRIBUTES_MODEL_READ_H

#include "apps/engine/attributes/model_attrs.h"
#include <stdbool.h>

typedef struct {
    rmat_config given; /* as `rmat generate` was told, but for levels: the ones drawn from */
    rmat_config drawn; /* makes the edges: without noise, which the levels have already */
    bool has_levels;   /* the attribute `matrices` */
    rmat_matrix levels[RMAT_MAX_SCALE];
    model_order order; /* of a sorted graph; else all is 0 but edges */
} file_model;

/* Called for each attribute with what is wrong with it, as "noise is 'x', allowed: ...". */
typedef void (*model_complaint)(void *state, const char *text);

/* Returns 0, or -1 after complaints: nothing can be made from these attributes.  Where it is 0 they
 * have the right types and each its allowed values; rmat_create() knows whether they fit together.
 * drawn.levels points into *model. */
int model_read(file_model *model, edgefile_reader *r, model_complaint complain, void *state);

/* How many edges `rmat generate` was told, by the command and the number that there are. */
uint64_t model_base_edges(edgefile_reader *r, const file_model *model);

#endif
