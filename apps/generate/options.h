/* What the options of `rmat generate` come to. */
#ifndef APPS_GENERATE_OPTIONS_H
#define APPS_GENERATE_OPTIONS_H

#include "apps/common/options.h"
#include "apps/engine/attributes/foreign.h"
#include "apps/engine/job.h"
#include "rmat/rmat_gapbs.h"

/* Not to be copied: it points into itself. */
typedef struct {
    engine_job job; /* as it was asked for, and what follows from it: */
    engine_plan plan;
    rmat_matrix levels[RMAT_MAX_SCALE]; /* of job.model.levels, where there are any */
    char default_output[32];
    bool dry_run, quiet, json, help;
    bool default_scale; /* 20, for no option says anything of the vertices */
    bool as_gapbs;      /* the file that GAPBS's own converter makes (output.c): of this source */
    engine_source source;
    foreign_attrs attrs; /* of the source */
    rmat_gapbs *gapbs;
} generate_options;

/* From the words of a command line, after "generate".  dist_start() comes before.  With --help, no
 * plan is made.  Texts are borrowed by *out.  Returns 0, or EXIT_USAGE after one line on stderr. */
int generate_parse(int argc, char **argv, generate_options *out);

#endif
