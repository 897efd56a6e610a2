/* What the parts of `rmat verify` share. */
#ifndef APPS_VERIFY_VERIFY_H
#define APPS_VERIFY_VERIFY_H

#include "apps/engine/attributes/model_read.h"
#include "apps/verify/report.h"
#include "io/edgefile.h"

typedef struct {
    const char *file;
    uint64_t sample, sample_seed; /* chunks to look at; 0: all edges */
    uint64_t memory;              /* bytes for a block of a sorted graph; 0: chosen here */
    int threads;
    rmat_backend backend;
    int device;
    bool json, quiet;
} verify_options;

/* Edges for one comparison at a time, and of a sample. */
enum { VERIFY_BLOCK = 1 << 15, VERIFY_CHUNK = 1 << 18 };

/* A file with edges of its own: the only one, or one shard of several. */
typedef struct {
    char *name;
    uint64_t first, edges; /* its place in the graph */
    uint64_t fingerprint;  /* as its attribute has it */
    uint64_t found;        /* the fingerprint of its edges */
} verify_part;

/* apps/verify/attrs.c: the attributes by themselves, against each other and against the datasets.
 */

/* Whether edges can be made from them. */
bool verify_attrs(verify_report *report, edgefile_reader *r, file_model *model);

/* apps/verify/foreign.c: the same of a file that has no model, as foreign_maker() says.  *ids:
 * promises nothing but its vertices. */
void verify_foreign(verify_report *report, edgefile_reader *r, const char *maker, rmat_config *ids);

/* The shards of a master, each held against it, or a single file itself.  model: of the master,
 * NULL if unknown.  NULL if memory is exhausted; the last one is empty if it cannot be opened. */
verify_part *verify_parts(verify_report *report, edgefile_reader *r, const char *file,
                          const file_model *model, int *n);
void verify_parts_free(verify_part *parts, int n);

#endif
