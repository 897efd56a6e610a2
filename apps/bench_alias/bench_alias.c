/*
 * bench_alias - the tables of the papers on alias tables and on rejection in lockstep, and the data
 * of their figures, on the CPU or on a GPU.
 *
 * A table of cases for each backend (cpu.c, gpu.c) lists the measurements.  The tables are text on
 * standard output; gnuplot finds one by its name: plot "FILE" index "NAME" using 1:2.
 */
#include "apps/bench_alias/bench_alias.h"
#include "alias/alias_gpu.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

enum { MAX_REPEATS = 101 };

const char *const bench_family_names[FAMILIES] = {"uniform", "power1", "sorted1"};

/* --- Lines and times --- */

void bench_row(bench *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(b->row, sizeof(b->row), format, args);
    va_end(args);
}

void bench_print(const bench *b, const char *format, ...)
{
    va_list args;

    printf("%-36s ", b->row);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

int bench_failed(const bench *b, const char *what, int status)
{
    if (status != ALIAS_OK) {
        runtime_error("", "%s: %s: %s%s%s", b->row, what, alias_strerror(status),
                      *alias_gpu_error() != '\0' ? ": " : "", alias_gpu_error());
    }
    return status != ALIAS_OK;
}

int bench_wall_clock(bench *b, bench_run run, void *arg, int r, double *ms)
{
    const double start = clock_seconds();
    const int failed = run(b, arg, r);

    *ms = 1e3 * (clock_seconds() - start);
    return failed;
}

int bench_time(bench *b, bench_clock clock, bench_run run, void *arg, bench_stats *ms)
{
    double times[MAX_REPEATS], first;
    int repeats = b->repeats;

    if (repeats > 1) {
        if (clock(b, run, arg, repeats, &first)) {
            return 1;
        }
        if (first > 20) {
            repeats = (int)bench_least((uint64_t)repeats, first > 1000 ? 3 : first > 100 ? 5 : 7);
        }
    }
    for (int r = 0; r < repeats; r++) {
        if (clock(b, run, arg, r, &times[r])) {
            return 1;
        }
    }
    *ms = bench_summary(times, (size_t)repeats);
    return 0;
}

int bench_rate(bench *b, bench_clock clock, bench_run run, void *arg, uint64_t count)
{
    bench_stats ms;

    if (bench_time(b, clock, run, arg, &ms)) {
        return 1;
    }
    bench_print(b, "%10.4f %10.4f %10.4f %8.4f", ms.median, ms.min, ms.max,
                1e-6 * (double)count / ms.median);
    return 0;
}

/* --- The command line --- */

typedef struct {
    const char *only; /* the name of a case */
    uint64_t limit, repeats;
    int backend;
    bool help;
} values;

enum { CASE, BACKEND, LIMIT, REPEATS, HELP, N_OPTIONS };

static const char *const backends[] = {"cpu", "gpu", NULL};

#define GROUP     "Options"
#define AT(field) offsetof(values, field)

/* clang-format off */
static const option table[N_OPTIONS] = {
    [CASE] = {.name = "case", .kind = OPTION_TEXT, .argument = "NAME", .offset = AT(only), .group = GROUP,
        .allowed = "all, or a name from the list below", .fallback = "all", .help = "what is measured"},
    [BACKEND] = {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(backend),
        .choices = backends, .fallback = "cpu", .group = GROUP,
        .help = "what builds and draws; gpu: the first of CUDA_VISIBLE_DEVICES"},
    [LIMIT] = {.name = "limit", .kind = OPTION_COUNT, .argument = "N", .offset = AT(limit), .min = 1000,
        .max = (uint64_t)1 << 40, .group = GROUP,
        .help = "no tables of more rows and no runs of more draws than N"},
    [REPEATS] = {.name = "repeats", .kind = OPTION_COUNT, .argument = "N", .offset = AT(repeats), .min = 1,
        .max = MAX_REPEATS, .fallback = "11, fewer if they take long", .group = GROUP,
        .help = "timed runs of each case; 1 runs everything once, without a warm-up, for a profiler"},
    [HELP] = OPTION_ROW_HELP(values, help, GROUP),
};
/* clang-format on */

static const command_line line = {
    .command = "",
    .program = "bench_alias",
    .synopsis = "[OPTION]...",
    .summary =
        "Print the papers' tables, and the data of their figures, as measured on this machine.",
    .options = table,
    .n_options = N_OPTIONS,
};

static const bench_backend *find_backend(int number)
{
#ifdef BENCH_HAS_GPU
    return number == 1 ? &bench_gpu : &bench_cpu;
#else
    return number == 1 ? NULL : &bench_cpu;
#endif
}

static void print_help(void)
{
    options_help(&line, stdout);
    for (int i = 0; backends[i] != NULL && find_backend(i) != NULL; i++) {
        const bench_backend *backend = find_backend(i);

        printf("\nCases with --backend %s:\n", backends[i]);
        for (int c = 0; c < backend->n_cases; c++) {
            printf("  %s: %s\n", backend->cases[c].name, backend->cases[c].title);
        }
    }
}

static int check_case(const bench_backend *backend, const values *v)
{
    bool known = strcmp(v->only, "all") == 0;
    char names[512] = "all";

    for (int c = 0; c < backend->n_cases; c++) {
        known = known || strcmp(v->only, backend->cases[c].name) == 0;
        text_append(names, sizeof(names), ", %s", backend->cases[c].name);
    }
    return known ? EXIT_OK
                 : usage_error("", "--case: '%s' is unknown, allowed with --backend %s: %s",
                               v->only, backends[v->backend], names);
}

static int run_case(const bench_backend *backend, const bench_case *one, bench *b)
{
    printf("\n\n# %s: %s\n# %s\n", one->name, one->title, one->columns);
    bench_row(b, "%s", one->name);
    if (one->most == 0) {
        return one->run(b);
    }
    for (uint64_t n = one->least; n <= one->most && (n == one->least || n <= b->rows); n *= 10) {
        b->n = bench_least(n, b->rows);
        for (b->family = UNIFORM; b->family <= one->last; b->family++) {
            if (backend->weights(b) || one->run(b)) {
                return 1;
            }
        }
    }
    return 0;
}

static int run_cases(const bench_backend *backend, const char *only, bench *b)
{
    const time_t now = time(NULL);
    char date[32];
    int failed;

    strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime(&now));
    printf("# bench_alias, %s: ", date);
    failed = backend->open(b);
    for (int c = 0; c < backend->n_cases && !failed; c++) {
        if (strcmp(only, "all") == 0 || strcmp(only, backend->cases[c].name) == 0) {
            failed = run_case(backend, &backend->cases[c], b);
        }
    }
    backend->close(b);
    return failed ? EXIT_RUNTIME : EXIT_OK;
}

int main(int argc, char **argv)
{
    values v = {.only = "all", .limit = UINT64_MAX, .repeats = 11};
    bool given[OPTIONS_MAX];
    const bench_backend *backend;
    int status;
    bench b;

    message_program(line.program);
    status = options_parse(&line, argc - 1, argv + 1, &v, given, NULL);
    if (status == EXIT_OK && v.help) {
        print_help();
        return finish_stdout("");
    }
    backend = find_backend(v.backend);
    if (status == EXIT_OK && v.backend == 1 && alias_gpu_count() == 0) {
        status = runtime_error("", "--backend: 'gpu' given, but %s",
                               backend == NULL ? "this build is without CUDA"
                                               : "there is no usable GPU");
    }
    if (status == EXIT_OK) {
        status = check_case(backend, &v);
    }
    if (status == EXIT_OK) {
        b = (bench){.repeats = (int)v.repeats, .limit = v.limit};
        status = run_cases(backend, v.only, &b);
    }
    return status != EXIT_OK ? status : finish_stdout("");
}
