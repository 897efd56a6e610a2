/* Where the model does not suit the graph, or the graph the fit: one line for each. */
#include "apps/fit/fit.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Kolmogorov-Smirnov distances of degrees: up to here the model fits well, and roughly. */
static const double well = 0.05, roughly = 0.15;

#define FEW_EDGES   1000 /* fewer say little */
#define LARGE_ERROR 0.01 /* of a parameter */
#define UNLIKE      0.1  /* difference of a share or a correlation that is worth a word */

static void warn(fit_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(fit_report *r, const char *format, ...)
{
    va_list arguments;

    if (r->warnings == FIT_WARNINGS) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(r->warning[r->warnings++], FIT_TEXT, format, arguments);
    va_end(arguments);
}

static double worst(const fit_report *r)
{
    rmat_fit_distance d;

    rmat_fit_distance_of(&r->graph.shape, &r->fit.like, &d);
    return fmax(d.out, d.in);
}

const char *fit_verdict(const fit_report *r)
{
    const double distance = worst(r);

    return distance < well ? "well" : distance < roughly ? "roughly" : "badly";
}

static void judge_parameters(fit_report *r)
{
    const rmat_fit_result *f = &r->fit;

    if (isnan(f->a.error) && f->simulations > 1) {
        warn(r, "the degrees do not determine a, b, c and d here, so the model is chosen in which "
                "edges connect "
                "vertices of these degrees at random");
    } else if (!(f->a.error < LARGE_ERROR) && f->simulations > 1) {
        warn(r, "the graph hardly determines the parameters: the standard error of a is %.2g",
             f->a.error);
    }
    if (f->stopped) {
        warn(r,
             "the time limit (--time) was reached after %d simulated graphs: errors are rough or "
             "missing",
             f->simulations);
    }
}

static void judge_traits(fit_report *r)
{
    rmat_fit_traits graph, like;

    rmat_fit_traits_of(&r->graph.shape, &graph);
    rmat_fit_traits_of(&r->fit.like, &like);
    if (fabs(graph.copies - like.copies) > UNLIKE / 2) {
        warn(r,
             "%.3g %% of the edges are duplicates, in the model %.3g %%: a graph of distinct edges "
             "may be fitted "
             "better; 'rmat convert --dedup' makes one",
             100 * graph.copies, 100 * like.copies);
    }
    if (fabs(graph.assortativity - like.assortativity) > UNLIKE) {
        warn(r,
             "the model cannot reproduce how the degrees of an edge's ends depend on each other: "
             "their correlation "
             "is %.2f, in the model %.2f",
             graph.assortativity, like.assortativity);
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED && r->graph.shape.mutual == 0 &&
        r->edges >= FEW_EDGES) {
        warn(r, "no edge has its reverse: if edges have no direction and each is listed once, say "
                "so by --directed no");
    } else if (r->graph.listed >= RMAT_LISTED_LOWER && r->options->edges == RMAT_FIT_AUTO) {
        warn(r,
             "edges are taken to have no direction, because all begin at the %s vertex: if they "
             "have one, say so by --directed yes",
             r->graph.listed == RMAT_LISTED_LOWER ? "greater" : "smaller");
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED && fabs(graph.own - like.own) > 2 * UNLIKE) {
        warn(r, "a vertex's out- and in-degree have the correlation %.2f, in the model %.2f",
             graph.own, like.own);
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED &&
        fabs(graph.reciprocity - like.reciprocity) > UNLIKE) {
        warn(r, "%.3g %% of the distinct edges have their reverse, in the model %.3g %%",
             100 * graph.reciprocity, 100 * like.reciprocity);
    }
    if (graph.closure > 2 * like.closure + UNLIKE / 2) {
        warn(r,
             "%.3g %% of walks of two steps are closed by an edge, in the model %.3g %%: the graph "
             "is clustered, and "
             "the model is not",
             100 * graph.closure, 100 * like.closure);
    }
}

void fit_judge(fit_report *r)
{
    const double distance = worst(r);

    r->warnings = 0;
    if (distance >= roughly) {
        warn(r,
             "no R-MAT graph has such degrees: the share of vertices up to some degree differs by "
             "%.2g",
             distance);
    }
    if (r->edges < FEW_EDGES) {
        warn(r, "edges are few, %" PRIu64 ": fewer than %d say little", r->edges, FEW_EDGES);
    }
    if (r->ids > 0) {
        warn(r,
             "vertex numbers have holes, %" PRIu64 " of %" PRIu64
             " occur: these are taken to be the vertices",
             r->graph.shape.vertices, r->ids);
    }
    judge_parameters(r);
    judge_traits(r);
    if (r->no_chung_lu[0] != '\0') {
        warn(r, "the graph could not be compared with a Chung-Lu graph: %.180s", r->no_chung_lu);
    }
}
