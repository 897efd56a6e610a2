/*
 * Tables of edges per second in memory: turns, medians, and what they are shares of; for a process
 * by itself, and for all ranks at once.
 *
 * In a table of one process every case is measured once in a turn, and ratios are taken within a
 * turn, so that a machine whose speed drifts does not favour one of them.  Ranks leave a barrier
 * together and work for the same time; the rate of all is the work of all over the longest time.
 * In the same turn each of the first ranks works alone while the others wait: n times that rate is
 * what n ranks can reach at best.
 */
#include "apps/bench/bench.h"
#include "apps/common/devices.h"
#include "apps/common/numbers.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIN_SLICE 0.010 /* shorter ones would measure the clock */

enum { NAME = 14, THREADS = 8, TEXT = 64 }; /* widths of columns, and of a name's text */
enum { ALONE = 8 };                         /* as many ranks, at most, are measured alone */

/* The models that are compared: the plain one, one for each of the model's options, and the
 * official streams. */
static const struct {
    const char *name;
    rmat_stream stream;
    double noise;
    int permute, no_self_loops, symmetrize;
    rmat_direction direction;
    rmat_weights weights;
    int vertices; /* 0: 2^scale; 1: 7/8 of that; 2: just above its half */
} models[BENCH_MODELS] = {
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

const char *bench_model_name(int model)
{
    return models[model].name;
}

bool bench_model_has_weights(int model)
{
    return models[model].weights != RMAT_NO_WEIGHTS;
}

static void set_model(rmat_config *config, int model, int scale)
{
    const uint64_t half = UINT64_C(1) << (scale - 1);

    rmat_config_default(config);
    config->rows_scale = config->cols_scale = scale;
    config->stream = models[model].stream;
    config->noise = models[model].noise;
    config->permute = models[model].permute;
    config->no_self_loops = models[model].no_self_loops;
    config->symmetrize = models[model].symmetrize;
    config->direction = models[model].direction;
    config->weights = models[model].weights;
    config->weight_min = 1;
    config->weight_max = 255;
    config->rows = config->cols = models[model].vertices == 0   ? 0
                                  : models[model].vertices == 1 ? half / 4 * 7
                                                                : half + 1;
}

bench_case *table_add(bench_table *t, const char *name, int kind)
{
    bench_case *c = &t->cases[t->n_cases];

    *c = (bench_case){.name = name, .kind = kind, .limit = t->n_cases, .one_thread = t->n_cases};
    t->n_cases++;
    return c;
}

static int open_generators(bench_table *t)
{
    int status = RMAT_OK;

    for (int i = 0; i < t->n_cases && status == RMAT_OK; i++) {
        bench_case *c = &t->cases[i];
        rmat_config config;

        if (c->generates) {
            set_model(&config, c->model, t->scale);
            config.stream = t->part == PART_RANKS ? (rmat_stream)t->job->o->stream : config.stream;
            config.backend = t->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
            config.isa = c->isa;
            config.threads = c->threads;
            config.device = t->job->device;
            status = rmat_create(&c->gen, &config);
        }
    }
    return bench_failed(status);
}

static void close_generators(bench_table *t)
{
    for (int i = 0; i < t->n_cases; i++) {
        rmat_destroy(t->cases[i].gen);
        t->cases[i].gen = NULL;
    }
}

/* --- One process --- */

static bool has_width(const bench_table *t, int id_bytes, int scale)
{
    const int asked = t->job->id_bytes;

    return (asked == 0 || asked == id_bytes) && (id_bytes == 8 || scale <= 32);
}

/* Choose the number of runs and the duration of each measurement. */
static void plan_runs(bench_table *t, double seconds)
{
    const option_list *scales = &t->job->o->scales;
    int cells = 0;

    for (int s = 0; s < scales->count; s++) {
        cells += t->n_cases * (has_width(t, 4, scales->item[s]) + has_width(t, 8, scales->item[s]));
    }
    t->runs = BENCH_USUAL_RUNS;
    if (t->job->o->runs > 0) {
        t->runs = (int)t->job->o->runs;
    } else if (seconds / (cells * t->runs) < MIN_SLICE) {
        t->runs = BENCH_LEAST_RUNS;
    }
    t->slice = seconds / (cells * t->runs);
}

/* Measure all cases at the table's scale and width of ids, into column s. */
static int measure_column(bench_table *t, int s)
{
    int status = open_generators(t);

    for (int run = 0; run < t->runs; run++) {
        for (int i = 0; i < t->n_cases && status == EXIT_OK; i++) {
            bench_case *c = &t->cases[i];
            bench_sample sample = {0, 0};

            status = bench_failed(c->run(t, c, &sample));
            c->rates[s][run] = sample.edges / sample.seconds;
            if (status == EXIT_OK && interrupt_signal() != 0) {
                status = bench_stopped();
            }
        }
    }
    close_generators(t);
    return status;
}

static bench_stats rates_of(const bench_table *t, int i, int s)
{
    return bench_stats_of(t->cases[i].rates[s], NULL, (size_t)t->runs);
}

/* Statistics of the ratios of one case's rates to another's, turn by turn. */
static bench_stats ratios_of(const bench_table *t, int i, int other, int s)
{
    return bench_stats_of(t->cases[i].rates[s], t->cases[other].rates[s], (size_t)t->runs);
}

static void add_cell(const bench_table *t, int i, int s, json_object *cells)
{
    const bench_case *c = &t->cases[i];
    json_object cell;

    json_object_begin(&cell, cells, NULL);
    json_string(&cell, "backend", t->gpu ? "gpu" : "cpu");
    json_string(&cell, "variant", c->name);
    if (c->threads > 0) {
        json_u64(&cell, "threads", (uint64_t)c->threads);
    }
    json_u64(&cell, "id_bits", 8 * (uint64_t)t->id_bytes);
    json_u64(&cell, "scale", (uint64_t)t->job->o->scales.item[s]);
    bench_json_stats(&cell, "edges_per_second", "", rates_of(t, i, s));
    if (c->one_thread != i) {
        json_f64(&cell, "speedup", ratios_of(t, i, c->one_thread, s).median);
    }
    if (c->limit != i) {
        json_string(&cell, "limit", t->cases[c->limit].name);
        json_f64(&cell, "limit_edges_per_second", rates_of(t, c->limit, s).median);
        bench_json_stats(&cell, "ratio", "ratio_", ratios_of(t, i, c->limit, s));
    }
    json_object_end(&cell);
}

/* Models have no backend before their names, and one thread each. */
static int put_name(const bench_table *t, int i, char text[TEXT])
{
    const char *backend = t->part == PART_MODELS ? "" : t->gpu ? "gpu " : "cpu ";

    return snprintf(text, TEXT, "%s%s", backend, t->cases[i].name);
}

static bool shows_threads(const bench_table *t)
{
    return t->part != PART_MODELS && !t->gpu;
}

/* The width of the column of names. */
static int name_width(const bench_table *t)
{
    char text[TEXT];
    int width = shows_threads(t) ? NAME : NAME + THREADS;

    for (int i = 0; i < t->n_cases; i++) {
        int length = t->cases[i].hidden ? 0 : put_name(t, i, text);

        width = length > width ? length : width;
    }
    return width;
}

static void print_case(const bench_table *t, int i, json_object *cells)
{
    const option_list *scales = &t->job->o->scales;
    const bench_case *c = &t->cases[i];
    double low = 0, high = 0, spread = 0, limits[OPTION_LIST_MAX];
    char text[NUMBER_TEXT], name[TEXT];
    FILE *out = t->job->table;
    int n = 0;

    put_name(t, i, name);
    fprintf(out, "%-*s", name_width(t), name);
    if (shows_threads(t)) {
        fprintf(out, "%*d", THREADS, c->threads);
    }
    fprintf(out, " %4d", 8 * t->id_bytes);
    for (int s = 0; s < scales->count; s++) {
        bench_stats rate;
        double ratio;

        if (!has_width(t, t->id_bytes, scales->item[s])) {
            fprintf(out, " %8s", "");
            continue;
        }
        rate = rates_of(t, i, s);
        ratio = ratios_of(t, i, c->limit, s).median;
        limits[n] = rates_of(t, c->limit, s).median;
        low = n == 0 || ratio < low ? ratio : low;
        high = n == 0 || ratio > high ? ratio : high;
        if ((rate.max - rate.min) / rate.median > spread) {
            spread = (rate.max - rate.min) / rate.median;
        }
        n++;
        fprintf(out, " %8s", format_si(text, rate.median));
        add_cell(t, i, s, cells);
    }
    fprintf(out, " %5.0f %%", 100 * spread);
    if (c->limit != i) {
        fprintf(out, " %7s", format_si(text, bench_summary(limits, (size_t)n).median));
        snprintf(text, sizeof text, "%.0f-%.0f %%", 100 * low, 100 * high);
        fprintf(out, " %9s", text);
    }
    fprintf(out, "\n");
    fflush(out);
}

/* Measure and print all scales with ids of one width. */
static int measure_width(bench_table *t, json_object *cells)
{
    const option_list *scales = &t->job->o->scales;
    int status = EXIT_OK, n = 0;

    for (int s = 0; s < scales->count && status == EXIT_OK; s++) {
        t->scale = scales->item[s];
        if (has_width(t, t->id_bytes, t->scale)) {
            status = measure_column(t, s);
            n++;
        }
    }
    for (int i = 0; i < t->n_cases && status == EXIT_OK && n > 0; i++) {
        if (!t->cases[i].hidden) {
            print_case(t, i, cells);
        }
    }
    return status;
}

/* Print the title and the head of the columns. */
static void print_table_head(const bench_table *t)
{
    const bool by_model = t->part == PART_MODELS;
    const bench_job *job = t->job;
    char text[TEXT], why[DEVICES_TEXT];
    device_gpu gpu = {.name = "unknown"};

    if (t->gpu) {
        devices_gpu(job->device, &gpu, why);
        json_string(job->json, by_model ? "gpu_models_name" : "gpu_name", gpu.name);
        fprintf(job->table, "Edges/s by %sGPU %d, %s", by_model ? "model, by " : "", job->device,
                gpu.name);
    } else {
        fprintf(job->table, "Edges/s %s", by_model ? "by model, one thread" : "into memory");
    }
    fprintf(job->table, ", median of %d\n%*s%*s %4s", t->runs, name_width(t), "",
            shows_threads(t) ? THREADS : 0, shows_threads(t) ? "threads" : "", "ids");
    for (int s = 0; s < job->o->scales.count; s++) {
        snprintf(text, sizeof text, "2^%d", job->o->scales.item[s]);
        fprintf(job->table, " %8s", text);
    }
    fprintf(job->table, "  spread   limit  of limit\n");
}

static int measure_table(bench_table *t, double seconds)
{
    static const char *const keys[2][2] = {{"memory", "gpu"}, {"models", "gpu_models"}};
    const char *key = keys[t->part == PART_MODELS][t->gpu];
    char turns[TEXT];
    json_object cells;
    int status = EXIT_OK;

    plan_runs(t, seconds);
    print_table_head(t);
    snprintf(turns, sizeof turns, "%s_turns", key);
    json_u64(t->job->json, turns, (uint64_t)t->runs);
    json_array_begin(&cells, t->job->json, key);
    for (t->id_bytes = 4; t->id_bytes <= 8 && status == EXIT_OK; t->id_bytes += 4) {
        status = measure_width(t, &cells);
    }
    json_array_end(&cells);
    fprintf(t->job->table, "\n");
    return status;
}

int bench_memory(const bench_job *job, bool gpu, double seconds)
{
    const bench_backend *backend = bench_backend_of(gpu);
    bench_table *t = calloc(1, sizeof *t);
    int status = bench_failed(t != NULL ? RMAT_OK : RMAT_ERR_NOMEM);

    if (status == EXIT_OK) {
        t->job = job;
        t->gpu = gpu;
        t->part = job->o->part == PART_MODELS ? PART_MODELS : PART_MEMORY;
        status = bench_failed(backend->open(t));
        status = status == EXIT_OK ? measure_table(t, seconds) : status;
        backend->close(t);
    }
    free(t);
    return status;
}

/* --- Ranks --- */

typedef struct {
    char host[128], cpu[128], gpu[DEVICES_TEXT];
    int threads, device;
} rank_info;

static rank_info describe_rank(const bench_job *job)
{
    rank_info me = {.threads = job->threads, .device = job->device};
    char why[DEVICES_TEXT];
    device_gpu gpu;

    cpu_model(me.cpu, sizeof me.cpu);
    gethostname(me.host, sizeof me.host - 1);
    if (job->gpu && devices_gpu(job->device, &gpu, why)) {
        memcpy(me.gpu, gpu.name, sizeof me.gpu);
    }
    return me;
}

/* Print which ranks there are. */
static void print_ranks(const bench_table *t, const rank_info *all)
{
    const bench_job *job = t->job;
    json_object ranks;

    fprintf(job->table, "%d rank%s on %d host%s, scale %d, %d-bit ids, median of %d\n", dist_size(),
            dist_size() > 1 ? "s" : "", dist_host_count(), dist_host_count() > 1 ? "s" : "",
            t->scale, 8 * t->id_bytes, t->runs);
    json_string(job->json, "mpi", dist_library());
    json_u64(job->json, "hosts", (uint64_t)dist_host_count());
    json_u64(job->json, "scale", (uint64_t)t->scale);
    json_u64(job->json, "id_bits", 8 * (uint64_t)t->id_bytes);
    json_array_begin(&ranks, job->json, "ranks");
    for (int i = 0; i < dist_size(); i++) {
        const rank_info *rank = &all[i];
        json_object o;

        if (i < ALONE) {
            fprintf(job->table, "  %d: %s, %d thread%s%s%s%s\n", i, rank->host, rank->threads,
                    rank->threads > 1 ? "s" : "", *rank->gpu ? ", " : "", rank->gpu,
                    i + 1 == ALONE && i + 1 < dist_size() ? ", ..." : "");
        }
        json_object_begin(&o, &ranks, NULL);
        json_string(&o, "host", rank->host);
        json_string(&o, "cpu", rank->cpu);
        json_u64(&o, "threads", (uint64_t)rank->threads);
        if (*rank->gpu != '\0') {
            json_string(&o, "gpu", rank->gpu);
            json_u64(&o, "device", (uint64_t)rank->device);
        }
        json_object_end(&o);
    }
    json_array_end(&ranks);
    fprintf(job->table, "\n");
}

/* One round: all ranks measure at once, or rank `alone` does while the others wait.  *rate becomes
 * the edges of all over the longest time; all[] has room for every rank. */
static int measure_round(bench_table *t, int alone, bench_sample *all, double *rate)
{
    const bool works = alone < 0 || alone == dist_rank();
    bench_sample mine = {0, 0};
    double edges = 0, longest = 0;
    uint64_t barrier = 0;
    int status;

    dist_sum(&barrier, 1);
    status = bench_failed(works ? t->cases[0].run(t, &t->cases[0], &mine) : RMAT_OK);
    dist_gather(&mine, sizeof mine, all);
    for (int r = 0; r < dist_size(); r++) {
        edges += all[r].edges;
        longest = all[r].seconds > longest ? all[r].seconds : longest;
    }
    *rate = edges / longest;
    return bench_agree(status);
}

typedef struct {
    double alone[BENCH_MAX_RUNS], together[BENCH_MAX_RUNS]; /* edges per second */
    double efficiency[BENCH_MAX_RUNS];
} ranks_figures;

static void print_ranks_figures(const bench_table *t, const ranks_figures *f, double edges)
{
    const size_t runs = (size_t)t->runs;
    const bench_stats alone = bench_stats_of(f->alone, NULL, runs),
                      together = bench_stats_of(f->together, NULL, runs),
                      efficiency = bench_stats_of(f->efficiency, NULL, runs);
    char one[NUMBER_TEXT], all[NUMBER_TEXT];
    json_object row;

    json_object_begin(&row, t->job->json, "ranks_memory");
    json_u64(&row, "edges_of_rank_0", (uint64_t)edges);
    bench_json_values(&row, "one_rank_runs", f->alone, runs);
    bench_json_values(&row, "all_ranks_runs", f->together, runs);
    bench_json_values(&row, "efficiencies", f->efficiency, runs);
    bench_json_stats(&row, "one_rank", "one_rank_", alone);
    bench_json_stats(&row, "all_ranks", "all_ranks_", together);
    bench_json_stats(&row, "efficiency", "efficiency_", efficiency);
    json_object_end(&row);
    fprintf(t->job->table,
            "%-8s %17s %17s  efficiency\n"
            "%-8s %9sedges/s  %9sedges/s  %6.1f %%   %5.1f-%.1f %%\n\n",
            "", "one rank", "all ranks", "memory", format_si(one, alone.median),
            format_si(all, together.median), 100 * efficiency.median, 100 * efficiency.min,
            100 * efficiency.max);
    fflush(t->job->table);
}

/* Ranks alone and together take turns. */
static int measure_ranks(bench_table *t, bench_sample *all)
{
    const int ranks = dist_size(), singles = ranks < ALONE ? ranks : ALONE;
    ranks_figures f = {.alone = {0}};
    double rate;
    int status = EXIT_OK;

    t->slice = (double)t->job->o->seconds / (t->runs * (1 + singles));
    for (int run = 0; run < t->runs && status == EXIT_OK; run++) {
        for (int r = 0; r < singles && status == EXIT_OK; r++) {
            status = measure_round(t, r, all, &rate);
            f.alone[run] += rate / singles;
        }
        if (status == EXIT_OK) {
            status = measure_round(t, -1, all, &f.together[run]);
            f.efficiency[run] = f.together[run] / (ranks * f.alone[run]);
        }
    }
    if (status == EXIT_OK) {
        print_ranks_figures(t, &f, all[0].edges);
    }
    return status;
}

int bench_ranks(const bench_job *job)
{
    const bench_backend *backend = bench_backend_of(job->gpu);
    bench_table *t = calloc(1, sizeof *t);
    rank_info *infos = calloc((size_t)dist_size(), sizeof *infos), me = describe_rank(job);
    bench_sample *all = calloc((size_t)dist_size(), sizeof *all);
    const bool enough = t != NULL && infos != NULL && all != NULL;
    int status = bench_agree(bench_failed(enough ? RMAT_OK : RMAT_ERR_NOMEM));

    if (status == EXIT_OK) {
        t->job = job;
        t->gpu = job->gpu;
        t->part = PART_RANKS;
        t->runs = (int)job->o->runs;
        t->scale = job->o->scales.item[0];
        t->id_bytes = job->id_bytes > 0 ? job->id_bytes : t->scale <= 32 ? 4 : 8;
        dist_gather(&me, sizeof me, infos);
        print_ranks(t, infos);
        status = bench_failed(backend->open(t));
        status = bench_agree(status == EXIT_OK ? open_generators(t) : status);
        status = status == EXIT_OK ? measure_ranks(t, all) : status;
        close_generators(t);
        backend->close(t);
    }
    free(all);
    free(infos);
    free(t);
    return status;
}
