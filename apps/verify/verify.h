/* Declarations shared by the files of `rmat verify`. */
#ifndef APPS_VERIFY_VERIFY_H
#define APPS_VERIFY_VERIFY_H

#include "apps/engine/attributes/model_attrs.h"
#include "apps/verify/report.h"
#include "io/edgefile.h"

typedef struct {
    const char *file;
    uint64_t sample, sample_seed; /* chunks to look at; 0: all edges */
    uint64_t memory;              /* bytes for an interval of a sorted graph; 0: automatic */
    int threads;
    rmat_backend backend;
    int device;
    bool json, quiet;
} verify_options;

/* apps/verify/opening.c, after edgefile_open() or another function of io returned `status`. */

/* Whether the system failed, so that the file may be intact. */
bool verify_is_failure(int status);

/* Reports a check with edgefile_detail(): as failed, or as wrong. */
void verify_blame_file(verify_report *report, const char *check, int status);

/* Reports `file`: as wrong, or as not checked. */
void verify_not_opened(verify_report *report, int status, const char *name);

/* apps/verify/attrs.c: each attribute, and all of them against each other and the datasets. */

/* Returns whether the edges can be generated from the attributes. */
bool verify_attrs(verify_report *report, edgefile_reader *r, file_model *model);

/* The type of weights that a file of this model has. */
edgefile_weight verify_weights(const rmat_config *model);

/* apps/verify/edges.c: compares the edges with those of the model or, without a model, reads them.
 * promised, maker: as for verify_foreign(), or NULL.  Returns 0, or the signal that stopped it. */
int verify_edges(verify_report *report, edgefile_reader *reader, const verify_options *options,
                 const file_model *model, const file_model *promised, const char *maker);

/* apps/verify/foreign.c: files whose edges no R-MAT model makes. */
enum { FOREIGN_MAKER = 64 };

/*
 * Returns what made the file, if its edges are not those of the R-MAT model: `rmat convert`, or the
 * program that the attribute `generator` names in a file with the attribute `model`.  NULL: an
 * R-MAT model is expected.  A file of `rmat generate` that lost attributes does not become one of
 * these, because its `generator` names rmat.
 */
const char *foreign_maker(edgefile_reader *r, char text[FOREIGN_MAKER]);

/* verify_attrs() for such a file, which that maker made.  It sets the promises of the file in
 * *model: in `drawn` its vertices, loops, direction and reverse edges, and the order. */
void verify_foreign(verify_report *report, edgefile_reader *r, const char *maker,
                    file_model *model);

/* Reports wrong attributes; or, if one of them could not be read, that the result is unknown. */
#define verify_blame(report, r, check, ...)                                                        \
    (edgefile_unanswered(r) != EDGEFILE_OK ? verify_failed(report, check, "%s", edgefile_detail()) \
                                           : verify_wrong(report, check, __VA_ARGS__))

#endif
