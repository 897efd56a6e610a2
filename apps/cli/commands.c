#include "apps/cli/commands.h"
#include <string.h>

const rmat_command commands[] = {
    {"generate", "write a graph to a file, HDF5 or another format", generate_main,
     &generate_command_line},
    {"info", "print what an edge file contains, or what devices there are", info_main,
     &info_command_line},
    {"verify", "say whether an edge file is whole, and what it should be", verify_main,
     &verify_command_line},
    {"convert", "write a graph in the format of another program, or read one", convert_main,
     &convert_command_line},
    {"stats", "count degrees, loops, duplicates and more", stats_main, &stats_command_line},
    {"plot", "draw degrees and the adjacency matrix", plot_main, &plot_command_line},
    {"bench", "measure what this machine can do", bench_main, &bench_command_line},
    {"completion", "print what completes command lines in a shell", completion_main,
     &completion_command_line},
    {"man", "print the manual page", man_main, &man_command_line},
    {NULL, NULL, NULL, NULL},
};

const rmat_command *find_command(const char *name)
{
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        if (strcmp(name, c->name) == 0) {
            return c;
        }
    }
    return NULL;
}
