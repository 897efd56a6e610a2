/* OUT is an HDF5 file of ours. */
#include "apps/convert.h"
#include "apps/message.h"

int convert_to_h5(edge_source *source, const char *out, const convert_options *options,
                  convert_summary *summary)
{
    (void)source;
    (void)summary;
    return runtime_error(options->command, "%s: HDF5 is not written yet", out);
}
