/* Edges of files in other formats. */
#include "apps/edge_source_impl.h"
#include "apps/message.h"

int edge_source_open_foreign(edge_source **out, const char *name,
                             const edge_source_options *options)
{
    *out = NULL;
    return runtime_error(options->command, "%s: not read yet", name);
}
