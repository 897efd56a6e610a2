/*
 * The loop that measures all cases, and the lines that report them.
 *
 * After a warm-up turn, each turn measures every case of the group once, and begins with another
 * case than the turn before.  A share of the limit is computed within a turn; figures are medians
 * over the turns.  Ranks leave a barrier together.  Their rate is the work of all over the longest
 * time.
 */
#include "apps/bench/bench.h"
#include "apps/bench/summary.h"
#include "apps/common/message.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>

enum { ALONE = 8 }; /* the most ranks that are measured alone */

/* The plain model, one for each of the model's options, and the official streams. */
static const struct {
    const char *name;
    rmat_stream stream;
    double noise;
    int permute, no_self_loops, symmetrize;
    rmat_direction direction;
    rmat_weights weights;
    int vertices; /* 0: 2^scale; 1: 7/8 of that; 2: just above its half */
} models[] = {
    {.name = "plain"},
    {.name = "noise", .noise = 0.1},
    {.name = "permuted", .permute = 1},
    {.name = "permuted, noise", .permute = 1, .noise = 0.1},
    {.name = "no loops", .no_self_loops = 1},
    {.name = "lower", .direction = RMAT_LOWER},
    {.name = "both directions", .symmetrize = 1},
    {.name = "uniform weights", .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "int weights", .weights = RMAT_WEIGHTS_INT},
    {.name = "permuted, weights", .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "7/8 of the vertices", .vertices = 1},
    {.name = "1/2 of them and 1", .vertices = 2},
    {.name = "the same, permuted", .vertices = 2, .permute = 1},
    {.name = "graph500's stream", .stream = RMAT_STREAM_GRAPH500},
    {.name = "graph500's, weights",
     .stream = RMAT_STREAM_GRAPH500,
     .weights = RMAT_WEIGHTS_UNIFORM},
};

void bench_config(const bench_group *g, const bench_case *c, rmat_config *config)
{
    const uint64_t half = UINT64_C(1) << (g->scale - 1);
    const bench_options *o = g->job->o;
    const int m = c->model;

    rmat_config_default(config);
    config->stream = g->part == PART_MODELS ? models[m].stream : (rmat_stream)o->stream;
    config->edges = config->stream == RMAT_STREAM_ROWS ? BENCH_EDGE_FACTOR * 2 * half : 0;
    config->rows_scale = config->cols_scale = g->scale;
    config->noise = models[m].noise;
    config->permute = models[m].permute || o->permute;
    config->no_self_loops = models[m].no_self_loops;
    config->symmetrize = models[m].symmetrize;
    config->direction = models[m].direction;
    config->weights = models[m].weights;
    config->weight_min = 1;
    config->weight_max = 255;
    config->rows = config->cols = models[m].vertices == 0   ? 0
                                  : models[m].vertices == 1 ? half / 4 * 7
                                                            : half + 1;
    config->backend = g->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config->isa = c->isa;
    config->threads = c->threads;
    config->device = g->job->device;
}

bench_case *bench_add(bench_group *g, const char *name, int kind, int threads)
{
    bench_case *c = &g->cases[g->n_cases++];

    *c = (bench_case){.name = name, .kind = kind, .threads = threads, .limit = -1};
    return c;
}

void bench_add_models(bench_group *g, int kind, int threads)
{
    for (int m = 0; m < (int)(sizeof models / sizeof *models); m++) {
        bench_case *c = bench_add(g, models[m].name, kind, threads);

        c->model = m;
        c->weights = models[m].weights != RMAT_NO_WEIGHTS;
        c->limit = m > 0 ? 0 : -1;
    }
}

/* --- Turns --- */

/* All ranks measure together, or the rank `alone` does while the others wait.  all[] has room for a
 * sample of each rank. *sum becomes the work of all and the longest time. */
static int measure_at_once(bench_group *g, const bench_case *c, int alone, bench_sample *all,
                           bench_sample *sum)
{
    bench_sample mine = {0, 0};
    uint64_t barrier = 0;
    int status = EXIT_OK;

    dist_sum(&barrier, 1);
    if (alone < 0 || alone == dist_rank()) {
        status = g->room->measure(g, c, &mine);
    }
    dist_gather(&mine, sizeof mine, all);
    *sum = (bench_sample){0, 0};
    for (int r = 0; r < dist_size(); r++) {
        sum->work += all[r].work;
        sum->seconds = all[r].seconds > sum->seconds ? all[r].seconds : sum->seconds;
    }
    return bench_agree(status);
}

/* The best that n ranks can reach is n times the mean rate of one rank that works alone. */
static int measure_case(bench_group *g, bench_case *c, int run, bench_sample *all)
{
    const int rounds = !c->alone ? 1 : dist_size() < ALONE ? dist_size() : ALONE;
    int status = EXIT_OK;

    c->rates[run] = 0;
    for (int r = 0; r < rounds && status == EXIT_OK; r++) {
        bench_sample sum;

        status = measure_at_once(g, c, c->alone ? r : -1, all, &sum);
        c->rates[run] += sum.work / sum.seconds / rounds * (c->alone ? dist_size() : 1);
        c->seconds[run] = sum.seconds;
    }
    return status;
}

/* The first measured turn overwrites the warm-up turn. */
static int measure_turns(bench_group *g)
{
    bench_sample *all = calloc((size_t)dist_size(), sizeof *all);
    int status = bench_agree(bench_failed(all != NULL ? RMAT_OK : RMAT_ERR_NOMEM));

    for (int turn = 0; turn <= (int)g->job->o->runs && status == EXIT_OK; turn++) {
        for (int i = 0; i < g->n_cases && status == EXIT_OK; i++) {
            bench_case *c = &g->cases[(turn + i) % g->n_cases];

            status = measure_case(g, c, turn > 0 ? turn - 1 : 0, all);
        }
    }
    free(all);
    return status;
}

/* --- Report --- */

/* The statistics of the values of all runs, divided by `others` unless NULL. */
static bench_stats stats_of(const bench_group *g, const double *values, const double *others)
{
    const size_t runs = (size_t)g->job->o->runs;
    double copy[BENCH_MAX_RUNS];

    for (size_t i = 0; i < runs; i++) {
        copy[i] = others != NULL ? values[i] / others[i] : values[i];
    }
    return bench_summary(copy, runs);
}

static void print_heading(const bench_group *g)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%s, %s", bench_part_names[g->part], g->room->unit);
    printf("\n%-26s backend  ids scale threads  median     min     max   limit of it    time\n",
           text);
}

/* Reports a case as a line of the table and an object of the JSON array. */
static void report_case(const bench_group *g, const bench_case *c)
{
    const char *backend = g->gpu ? "gpu" : "cpu";
    const bench_case *limit = c->limit >= 0 ? &g->cases[c->limit] : NULL;
    const bench_stats rate = stats_of(g, c->rates, NULL);
    const double beside = limit != NULL ? stats_of(g, limit->rates, NULL).median : 0;
    const double share = limit != NULL ? stats_of(g, c->rates, limit->rates).median : 0;
    const double seconds = stats_of(g, c->seconds, NULL).median;
    char text[4][NUMBER_TEXT], threads[NUMBER_TEXT] = "";
    json_object o;

    json_object_begin(&o, g->job->cases, NULL);
    json_string(&o, "part", bench_part_names[g->part]);
    json_string(&o, "case", c->name);
    json_string(&o, "backend", backend);
    json_u64(&o, "id_bits", 8 * (uint64_t)g->id_bytes);
    json_u64(&o, "scale", (uint64_t)g->scale);
    json_u64(&o, "threads", (uint64_t)c->threads);
    json_string(&o, "unit", g->room->unit);
    json_u64(&o, "runs", g->job->o->runs);
    json_f64(&o, "median", rate.median);
    json_f64(&o, "min", rate.min);
    json_f64(&o, "max", rate.max);
    if (limit != NULL) {
        json_string(&o, "beside", limit->name);
        json_f64(&o, "limit", beside);
        json_f64(&o, "of_limit", share);
    }
    if (g->room->whole) {
        json_f64(&o, "seconds", seconds);
    }
    json_object_end(&o);
    if (g->job->o->json) {
        return;
    }
    if (c->threads > 0) {
        snprintf(threads, sizeof threads, "%d", c->threads);
    }
    printf("%-26s %7s %4d %5d %7s %7s %7s %7s", c->name, backend, 8 * g->id_bytes, g->scale,
           threads, format_si(text[0], rate.median), format_si(text[1], rate.min),
           format_si(text[2], rate.max));
    if (limit != NULL) {
        printf(" %7s %3.0f %%", format_si(text[3], beside), 100 * share);
    }
    if (g->room->whole) {
        printf("%*s%5.0f ms", limit != NULL ? 0 : 14, "", 1e3 * seconds);
    }
    printf("\n");
}

int bench_measure(bench_group *g, bool heading)
{
    int status = bench_agree(g->room->open(g));

    if (status == EXIT_OK) {
        status = measure_turns(g);
    }
    if (status == EXIT_OK && dist_rank() == 0) {
        if (heading && !g->job->o->json) {
            print_heading(g);
        }
        for (int i = 0; i < g->n_cases; i++) {
            report_case(g, &g->cases[i]);
        }
        fflush(stdout);
    }
    g->room->close(g);
    for (int i = 0; i < g->n_cases; i++) {
        rmat_destroy(g->cases[i].gen);
    }
    return status;
}
