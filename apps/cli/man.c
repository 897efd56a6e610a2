/* The command `rmat man`: the manual page of rmat, from the tables of options and of formats. */
#include "apps/common/man.h"
#include "apps/cli/commands.h"
#include "apps/common/message.h"
#include "io/graphfile.h"
#include <stdio.h>

const command_line man_command_line = {
    .command = "man",
    .synopsis = "man [OPTION]",
    .summary = "Print the manual page of rmat in roff; to read it: rmat man | man -l -",
    .options = command_help_option,
    .n_options = 1,
};

static void man_commands(void)
{
    man_section(stdout, "COMMANDS", "");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        man_term(stdout, c->name, c->help);
    }
    man_term(stdout, "-h, --help", "print the commands");
    man_term(stdout, "-V, --version", "print versions, and what this build can use");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        char title[64];

        snprintf(title, sizeof title, "rmat %s", c->name);
        man_section(stdout, title, "");
        man_options(stdout, c->line);
    }
}

/* A format's content, suffix and traits in words. */
static void describe_format(char *text, size_t size, graphfile_format format)
{
    const graphfile_traits *f = graphfile_table[format];
    const struct {
        unsigned trait;
        const char *text;
    } words[] = {
        {GRAPHFILE_NEEDS_SORTED, "sorted"},
        {GRAPHFILE_NEEDS_UNIQUE, "no edge twice"},
        {GRAPHFILE_NEEDS_PAIRS, "each edge with its reverse, no loops"},
        {GRAPHFILE_NO_LOOPS, "no loops"},
        {GRAPHFILE_NEEDS_WEIGHTS, "weights are needed"},
        {GRAPHFILE_INT_WEIGHTS, "weights are integers"},
        {GRAPHFILE_PIPE, "may go to standard output"},
    };
    const unsigned traits = f->traits;

    snprintf(text, size, "%s%s%s", f->help, *f->suffix != '\0' ? "; " : "", f->suffix);
    if (!(traits & GRAPHFILE_HAS_WEIGHTS)) {
        text_append(text, size, "; without weights");
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (traits & words[i].trait) {
            text_append(text, size, "; %s", words[i].text);
        }
    }
    if (graphfile_check_resume(format) == EDGEFILE_OK) {
        text_append(text, size, "; resumable%s", traits & GRAPHFILE_EDGEFILE ? "" : " as a list");
    }
}

static void man_formats(void)
{
    char text[512];

    man_section(stdout, "FORMATS",
                "Name, content, suffix by which it is recognized, and what it needs:");
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        describe_format(text, sizeof text, (graphfile_format)i);
        man_term(stdout, graphfile_table[i]->name, text);
    }
}

static void man_exit_status_and_examples(void)
{
    man_section(stdout, "EXIT STATUS", "");
    man_term(stdout, "0", "success: the file is complete, or it is correct");
    man_term(stdout, "1", "failure: something could not be done, or a file is wrong");
    man_term(stdout, "2", "wrong usage: a line on standard error says what is allowed");
    man_term(stdout, "3", "not checked by rmat verify: the file is missing, unreadable or foreign");
    man_term(stdout, "75", "stopped by a signal with --resume, which continues");
    man_term(stdout, "129", "stopped by SIGHUP");
    man_term(stdout, "130", "stopped by SIGINT");
    man_term(stdout, "138", "stopped by SIGUSR1");
    man_term(stdout, "140", "stopped by SIGUSR2");
    man_term(stdout, "142", "stopped by SIGALRM");
    man_term(stdout, "143", "stopped by SIGTERM");
    man_term(stdout, "152", "stopped by SIGXCPU");
    man_section(stdout, "FILES", "");
    man_term(stdout, "graph.h5", "the default output of rmat generate");
    man_term(stdout, "FILE.partial", "FILE under construction; renamed once it is complete");
    man_term(stdout, "FILE.sorted.partial",
             "a sorted graph in HDF5, from which another format is written; removed at the end");
    man_term(stdout, "FILE.shards", "the folder of a sharded graph's files");
    man_section(stdout, "EXAMPLES", "They read and write files in the current folder.");
    man_example(stdout, "The input graph of Graph500's class toy, scale 26, by eight ranks:",
                "mpirun -n 8 rmat generate --preset graph500 --class toy --permute -o graph.h5");
    man_example(stdout, "An edge list in text for another program, through a pipe:",
                "rmat generate --scale 20 --format el -o - | program");
    man_example(stdout, "An undirected graph without loops and duplicates, as METIS needs it:",
                "rmat generate --scale 20 --symmetrize --no-self-loops --unique -o mesh.graph");
    man_example(stdout, "Verify a file and print its contents:",
                "rmat verify graph.h5 && rmat info graph.h5");
    man_section(stdout, "SEE ALSO", "h5dump(1), mpirun(1), srun(1)");
}

int man_main(int argc, char **argv)
{
    int status;

    if (!command_parse(&man_command_line, argc, argv, NULL, &status)) {
        return status;
    }
    man_begin(stdout, "rmat", "generate, verify, convert and analyse R-MAT graphs");
    man_section(stdout, "SYNOPSIS", "");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        man_synopsis(stdout, c->line, c[1].name == NULL);
    }
    man_section(
        stdout, "DESCRIPTION",
        "rmat generates R-MAT graphs (recursive matrix, Kronecker; the graphs of Graph500) of any "
        "size. The edges depend on the model and the seed alone: not on the number of ranks or "
        "threads, on CPU or GPU, or on the instruction set.");
    man_commands();
    man_formats();
    man_exit_status_and_examples();
    return EXIT_OK;
}
