/* The report of `rmat fit` as text. */
#include "apps/common/text.h"
#include "apps/fit/fit.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *listed_text(const fit_report *r)
{
    return r->graph.listed == RMAT_LISTED_DIRECTED ? "directed"
           : r->graph.listed == RMAT_LISTED_BOTH   ? "undirected, each edge with its reverse"
                                                   : "undirected, each edge once";
}

static void print_graph(const fit_report *r)
{
    const rmat_shape *s = &r->graph.shape;

    text_line(stdout, "%-13s %s (%s)", "file", r->name, r->format);
    printf("%-13s %s%s%s\n", "graph", listed_text(r), s->copies == 0 ? ", no copies" : "",
           s->loops == 0 ? ", no loops" : "");
    printf("%-13s %" PRIu64 ", %" PRIu64 " with an edge\n", "vertices", s->vertices, s->used);
    printf("%-13s %" PRIu64 "\n", "edges", r->edges);
}

static void print_fitted(const char *name, const rmat_fitted *f, int digits)
{
    printf("  %-11s %10.*f", name, digits, f->value);
    if (isfinite(f->error)) {
        printf("  %9.*f  %.*f to %.*f", digits, f->error, digits, f->low, digits, f->high);
    }
    printf("\n");
}

static void print_parameters(const fit_report *r)
{
    const rmat_fit_result *f = &r->fit;

    printf("%-13s %10s  %9s  %s\n", "R-MAT", "value", "error", "95 % interval");
    print_fitted("a", &f->a, 5);
    print_fitted("b", &f->b, 5);
    print_fitted("c", &f->c, 5);
    print_fitted("d", &f->d, 5);
    print_fitted("noise", &f->noise, 5);
    if (f->vertices_free) {
        print_fitted("vertices", &f->vertices, 0);
    } else {
        printf("  %-11s %10.0f  as the graph has\n", "vertices", f->vertices.value);
    }
}

static void print_row(const fit_report *r, const char *name, double graph, double like, double cl)
{
    if (isnan(graph)) {
        printf("  %-33s %9s %9.4f", name, "", like);
    } else {
        printf("  %-33s %9.4f %9.4f", name, graph, like);
    }
    if (r->chung_lu.edges > 0) {
        printf(" %9.4f", cl);
    }
    printf("\n");
}

static void print_distances(const fit_report *r)
{
    const bool directed = r->graph.listed == RMAT_LISTED_DIRECTED;
    rmat_fit_distance d, e;
    rmat_fit_traits g, m, c;

    rmat_fit_distance_of(&r->graph.shape, &r->fit.like, &d);
    rmat_fit_distance_of(&r->graph.shape, &r->chung_lu, &e);
    rmat_fit_traits_of(&r->graph.shape, &g);
    rmat_fit_traits_of(&r->fit.like, &m);
    rmat_fit_traits_of(&r->chung_lu, &c);
    printf("%-35s %9s %9s %9s\n", "distances", "", "R-MAT",
           r->chung_lu.edges > 0 ? "Chung-Lu" : "");
    print_row(r, directed ? "out-degrees" : "degrees", NAN, d.out, e.out);
    if (directed) {
        print_row(r, "in-degrees", NAN, d.in, e.in);
        print_row(r, "both degrees of a vertex", NAN, d.joint, e.joint);
    }
    printf("%-35s %9s %9s %9s\n", "properties", "graph", "R-MAT",
           r->chung_lu.edges > 0 ? "Chung-Lu" : "");
    print_row(r, "isolated, share of vertices", g.isolated, m.isolated, c.isolated);
    print_row(r, "loops, share of edges", g.loops, m.loops, c.loops);
    print_row(r, "copies, share of edges", g.copies, m.copies, c.copies);
    if (directed) {
        print_row(r, "reciprocity", g.reciprocity, m.reciprocity, c.reciprocity);
        print_row(r, "correlation, both degrees", g.own, m.own, c.own);
    }
    print_row(r, "correlation, ends of an edge", g.assortativity, m.assortativity, c.assortativity);
    print_row(r, "walks of two steps that are closed", g.closure, m.closure, c.closure);
    printf("%-13s %s\n", "R-MAT suits", fit_verdict(r));
}

static void print_commands(const fit_report *r)
{
    uint64_t sizes[FIT_SIZES];
    const int n = fit_sizes(r, sizes);
    char text[FIT_COMMAND];

    for (int i = 0; i < n; i++) {
        const char *rmat = fit_command(text, r, sizes[i]);

        printf("%" PRIu64 " x\n", sizes[i]);
        text_line(stdout, "  %s", rmat != NULL ? rmat : "R-MAT: beyond 2^62 vertices or edges");
        if (fit_command_chung_lu(text, r, sizes[i]) != NULL) {
            text_line(stdout, "  %s", text);
        }
    }
}

void fit_print(const fit_report *r)
{
    print_graph(r);
    print_parameters(r);
    print_distances(r);
    for (int i = 0; i < r->warnings; i++) {
        text_line(stdout, "%-13s %s", "warning", r->warning[i]);
    }
    print_commands(r);
    printf("%-13s %.3g s to read, %.3g s to fit, by %d simulated graphs on the %s\n", "time",
           r->read_seconds, r->fit_seconds, r->fit.simulations,
           r->backend == RMAT_BACKEND_GPU ? "GPU" : "CPU");
}
