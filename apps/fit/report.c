/*
 * What is said of a fit: warnings where the model does not suit the graph, or the graph the fit;
 * the commands that make graphs like it; and the whole report, as text and as JSON.
 */
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/fit/fit.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Warnings. */

/* Kolmogorov-Smirnov distances of degrees: up to here the model fits well, and roughly. */
static const double well = 0.05, roughly = 0.15;

#define FEW_EDGES   1000 /* fewer say little */
#define LARGE_ERROR 0.01 /* of a parameter */
#define UNLIKE      0.1  /* difference of a share or a correlation that is worth a word */

static void add_warning(fit_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_warning(fit_report *r, const char *format, ...)
{
    va_list arguments;

    if (r->warnings == FIT_WARNINGS) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(r->warning[r->warnings++], FIT_TEXT, format, arguments);
    va_end(arguments);
}

static double worst_distance(const fit_report *r)
{
    rmat_fit_distance d;

    rmat_fit_distance_of(&r->graph.shape, &r->fit.like, &d);
    return fmax(d.out, d.in);
}

/* "well", "roughly" or "badly". */
static const char *fit_verdict(const fit_report *r)
{
    const double distance = worst_distance(r);

    return distance < well ? "well" : distance < roughly ? "roughly" : "badly";
}

static void judge_parameters(fit_report *r)
{
    const rmat_fit_result *f = &r->fit;

    if (isnan(f->a.error) && f->simulations > 1) {
        add_warning(
            r, "the degrees do not determine a, b, c and d here, so the model is chosen in which "
               "edges connect "
               "vertices of these degrees at random");
    } else if (!(f->a.error < LARGE_ERROR) && f->simulations > 1) {
        add_warning(r,
                    "the graph hardly determines the parameters: the standard error of a is %.2g",
                    f->a.error);
    }
    if (f->stopped) {
        add_warning(
            r,
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
        add_warning(
            r,
            "%.3g %% of the edges are duplicates, in the model %.3g %%: a graph of distinct edges "
            "may be fitted "
            "better; 'rmat convert --dedup' makes one",
            100 * graph.copies, 100 * like.copies);
    }
    if (fabs(graph.assortativity - like.assortativity) > UNLIKE) {
        add_warning(
            r,
            "the model cannot reproduce how the degrees of an edge's ends depend on each other: "
            "their correlation "
            "is %.2f, in the model %.2f",
            graph.assortativity, like.assortativity);
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED && r->graph.shape.mutual == 0 &&
        r->edges >= FEW_EDGES) {
        add_warning(
            r, "no edge has its reverse: if edges have no direction and each is listed once, say "
               "so by --directed no");
    } else if (r->graph.listed >= RMAT_LISTED_LOWER && r->options->edges == RMAT_FIT_AUTO) {
        add_warning(
            r,
            "edges are taken to have no direction, because all begin at the %s vertex: if they "
            "have one, say so by --directed yes",
            r->graph.listed == RMAT_LISTED_LOWER ? "greater" : "smaller");
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED && fabs(graph.own - like.own) > 2 * UNLIKE) {
        add_warning(r, "a vertex's out- and in-degree have the correlation %.2f, in the model %.2f",
                    graph.own, like.own);
    }
    if (r->graph.listed == RMAT_LISTED_DIRECTED &&
        fabs(graph.reciprocity - like.reciprocity) > UNLIKE) {
        add_warning(r, "%.3g %% of the distinct edges have their reverse, in the model %.3g %%",
                    100 * graph.reciprocity, 100 * like.reciprocity);
    }
    if (graph.closure > 2 * like.closure + UNLIKE / 2) {
        add_warning(
            r,
            "%.3g %% of walks of two steps are closed by an edge, in the model %.3g %%: the graph "
            "is clustered, and "
            "the model is not",
            100 * graph.closure, 100 * like.closure);
    }
}

void fit_judge(fit_report *r)
{
    const double distance = worst_distance(r);

    r->warnings = 0;
    if (distance >= roughly) {
        add_warning(
            r,
            "no R-MAT graph has such degrees: the share of vertices up to some degree differs by "
            "%.2g",
            distance);
    }
    if (r->edges < FEW_EDGES) {
        add_warning(r, "edges are few, %" PRIu64 ": fewer than %d say little", r->edges, FEW_EDGES);
    }
    if (r->ids > 0) {
        add_warning(r,
                    "vertex numbers have holes, %" PRIu64 " of %" PRIu64
                    " occur: these are taken to be the vertices",
                    r->graph.shape.vertices, r->ids);
    }
    judge_parameters(r);
    judge_traits(r);
    if (r->no_chung_lu[0] != '\0') {
        add_warning(r, "the graph could not be compared with a Chung-Lu graph: %.180s",
                    r->no_chung_lu);
    }
}

/* Commands. */

static void add_double(char text[FIT_COMMAND], const char *option, double value)
{
    char number[NUMBER_TEXT];

    text_append(text, FIT_COMMAND, " --%s %s", option, format_double(number, value));
}

/* What is done with the edges, and the name of the file. */
static void add_ending(char text[FIT_COMMAND], const fit_report *r, const rmat_config *m)
{
    text_append(text, FIT_COMMAND, " --permute%s%s%s%s -o like.h5",
                m->no_self_loops ? " --no-self-loops" : "", m->symmetrize ? " --symmetrize" : "",
                m->direction == RMAT_LOWER   ? " --undirected lower"
                : m->direction == RMAT_UPPER ? " --undirected upper"
                                             : "",
                r->fit.unique ? " --unique" : "");
}

/* The command that makes the graph at so many times the size; NULL: it is too large. */
static const char *fit_command(char text[FIT_COMMAND], const fit_report *r, uint64_t multiply)
{
    rmat_config m;
    uint64_t edges;

    text[0] = '\0';
    if (rmat_fit_multiply(&r->fit, multiply, r->options->densify, &m, &edges) != RMAT_OK) {
        return NULL;
    }
    text_append(text, FIT_COMMAND, "rmat generate");
    if (m.rows > 0) {
        text_append(text, FIT_COMMAND, " --vertices %" PRIu64, m.rows);
    } else {
        text_append(text, FIT_COMMAND, " --scale %d", m.rows_scale);
    }
    text_append(text, FIT_COMMAND, " --edges %" PRIu64, edges);
    add_double(text, "a", m.matrix.a);
    add_double(text, "b", m.matrix.b);
    add_double(text, "c", m.matrix.c);
    if (m.noise > 0) {
        add_double(text, "noise", m.noise);
    }
    text_append(text, FIT_COMMAND, " --seed %" PRIu64, m.seed);
    add_ending(text, r, &m);
    return text;
}

/* The same of the other model. */
static const char *fit_command_chung_lu(char text[FIT_COMMAND], const fit_report *r,
                                        uint64_t multiply)
{
    text[0] = '\0';
    if (r->like == NULL) {
        return NULL;
    }
    text_append(text, FIT_COMMAND, "chung_lu --like %s", r->like);
    if (multiply > 1) {
        text_append(text, FIT_COMMAND, " --multiply %" PRIu64, multiply);
    }
    add_ending(text, r, &r->fit.model);
    return text;
}

enum { FIT_SIZES = 3 };

/* The sizes to print, in order; returns how many. */
static int fit_sizes(const fit_report *r, uint64_t sizes[FIT_SIZES])
{
    if (r->options->multiply > 0) {
        sizes[0] = r->options->multiply;
        return 1;
    }
    sizes[0] = 1;
    sizes[1] = 10;
    sizes[2] = 1000;
    return FIT_SIZES;
}

/* The report as JSON. */

static void json_fitted(json_object *o, const char *key, const rmat_fitted *f)
{
    json_object pair;

    json_object_begin(&pair, o, key);
    json_f64(&pair, "value", f->value);
    json_f64(&pair, "error", f->error);
    json_f64(&pair, "low", f->low);
    json_f64(&pair, "high", f->high);
    json_object_end(&pair);
}

static void json_shape(json_object *o, const char *key, const rmat_shape *graph,
                       const rmat_shape *s)
{
    rmat_fit_distance d;
    rmat_fit_traits t;
    json_object part;

    rmat_fit_distance_of(graph, s, &d);
    rmat_fit_traits_of(s, &t);
    json_object_begin(&part, o, key);
    json_u64(&part, "vertices", s->vertices);
    json_u64(&part, "used_vertices", s->used);
    json_u64(&part, "edges", s->edges);
    json_f64(&part, "isolated", t.isolated);
    json_f64(&part, "loops", t.loops);
    json_f64(&part, "copies", t.copies);
    json_f64(&part, "reciprocity", t.reciprocity);
    json_f64(&part, "correlation_of_ends", t.assortativity);
    json_f64(&part, "correlation_of_degrees", t.own);
    json_f64(&part, "closed_walks", t.closure);
    if (s != graph) {
        json_f64(&part, "ks_out", d.out);
        json_f64(&part, "ks_in", d.in);
        json_f64(&part, "ks_joint", d.joint);
    }
    json_object_end(&part);
}

static void json_commands(json_object *o, const fit_report *r)
{
    uint64_t sizes[FIT_SIZES];
    const int n = fit_sizes(r, sizes);
    char text[FIT_COMMAND];
    json_object list, one;

    json_array_begin(&list, o, "commands");
    for (int i = 0; i < n; i++) {
        json_object_begin(&one, &list, NULL);
        json_u64(&one, "multiply", sizes[i]);
        json_string(&one, "rmat", fit_command(text, r, sizes[i]));
        json_string(&one, "chung_lu", fit_command_chung_lu(text, r, sizes[i]));
        json_object_end(&one);
    }
    json_array_end(&list);
}

void fit_print_json(const fit_report *r, FILE *to)
{
    static const char *const listed[] = {[RMAT_LISTED_DIRECTED] = "directed",
                                         [RMAT_LISTED_BOTH] = "both",
                                         [RMAT_LISTED_LOWER] = "lower",
                                         [RMAT_LISTED_UPPER] = "upper"};
    const rmat_fit_result *f = &r->fit;
    json_object o, list;

    json_begin(&o, to);
    json_string(&o, "file", r->name);
    json_string(&o, "format", r->format);
    json_string(&o, "listed", listed[r->graph.listed]);
    json_bool(&o, "distinct", f->unique);
    json_bool(&o, "loops", r->graph.shape.loops > 0);
    json_fitted(&o, "a", &f->a);
    json_fitted(&o, "b", &f->b);
    json_fitted(&o, "c", &f->c);
    json_fitted(&o, "d", &f->d);
    json_fitted(&o, "noise", &f->noise);
    json_fitted(&o, "vertices", &f->vertices);
    json_bool(&o, "vertices_fitted", f->vertices_free);
    json_u64(&o, "edges", f->edges);
    json_f64(&o, "interval_95", f->t_quantile);
    json_u64(&o, "simulations", (uint64_t)f->simulations);
    json_shape(&o, "graph", &r->graph.shape, &r->graph.shape);
    json_shape(&o, "rmat", &r->graph.shape, &f->like);
    if (r->chung_lu.edges > 0) {
        json_shape(&o, "chung_lu", &r->graph.shape, &r->chung_lu);
    } else {
        json_null(&o, "chung_lu");
    }
    json_string(&o, "suits", fit_verdict(r));
    json_array_begin(&list, &o, "warnings");
    for (int i = 0; i < r->warnings; i++) {
        json_string(&list, NULL, r->warning[i]);
    }
    json_array_end(&list);
    json_commands(&o, r);
    json_f64(&o, "read_seconds", r->read_seconds);
    json_f64(&o, "fit_seconds", r->fit_seconds);
    json_string(&o, "backend", r->backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    json_end(&o);
}

/* The report as text. */

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

const char *fit_first_command(char text[FIT_COMMAND], const fit_report *r)
{
    uint64_t sizes[FIT_SIZES];

    (void)fit_sizes(r, sizes);
    return fit_command(text, r, sizes[0]);
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
