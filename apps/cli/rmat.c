/* rmat: find the command and run it. */
#include "rmat/rmat.h"
#include "apps/cli/commands.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_help(void)
{
    printf("Usage: rmat COMMAND [OPTION]...\n"
           "\n"
           "Generate R-MAT graphs: the edge list depends on the model and the seed alone.\n"
           "\n"
           "Commands:\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("  %-22s %s\n", c->name, c->help);
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

/* Their names, and help. */
static const char *allowed_commands(void)
{
    static char text[256];
    size_t used = 0;

    for (const rmat_command *c = commands; c->name != NULL && used < sizeof text; c++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ", c->name);
    }
    if (used < sizeof text) {
        snprintf(text + used, sizeof text - used, "help");
    }
    return text;
}

static int unknown_command(const char *name)
{
    return usage_error("", "unknown command '%s', allowed: %s", name, allowed_commands());
}

static int help_main(int argc, char **argv)
{
    const rmat_command *c;

    if (argc == 0) {
        print_help();
        return EXIT_OK;
    }
    c = find_command(argv[0]);
    if (c == NULL) {
        return unknown_command(argv[0]);
    }
    if (argc > 1) {
        return usage_error("help", "unexpected argument '%s', allowed: one command", argv[1]);
    }
    options_help(c->line, stdout);
    return EXIT_OK;
}

static int run(int argc, char **argv)
{
    const rmat_command *c;

    if (argc < 2) {
        return usage_error("", "command missing, allowed: %s; see 'rmat --help'",
                           allowed_commands());
    }
    c = find_command(argv[1]);
    if (c != NULL) {
        return c->run(argc - 2, argv + 2);
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
    const char *name = argc > 1 && find_command(argv[1]) != NULL ? argv[1] : "";
    int status, fd;

    /* A standard stream that is closed must not become the file that we open next. */
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
    signal(SIGPIPE, SIG_IGN); /* a reader that left is a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* so is a file beyond `ulimit -f` */
    status = run(argc, argv);
    if (finish_stdout(name) != EXIT_OK && status == EXIT_OK) {
        status = EXIT_RUNTIME;
    }
    return status;
}
