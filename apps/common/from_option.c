/* The options --from and --datasets: which formats can be read from where. */
#include "apps/common/from_option.h"
#include "apps/common/message.h"
#include "io/graphfile.h"
#include <stdio.h>
#include <string.h>

/* Those that can come through a pipe, which HDF5 cannot. */
static void list_piped(char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        const unsigned traits = graphfile_table[i]->traits;

        if (traits & GRAPHFILE_READS && !(traits & GRAPHFILE_HDF5) && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     graphfile_names[i]);
        }
    }
}

int from_option_check(const char *command, const char *name, bool given, int format,
                      const char *datasets)
{
    const bool ours = format == GRAPHFILE_H5 || format == GRAPHFILE_CSR;
    const bool from_stdin = strcmp(name, "-") == 0;
    char piped[256];

    if (given && !ours && !(graphfile_table[format]->traits & GRAPHFILE_READS)) {
        return usage_error(command, "--from: '%s' cannot be read, allowed: " FROM_ALLOWED,
                           graphfile_names[format]);
    }
    list_piped(piped, sizeof piped);
    if (from_stdin && !given) {
        return usage_error(command, "--from: missing, but standard input needs it, allowed: %s",
                           piped);
    }
    if (from_stdin && graphfile_table[format]->traits & GRAPHFILE_HDF5) {
        return usage_error(command, "--from: '%s' cannot be read from standard input, allowed: %s",
                           graphfile_names[format], piped);
    }
    if (datasets != NULL && graphfile_check_datasets(datasets) != EDGEFILE_OK) {
        return usage_error(command, "--datasets: %s", edgefile_detail());
    }
    return EXIT_OK;
}
