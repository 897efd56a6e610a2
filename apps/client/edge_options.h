/* The options of edges that `rmat generate` and `rmat convert` share: --weights and --id-type. */
#ifndef APPS_CLIENT_EDGE_OPTIONS_H
#define APPS_CLIENT_EDGE_OPTIONS_H

#include "apps/common/options.h"
#include "apps/engine/engine.h"

#define EDGE_WEIGHTS_ALLOWED                                                                       \
    "none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to " \
    "1e38, MIN <= MAX)"

/* A row of a command's own table (option_rows.h), of an int: a position in engine_id_names.
 * standard: what auto is. */
#define EDGE_ROW_ID_TYPE(type, member, heading, standard)                                          \
    {                                                                                              \
        .name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE",                              \
        .offset = offsetof(type, member), .choices = engine_id_names, .fallback = "auto",          \
        .group = heading,                                                                          \
        .help = "type of the vertex numbers in the file, where its format leaves a choice; "       \
                "auto: " standard                                                                  \
    }

/* Can the format, the value of the option `chooser` ("format", "to"), hold the weights of the
 * model, which `text` asked for?  Returns EXIT_OK, or EXIT_USAGE after a line on stderr. */
int edge_options_fit_weights(const char *command, const char *chooser, const char *text,
                             const rmat_config *model, graphfile_format format);

/* "none", "uniform", "int:MIN:MAX" or "float:MIN:MAX" into the model; false: it is none of these.
 */
bool edge_options_weights(const char *text, rmat_config *model);

#endif
