/* Declarations shared by the files of `rmat verify`: the check of one file, and its report. */
#ifndef APPS_VERIFY_VERIFY_H
#define APPS_VERIFY_VERIFY_H

#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "io/edgefile.h"

/* The values of the option table. */
typedef struct {
    uint64_t sample; /* chunks to look at; 0: all edges */
    uint64_t memory; /* bytes for an interval of a sorted graph; 0: automatic */
    uint64_t threads;
    int backend;
    bool json, quiet, help;
} verify_options;

typedef struct {
    const verify_options *o;
    const char *file;
    edgefile_reader *reader;
    json_object object, checks;
    int wrong;  /* checks */
    int failed; /* checks that could not be finished */

    /* attrs.c. maker: NULL, or what made a file whose edges no R-MAT model makes, and `model` then
     * has the promises of its attributes: in `drawn` its vertices and loops, and the order. */
    file_model model;
    const char *maker;
    char maker_text[64];
    bool has_model;   /* the edges can be made from `model`, and: */
    bool has_weights; /* the file has the weights that it describes */
} verify_file;

/* --- The report: verify.c --- */

typedef enum { VERIFY_OK, VERIFY_SKIPPED, VERIFY_WRONG, VERIFY_FAILED } verify_result;

/* Reports a result of a check, which may have several results.  VERIFY_FAILED: it could not be
 * finished. */
void verify_say(verify_file *v, verify_result result, const char *check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the system failed, so that the file may be intact: a status of io. */
bool verify_is_failure(int status);

/* --- The checks --- */

/* attrs.c: each attribute, and all of them against each other and the datasets.  Sets the model. */
void verify_attrs(verify_file *v);

/* edges.c: compares the edges with those of the model or, without a model, reads them.  Returns 0,
 * or the signal that stopped it. */
int verify_edges(verify_file *v);

#endif
