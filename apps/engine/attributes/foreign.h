/* Edge files of ours whose edges no R-MAT model makes: converted ones, and those of other
 * generators. */
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

enum { FOREIGN_MAKER = 64 };

/*
 * What made the file, if its edges are not those of the R-MAT model: `rmat convert`, or the program
 * that the attribute `generator` names in a file with the attribute `model`.  Returns the text, or
 * NULL: an R-MAT model is expected.  A file of `rmat generate` from which attributes were lost does
 * not become one of these: `generator` says otherwise.
 */
const char *foreign_maker(edgefile_reader *r, char text[FOREIGN_MAKER]);

/* An attribute that this file has, and none by that maker; NULL: there is none. */
const char *foreign_surplus(edgefile_reader *r, const char *maker);

#endif
