/*
 * bench_alias - how fast alias tables are built and sampled, on the CPU or on a GPU.
 *
 * The results are one JSON object, on standard output or in --json FILE; tables go to stderr.  The
 * CPU's benchmark is cpu.c, the GPU's gpu.c and the files of its parts, gpu_*.c.
 */
#include "apps/bench_alias/bench_alias.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"

#include <stdlib.h>
#include <string.h>

#ifndef BENCH_HAS_GPU
int bench_alias_gpu_check(const bench_alias_options *o)
{
    (void)o;
    fprintf(stderr, "bench_alias: --backend: 'gpu' given, but this build is without CUDA\n");
    return EXIT_RUNTIME;
}

int bench_alias_gpu(const bench_alias_options *o, FILE *json)
{
    (void)json;
    return bench_alias_gpu_check(o);
}
#endif

typedef struct {
    const char *n, *builders, *json, *only;
    uint64_t threads, repeats, limit, device;
    int backend, row_bytes;
    bool force, all, list, help;
} values;

/* By name, for the rules between options; from ALL to DEVICE those of GPUs. */
enum {
    BACKEND,
    N,
    BUILDERS,
    THREADS,
    REPEATS,
    ROW_BYTES,
    JSON,
    FORCE,
    HELP,
    ALL,
    ONLY,
    LIST,
    LIMIT,
    DEVICE,
    N_OPTIONS
};

static const char *const backends[] = {"cpu", "gpu", NULL};
static const char *const row_widths[] = {"8", "16", NULL};

#define SIZES     "1 to 2147483648 (2^31)"
#define BUILDER   "auto, vose, sweep, psa, psa+, merge"
#define GENERAL   "Options"
#define GPU       "With --backend gpu"
#define AT(field) offsetof(values, field)

/* clang-format off */
static const option table[N_OPTIONS] = {
    [BACKEND] = {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(backend),
        .choices = backends, .fallback = "cpu", .group = GENERAL, .help = "what builds and draws"},
    [N] = {.name = "n", .kind = OPTION_TEXT, .argument = "LIST", .offset = AT(n), .allowed = SIZES,
        .fallback = "1e6,1e7,1e8, and 1e9 for draws on a GPU", .group = GENERAL,
        .help = "table sizes, up to 16 of them"},
    [BUILDERS] = {.name = "builders", .kind = OPTION_TEXT, .argument = "LIST", .offset = AT(builders),
        .allowed = BUILDER, .fallback = "all but auto", .group = GENERAL,
        .help = "builders, up to 16 of them; a GPU has auto, psa, psa+ and merge"},
    [THREADS] = OPTION_ROW_THREADS(values, threads, GENERAL, "CPU threads"),
    [REPEATS] = {.name = "repeats", .kind = OPTION_COUNT, .argument = "N", .offset = AT(repeats),
        .min = 1, .max = BENCH_REPEATS, .fallback = "7, on a GPU 11, fewer of slow cases", .group = GENERAL,
        .help = "timed runs of each case; 1 runs every case once, without a warm-up: for a profiler, together "
                "with --only"},
    [ROW_BYTES] = {.name = "row-bytes", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(row_bytes),
        .choices = row_widths, .fallback = "8", .group = GENERAL, .help = "width of a row"},
    [JSON] = {.name = "json", .kind = OPTION_REPORT, .argument = "FILE", .offset = AT(json),
        .fallback = "-", .group = GENERAL, .help = "write the results as one JSON object to FILE"},
    [FORCE] = OPTION_ROW_FORCE(values, force, GENERAL, "replace FILE if it exists"),
    [HELP] = OPTION_ROW_HELP(values, help, GENERAL),
    [ALL] = {.name = "all", .kind = OPTION_FLAG, .offset = AT(all), .group = GPU,
        .help = "measure everything: the papers' tables and figures, energy, limits of the machine"},
    [ONLY] = {.name = "only", .kind = OPTION_TEXT, .argument = "NAME", .offset = AT(only),
        .allowed = "the beginning of a name, or a pattern", .group = GPU,
        .help = "measure only cases of --all whose names begin with NAME or match it as a pattern"},
    [LIST] = {.name = "list", .kind = OPTION_FLAG, .offset = AT(list), .group = GPU,
        .help = "print the names of the cases, and measure nothing"},
    [LIMIT] = {.name = "limit", .kind = OPTION_COUNT, .argument = "N", .offset = AT(limit), .min = 1000,
        .max = (uint64_t)1 << 40, .allowed = "1000 to 1099511627776 (2^40)", .group = GPU,
        .help = "no tables, draws or splits beyond N"},
    [DEVICE] = OPTION_ROW_DEVICE(values, device, GPU, "0", "number of the GPU"),
};
/* clang-format on */

static const command_line line = {
    .command = "",
    .program = "bench_alias",
    .synopsis = "[OPTION]...",
    .summary = "Measure how fast alias tables are built and sampled on this machine.",
    .options = table,
    .n_options = N_OPTIONS,
};

static int wrong_value(int which, const char *value, const char *what, const char *allowed)
{
    return usage_error("", "--%s: '%s' %s, allowed: %s", table[which].name, value, what, allowed);
}

static int parse_size(const char *text, uint64_t *n)
{
    const number_status status = parse_count(text, n);

    if (status == NUMBER_MALFORMED) {
        return wrong_value(N, text, "is not a number", SIZES);
    }
    if (status == NUMBER_NOT_WHOLE) {
        return wrong_value(N, text, "is no whole number", SIZES);
    }
    return status == NUMBER_OK && *n >= 1 && *n <= (uint64_t)1 << 31
               ? EXIT_OK
               : wrong_value(N, text, "is out of range", SIZES);
}

static int parse_builder(const char *text, alias_builder *builder)
{
    for (int b = ALIAS_BUILDER_AUTO; b < alias_builder_count(); b++) {
        if (strcmp(text, alias_builder_name((alias_builder)b)) == 0) {
            *builder = (alias_builder)b;
            return EXIT_OK;
        }
    }
    return wrong_value(BUILDERS, text, "is unknown", BUILDER);
}

/* Comma-separated sizes or builders, of which there are none if text is NULL. */
static int parse_list(bench_alias_options *o, int which, const char *text)
{
    char *copy = text != NULL ? strdup(text) : NULL, *rest = copy, *item;
    int count = 0, status = EXIT_OK;

    while (status == EXIT_OK && (item = strsep(&rest, ",")) != NULL) {
        if (count == BENCH_LIST) {
            status = wrong_value(which, item, "is one too many", "16 of them");
        } else {
            status = which == N ? parse_size(item, &o->n[count])
                                : parse_builder(item, &o->builder[count]);
        }
        count++;
    }
    *(which == N ? &o->sizes : &o->builders) = count;
    free(copy);
    return status;
}

/* What is left unsaid, and what does not go together. */
static int complete_options(bench_alias_options *o, const bool *given)
{
    static const alias_builder all[] = {ALIAS_BUILDER_VOSE, ALIAS_BUILDER_SWEEP, ALIAS_BUILDER_PSA,
                                        ALIAS_BUILDER_PSA_PLUS, ALIAS_BUILDER_MERGE};
    bool gpu = o->backend == ALIAS_BACKEND_GPU;
    int skip = gpu ? 2 : 0;

    for (int i = ALL; i <= DEVICE && !gpu; i++) {
        if (given[i]) {
            return usage_error("", "--%s: given with --backend cpu, allowed: with --backend gpu",
                               table[i].name);
        }
    }
    for (int b = 0; b < o->builders && gpu; b++) {
        if (o->builder[b] == ALIAS_BUILDER_VOSE || o->builder[b] == ALIAS_BUILDER_SWEEP) {
            return wrong_value(BUILDERS, alias_builder_name(o->builder[b]), "is sequential",
                               "with --backend gpu: auto, psa, psa+, merge");
        }
    }
    if (o->builders == 0) {
        o->builders = (int)(sizeof(all) / sizeof(all[0])) - skip;
        memcpy(o->builder, all + skip, (size_t)o->builders * sizeof(all[0]));
    }
    if (o->repeats == 0) {
        o->repeats = gpu ? 11 : 7;
    }
    return EXIT_OK;
}

static int parse_options(int argc, char **argv, bench_alias_options *o, values *v)
{
    bool given[OPTIONS_MAX];
    int status = options_parse(&line, argc - 1, argv + 1, v, given, NULL);

    if (status != EXIT_OK || v->help) {
        return status;
    }
    *o = (bench_alias_options){.backend = v->backend == 1 ? ALIAS_BACKEND_GPU : ALIAS_BACKEND_CPU,
                               .threads = (int)v->threads,
                               .repeats = (int)v->repeats,
                               .row_bytes = v->row_bytes == 1 ? 16 : 8,
                               .device = (int)v->device,
                               .all = v->all,
                               .list = v->list,
                               .only = v->only,
                               .limit = v->limit};
    status = parse_list(o, N, v->n);
    if (status == EXIT_OK) {
        status = parse_list(o, BUILDERS, v->builders);
    }
    return status == EXIT_OK ? complete_options(o, given) : status;
}

static int write_results(const bench_alias_options *o, FILE *json)
{
    int status;

    fprintf(json, "{\"benchmark\": \"alias\", \"machine\": ");
    bench_machine_json(json);
    fprintf(json, ", \"threads\": %d, \"row_bytes\": %d, \"repeats\": %d", o->threads, o->row_bytes,
            o->repeats);
    status = o->backend == ALIAS_BACKEND_GPU ? bench_alias_gpu(o, json) : bench_alias_cpu(o, json);
    fprintf(json, "}\n");
    return status;
}

int main(int argc, char **argv)
{
    values v = {.json = "-", .limit = UINT64_MAX};
    bench_alias_options o;
    whole_file json;
    int status;

    message_program(line.program);
    status = parse_options(argc, argv, &o, &v);
    if (status == EXIT_OK && v.help) {
        options_help(&line, stdout);
        return finish_stdout("");
    }
    if (status == EXIT_OK && o.backend == ALIAS_BACKEND_GPU && !o.list) {
        status = bench_alias_gpu_check(&o);
    }
    if (status != EXIT_OK) {
        return status;
    }
    if (o.list) {
        return bench_alias_gpu(&o, stdout);
    }
    status = whole_file_open(&json, "", "json", v.json, v.force, NULL);
    if (status == EXIT_OK) {
        status = whole_file_close(&json, write_results(&o, json.stream));
    }
    return status != EXIT_OK ? status : finish_stdout("");
}
