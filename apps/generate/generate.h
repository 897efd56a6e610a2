/* What the parts of `rmat generate` share. */
#ifndef APPS_GENERATE_GENERATE_H
#define APPS_GENERATE_GENERATE_H

#include "apps/common/numbers.h"
#include "apps/common/options.h"
#include "apps/engine/estimate.h"
#include "apps/engine/job.h"
#include "apps/generate/options.h"
#include <stdio.h>

/* As lines or as one JSON object, on stdout, or stderr where the graph goes there. */
void generate_print_summary(const generate_options *options, const engine_result *result);

/* output.c: for as_gapbs, the source of the edges in place of the model, and its end.  The plan is
 * made, and the watch set.  Returns an engine_status. */
int generate_gapbs_open(generate_options *options);
void generate_gapbs_close(generate_options *options);

/* --dry-run, on stdout. */
void generate_estimate_json(const engine_plan *plan, const engine_estimate *e);
void generate_estimate_lines(const engine_plan *plan, const engine_estimate *e);

/* "2^20", or "1000000". */
const char *format_vertices(char text[NUMBER_TEXT], uint64_t vertices);

#endif
