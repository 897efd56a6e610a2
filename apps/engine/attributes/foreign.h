/* Edge files of ours whose edges no R-MAT model makes: converted ones, and those of chung_lu. */
#ifndef APPS_ENGINE_ATTRIBUTES_FOREIGN_H
#define APPS_ENGINE_ATTRIBUTES_FOREIGN_H

#include "io/graphfile.h"

/* Attributes of a file that `rmat convert` made of one without a model. */
#define FOREIGN_CONVERT "rmat convert"
#define FOREIGN_COMMAND "rmat convert IN OUT"

enum { FOREIGN_ATTRS = 8 };

/* The attributes of a converted graph without a model, but for its command. */
typedef struct {
    edgefile_attr list[FOREIGN_ATTRS];
    size_t n;
    uint64_t scale[2], vertices[2]; /* what the list points to */
} foreign_attrs;

/* The list points into *attrs. */
void foreign_attrs_fill(foreign_attrs *attrs, const graphfile_graph *graph);

/*
 * What made the file, if it says so: "rmat convert" or "chung_lu"; else NULL: a model is expected.
 * A string that is static.  A file of `rmat generate` from which attributes were lost does not
 * become one of these: `generator` says otherwise.
 */
const char *foreign_maker(edgefile_reader *r);

/* An attribute that this file has, and none by that maker; NULL: there is none. */
const char *foreign_surplus(edgefile_reader *r, const char *maker);

#endif
