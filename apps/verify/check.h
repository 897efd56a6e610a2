/* What check.c and sample.c share.  Private to them. */
#ifndef APPS_VERIFY_CHECK_H
#define APPS_VERIFY_CHECK_H

#include "apps/common/progress.h"
#include "apps/engine/make_edges.h"
#include "apps/verify/look.h"

typedef struct {
    const verify_options *options;
    const file_model
        *model; /* NULL: the edges are those of another program, or of nobody's model */
    const edge_file *file;
    look look;
    rmat_config promised; /* what look.model points to */
    progress bar;
} check_run;

/* Shows how many edges are done.  Returns the signal that is to stop the check, or 0. */
int check_tick(void *check, uint64_t done);

/* Looks at these spans of a sorted graph; the results say what was found, or why that failed. */
void check_sample(check_run *c, const engine_span *spans, size_t n);

#endif
