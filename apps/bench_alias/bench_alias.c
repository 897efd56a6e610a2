/*
 * bench_alias - how fast alias tables are built and sampled, on the CPU or on a GPU.
 *
 * The results are one JSON object, on standard output or in --json FILE; tables go to stderr.  The
 * CPU's benchmark is apps/bench_alias/cpu.c, the GPU's apps/bench_alias/gpu.c and the files of its
 * parts.
 */
#include "apps/bench_alias/bench_alias.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "apps/common/whole_file.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bench_alias [options]\n"
    "How fast alias tables are built and sampled on this machine.\n"
    "\n"
    "  --backend B      cpu (default) or gpu\n"
    "  --n LIST         table sizes, each 1 to 2^31; default 1e6,1e7,1e8 (drawing on a GPU: 1e9 "
    "too)\n"
    "  --builders LIST  of auto,vose,sweep,psa,psa+,merge; default: all but auto.\n"
    "                   gpu: of auto,psa,psa+,merge\n"
    "  --threads T      of the CPU, 0 to 1024; 0, the default: all that this process may use\n"
    "  --repeats R      timed runs of each case, 1 to 101; default 7, gpu 11 (fewer of slow "
    "cases)\n"
    "  --row-bytes B    8 (default) or 16\n"
    "  --json FILE      the results; default: -, standard output\n"
    "  --force          replace FILE if it exists\n"
    "  --help\n"
    "\n"
    "With --backend gpu:\n"
    "  --all            everything: the papers' tables and figures, energy, limits of the machine\n"
    "  --only NAME      only cases whose names begin with NAME or match it as a pattern, of --all\n"
    "  --list           print the names of the cases, and measure nothing\n"
    "  --rng R          philox (default) or xorwow: draws as in the papers' benchmark\n"
    "  --limit N        no tables, draws or splits beyond N, 1000 to 2^40\n"
    "  --device D       which GPU, 0 to 1023; default 0\n"
    "\n"
    "--repeats 1 runs every case once, without a warm-up: for a profiler, together with --only.\n";

static int wrong(const char *name, const char *value, const char *what, const char *allowed)
{
    fprintf(stderr, "bench_alias: --%s: '%s' %s, allowed: %s\n", name, value, what, allowed);
    return EXIT_USAGE;
}

/* A whole number, perhaps as 1e6. */
static int parse_number(const char *name, const char *text, double low, double high,
                        const char *allowed, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || isnan(*value)) {
        return wrong(name, text, "is not a number", allowed);
    }
    if (errno != 0 || *value < low || *value > high) {
        return wrong(name, text, "is out of range", allowed);
    }
    return *value == floor(*value) ? EXIT_OK : wrong(name, text, "is no whole number", allowed);
}

static int parse_int(const char *name, const char *text, int low, int high, const char *allowed,
                     int *value)
{
    double number;
    int status = parse_number(name, text, low, high, allowed, &number);

    if (status == EXIT_OK) {
        *value = (int)number;
    }
    return status;
}

static int parse_size(const char *text, uint64_t *n)
{
    double number;
    int status = parse_number("n", text, 1, 2147483648.0, "1 to 2147483648 (2^31)", &number);

    if (status == EXIT_OK) {
        *n = (uint64_t)number;
    }
    return status;
}

static int parse_builder(const char *text, alias_builder *builder)
{
    for (int b = ALIAS_BUILDER_AUTO; b <= ALIAS_BUILDER_MERGE; b++) {
        if (strcmp(text, alias_builder_name((alias_builder)b)) == 0) {
            *builder = (alias_builder)b;
            return EXIT_OK;
        }
    }
    return wrong("builders", text, "is unknown", "auto, vose, sweep, psa, psa+, merge");
}

/* Comma-separated sizes, or builders where sizes is false; text is cut up. */
static int parse_list(bench_alias_options *o, bool sizes, char *text)
{
    int count = 0, status = EXIT_OK;
    char *item;

    while (status == EXIT_OK && (item = strsep(&text, ",")) != NULL) {
        if (count == BENCH_LIST) {
            return wrong(sizes ? "n" : "builders", item, "is one too many", "16 of them");
        }
        status = sizes ? parse_size(item, &o->n[count]) : parse_builder(item, &o->builder[count]);
        count++;
    }
    *(sizes ? &o->sizes : &o->builders) = count;
    return status;
}

static int parse_choice(const char *name, const char *text, const char *first, const char *second,
                        const char *allowed, bool *is_second)
{
    *is_second = strcmp(text, second) == 0;
    return *is_second || strcmp(text, first) == 0 ? EXIT_OK
                                                  : wrong(name, text, "is unknown", allowed);
}

static int parse_row_bytes(const char *text, int *bytes)
{
    bool wide;
    int status = parse_choice("row-bytes", text, "8", "16", "8, 16", &wide);

    *bytes = wide ? 16 : 8;
    return status;
}

/* What is left unsaid, and what does not go together. */
static int finish(bench_alias_options *o, const char *gpu_option)
{
    static const alias_builder all[] = {ALIAS_BUILDER_VOSE, ALIAS_BUILDER_SWEEP, ALIAS_BUILDER_PSA,
                                        ALIAS_BUILDER_PSA_PLUS, ALIAS_BUILDER_MERGE};
    bool gpu = o->backend == ALIAS_BACKEND_GPU;
    int skip = gpu ? 2 : 0;

    if (gpu_option != NULL && !gpu) {
        fprintf(stderr,
                "bench_alias: --%s: given with --backend cpu, allowed: with --backend gpu\n",
                gpu_option);
        return EXIT_USAGE;
    }
    for (int b = 0; b < o->builders && gpu; b++) {
        if (o->builder[b] == ALIAS_BUILDER_VOSE || o->builder[b] == ALIAS_BUILDER_SWEEP) {
            return wrong("builders", alias_builder_name(o->builder[b]), "is sequential",
                         "with --backend gpu: auto, psa, psa+, merge");
        }
    }
    if (o->xorwow && o->row_bytes != 8) {
        return wrong("rng", "xorwow", "reads 8-byte rows", "with --row-bytes 8");
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

static int parse_options(int argc, char **argv, bench_alias_options *o, const char **json,
                         bool *force)
{
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
        RNG,
        LIMIT,
        DEVICE /* the GPU's */
    };
    static const struct option table[] = {[BACKEND] = {"backend", 1, NULL, BACKEND},
                                          [N] = {"n", 1, NULL, N},
                                          [BUILDERS] = {"builders", 1, NULL, BUILDERS},
                                          [THREADS] = {"threads", 1, NULL, THREADS},
                                          [REPEATS] = {"repeats", 1, NULL, REPEATS},
                                          [ROW_BYTES] = {"row-bytes", 1, NULL, ROW_BYTES},
                                          [JSON] = {"json", 1, NULL, JSON},
                                          [FORCE] = {"force", 0, NULL, FORCE},
                                          [HELP] = {"help", 0, NULL, HELP},
                                          [ALL] = {"all", 0, NULL, ALL},
                                          [ONLY] = {"only", 1, NULL, ONLY},
                                          [LIST] = {"list", 0, NULL, LIST},
                                          [RNG] = {"rng", 1, NULL, RNG},
                                          [LIMIT] = {"limit", 1, NULL, LIMIT},
                                          [DEVICE] = {"device", 1, NULL, DEVICE},
                                          {0}};
    const char *gpu_option = NULL;
    int which, status = EXIT_OK;
    double number;
    bool gpu;

    while (status == EXIT_OK && (which = getopt_long(argc, argv, "", table, NULL)) != -1) {
        switch (which) {
        case BACKEND:
            status = parse_choice("backend", optarg, "cpu", "gpu", "cpu, gpu", &gpu);
            o->backend = gpu ? ALIAS_BACKEND_GPU : ALIAS_BACKEND_CPU;
            break;
        case N:
            status = parse_list(o, true, optarg);
            break;
        case BUILDERS:
            status = parse_list(o, false, optarg);
            break;
        case THREADS:
            status = parse_int("threads", optarg, 0, 1024, "0 to 1024", &o->threads);
            break;
        case REPEATS:
            status = parse_int("repeats", optarg, 1, BENCH_REPEATS, "1 to 101", &o->repeats);
            break;
        case ROW_BYTES:
            status = parse_row_bytes(optarg, &o->row_bytes);
            break;
        case JSON:
            *json = optarg;
            break;
        case FORCE:
            *force = true;
            break;
        case HELP:
            fputs(help, stdout);
            exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_RUNTIME);
        case ALL:
            o->all = true;
            break;
        case ONLY:
            o->only = optarg;
            break;
        case LIST:
            o->list = true;
            break;
        case RNG:
            status = parse_choice("rng", optarg, "philox", "xorwow", "philox, xorwow", &o->xorwow);
            break;
        case LIMIT:
            status = parse_number("limit", optarg, 1000, 0x1p40, "1000 to 1099511627776 (2^40)",
                                  &number);
            o->limit = (uint64_t)number;
            break;
        case DEVICE:
            status = parse_int("device", optarg, 0, 1023, "0 to 1023", &o->device);
            break;
        default:
            return EXIT_USAGE; /* getopt_long() has said why */
        }
        gpu_option = which >= ALL ? table[which].name : gpu_option;
    }
    if (status == EXIT_OK && optind < argc) {
        fprintf(stderr, "bench_alias: unexpected argument '%s', allowed: options only\n",
                argv[optind]);
        status = EXIT_USAGE;
    }
    return status == EXIT_OK ? finish(o, gpu_option) : status;
}

static int measure(const bench_alias_options *o, FILE *json)
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
    bench_alias_options o = {.backend = ALIAS_BACKEND_CPU, .row_bytes = 8, .limit = UINT64_MAX};
    const char *path = "-";
    bool force = false;
    whole_file json;
    int status = parse_options(argc, argv, &o, &path, &force);

    message_program("bench_alias");
    if (status == EXIT_OK && o.backend == ALIAS_BACKEND_GPU && !o.list) {
        status = bench_alias_gpu_check(&o);
    }
    if (status != EXIT_OK) {
        return status;
    }
    if (o.list) {
        return bench_alias_gpu(&o, stdout);
    }
    status = whole_file_open(&json, "", "json", path, force, NULL);
    if (status == EXIT_OK) {
        status = whole_file_close(&json, measure(&o, json.stream));
    }
    return status != EXIT_OK ? status : finish_stdout("");
}
