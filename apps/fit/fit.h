/*
 * What the files of `rmat fit` share: an examined graph, the models that were fitted to it, and
 * what is to be said of them.
 */
#ifndef APPS_FIT_FIT_H
#define APPS_FIT_FIT_H

#include "apps/engine/engine.h"
#include "rmat/rmat_fit.h"
#include <stdio.h>

enum { FIT_WARNINGS = 12, FIT_TEXT = 256, FIT_COMMAND = 1024 };

typedef struct {
    uint64_t vertices; /* 0: those of the edges; else the graph's own number, to be kept */
    uint64_t memory;   /* bytes of host memory; 0: what is available */
    uint64_t multiply; /* a size to print a command for; 0: 1, 10 and 1000 */
    uint64_t seed;
    double time; /* seconds that the fit may take; 0: any */
    rmat_backend backend;
    int device, threads;
    rmat_fit_edges edges;
    int densify, chung_lu;
} fit_options;

/* Everything that is found.  For malloc(): it is large. */
typedef struct {
    const char *name;   /* of the graph; borrowed */
    const char *format; /* likewise; NULL: arrays */
    const char *like;   /* what `chung_lu --like` takes for the graph: options and name */
    uint64_t edges;     /* as they are listed */
    uint64_t ids;       /* vertex numbers that there may be, where they have holes; else 0 */
    rmat_fit_graph graph;
    rmat_fit_result fit;
    uint32_t *out, *in;  /* degrees of the graph's vertices, until fit_run() returns, or NULL */
    rmat_shape chung_lu; /* of a graph of expected degrees; edges 0: there is none */
    char no_chung_lu[FIT_TEXT]; /* why not, or "" */
    double read_seconds, fit_seconds;
    rmat_backend backend; /* that graphs were made on */
    const fit_options *options;
    int warnings;
    char warning[FIT_WARNINGS][FIT_TEXT];
} fit_report;

/*
 * run.c: examines the edges of a source and fits.  name and the rest of *report must be set before.
 * Returns an engine_status; stopped by watch->tick(), ENGINE_STOPPED.
 */
int fit_run(const engine_source *source, const fit_options *options, const engine_watch *watch,
            fit_report *report);

/* run.c: may the CPU take over from a GPU that failed with this rmat_status?  Then it is the
 * report's backend from now on, and the watch was warned. */
bool fit_falls_back(const fit_options *options, fit_report *report, const engine_watch *watch,
                    int status);

/* read.c: fills the report's graph, on its backend.  Returns an engine_status. */
int fit_read(const engine_source *source, const engine_watch *watch, fit_report *report);

/* chung_lu.c: the shape of a graph with the expected degrees of the report's, made alike.  stop,
 * stop_state: as in rmat_config.  Returns an rmat_status, with `text` saying more where it is not
 * 0. */
int fit_chung_lu(fit_report *report, int (*stop)(void *state), void *stop_state,
                 char text[FIT_TEXT]);

/* judge.c: fills the warnings: where the model does not suit the graph, or the graph the fit. */
void fit_judge(fit_report *report);
const char *fit_verdict(const fit_report *report); /* "well", "roughly" or "badly" */

/* like.c: the command that makes the graph at so many times the size; NULL: it is too large.
 * chung_lu: of the other model. */
const char *fit_command(char text[FIT_COMMAND], const fit_report *report, uint64_t multiply);
const char *fit_command_chung_lu(char text[FIT_COMMAND], const fit_report *report,
                                 uint64_t multiply);

/* The sizes to print, in order; returns how many. */
enum { FIT_SIZES = 3 };
int fit_sizes(const fit_report *report, uint64_t sizes[FIT_SIZES]);

/* report.c, json.c. */
void fit_print(const fit_report *report);
void fit_print_json(const fit_report *report, FILE *to);

/* script.c: prints the picture, of this many pixels, as a script for gnuplot.  terminal: its
 * command that sets one. */
void fit_script(FILE *to, const fit_report *report, const char *terminal);

#endif
