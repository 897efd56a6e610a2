/* The command `rmat version`: versions, and what this build can use on this machine. */
#include "apps/cli/commands.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <stdio.h>

typedef struct {
    bool help;
} version_values;

static const option table[] = {
    OPTION_ROW_HELP(version_values, help, "Options"),
};

const command_line version_command_line = {
    .command = "version",
    .synopsis = "version [OPTION]",
    .summary = "Print the versions of rmat, of its edge stream and of HDF5, and the backends and "
               "instruction sets that this build can use on this machine.",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
};

void version_print(void)
{
    char hdf5[EDGEFILE_HDF5_VERSION], path[1024];
    rmat_config config;
    rmat_gen *gen;

    printf("rmat %s\n", rmat_version());
    printf("edge stream version %d\n", RMAT_STREAM_VERSION);
    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_GPU;
    printf("backends: cpu%s\n", rmat_create(&gen, &config) == RMAT_OK ? ", gpu" : "");
    rmat_destroy(gen);
    printf("instruction sets: ");
    devices_isas(stdout, " ");
    if (edgefile_hdf5_describe(hdf5, path, sizeof path) == EDGEFILE_OK) {
        printf("\nHDF5 %s%s%s\n", hdf5, *path != '\0' ? ", " : "", path);
    } else {
        printf("\n%s\n", edgefile_detail());
    }
}

int version_main(int argc, char **argv)
{
    version_values values = {0};
    bool given[OPTIONS_MAX];
    int status = options_parse(&version_command_line, argc, argv, &values, given, NULL);

    if (status != EXIT_OK) {
        return status;
    }
    if (values.help) {
        options_help(&version_command_line, stdout);
    } else {
        version_print();
    }
    return EXIT_OK;
}
