/* The model of `rmat generate` in words, for summary and dry run. */
#ifndef APPS_GENERATE_DESCRIBE_H
#define APPS_GENERATE_DESCRIBE_H

#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "apps/engine/job.h"

/* "2^20", or "1000000". */
const char *format_vertices(char text[NUMBER_TEXT], uint64_t vertices);

/* Lines: vertices, matrix, seed; the model where it has more than these; format and order where
 * they are not the plain list's; edges, or at most so many. */
void generate_print_model(FILE *stream, const engine_job *options, uint64_t edges, bool at_most);

/* The same as members of a JSON object. */
void generate_json_model(json_object *j, const engine_job *options, uint64_t edges);

#endif
