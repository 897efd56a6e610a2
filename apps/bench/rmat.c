/*
 * bench_rmat - the rate of generating edges, in memory and into a file.
 *
 * Tables go to stderr, one JSON object with everything goes to standard output or to --json FILE.
 */
#include "apps/bench/rmat.h"
#include "apps/bench/rmat_gpu.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_EDGES      ((uint64_t)1 << 36)
#define MIN_FILE_BYTES ((uint64_t)1 << 20)
#define MAX_FILE_BYTES ((uint64_t)1 << 50)

enum { MAX_RUNS = 1000 };

typedef struct {
    bench_options bench;
    bool memory, file, gpu, force;
    const char *json; /* "-": standard output */
} command_options;

static int wrong(const char *name, const char *value, const char *what, const char *allowed)
{
    fprintf(stderr, "bench_rmat: --%s: '%s' %s, allowed: %s\n", name, value, what, allowed);
    return EXIT_USAGE;
}

static int parse_number(const char *name, const char *text, uint64_t min, uint64_t max,
                        uint64_t *value)
{
    number_status status = parse_count(text, value);
    char allowed[64];

    if (status == NUMBER_OK && *value >= min && *value <= max) {
        return EXIT_OK;
    }
    snprintf(allowed, sizeof allowed, "%" PRIu64 " to %" PRIu64, min, max);
    return wrong(name, text,
                 status == NUMBER_MALFORMED   ? "is not a number"
                 : status == NUMBER_NOT_WHOLE ? "is not a whole number"
                                              : "is out of range",
                 allowed);
}

static int parse_isa(const char *name, const char *text, rmat_isa *isa)
{
    char allowed[64] = "";

    for (rmat_isa i = RMAT_ISA_GENERIC; i <= RMAT_ISA_AVX512; i++) {
        if (!rmat_cpu_has_isa(i)) {
            continue;
        }
        if (strcmp(text, rmat_isa_name(i)) == 0) {
            *isa = i;
            return EXIT_OK;
        }
        strcat(strcat(allowed, *allowed != '\0' ? ", " : ""), rmat_isa_name(i));
    }
    return wrong(name, text, "is unknown or not to be had here", allowed);
}

/* "A,B,C" into numbers, or into isas where numbers is NULL. */
static int parse_list(const char *name, const char *text, uint64_t max, uint64_t *numbers,
                      rmat_isa *isas, size_t capacity, size_t *count)
{
    char *copy = strdup(text), *rest = copy, *item;
    int status = EXIT_OK;

    *count = 0;
    while (status == EXIT_OK && (item = strsep(&rest, ",")) != NULL) {
        if (*count == capacity) {
            status = wrong(name, text, "is too long", "as many as differ");
        } else if (numbers != NULL) {
            status = parse_number(name, item, 1, max, &numbers[(*count)++]);
        } else {
            status = parse_isa(name, item, &isas[(*count)++]);
        }
    }
    free(copy);
    return status;
}

static int parse_dir(const char *name, const char *text, const char **dir)
{
    struct stat st;

    if (stat(text, &st) != 0 || !S_ISDIR(st.st_mode) || access(text, W_OK | X_OK) != 0) {
        return wrong(name, text, "is no folder to write into", "an existing, writable folder");
    }
    *dir = text;
    return EXIT_OK;
}

static void set_defaults(command_options *c)
{
    static const uint64_t scales[] = {20, 26, 30, 32, 36, 42};
    bench_options *o = &c->bench;
    cpu_set_t cpus;
    uint64_t all = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (uint64_t)CPU_COUNT(&cpus) : 1;

    *c = (command_options){.memory = true, .file = true, .json = "-"};
    o->runs = 7;
    o->file_bytes = 8000000000;
    o->dir = ".";
    o->n_scales = sizeof scales / sizeof *scales;
    memcpy(o->scales, scales, sizeof scales);
    for (uint64_t t = 1; t < all; t *= 2) {
        o->threads[o->n_threads++] = t;
    }
    o->threads[o->n_threads++] = all;
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            o->isas[o->n_isas++] = isa;
        }
    }
}

static void print_help(void)
{
    puts(
        "usage: bench_rmat [options]\n"
        "Edges per second of the R-MAT generator on this machine.\n"
        "\n"
        "  --scales LIST      in memory; default 20,26,30,32,36,42\n"
        "  --isa LIST         of generic, avx2, avx512; default: all that the processor has\n"
        "  --threads LIST     default 1,2,4,... and all; the most of them make the file\n"
        "  --backend WHICH    cpu, or gpu: in its memory, and to file beside the CPU; default cpu\n"
        "  --edges N          of one measurement in memory; default 16Mi, gpu 8Gi\n"
        "  --runs N           measurements of each kind after one to warm up; default 7\n"
        "  --file-bytes N     size of the files; default 8G\n"
        "  --dir DIR          folder of the files; default: the current one\n"
        "  --no-file          only in memory\n"
        "  --no-memory        only to file\n"
        "  --json FILE        the results; default: -, standard output\n"
        "  --force            replace FILE if it exists\n"
        "  --help");
}

static int parse_options(int argc, char **argv, command_options *c)
{
    enum {
        SCALES,
        ISA,
        THREADS,
        BACKEND,
        EDGES,
        RUNS,
        FILE_BYTES,
        DIR,
        NO_FILE,
        NO_MEMORY,
        JSON,
        FORCE,
        HELP
    };
    static const struct option table[] = {[SCALES] = {"scales", 1, NULL, SCALES},
                                          [ISA] = {"isa", 1, NULL, ISA},
                                          [THREADS] = {"threads", 1, NULL, THREADS},
                                          [BACKEND] = {"backend", 1, NULL, BACKEND},
                                          [EDGES] = {"edges", 1, NULL, EDGES},
                                          [RUNS] = {"runs", 1, NULL, RUNS},
                                          [FILE_BYTES] = {"file-bytes", 1, NULL, FILE_BYTES},
                                          [DIR] = {"dir", 1, NULL, DIR},
                                          [NO_FILE] = {"no-file", 0, NULL, NO_FILE},
                                          [NO_MEMORY] = {"no-memory", 0, NULL, NO_MEMORY},
                                          [JSON] = {"json", 1, NULL, JSON},
                                          [FORCE] = {"force", 0, NULL, FORCE},
                                          [HELP] = {"help", 0, NULL, HELP},
                                          {0}};
    bench_options *o = &c->bench;
    int which, status = EXIT_OK;

    set_defaults(c);
    while (status == EXIT_OK && (which = getopt_long(argc, argv, "", table, NULL)) != -1) {
        const char *name = which <= HELP ? table[which].name : NULL;

        switch (which) {
        case SCALES:
            status =
                parse_list(name, optarg, RMAT_MAX_SCALE, o->scales, NULL, BENCH_LIST, &o->n_scales);
            break;
        case ISA:
            status = parse_list(name, optarg, 0, NULL, o->isas, BENCH_ISAS, &o->n_isas);
            break;
        case THREADS:
            status = parse_list(name, optarg, OPTION_MAX_THREADS, o->threads, NULL, BENCH_LIST,
                                &o->n_threads);
            break;
        case BACKEND:
            c->gpu = strcmp(optarg, "gpu") == 0;
            if (!c->gpu && strcmp(optarg, "cpu") != 0) {
                status = wrong(name, optarg, "is unknown", "cpu, gpu");
            }
            break;
        case EDGES:
            status = parse_number(name, optarg, 1, MAX_EDGES, &o->edges);
            break;
        case RUNS:
            status = parse_number(name, optarg, 1, MAX_RUNS, &o->runs);
            break;
        case FILE_BYTES:
            status = parse_number(name, optarg, MIN_FILE_BYTES, MAX_FILE_BYTES, &o->file_bytes);
            break;
        case DIR:
            status = parse_dir(name, optarg, &o->dir);
            break;
        case NO_FILE:
            c->file = false;
            break;
        case NO_MEMORY:
            c->memory = false;
            break;
        case JSON:
            c->json = optarg;
            break;
        case FORCE:
            c->force = true;
            break;
        case HELP:
            print_help();
            exit(EXIT_OK);
        default:
            return EXIT_USAGE; /* getopt_long() has said why */
        }
    }
    if (status == EXIT_OK && optind < argc) {
        fprintf(stderr, "bench_rmat: unexpected argument '%s', allowed: options only\n",
                argv[optind]);
        status = EXIT_USAGE;
    }
    if (o->edges == 0) {
        o->edges = (uint64_t)1 << (c->gpu ? 33 : 24);
    }
    return status;
}

static int measure(const command_options *c, FILE *json)
{
    int status = EXIT_OK;

    fprintf(json,
            "{\"benchmark\": \"bench_rmat\", \"version\": \"%s\", \"machine\": ", rmat_version());
    bench_machine_json(json);
    fprintf(json, ", \"runs\": %" PRIu64, c->bench.runs);
    if (c->memory) {
        status = c->gpu ? bench_rmat_gpu(&c->bench, json) : bench_rmat_memory(&c->bench, json);
        if (!c->gpu && status == EXIT_OK) {
            status = bench_rmat_options(&c->bench, json);
        }
    }
    if (c->file && status == EXIT_OK) {
        status = bench_rmat_file(&c->bench, c->gpu, json);
    }
    fprintf(json, "}\n");
    return status;
}

int main(int argc, char **argv)
{
    command_options c;
    whole_file json;
    int status = parse_options(argc, argv, &c);

    message_program("bench_rmat");
    if (status == EXIT_OK) {
        status = whole_file_open(&json, "", "json", c.json, c.force, NULL);
        if (status == EXIT_OK) {
            status = whole_file_close(&json, measure(&c, json.stream));
        }
    }
    return status != EXIT_OK ? status : finish_stdout("");
}
