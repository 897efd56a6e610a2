/*
 * rmat bench: measures the speed of this machine, each figure beside the hardware's limit.  This
 * file has the options, the groups of cases, the turns that measure them, and the reports.
 *
 * After a warm-up turn, each turn measures every case of the group once, and begins with another
 * case than the turn before.  A share of the limit is computed within a turn; figures are medians
 * over the turns.  Ranks leave a barrier together.  Their rate is the work of all over the longest
 * time.
 */
#include "apps/bench/bench.h"
#include "apps/bench/summary.h"
#include "apps/client/client.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_source.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILE_SCALE = 30, MOST_CSR_SCALE = 40 };

enum {
    PART,
    RUNS,
    BACKEND,
    THREADS,
    STREAM,
    SCALE,
    ID_TYPE,
    UNIQUE,
    DIR,
    SIZE,
    JSON,
    HELP,
    OPTIONS
};

static const char *const part_names[] = {"all", "memory", "models", "file", "csr", "ranks", NULL};
static const char *const id_names[] = {"auto", "uint32", "uint64", NULL};
static const char *const stream_names[] = {"rmat", "rows", NULL};

#define AT(field) offsetof(bench_options, field)
#define GENERAL   "What to measure"
#define GRAPHS    "Graphs"
#define DISK      "Files"
#define REPORT    "Report"

/* clang-format off */
static const option table[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "all", .group = GENERAL,
        .help = "what is measured; memory: edges into memory, by CPU and GPU; file: edges into files; all: both of these; models: what "
                "each option of the model costs; csr: graphs of 16 edges per vertex as CSR in memory; "
                "ranks: what the ranks of mpirun generate together, in memory, beside one of them alone"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = BENCH_MAX_RUNS, .fallback = "5", .group = GENERAL,
        .help = "number of turns; each turn measures every case once; figures are medians"},
    [BACKEND] = OPTION_ROW_BACKEND(bench_options, backend, GENERAL,
        "device that generates the edges; auto: the CPU, and the GPU if there is one; on several ranks, the GPU of a rank "
                "if it has one, else its CPU"),
    [THREADS] = OPTION_ROW_THREADS(bench_options, threads, GENERAL, "maximum number of threads"),
    [STREAM] = {.name = "stream", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(rows),
        .choices = stream_names, .fallback = "rmat", .group = GRAPHS,
        .help = "stream of CSR's edges, as for 'rmat generate'; rows: also on several ranks"},
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,30,36; 22 with csr, 30 with ranks",
        .group = GRAPHS,
        .help = "scales of the graphs"},
    [ID_TYPE] = {.name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE", .offset = AT(id_type),
        .choices = id_names, .fallback = "auto", .group = GRAPHS,
        .help = "type of a vertex number; auto: both, or with csr and ranks uint32 where it suffices"},
    [UNIQUE] = OPTION_ROW_FLAG(bench_options, unique, GRAPHS, "unique", 0,
        "keep each edge of CSR once"),
    [DIR] = {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir),
        .fallback = ".", .group = DISK,
        .help = "folder on the disk to be measured; the files in it are removed afterwards"},
    [SIZE] = {.name = "size", .kind = OPTION_COUNT, .argument = "N", .offset = AT(size),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "1Gi, but at most a tenth of the free space", .group = DISK,
        .help = "size of a file in bytes"},
    [JSON] = OPTION_ROW_JSON(bench_options, json, REPORT,
        "print one JSON object in place of the tables"),
    [HELP] = OPTION_ROW_LONG_HELP(bench_options, help, REPORT),
};
/* clang-format on */

const command_line bench_command_line = {
    .command = "bench",
    .synopsis = "bench [OPTION]...",
    .summary =
        "Measure how fast this machine generates edges, in memory and into files, or how fast "
        "the ranks of mpirun do so together. Each figure stands beside its limit: plain writes "
        "to the same memory or disk, measured in turns with it.",
    .options = table,
    .n_options = OPTIONS,
    .common = "part runs backend scale dir size json help",
    .examples = "rmat bench\n"
                "rmat bench --part memory --scale 30\n"
                "mpirun -n 4 rmat bench --part ranks",
    .notes = "Exit status: 0 success, 1 something could not be measured, 2 wrong usage, 128 + N "
             "stopped by signal N.",
};

/* The parts that an option belongs to, a bit for each; 0: all. */
#define ONE(part) (1u << (part))
static const unsigned parts_of[OPTIONS] = {
    [STREAM] = ONE(PART_CSR),
    [SCALE] = ~ONE(PART_FILE),
    [ID_TYPE] = ~ONE(PART_FILE),
    [UNIQUE] = ONE(PART_CSR),
    [DIR] = ONE(PART_ALL) | ONE(PART_FILE),
    [SIZE] = ONE(PART_ALL) | ONE(PART_FILE),
};

static int check_parts(const bench_options *o, const bool given[])
{
    for (int i = 0; i < OPTIONS; i++) {
        char allowed[256] = "";

        if (!given[i] || parts_of[i] == 0 || (parts_of[i] & ONE(o->part))) {
            continue;
        }
        for (int p = 0; part_names[p] != NULL; p++) {
            if (parts_of[i] & ONE(p)) {
                text_append(allowed, sizeof allowed, "%s%s", *allowed != '\0' ? ", " : "",
                            part_names[p]);
            }
        }
        return usage_error("bench", "--%s: given with --part %s, allowed: with --part %s",
                           table[i].name, part_names[o->part], allowed);
    }
    return EXIT_OK;
}

static int check_scales(const bench_options *o)
{
    const bool narrow = o->id_type == 1;
    const int most = narrow ? 32 : o->part == PART_CSR ? MOST_CSR_SCALE : RMAT_MAX_SCALE;

    for (int s = 0; s < o->scales.count; s++) {
        if (o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: 1 to %d",
                               o->scales.item[s], part_names[o->part],
                               narrow ? " and --id-type uint32" : "", most);
        }
    }
    return EXIT_OK;
}

static int parse_options(int argc, char **argv, bench_options *o)
{
    bool given[OPTIONS_MAX];
    int status = options_parse(&bench_command_line, argc, argv, o, given, NULL);

    if (status != EXIT_OK || o->help) {
        return status;
    }
    status = check_parts(o, given);
    if (status == EXIT_OK && given[SCALE]) {
        return check_scales(o);
    }
    o->scales = o->part == PART_RANKS ? (option_list){1, {30}}
                : o->part == PART_CSR ? (option_list){1, {22}}
                                      : (option_list){3, {20, 30, 36}};
    return status;
}

int bench_failed(int status)
{
    const char *cuda = rmat_gpu_error();

    return status == RMAT_OK ? EXIT_OK
                             : runtime_error("bench", "%s%s%s", rmat_strerror(status),
                                             *cuda != '\0' ? ": " : "", cuda);
}

/* Returns EXIT_OK if every rank succeeded and no signal arrived.  Else returns the exit code of the
 * lowest rank that failed; rank 0 has printed its message.  Collective. */
static int agree(int status)
{
    if (status == EXIT_OK && interrupt_signal() != 0) {
        runtime_error("bench", "stopped by %s", interrupt_name(interrupt_signal()));
        status = 128 + interrupt_signal();
    }
    status = client_parsed("bench", status);
    client_keep();
    return status;
}

/* --- Turns --- */

bench_case *bench_add(bench_group *g, const char *name, int threads,
                      int (*measure)(bench_group *, const bench_case *, double *, double *))
{
    bench_case *c = &g->cases[g->n_cases++];

    *c = (bench_case){.name = name, .measure = measure, .threads = threads, .limit = -1};
    return c;
}

/* All ranks measure together, or rank 0 does alone while the others wait: n ranks can reach n times
 * its rate.  samples[] has room for the work and seconds of each rank. */
static int measure_case(bench_group *g, bench_case *c, int run, double (*samples)[2])
{
    double mine[2] = {0, 0}, work = 0, seconds = 0;
    uint64_t barrier = 0;
    int status = EXIT_OK;

    dist_sum(&barrier, 1);
    if (!c->alone || dist_rank() == 0) {
        status = c->measure(g, c, &mine[0], &mine[1]);
    }
    dist_gather(mine, sizeof mine, samples);
    for (int r = 0; r < dist_size(); r++) {
        work += samples[r][0];
        seconds = fmax(seconds, samples[r][1]);
    }
    c->rates[run] = work / seconds * (c->alone ? dist_size() : 1);
    c->seconds[run] = seconds;
    return agree(status);
}

/* The first measured turn overwrites the warm-up turn. */
static int measure_turns(bench_group *g)
{
    double(*samples)[2] = calloc((size_t)dist_size(), sizeof *samples);
    int status = agree(bench_failed(samples != NULL ? RMAT_OK : RMAT_ERR_NOMEM));

    for (int turn = 0; turn <= (int)g->o->runs && status == EXIT_OK; turn++) {
        for (int i = 0; i < g->n_cases && status == EXIT_OK; i++) {
            bench_case *c = &g->cases[(turn + i) % g->n_cases];

            status = measure_case(g, c, turn > 0 ? turn - 1 : 0, samples);
        }
    }
    free(samples);
    return status;
}

/* --- Report --- */

/* The statistics of the values of all runs, divided by `others` unless NULL. */
static bench_stats stats_of(const bench_group *g, const double *values, const double *others)
{
    double copy[BENCH_MAX_RUNS];

    for (size_t i = 0; i < g->o->runs; i++) {
        copy[i] = others != NULL ? values[i] / others[i] : values[i];
    }
    return bench_summary(copy, (size_t)g->o->runs);
}

static const char *unit_of(bench_part part)
{
    return part == PART_FILE ? "B/s" : "edges/s";
}

/* Reports a case as an object of the JSON array, and as a line of the table unless --json is given.
 * A file and CSR are made as a whole, so that their time is a figure, too. */
static void report_case(const bench_group *g, const bench_case *c, json_object *cases)
{
    const bool whole = g->part == PART_FILE || g->part == PART_CSR;
    const char *backend = g->gpu ? "gpu" : "cpu";
    const bench_case *limit = c->limit >= 0 ? &g->cases[c->limit] : NULL;
    const bench_stats rate = stats_of(g, c->rates, NULL);
    const double beside = limit != NULL ? stats_of(g, limit->rates, NULL).median : 0;
    const double share = limit != NULL ? stats_of(g, c->rates, limit->rates).median : 0;
    const double seconds = stats_of(g, c->seconds, NULL).median;
    char text[4][NUMBER_TEXT], threads[NUMBER_TEXT] = "";
    json_object o;

    json_object_begin(&o, cases, NULL);
    json_string(&o, "part", part_names[g->part]);
    json_string(&o, "case", c->name);
    json_string(&o, "backend", backend);
    json_u64(&o, "id_bits", 8 * (uint64_t)g->id_bytes);
    json_u64(&o, "scale", (uint64_t)g->scale);
    json_u64(&o, "threads", (uint64_t)c->threads);
    json_string(&o, "unit", unit_of(g->part));
    json_u64(&o, "runs", g->o->runs);
    json_f64(&o, "median", rate.median);
    json_f64(&o, "min", rate.min);
    json_f64(&o, "max", rate.max);
    if (limit != NULL) {
        json_string(&o, "beside", limit->name);
        json_f64(&o, "limit", beside);
        json_f64(&o, "of_limit", share);
    }
    if (whole) {
        json_f64(&o, "seconds", seconds);
    }
    json_object_end(&o);
    if (g->o->json) {
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
    if (whole) {
        printf("%*s%5.0f ms", limit != NULL ? 0 : 14, "", 1e3 * seconds);
    }
    printf("\n");
}

/* Reports the machine that was measured, at the beginning of both reports.  Collective. */
static void report_machine(const bench_group *g, json_object *json, const char *no_gpu)
{
    uint64_t threads = (uint64_t)g->threads;
    char cpu[256], date[32], why[DEVICES_TEXT];
    device_gpu gpu = {.name = ""};
    const time_t now = time(NULL);
    double load = NAN;

    dist_sum(&threads, 1);
    if (*no_gpu == '\0') {
        devices_gpu(g->device, &gpu, why);
    }
    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    getloadavg(&load, 1);
    json_string(json, "version", rmat_version());
    json_string(json, "time", date);
    json_string(json, "cpu", cpu);
    json_string(json, "gpu", *no_gpu == '\0' ? gpu.name : NULL);
    json_u64(json, "threads", threads);
    json_u64(json, "ranks", (uint64_t)dist_size());
    json_u64(json, "hosts", (uint64_t)dist_host_count());
    json_f64(json, "load", load);
    if (!g->o->json && dist_rank() == 0) {
        text_line(stdout, "rmat %s, %s, load %.2f, median of %d turns", rmat_version(), date, load,
                  (int)g->o->runs);
        text_line(stdout, "%s, %d threads in all, ranks: %d, hosts: %d", cpu, (int)threads,
                  dist_size(), dist_host_count());
        text_line(stdout, "GPU: %s", *no_gpu == '\0' ? gpu.name : no_gpu);
        fflush(stdout);
    }
}

/* --- Groups --- */

/* Measures the cases of a group, and prints them, below a heading on request.  Collective. */
static int measure_group(bench_group *g, bool heading, json_object *cases)
{
    int status = agree(g->part == PART_FILE  ? bench_open_file(g)
                       : g->part == PART_CSR ? bench_open_csr(g)
                                             : bench_open_memory(g));

    if (status == EXIT_OK) {
        status = measure_turns(g);
    }
    if (status == EXIT_OK && dist_rank() == 0) {
        if (heading && !g->o->json) {
            char text[NUMBER_TEXT];

            snprintf(text, sizeof text, "%s, %s", part_names[g->part], unit_of(g->part));
            printf("\n%-26s backend  ids scale threads  median     min     max   limit of it    "
                   "time\n",
                   text);
        }
        for (int i = 0; i < g->n_cases; i++) {
            report_case(g, &g->cases[i], cases);
        }
        fflush(stdout);
    }
    bench_release(g);
    return status;
}

/* Whether a width is measured: memory and models take both widths, unless the user chose one. */
static bool has_width(const bench_options *o, bench_part part, int id_bytes, int scale)
{
    const bool both = part == PART_MEMORY || part == PART_MODELS;

    return (id_bytes == 8 || scale <= 32) &&
           (o->id_type > 0 ? id_bytes == 4 * o->id_type
                           : both || id_bytes == (scale <= 32 ? 4 : 8));
}

/* A group for each backend, width of ids, and scale.  of: its options, threads and device. */
static int measure_part(const bench_group *of, bench_part part, const bool uses[2],
                        json_object *cases)
{
    const option_list of_file = {1, {FILE_SCALE}};
    const option_list *scales = part == PART_FILE ? &of_file : &of->o->scales;
    bool heading = true;
    int status = EXIT_OK;

    for (int i = 0; i < 4 * scales->count && status == EXIT_OK; i++) {
        bench_group g = *of;

        g.part = part;
        g.gpu = i / scales->count >= 2;
        g.id_bytes = i / scales->count % 2 == 0 ? 4 : 8;
        g.scale = scales->item[i % scales->count];
        if (uses[g.gpu] && has_width(of->o, part, g.id_bytes, g.scale)) {
            status = measure_group(&g, heading, cases);
            heading = false;
        }
    }
    return status;
}

/* Finds the backends to measure, uses[0] the CPU and uses[1] a GPU; one of them if ranks work
 * together, whose GPUs it assigns.  no_gpu: why none is used, or "". */
static int find_devices(bench_group *g, bool uses[2], char no_gpu[DEVICES_TEXT])
{
    const bench_options *o = g->o;
    const bool ranks = o->part == PART_RANKS || dist_size() > 1;
    char driver[DEVICES_TEXT] = "not used";
    const int gpus = o->backend == RMAT_BACKEND_CPU ? 0 : devices_gpus(driver);

    strcpy(no_gpu, gpus > 0 ? "" : driver);
    uses[1] = gpus > 0;
    uses[0] = ranks ? gpus == 0 : o->backend != RMAT_BACKEND_GPU;
    g->device = gpus > 0 ? dist_local_rank() % gpus : 0;
    if (gpus == 0 && o->backend == RMAT_BACKEND_GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", driver);
    }
    return EXIT_OK;
}

/* Prints the report for programs after everything succeeded. */
static int measure(const bench_options *o)
{
    bench_group g = {.o = o, .threads = cpu_threads(o->threads)};
    char no_gpu[DEVICES_TEXT], *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    json_object json, cases;
    bool uses[2];
    int status = bench_failed(memory != NULL ? RMAT_OK : RMAT_ERR_NOMEM);

    status = agree(status == EXIT_OK ? find_devices(&g, uses, no_gpu) : status);
    if (status == EXIT_OK) {
        json_begin(&json, memory);
        report_machine(&g, &json, no_gpu);
        json_array_begin(&cases, &json, "cases");
        status = measure_part(&g, o->part == PART_ALL ? PART_MEMORY : o->part, uses, &cases);
        if (status == EXIT_OK && o->part == PART_ALL) {
            status = measure_part(&g, PART_FILE, uses, &cases);
        }
        json_array_end(&cases);
        json_end(&json);
    }
    if (memory != NULL) {
        fclose(memory);
    }
    if (status == EXIT_OK && o->json && dist_rank() == 0) {
        fputs(text, stdout);
    }
    free(text);
    return status;
}

static int run_command(int argc, char **argv)
{
    bench_options mine = {.runs = 5, .dir = "."}, o;
    int status = agree(parse_options(argc, argv, &mine));

    if (status != EXIT_OK) {
        return status;
    }
    o = mine; /* all ranks use rank 0's options, except --backend and --threads (mpirun a : b) */
    dist_broadcast(&o, sizeof o);
    o.dir = mine.dir;
    o.backend = mine.backend;
    o.threads = mine.threads;
    if (o.help) {
        if (dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
        return EXIT_OK;
    }
    if (dist_size() > 1 && o.part != PART_RANKS && !o.rows) {
        return agree(usage_error(
            "bench", "--part: '%s' given on %d ranks, allowed: ranks, csr with --stream rows",
            part_names[o.part], dist_size()));
    }
    return measure(&o);
}

int bench_main(int argc, char **argv)
{
    int status = dist_start();

    if (status == DIST_OK) {
        interrupt_install();
        client_keep();
        status = run_command(argc, argv);
    } else {
        if (dist_rank() == 0) {
            message_print("bench", "%s", dist_strerror(status));
        }
        status = EXIT_RUNTIME;
    }
    dist_stop();
    return status;
}
