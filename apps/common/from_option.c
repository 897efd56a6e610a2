/* The option --from: which formats can be read from where. */
#include "apps/common/from_option.h"
#include "apps/common/message.h"
#include "io/graphfile.h"
#include <string.h>

int from_option_check(const char *command, const char *name, bool given, int format)
{
    const bool hdf5 = format == GRAPHFILE_H5 || format == GRAPHFILE_CSR;
    const bool from_stdin = strcmp(name, "-") == 0;

    if (given && !hdf5 && !(graphfile_table[format].traits & GRAPHFILE_READS)) {
        return usage_error(command, "--from: '%s' is not read, allowed: " FROM_ALLOWED,
                           graphfile_names[format]);
    }
    if (from_stdin && !given) {
        return usage_error(command, "--from: missing, standard input needs it");
    }
    if (from_stdin && hdf5) {
        return usage_error(command, "--from: '%s' cannot be read from standard input",
                           graphfile_names[format]);
    }
    return EXIT_OK;
}
