/* The report of `rmat fit` as JSON. */
#include "apps/common/json.h"
#include "apps/fit/fit.h"
#include <inttypes.h>

static void print_fitted(json_object *o, const char *key, const rmat_fitted *f)
{
    json_object pair;

    json_object_begin(&pair, o, key);
    json_f64(&pair, "value", f->value);
    json_f64(&pair, "error", f->error);
    json_f64(&pair, "low", f->low);
    json_f64(&pair, "high", f->high);
    json_object_end(&pair);
}

static void print_shape(json_object *o, const char *key, const rmat_shape *graph,
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

static void print_commands(json_object *o, const fit_report *r)
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
    print_fitted(&o, "a", &f->a);
    print_fitted(&o, "b", &f->b);
    print_fitted(&o, "c", &f->c);
    print_fitted(&o, "d", &f->d);
    print_fitted(&o, "noise", &f->noise);
    print_fitted(&o, "vertices", &f->vertices);
    json_bool(&o, "vertices_fitted", f->vertices_free);
    json_u64(&o, "edges", f->edges);
    json_f64(&o, "interval_95", f->t_quantile);
    json_u64(&o, "simulations", (uint64_t)f->simulations);
    print_shape(&o, "graph", &r->graph.shape, &r->graph.shape);
    print_shape(&o, "rmat", &r->graph.shape, &f->like);
    if (r->chung_lu.edges > 0) {
        print_shape(&o, "chung_lu", &r->graph.shape, &r->chung_lu);
    } else {
        json_null(&o, "chung_lu");
    }
    json_string(&o, "suits", fit_verdict(r));
    json_array_begin(&list, &o, "warnings");
    for (int i = 0; i < r->warnings; i++) {
        json_string(&list, NULL, r->warning[i]);
    }
    json_array_end(&list);
    print_commands(&o, r);
    json_f64(&o, "read_seconds", r->read_seconds);
    json_f64(&o, "fit_seconds", r->fit_seconds);
    json_string(&o, "backend", r->backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    json_end(&o);
}
