/* rmat bench: measures the speed of this machine, each figure beside the hardware's limit.  This
 * file has the options, the parts that use them, and the groups of cases of each part. */
#include "apps/bench/bench.h"
#include "apps/client/commands.h"
#include "apps/common/devices.h"
#include "apps/common/option_rows.h"
#include "apps/engine/status.h"
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
    DEVICE,
    STREAM,
    SCALE,
    ID_TYPE,
    UNIQUE,
    PERMUTE,
    INTERVALS,
    DIR,
    SIZE,
    JSON,
    HELP,
    OPTIONS
};

const char *const bench_part_names[] = {"all", "memory", "models", "file", "csr", "ranks", NULL};
static const char *const id_names[] = {"auto", "uint32", "uint64", NULL};

#define AT(field) offsetof(bench_options, field)
#define GENERAL   "What to measure"
#define GRAPHS    "Graphs"
#define DISK      "Files"
#define REPORT    "Report"

/* clang-format off */
static const option table[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = bench_part_names, .fallback = "all", .group = GENERAL,
        .help = "what is measured; memory: edges into memory, by CPU and GPU; file: edges into files; all: both of these; models: what "
                "each option of the model costs; csr: graphs of 16 edges per vertex as CSR in memory; "
                "ranks: what the ranks of mpirun generate together, in memory, beside one of them alone"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = BENCH_MAX_RUNS, .fallback = "5", .group = GENERAL,
        .help = "number of turns, in each of which every case is measured once; figures are medians"},
    [BACKEND] = OPTION_ROW_BACKEND(bench_options, backend, GENERAL,
        "device that generates the edges; auto: the CPU, and the GPU if there is one; on several ranks, the GPU of a rank "
                "if it has one, else its CPU"),
    [THREADS] = OPTION_ROW_THREADS(bench_options, threads, GENERAL, "maximum number of threads"),
    [DEVICE] = OPTION_ROW_DEVICE(bench_options, device, GENERAL, "0",
        "number of the GPU, as `rmat info --devices` lists it; several ranks share all of them"),
    [STREAM] = OPTION_ROW_STREAM(bench_options, stream, GRAPHS,
        "stream of the edges, as for 'rmat generate'; rows: only with csr, also on several ranks"),
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,30,36; 22 with csr, 30 with ranks",
        .group = GRAPHS,
        .help = "scales of the graphs"},
    [ID_TYPE] = {.name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE", .offset = AT(id_type),
        .choices = id_names, .fallback = "auto", .group = GRAPHS,
        .help = "type of a vertex number; auto: both, or with csr and ranks uint32 where it suffices"},
    [UNIQUE] = OPTION_ROW_FLAG(bench_options, unique, GRAPHS, "unique", 0,
        "keep each edge of CSR once"),
    [PERMUTE] = OPTION_ROW_FLAG(bench_options, permute, GRAPHS, "permute", 0,
        "permute the vertices of CSR"),
    [INTERVALS] = {.name = "intervals", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(intervals), .min = 1, .max = 1 << 16, .fallback = "1", .group = GRAPHS,
        .help = "number of intervals of the sorted order, of about equally many edges each, in which CSR is made; the "
                "whole stream is generated for each of them, and memory is taken for one"},
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

#define ONE(part) (1u << (part))
#define FILES     (ONE(PART_ALL) | ONE(PART_FILE))
#define IN_MEMORY                                                                                  \
    (ONE(PART_ALL) | ONE(PART_MEMORY) | ONE(PART_MODELS) | ONE(PART_CSR) | ONE(PART_RANKS))

/* The parts that an option belongs to; 0: all. */
static const unsigned parts_of[OPTIONS] = {
    [DEVICE] = ~ONE(PART_RANKS),
    [STREAM] = ONE(PART_FILE) | ONE(PART_CSR) | ONE(PART_RANKS),
    [SCALE] = IN_MEMORY,
    [ID_TYPE] = IN_MEMORY,
    [UNIQUE] = ONE(PART_CSR),
    [PERMUTE] = ONE(PART_CSR),
    [INTERVALS] = ONE(PART_CSR),
    [DIR] = FILES,
    [SIZE] = FILES,
};

static int check_parts(const bench_options *o, const bool given[])
{
    for (int i = 0; i < OPTIONS; i++) {
        char allowed[256] = "";

        if (!given[i] || parts_of[i] == 0 || (parts_of[i] & ONE(o->part))) {
            continue;
        }
        for (int p = 0; bench_part_names[p] != NULL; p++) {
            if (parts_of[i] & ONE(p)) {
                strcat(strcat(allowed, *allowed != '\0' ? ", " : ""), bench_part_names[p]);
            }
        }
        return usage_error("bench", "--%s: given with --part %s, allowed: with --part %s",
                           table[i].name, bench_part_names[o->part], allowed);
    }
    return EXIT_OK;
}

/* CSR needs a stream with models.  The other parts need a stream without end, unlike rows. */
static int check_stream(const bench_options *o, const bool given[])
{
    const bool csr = o->part == PART_CSR, rows = o->stream == RMAT_STREAM_ROWS;

    if (csr ? o->stream != RMAT_STREAM_RMAT && !rows : rows) {
        return usage_error("bench", "--stream: '%s' given with --part %s, allowed: %s",
                           option_streams[o->stream], bench_part_names[o->part],
                           csr ? "rmat, rows" : "rmat, graph500, gapbs");
    }
    return rows && given[INTERVALS] ? usage_error("bench", "--intervals: given with --stream rows, "
                                                           "allowed: with --stream rmat")
                                    : EXIT_OK;
}

static int check_scales(const bench_options *o)
{
    const int least = o->part == PART_MODELS ? BENCH_MODEL_LEAST_SCALE : 1;
    const int most = o->stream == RMAT_STREAM_GAPBS ? RMAT_GAPBS_MAX_SCALE
                     : o->id_type == 1              ? 32
                     : o->part == PART_CSR          ? MOST_CSR_SCALE
                                                    : RMAT_MAX_SCALE;

    for (int s = 0; s < o->scales.count; s++) {
        if (o->scales.item[s] < least || o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: %d to %d",
                               o->scales.item[s], bench_part_names[o->part],
                               o->stream == RMAT_STREAM_GAPBS ? " and GAPBS's stream"
                               : o->id_type == 1              ? " and --id-type uint32"
                                                              : "",
                               least, most);
        }
    }
    return EXIT_OK;
}

static int parse_options(int argc, char **argv, bench_options *o)
{
    bool given[OPTIONS_MAX];
    int status;

    *o = (bench_options){.runs = 5, .intervals = 1, .dir = "."};
    status = options_parse(&bench_command_line, argc, argv, o, given, NULL);
    if (status != EXIT_OK || o->help) {
        return status;
    }
    status = check_parts(o, given);
    status = status == EXIT_OK ? check_stream(o, given) : status;
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

int bench_agree(int status)
{
    if (status == EXIT_OK && interrupt_signal() != 0) {
        runtime_error("bench", "stopped by %s", interrupt_name(interrupt_signal()));
        status = 128 + interrupt_signal();
    }
    status = client_parsed("bench", status);
    client_keep();
    return status;
}

/* --- Parts --- */

/* Finds the backends to measure, and assigns GPUs to the ranks of a host.  If there are none, `why`
 * becomes the reason. */
static int find_devices(bench_job *job, char why[DEVICES_TEXT])
{
    const bool ranks = job->o->part == PART_RANKS || dist_size() > 1;
    const int gpus = job->o->backend == RMAT_BACKEND_CPU ? 0 : devices_gpus(why);

    job->gpu = gpus > 0;
    job->cpu = ranks ? gpus == 0 : job->o->backend != RMAT_BACKEND_GPU;
    job->device = gpus > 0 && ranks ? dist_local_rank() % gpus : (int)job->o->device;
    if (!job->gpu && job->o->backend == RMAT_BACKEND_GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", why);
    }
    if (job->gpu && job->device >= gpus) {
        return runtime_error("bench",
                             "--device %d: this machine has no GPU of that number, only 0 to %d",
                             job->device, gpus - 1);
    }
    return EXIT_OK;
}

/* Reports the machine that was measured, at the beginning of both reports.  Collective. */
static void report_machine(const bench_job *job, json_object *json, const char *no_gpu)
{
    uint64_t threads = (uint64_t)job->threads;
    char cpu[256], date[32], why[DEVICES_TEXT];
    device_gpu gpu = {.name = ""};
    const time_t now = time(NULL);
    double load = NAN;

    dist_sum(&threads, 1);
    if (job->gpu) {
        devices_gpu(job->device, &gpu, why);
    }
    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    getloadavg(&load, 1);
    json_string(json, "version", rmat_version());
    json_string(json, "time", date);
    json_string(json, "cpu", cpu);
    json_string(json, "gpu", job->gpu ? gpu.name : NULL);
    json_u64(json, "threads", threads);
    json_u64(json, "ranks", (uint64_t)dist_size());
    json_u64(json, "hosts", (uint64_t)dist_host_count());
    json_f64(json, "load", load);
    if (!job->o->json && dist_rank() == 0) {
        text_line(stdout, "rmat %s, %s, load %.2f, median of %d turns", rmat_version(), date, load,
                  (int)job->o->runs);
        text_line(stdout, "%s, %d threads in all, ranks: %d, hosts: %d", cpu, (int)threads,
                  dist_size(), dist_host_count());
        text_line(stdout, "GPU: %s", job->gpu ? gpu.name : *no_gpu != '\0' ? no_gpu : "not used");
        fflush(stdout);
    }
}

/* Whether a width is measured: memory and models take both widths, unless the user chose one. */
static bool has_width(const bench_job *job, bench_part part, int id_bytes, int scale)
{
    const bool both = part == PART_MEMORY || part == PART_MODELS,
               fits = id_bytes == 8 || scale <= 32;
    const int asked = 4 * job->o->id_type, usual = scale <= 32 ? 4 : 8;

    return fits && (asked > 0 ? id_bytes == asked : both || id_bytes == usual);
}

/* A group for each backend, width of ids, and scale. */
static int measure_part(const bench_job *job, bench_part part)
{
    const option_list of_file = {1, {FILE_SCALE}};
    const option_list *scales = part == PART_FILE ? &of_file : &job->o->scales;
    bench_group g = {.job = job,
                     .part = part,
                     .room = part == PART_FILE  ? &bench_file
                             : part == PART_CSR ? &bench_csr
                                                : &bench_memory};
    bool heading = true;
    int status = EXIT_OK;

    for (int i = 0; i < 4 * scales->count && status == EXIT_OK; i++) {
        g.gpu = i / scales->count >= 2;
        g.id_bytes = i / scales->count % 2 == 0 ? 4 : 8;
        g.scale = scales->item[i % scales->count];
        if ((g.gpu ? job->gpu : job->cpu) && has_width(job, part, g.id_bytes, g.scale)) {
            g.n_cases = 0;
            status = bench_measure(&g, heading);
            heading = false;
        }
    }
    return status;
}

/* Prints the report for programs after everything succeeded. */
static int measure(const bench_options *o)
{
    const bench_part part = (bench_part)o->part;
    char why[DEVICES_TEXT] = "", *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    json_object json, cases;
    bench_job job = {.o = o, .threads = cpu_threads(o->threads), .cases = &cases};
    int status = memory != NULL ? find_devices(&job, why) : bench_failed(RMAT_ERR_NOMEM);

    status = bench_agree(status);
    if (status == EXIT_OK) {
        json_begin(&json, memory);
        report_machine(&job, &json, why);
        json_array_begin(&cases, &json, "cases");
        status = measure_part(&job, part == PART_ALL ? PART_MEMORY : part);
        if (status == EXIT_OK && part == PART_ALL) {
            status = measure_part(&job, PART_FILE);
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
    return status != EXIT_OK ? status : dist_rank() == 0 ? finish_stdout("bench") : EXIT_OK;
}

/* All ranks use rank 0's options, except --backend and --threads (mpirun a : b). */
static void share_options(bench_options *o)
{
    const bench_options mine = *o;

    dist_broadcast(o, sizeof *o);
    o->dir = mine.dir;
    o->backend = mine.backend;
    o->threads = mine.threads;
}

static int run_command(int argc, char **argv)
{
    bench_options o;
    int status = bench_agree(parse_options(argc, argv, &o));

    if (status != EXIT_OK) {
        return status;
    }
    share_options(&o);
    if (o.help) {
        if (dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
        return EXIT_OK;
    }
    if (dist_size() > 1 && o.part != PART_RANKS && o.stream != RMAT_STREAM_ROWS) {
        return bench_agree(usage_error(
            "bench", "--part: '%s' given on %d ranks, allowed: ranks, csr with --stream rows",
            bench_part_names[o.part], dist_size()));
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
