/*
 * What the files of `rmat fit` share: an examined graph, the models that were fitted to it, and
 * what is to be said of them.
 */
#ifndef APPS_FIT_FIT_H
#define APPS_FIT_FIT_H

#include "apps/common/whole_file.h"
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

/* report.c: fills the warnings: where the model does not suit the graph, or the graph the fit. */
void fit_judge(fit_report *report);

/* report.c: on stdout as text; as JSON. */
void fit_print(const fit_report *report);
void fit_print_json(const fit_report *report, FILE *to);

/* report.c: the first command of the report, which ends with a name of a file; NULL: that graph is
 * too large. */
const char *fit_first_command(char text[FIT_COMMAND], const fit_report *report);

/* picture.c: degrees of the graph and of the models. */
typedef struct {
    whole_file file;
    const char *terminal; /* of gnuplot; NULL: there is no picture */
} fit_picture;

/* Before the work: checks the name (NULL: no picture) and that gnuplot is there.  Returns an exit
 * code; where it is not EXIT_OK there is nothing to be closed. */
int fit_picture_open(fit_picture *p, const char *name, bool force, const char *input);

/* Draws, if the status is EXIT_OK; else removes what there is.  Returns an exit code. */
int fit_picture_close(fit_picture *p, const fit_report *report, int status);

#endif
