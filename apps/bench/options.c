/* The options of `rmat bench`: their table, and which of them belong to which part. */
#include "apps/bench/bench.h"
#include "apps/bench/command.h"
#include "apps/bench/models.h"
#include "apps/common/option_rows.h"
#include "rmat/rmat_gapbs.h"
#include <string.h>

enum {
    PART,
    SECONDS,
    RUNS,
    BACKEND,
    THREADS,
    DEVICE,
    STREAM,
    SCALE,
    ID_TYPE,
    ISA,
    EDGES,
    DETAIL,
    DIR,
    SIZE,
    EDGE_FACTOR,
    UNIQUE,
    PERMUTE,
    INTERVALS,
    ENDS,
    MEMORY,
    VERIFY,
    JSON,
    FORCE,
    HELP,
    OPTIONS
};

const char *const bench_part_names[] = {"all", "memory", "models", "file", "csr", "ranks", NULL};
static const char *const id_names[] = {"auto", "uint32", "uint64", NULL};

/* In the order of rmat_isa. */
static const char *const isa_names[] = {"all", "generic", "avx2", "avx512", "neon", NULL};

#define AT(field) offsetof(bench_options, field)
#define GENERAL   "What to measure"
#define GRAPHS    "Edges in memory"
#define DISK      "Edges into files"
#define SORTED    "CSR in memory"
#define REPORT    "Report"

/* clang-format off */
static const option table[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = bench_part_names, .fallback = "all", .group = GENERAL,
        .help = "what is measured; memory: edges into memory, by CPU and GPU; file: edges into files; all: both of these; models: what "
                "each option of the model costs; csr: sorted graphs in memory; "
                "ranks: what the ranks of mpirun do together, beside one of them alone: edges into "
                "memory, through the pipeline to the host, and into files by layout and write path"},
    [SECONDS] = {.name = "seconds", .kind = OPTION_COUNT, .argument = "N", .offset = AT(seconds),
        .min = 1, .max = 3600, .fallback = "60", .group = GENERAL,
        .help = "approximate duration; longer runs use larger files and give steadier figures"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = BENCH_MAX_RUNS, .fallback = "3 to 5, by the time; 3 with csr, 5 with ranks",
        .group = GENERAL,
        .help = "number of measurements of each kind, which take turns; the tables show medians"},
    [BACKEND] = OPTION_ROW_BACKEND(bench_options, backend, GENERAL,
        "device that generates the edges; auto: the CPU, and the GPU if there is one; with ranks, the GPU of a rank "
                "if it has one, else its CPU"),
    [THREADS] = OPTION_ROW_THREADS(bench_options, threads, GENERAL, "maximum number of threads"),
    [DEVICE] = OPTION_ROW_DEVICE(bench_options, device, GENERAL, "0",
        "number of the GPU, as `rmat info --devices` lists it"),
    [STREAM] = OPTION_ROW_STREAM(bench_options, stream, GRAPHS,
        "whose edges are generated, as of 'rmat generate'"),
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,26,30,32,36; 22 with csr, 30 with ranks",
        .group = GRAPHS,
        .help = "scales of the graphs"},
    [ID_TYPE] = {.name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE", .offset = AT(id_type),
        .choices = id_names, .fallback = "auto", .group = GRAPHS,
        .help = "type of a vertex number; auto: both, or with ranks uint32 where it suffices"},
    [ISA] = {.name = "isa", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(isa),
        .choices = isa_names, .fallback = "all", .group = GRAPHS,
        .help = "instruction set of the CPU; all: each that it has, and for models the best one"},
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges),
        .min = 1, .max = (uint64_t)1 << 48, .allowed = "1 to 256Ti",
        .fallback = "by the time", .group = GRAPHS,
        .help = "number of edges of one measurement, or of this rank's part of it, whatever time it takes"},
    [DETAIL] = OPTION_ROW_FLAG(bench_options, detail, GRAPHS, "detail", 0,
        "measure more variants: on the CPU, blocks that stay in the cache, and fingerprints; on the GPU, pairs of "
                "ids, a matrix per level, one uniform number per level as RAFT draws it, and the limits set by "
                "memory and by random bits alone"),
    [DIR] = {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir),
        .fallback = ".", .group = DISK,
        .help = "folder on the disk to be measured; the files in it are removed afterwards"},
    [SIZE] = {.name = "size", .kind = OPTION_COUNT, .argument = "N", .offset = AT(size),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "by the time, at most 4Gi and a tenth of what is free; 1Gi with ranks",
        .group = DISK,
        .help = "size of a file in bytes, or of each rank's part of it, whatever time it takes"},
    [EDGE_FACTOR] = {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(edge_factor), .min = 1, .max = 1024, .fallback = "16", .group = SORTED,
        .help = "edges of the stream per vertex"},
    [UNIQUE] = OPTION_ROW_FLAG(bench_options, unique, SORTED, "unique", 0, "keep each edge once"),
    [PERMUTE] = OPTION_ROW_FLAG(bench_options, permute, SORTED, "permute", 0,
        "permute the vertices"),
    [INTERVALS] = {.name = "intervals", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(intervals), .min = 1, .max = 1 << 16, .fallback = "1", .group = SORTED,
        .help = "number of intervals of the sorted order, of about equally many edges each; the "
                "whole stream is generated for each of them"},
    [ENDS] = OPTION_ROW_FLAG(bench_options, ends, SORTED, "ends", 0,
        "build only the first and the last interval"),
    [MEMORY] = OPTION_ROW_MEMORY(bench_options, memory, SORTED, "9/10 of what is free",
        "memory for an interval and its CSR, of the GPU or the host"),
    [VERIFY] = OPTION_ROW_FLAG(bench_options, verify, SORTED, "verify", 0,
        "compare each interval with another pass over the stream, on the GPU"),
    [JSON] = {.name = "json", .kind = OPTION_REPORT, .argument = "FILE", .offset = AT(json),
        .group = REPORT,
        .help = "write all figures as one JSON object; - replaces the tables on standard output"},
    [FORCE] = OPTION_ROW_FORCE(bench_options, force, REPORT,
        "replace the file of --json if it exists"),
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
    .common = "part seconds backend scale dir size json help",
    .examples = "rmat bench\n"
                "rmat bench --part memory --scale 30\n"
                "mpirun -n 4 rmat bench --part ranks",
    .notes = "Exit status: 0 success, 1 something could not be measured, 2 wrong usage, 128 + N "
             "stopped by signal N.",
};

#define ONE(part)  (1u << (part))
#define ALL_MEMORY (ONE(PART_ALL) | ONE(PART_MEMORY))
#define ALL_FILES  (ONE(PART_ALL) | ONE(PART_FILE) | ONE(PART_RANKS))
#define IN_TIME    (ALL_MEMORY | ONE(PART_MODELS) | ONE(PART_RANKS))
#define SORTING    ONE(PART_CSR)

/* The parts that an option belongs to; 0: all. */
static const unsigned parts_of[OPTIONS] = {
    [SECONDS] = IN_TIME | ONE(PART_FILE),
    [DEVICE] = ~ONE(PART_RANKS),
    [STREAM] = ONE(PART_RANKS) | ONE(PART_FILE),
    [SCALE] = IN_TIME | SORTING,
    [ID_TYPE] = IN_TIME,
    [ISA] = ALL_MEMORY | ONE(PART_MODELS),
    [EDGES] = IN_TIME,
    [DETAIL] = ALL_MEMORY,
    [DIR] = ALL_FILES,
    [SIZE] = ALL_FILES,
    [EDGE_FACTOR] = SORTING,
    [UNIQUE] = SORTING,
    [PERMUTE] = SORTING,
    [INTERVALS] = SORTING,
    [ENDS] = SORTING,
    [MEMORY] = SORTING,
    [VERIFY] = SORTING,
};

static int wrong_part(int which, int part)
{
    char allowed[256] = "";

    for (int p = 0; bench_part_names[p] != NULL; p++) {
        if (parts_of[which] & ONE(p)) {
            strcat(strcat(allowed, *allowed != '\0' ? ", " : ""), bench_part_names[p]);
        }
    }
    return usage_error("bench", "--%s: given with --part %s, allowed: with --part %s",
                       table[which].name, bench_part_names[part], allowed);
}

static int check_scales(const bench_options *o, bool given)
{
    const int least = o->part == PART_MODELS ? BENCH_MODEL_LEAST_SCALE : 1;
    const int most = o->stream >= RMAT_STREAM_GAPBS ? RMAT_GAPBS_MAX_SCALE
                     : o->id_type == 1              ? 32
                     : o->part == PART_CSR          ? 40
                                                    : RMAT_MAX_SCALE;

    if (o->part >= PART_RANKS && o->scales.count > 1) {
        return usage_error("bench", "--scale: %d values given with --part %s, allowed: one",
                           o->scales.count, bench_part_names[o->part]);
    }
    for (int s = 0; s < o->scales.count && given; s++) {
        if (o->scales.item[s] < least || o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: %d to %d",
                               o->scales.item[s], bench_part_names[o->part],
                               o->stream >= RMAT_STREAM_GAPBS ? " and GAPBS's stream"
                               : o->id_type == 1              ? " and --id-type uint32"
                                                              : "",
                               least, most);
        }
    }
    return EXIT_OK;
}

int bench_options_parse(int argc, char **argv, bench_options *o)
{
    bool given[OPTIONS_MAX];
    int status;

    *o = (bench_options){.seconds = 60, .edge_factor = 16, .intervals = 1, .dir = "."};
    status = options_parse(&bench_command_line, argc, argv, o, given, NULL);
    if (!given[SCALE]) {
        o->scales = o->part >= PART_RANKS ? (option_list){1, {30}}
                    : o->part == PART_CSR ? (option_list){1, {22}}
                                          : (option_list){5, {20, 26, 30, 32, 36}};
    }
    if (o->runs == 0 && o->part >= PART_CSR) {
        o->runs = o->part == PART_CSR ? BENCH_LEAST_RUNS : BENCH_USUAL_RUNS;
    }
    if (o->size == 0 && o->part >= PART_RANKS) {
        o->size = (uint64_t)1 << 30;
    }
    if (status != EXIT_OK || o->help) {
        return status;
    }
    for (int i = 0; i < OPTIONS; i++) {
        if (given[i] && parts_of[i] != 0 && !(parts_of[i] & ONE(o->part))) {
            return wrong_part(i, o->part);
        }
    }
    if (o->verify && o->backend != RMAT_BACKEND_GPU) {
        return usage_error("bench",
                           "--verify: given with --backend %s, allowed: with --backend gpu",
                           option_backends[o->backend]);
    }
    if (o->isa != RMAT_ISA_AUTO && !rmat_cpu_has_isa((rmat_isa)o->isa)) {
        return usage_error("bench",
                           "--isa: '%s' given, allowed: those that `rmat info --devices` lists",
                           isa_names[o->isa]);
    }
    return check_scales(o, given[SCALE]);
}
