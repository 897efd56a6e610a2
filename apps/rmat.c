/* rmat: find the command and run it. */
#include "rmat/rmat.h"
#include "apps/commands.h"
#include "apps/devices.h"
#include "apps/message.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *help;
    int (*run)(int argc, char **argv);
    const command_line *line;
} commands[] = {
    {"generate", "write a graph to an HDF5 file", generate_main, &generate_command_line},
    {"info", "print what an edge file contains, or what devices there are", info_main,
     &info_command_line},
    {"verify", "say whether an edge file is whole, and what it should be", verify_main,
     &verify_command_line},
    {"convert", "write a graph in the format of another program, or read one", convert_main,
     &convert_command_line},
    {"stats", "count degrees, loops, duplicates and more", stats_main, &stats_command_line},
    {"plot", "draw degrees and the adjacency matrix", plot_main, &plot_command_line},
    {"bench", "measure what this machine can do", bench_main, &bench_command_line},
};

#define ALLOWED "generate, info, verify, convert, stats, plot, bench, help"

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("Usage: rmat COMMAND [OPTION]...\n"
           "\n"
           "Generate R-MAT graphs: the edge list depends on the model and the seed alone.\n"
           "\n"
           "Commands:\n");
    for (int i = 0; i < N_COMMANDS; i++) {
        printf("  %-22s %s\n", commands[i].name, commands[i].help);
    }
    printf("  %-22s %s\n", "help [COMMAND]", "this text, or a command's options");
    printf("  %-22s %s\n", "--version", "versions, and what this build can use");
}

static void print_version(void)
{
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
    printf("\nHDF5 %s\n", RMAT_HDF5_VERSION);
}

static int unknown_command(const char *name)
{
    return usage_error("", "unknown command '%s', allowed: " ALLOWED, name);
}

/* The position of a command, or -1. */
static int find_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

static int help_main(int argc, char **argv)
{
    int i;

    if (argc == 0) {
        print_help();
        return EXIT_OK;
    }
    i = find_command(argv[0]);
    if (i < 0) {
        return unknown_command(argv[0]);
    }
    if (argc > 1) {
        return usage_error("help", "unexpected argument '%s', allowed: one command", argv[1]);
    }
    options_help(commands[i].line, stdout);
    return EXIT_OK;
}

static int run(int argc, char **argv)
{
    int i;

    if (argc < 2) {
        return usage_error("", "command missing, allowed: " ALLOWED "; see 'rmat --help'");
    }
    i = find_command(argv[1]);
    if (i >= 0) {
        return commands[i].run(argc - 2, argv + 2);
    }
    if (strcmp(argv[1], "help") == 0) {
        return help_main(argc - 2, argv + 2);
    }
    if (strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0 &&
        strcmp(argv[1], "--version") != 0) {
        return unknown_command(argv[1]);
    }
    if (argc > 2) {
        return usage_error("", "unexpected argument '%s', allowed: nothing after %s", argv[2],
                           argv[1]);
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
    } else {
        print_help();
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 && find_command(argv[1]) >= 0 ? argv[1] : "";
    int status, fd;

    /* A standard stream that is closed must not become the file that we open next. */
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
    signal(SIGPIPE, SIG_IGN); /* a reader that left is a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* so is a file beyond `ulimit -f` */
    status = run(argc, argv);
    if (finish_stdout(command) != EXIT_OK && status == EXIT_OK) {
        status = EXIT_RUNTIME;
    }
    return status;
}
