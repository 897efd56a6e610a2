/*
 * The commands of the program `rmat`: their table, `rmat help` and `rmat version`, and rmat_main(),
 * which runs the command that the first argument names.  A new command is its folder, its name in
 * apps/CMakeLists.txt, and a line in apps/client/client.h.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    bool help;
} help_values;

static const option help_option[1] = {
    OPTION_ROW_HELP(help_values, help, "Options"),
};

/* Of the commands in this file: parse the arguments, and print the help where it is asked for.
 * Returns whether the command goes on; if not, *status is its exit code. */
static bool parse(const command_line *line, int argc, char **argv, const char **operand,
                  int *status)
{
    help_values values = {false};
    bool given[OPTIONS_MAX];

    *status = options_parse(line, argc, argv, &values, given, operand);
    if (*status == EXIT_OK && values.help) {
        options_help(line, stdout);
    }
    return *status == EXIT_OK && !values.help;
}

static const command_line version_command_line = {
    .command = "version",
    .synopsis = "version [OPTION]",
    .summary = "Print the versions of rmat, of its edge stream and of HDF5, and the backends and "
               "instruction sets that this build can use on this machine.",
    .options = help_option,
    .n_options = 1,
};

static void print_versions(void)
{
    char hdf5[EDGEFILE_HDF5_VERSION];
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
    printf("\nHDF5 %s\n", edgefile_hdf5_version(hdf5) == EDGEFILE_OK ? hdf5 : "not in this build");
}

static int version_main(int argc, char **argv)
{
    int status;

    if (parse(&version_command_line, argc, argv, NULL, &status)) {
        print_versions();
    }
    return status;
}

static const command_line help_command_line = {
    .command = "help",
    .synopsis = "help [COMMAND]",
    .summary = "Print the commands of rmat, or the options of COMMAND, as 'rmat COMMAND --help' "
               "does.",
    .operand = "COMMAND",
    .options = help_option,
    .n_options = 1,
};

static int help_main(int argc, char **argv);

#define COMMAND(name, help, unable) {#name, help, name##_main, &name##_command_line, unable},

typedef struct {
    const char *name, *help;           /* help: one line for `rmat --help` */
    int (*run)(int argc, char **argv); /* the arguments after the name; returns the exit code */
    const command_line *line;          /* its options */
    int unable; /* its exit status where it cannot do what it should; 0: EXIT_RUNTIME */
} rmat_command;

/* clang-format off */
static const rmat_command commands[] = {
    RMAT_COMMANDS(COMMAND)
    {"version", "print versions, and what this build can use",
        version_main, &version_command_line, 0},
    {"help", "print the commands, or the options of one of them", help_main, &help_command_line, 0},
    {NULL, NULL, NULL, NULL, 0},
};
/* clang-format on */

static const rmat_command *find_command(const char *name)
{
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0) {
            return c;
        }
    }
    return NULL;
}

/* The names of all commands.  Static. */
static const char *command_names(void)
{
    static char text[256];

    text[0] = '\0';
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        text_append(text, sizeof text, "%s%s", c > commands ? ", " : "", c->name);
    }
    return text;
}

static int refuse_command(const char *name)
{
    return usage_error("", "unknown command '%s', allowed: %s", name, command_names());
}

static void print_commands_help(void)
{
    printf("Usage: rmat COMMAND [OPTION]...\n"
           "\n"
           "Generate R-MAT graphs: the edge list depends on the model and the seed alone.\n"
           "\n"
           "Commands:\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("  %-22s %s\n", c->name, c->help);
    }
    printf("\n"
           "'rmat COMMAND -h' prints the most common options of a command, 'rmat help COMMAND'\n"
           "all of them; -V or --version prints the version.\n");
}

static int help_main(int argc, char **argv)
{
    const char *name = NULL;
    const rmat_command *c;
    int status;

    if (!parse(&help_command_line, argc, argv, &name, &status)) {
        return status;
    }
    c = name != NULL ? find_command(name) : NULL;
    if (name == NULL) {
        print_commands_help();
    } else if (c == NULL) {
        return refuse_command(name);
    } else {
        options_help(c->line, stdout);
    }
    return EXIT_OK;
}

static bool is_flag(const char *argument, const char *letter, const char *name)
{
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

/* Where the first argument names no command. */
static int answer(int argc, char **argv)
{
    bool version;

    if (argc < 2) {
        return usage_error("", "command missing, allowed: %s; see 'rmat --help'", command_names());
    }
    version = is_flag(argv[1], "-V", "--version");
    if (!version && !is_flag(argv[1], "-h", "--help")) {
        return refuse_command(argv[1]);
    }
    if (argc > 2) {
        return usage_error("", "unexpected argument '%s', allowed: nothing after %s", argv[2],
                           argv[1]);
    }
    if (version) {
        print_versions();
    } else {
        print_commands_help();
    }
    return EXIT_OK;
}

int rmat_main(int argc, char **argv)
{
    const rmat_command *c = argc > 1 ? find_command(argv[1]) : NULL;
    const char *name = c != NULL ? c->name : "";
    const int unable = c != NULL && c->unable != 0 ? c->unable : EXIT_RUNTIME;
    int status;

    program_begin(name, unable);
    status = c != NULL ? c->run(argc - 2, argv + 2) : answer(argc, argv);
    if (finish_stdout(name) != EXIT_OK && status == EXIT_OK) {
        status = unable;
    }
    return program_end(status);
}
