/* rmat_main(): find the command that the first argument names, and run it. */
#include "apps/cli/run.h"
#include "apps/cli/commands.h"
#include "apps/client/program.h"
#include "apps/common/message.h"
#include "apps/engine/virtual/virtual.h"
#include <stdio.h>
#include <string.h>

static bool is(const char *argument, const char *letter, const char *name)
{
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

static int run(int argc, char **argv)
{
    const rmat_command *c;
    bool version;

    if (argc < 2) {
        return usage_error("", "command missing, allowed: %s; see 'rmat --help'", command_names());
    }
    c = find_command(argv[1]);
    if (c != NULL) {
        return c->run(argc - 2, argv + 2);
    }
    version = is(argv[1], "-V", "--version");
    if (!version && !is(argv[1], "-h", "--help")) {
        return unknown_command(argv[1]);
    }
    if (argc > 2) {
        return usage_error("", "unexpected argument '%s', allowed: nothing after %s", argv[2],
                           argv[1]);
    }
    if (version) {
        version_print();
    } else {
        help_print();
    }
    return EXIT_OK;
}

int rmat_main(int argc, char **argv)
{
    const rmat_command *c = argc > 1 ? find_command(argv[1]) : NULL;
    const char *name = c != NULL ? c->name : "";
    const int unable = c != NULL && c->unable != 0 ? c->unable : EXIT_RUNTIME;
    int status;

    program_begin("rmat", name, unable);
    engine_virtual_register();
    status = run(argc, argv);
    if (finish_stdout(name) != EXIT_OK && status == EXIT_OK) {
        status = unable;
    }
    return program_end(status);
}
