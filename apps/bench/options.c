/* The options of `rmat bench`: their table, and which of them belong to which part. */
#include "apps/bench/bench.h"
#include "apps/bench/command.h"
#include "apps/bench/models.h"
#include "apps/common/option_rows.h"
#include <string.h>

enum {
    PART,
    SECONDS,
    RUNS,
    BACKEND,
    THREADS,
    DEVICE,
    SCALE,
    ID_BITS,
    ISA,
    EDGES,
    DETAIL,
    DIR,
    SIZE,
    JSON,
    FORCE,
    HELP,
    OPTIONS
};

static const char *const part_names[] = {"all", "memory", "models", "file", NULL};
static const char *const id_names[] = {"auto", "32", "64", NULL};

/* In the order of rmat_isa. */
static const char *const isa_names[] = {"all", "generic", "avx2", "avx512", NULL};

#define AT(field) offsetof(bench_options, field)
#define GENERAL   "What to measure"
#define MEMORY    "Edges in memory"
#define DISK      "Edges into files"
#define REPORT    "Report"

/* clang-format off */
static const option table[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "all", .group = GENERAL,
        .help = "memory: edges into memory, by CPU and GPU; file: edges into files; all: these "
                "two; models: what each option of the model costs"},
    [SECONDS] = {.name = "seconds", .kind = OPTION_COUNT, .argument = "N", .offset = AT(seconds),
        .min = 1, .max = 3600, .fallback = "60", .group = GENERAL,
        .help = "duration, approximately; longer runs use larger files and give steadier figures"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = BENCH_MAX_RUNS, .fallback = "3 to 5, by the time", .group = GENERAL,
        .help = "measurements of each kind, which take turns; the tables show medians"},
    [BACKEND] = OPTION_ROW_BACKEND(bench_options, backend, GENERAL,
        "what makes the edges; auto: the CPU, and the GPU if there is one"),
    [THREADS] = OPTION_ROW_THREADS(bench_options, threads, GENERAL, "maximum number of threads"),
    [DEVICE] = OPTION_ROW_DEVICE(bench_options, device, GENERAL, "0",
        "number of the GPU, as `rmat info --devices` lists it"),
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,26,30,32,36", .group = MEMORY,
        .help = "scales of the graphs"},
    [ID_BITS] = {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_names, .fallback = "auto", .group = MEMORY,
        .help = "width of a vertex id; auto: both"},
    [ISA] = {.name = "isa", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(isa),
        .choices = isa_names, .fallback = "all", .group = MEMORY,
        .help = "instruction set of the CPU; all: each that it has, and the best one for models"},
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges),
        .min = 1, .max = (uint64_t)1 << 48, .allowed = "1 to 256Ti",
        .fallback = "by the time", .group = MEMORY,
        .help = "edges of one measurement, whatever time it takes"},
    [DETAIL] = OPTION_ROW_FLAG(bench_options, detail, MEMORY, "detail", 0,
        "also, by the CPU, blocks that stay in the cache, and fingerprints; by the GPU, pairs of "
        "ids, a matrix per level, one uniform number per level as RAFT draws it, and the limits "
        "set by memory and by random bits alone"),
    [DIR] = {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir),
        .fallback = ".", .group = DISK,
        .help = "folder on the disk to be measured; the files in it are removed afterwards"},
    [SIZE] = {.name = "size", .kind = OPTION_COUNT, .argument = "N", .offset = AT(size),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "by the time, at most 4Gi and a tenth of what is free", .group = DISK,
        .help = "size of a file in bytes, whatever time it takes"},
    [JSON] = {.name = "json", .kind = OPTION_REPORT, .argument = "FILE", .offset = AT(json),
        .group = REPORT,
        .help = "write all figures as one JSON object; - replaces the tables on standard output"},
    [FORCE] = OPTION_ROW_FORCE(bench_options, force, REPORT,
        "replace the file of --json if it exists"),
    [HELP] = OPTION_ROW_HELP(bench_options, help, REPORT),
};
/* clang-format on */

const command_line bench_command_line = {
    .command = "bench",
    .synopsis = "bench [OPTION]...",
    .summary =
        "Measure how fast this machine generates edges, in memory and into files. Each figure "
        "stands beside its limit: plain writes to the same memory or disk, measured in turns "
        "with it.",
    .options = table,
    .n_options = OPTIONS,
    .notes = "Exit status: 0, 1 something could not be measured, 2 wrong usage, 129, 130 or 143 "
             "stopped by SIGHUP, SIGINT or SIGTERM.",
};

#define ONE(part)       (1u << (part))
#define WITH_MEMORY     (ONE(PART_ALL) | ONE(PART_MEMORY))
#define WITH_GENERATORS (WITH_MEMORY | ONE(PART_MODELS))
#define WITH_FILES      (ONE(PART_ALL) | ONE(PART_FILE))

/* The parts that an option belongs to; 0: all. */
static const unsigned parts_of[OPTIONS] = {
    [SCALE] = WITH_GENERATORS, [ID_BITS] = WITH_GENERATORS, [ISA] = WITH_GENERATORS,
    [EDGES] = WITH_GENERATORS, [DETAIL] = WITH_MEMORY,      [DIR] = WITH_FILES,
    [SIZE] = WITH_FILES,
};

static int wrong_part(int which, int part)
{
    char allowed[128] = "";

    for (int p = 0; part_names[p] != NULL; p++) {
        if (parts_of[which] & ONE(p)) {
            strcat(strcat(allowed, *allowed != '\0' ? ", " : ""), part_names[p]);
        }
    }
    return usage_error("bench", "--%s: given with --part %s, allowed: with --part %s",
                       table[which].name, part_names[part], allowed);
}

static int check_scales(const bench_options *o, bool given)
{
    const int least = o->part == PART_MODELS ? BENCH_MODEL_LEAST_SCALE : 1;
    const int most = o->id_bits == 1 ? 32 : RMAT_MAX_SCALE;

    for (int s = 0; s < o->scales.count && given; s++) {
        if (o->scales.item[s] < least || o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: %d to %d",
                               o->scales.item[s], part_names[o->part],
                               o->id_bits == 1 ? " --id-bits 32" : "", least, most);
        }
    }
    return EXIT_OK;
}

static int check_isa(const bench_options *o)
{
    char allowed[64] = "all";

    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            strcat(strcat(allowed, ", "), isa_names[isa]);
        }
    }
    return o->isa == RMAT_ISA_AUTO || rmat_cpu_has_isa((rmat_isa)o->isa)
               ? EXIT_OK
               : usage_error("bench", "--isa: '%s' is not to be had here, allowed: %s",
                             isa_names[o->isa], allowed);
}

int bench_options_parse(int argc, char **argv, bench_options *o)
{
    bool given[OPTIONS_MAX];
    int status;

    *o = (bench_options){
        .seconds = 60, .scales = {.count = 5, .item = {20, 26, 30, 32, 36}}, .dir = "."};
    status = options_parse(&bench_command_line, argc, argv, o, given, NULL);
    if (status != EXIT_OK || o->help) {
        return status;
    }
    for (int i = 0; i < OPTIONS; i++) {
        if (given[i] && parts_of[i] != 0 && !(parts_of[i] & ONE(o->part))) {
            return wrong_part(i, o->part);
        }
    }
    status = check_scales(o, given[SCALE]);
    return status == EXIT_OK ? check_isa(o) : status;
}
