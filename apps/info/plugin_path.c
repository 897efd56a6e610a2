/*
 * rmat info: where the HDF5 plug-in for virtual files lies.
 *
 * Its place relative to the program is the same in the build tree and wherever it is installed.
 */
#include "apps/info/plugin_path.h"
#include "apps/common/message.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int info_plugin_path(void)
{
    char program[PATH_MAX], folder[PATH_MAX + sizeof RMAT_PLUGIN_FOLDER],
        plugin[sizeof folder + sizeof RMAT_PLUGIN_NAME];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash, *real;

    program[n > 0 ? n : 0] = '\0';
    slash = strrchr(program, '/');
    if (slash == NULL) {
        return runtime_error("info",
                             "--plugin-path: the folder of this program could not be determined");
    }
    *slash = '\0';
    snprintf(folder, sizeof folder, "%s/%s", program, RMAT_PLUGIN_FOLDER);
    snprintf(plugin, sizeof plugin, "%s/%s", folder, RMAT_PLUGIN_NAME);
    if (access(plugin, R_OK) != 0) {
        return runtime_error("info", "%s: %m", plugin);
    }
    real = realpath(folder, NULL);
    puts(real != NULL ? real : folder);
    free(real);
    return EXIT_OK;
}
