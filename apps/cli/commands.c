/*
 * The commands of the program `rmat`: their table, `rmat help` and `rmat --version`, and
 * rmat_main(), which runs the command that the first argument names.  A new command is its folder,
 * its name in apps/CMakeLists.txt, and a line in apps/client/client.h.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <stdio.h>
#include <string.h>

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
    printf("HDF5 %s\n", edgefile_hdf5_version(hdf5) == EDGEFILE_OK ? hdf5 : "not in this build");
}

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
        text_append(text, sizeof text, "%s, ", c->name);
    }
    text_append(text, sizeof text, "help");
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
    printf("  %-22s %s\n"
           "\n"
           "'rmat COMMAND -h' prints the most common options of a command, 'rmat help COMMAND'\n"
           "all of them; -V or --version prints versions, and what this build can use.\n",
           "help", "print the commands, or the options of one of them");
}

static bool is_flag(const char *argument, const char *letter, const char *name)
{
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

/* Where the first argument names no command of the table. */
static int answer(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    const bool helps = strcmp(first, "help") == 0, version = is_flag(first, "-V", "--version");
    const char *topic = helps && argc == 3 ? argv[2] : "help";
    const rmat_command *c = find_command(topic);

    if (argc < 2) {
        return usage_error("", "command missing, allowed: %s; see 'rmat --help'", command_names());
    }
    if (!helps && !version && !is_flag(first, "-h", "--help")) {
        return refuse_command(first);
    }
    if (argc > 2 + helps) {
        return usage_error("", "unexpected argument '%s', allowed: nothing after %s",
                           argv[2 + helps], argv[1 + helps]);
    }
    if (c == NULL && strcmp(topic, "help") != 0 && !is_flag(topic, "-h", "--help")) {
        return refuse_command(topic);
    }
    if (version) {
        print_versions();
    } else if (c != NULL) {
        options_help(c->line, stdout);
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
