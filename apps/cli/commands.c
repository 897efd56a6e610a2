/* The table of rmat's commands: a new command is its folder, an include and a row here. */
#include "apps/cli/commands.h"
#include "apps/bench/command.h"
#include "apps/common/message.h"
#include "apps/common/near.h"
#include "apps/convert/command.h"
#include "apps/fit/command.h"
#include "apps/generate/command.h"
#include "apps/info/command.h"
#include "apps/join/command.h"
#include "apps/plot/command.h"
#include "apps/roots/command.h"
#include "apps/stats/command.h"
#include "apps/verify/command.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
const rmat_command commands[] = {
    {"generate", "write a graph to a file, in HDF5 or another format",
        generate_main, &generate_command_line, 0},
    {"join", "combine the shards of a graph, made one by one, into one file",
        join_main, &join_command_line, 0},
    {"info", "print what an edge file contains, or which devices there are",
        info_main, &info_command_line, 0},
    {"verify", "check that an edge file is complete and correct",
        verify_main, &verify_command_line, EXIT_UNCHECKED},
    {"convert", "write a graph in the format of another program, or read one",
        convert_main, &convert_command_line, 0},
    {"stats", "count degrees, loops, duplicates and more", stats_main, &stats_command_line, 0},
    {"plot", "draw degrees and the adjacency matrix", plot_main, &plot_command_line, 0},
    {"fit", "find the model of graphs like a given one, of any size",
        fit_main, &fit_command_line, 0},
    {"roots", "print the vertices from which Graph500's benchmark searches",
        roots_main, &roots_command_line, 0},
    {"bench", "measure how fast this machine generates and writes edges",
        bench_main, &bench_command_line, 0},
    {"completion", "print a script that completes command lines in a shell",
        completion_main, &completion_command_line, 0},
    {"man", "print the manual page", man_main, &man_command_line, 0},
    {"version", "print versions, and what this build can use",
        version_main, &version_command_line, 0},
    {"help", "print the commands, or the options of one of them", help_main, &help_command_line, 0},
    {NULL, NULL, NULL, NULL, 0},
};
/* clang-format on */

const rmat_command *find_command(const char *name)
{
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0) {
            return c;
        }
    }
    return NULL;
}

const char *command_names(void)
{
    static char text[256];
    size_t used = 0;

    for (const rmat_command *c = commands; c->name != NULL && used < sizeof text; c++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                 c->name);
    }
    return text;
}

int unknown_command(const char *name)
{
    near_search search = {.word = name, .length = strlen(name)};
    char suggestion[64] = "";

    for (const rmat_command *c = commands; c->name != NULL; c++) {
        near_offer(&search, c->name);
    }
    if (search.name != NULL) {
        snprintf(suggestion, sizeof suggestion, " (did you mean '%s'?)", search.name);
    }
    return usage_error("", "unknown command '%s'%s, allowed: %s", name, suggestion,
                       command_names());
}
