/*
 * rmat verify: checks that a file is undamaged and holds the edges that its attributes describe.
 * This file has the command, the report, and the meaning of a file that cannot be opened: a damaged
 * file of rmat is wrong.  A file is not checked if it is missing, unreadable or another program's,
 * or if this process lacks memory or file descriptors.
 */
#include "apps/verify/verify.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

typedef struct {
    uint64_t sample, sample_seed, threads, memory;
    int backend;
    bool json, quiet, help;
} verify_values;

#define AT(field) offsetof(verify_values, field)

enum { SAMPLE, SAMPLE_SEED, THREADS, BACKEND, MEMORY, JSON, QUIET, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [SAMPLE] = {.name = "sample", .kind = OPTION_COUNT, .argument = "N", .offset = AT(sample),
        .min = 2, .max = (uint64_t)1 << 44,
        .group = "Options",
        .help = "compare only N chunks of 262144 edges: the first, the last, and random ones spread "
                "evenly between them; a sorted graph is made whole all the same"},
    [SAMPLE_SEED] = {.name = "sample-seed", .kind = OPTION_U64, .argument = "N",
        .offset = AT(sample_seed), .fallback = "random", .group = "Options",
        .help = "seed of the random chunks, as printed by an earlier run"},
    [THREADS] = OPTION_ROW_THREADS(verify_values, threads, "Options", "number of threads"),
    [BACKEND] = OPTION_ROW_BACKEND(verify_values, backend, "Options",
        "device that generates the edges to compare with, which are the same on each; auto: the CPU"),
    [MEMORY] = OPTION_ROW_MEMORY(verify_values, memory, "Options",
        "half of the available memory, or 9/10 of a GPU's",
        "memory in bytes for the intervals in which a sorted graph is generated again"),
    [JSON] = OPTION_ROW_JSON(verify_values, json, "Options", "print one JSON object"),
    [QUIET] = OPTION_ROW_QUIET(verify_values, quiet, "Options",
        "print no progress, and only checks that fail"),
    [HELP] = OPTION_ROW_LONG_HELP(verify_values, help, "Options"),
};
/* clang-format on */

const command_line verify_command_line = {
    .command = "verify",
    .synopsis = "verify FILE... [OPTION]...",
    .summary = "Check files that 'rmat generate' made: whether their attributes agree with each "
               "other, and whether their edges are those that the attributes describe.",
    .operand = "FILE",
    .many = true,
    .options = table,
    .n_options = N_OPTIONS,
    .common = "sample backend memory json quiet help",
    .examples = "rmat verify g.h5\n"
                "rmat verify g.h5 --sample 100\n"
                "rmat verify g.h5 --json --quiet",
    .notes =
        "The report has one line per check: ok, wrong, skipped with the reason, or failed if the "
        "check could not be finished. Files made by other generators, or by 'rmat convert', have "
        "no "
        "R-MAT model: their fingerprint is checked, and what their attributes say of the edges.\n"
        "\n"
        "Exit status: 0 all is right, 1 something is wrong with the file, 2 wrong usage, 3 the "
        "file "
        "was not checked: it is missing, cannot be read or is not a file of rmat, or memory, file "
        "descriptors or the GPU failed; 128 + N stopped by signal N.",
};

/* --- The report: one line per check, or one JSON object --- */

void verify_say(verify_file *v, verify_result result, const char *check, const char *format, ...)
{
    static const char *const names[] = {"ok", "skipped", "wrong", "failed"};
    char text[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    v->wrong += result == VERIFY_WRONG;
    v->failed += result == VERIFY_FAILED;
    if (v->o->json) {
        json_object one;

        json_object_begin(&one, &v->checks, NULL);
        json_string(&one, "check", check);
        json_string(&one, "result", names[result]);
        json_string(&one, "text", text);
        json_object_end(&one);
    } else if (!v->o->quiet || result >= VERIFY_WRONG) {
        text_line(stdout, "%-12s %s: %s", check, names[result], text);
    }
}

static void report_begin(verify_file *v)
{
    if (v->o->json) {
        json_begin(&v->object, stdout);
        json_string(&v->object, "file", v->file);
        json_array_begin(&v->checks, &v->object, "checks");
    }
}

static void report_end(verify_file *v, double seconds)
{
    const char *verdict = v->wrong > 0 ? "WRONG" : v->failed > 0 ? "not checked" : "all right";
    const bool ok = v->wrong + v->failed == 0;

    if (v->o->json) {
        json_array_end(&v->checks);
        json_string(&v->object, "verdict", verdict);
        json_bool(&v->object, "ok", ok);
        json_f64(&v->object, "seconds", seconds);
        json_end(&v->object);
    } else if (!v->o->quiet || !ok) {
        text_line(stdout, "%-12s %s: %s", "verdict", verdict, v->file);
    }
}

/* --- One file --- */

bool verify_is_failure(int status)
{
    return status == EDGEFILE_ERR_OPEN || status == EDGEFILE_ERR_IO ||
           status == EDGEFILE_ERR_NOMEM || status == EDGEFILE_ERR_NO_HDF5;
}

/* Whether another program made this file: less than half of HDF5's signature is there, or the
 * beginning, where our attributes are, has none of our names; a single damage does not hide all of
 * them.  A file that was cut off before it has names may be ours. */
static bool is_foreign(const char *name)
{
    enum { BEGINNING = 1 << 20, ENOUGH = 512 };
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    static const char *const marks[] = {"rmat-edges", "rmat-csr", "stream_version", "fingerprint"};
    static char bytes[BEGINNING];
    struct stat about;
    FILE *file = stat(name, &about) == 0 && S_ISREG(about.st_mode) ? fopen(name, "rb") : NULL;
    size_t n, equal = 0;

    if (file == NULL) {
        return true;
    }
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < sizeof signature && i < n; i++) {
        equal += bytes[i] == signature[i];
    }
    if (2 * equal < (n < sizeof signature ? n : sizeof signature)) {
        return true;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (memmem(bytes, n, marks[i], strlen(marks[i])) != NULL) {
            return false;
        }
    }
    return n >= ENOUGH;
}

/* Reports a file that could not be opened. */
static void report_unopened(verify_file *v, int status)
{
    const bool unknown = verify_is_failure(status) || is_foreign(v->file);

    verify_say(v, unknown ? VERIFY_FAILED : VERIFY_WRONG, "file", "%s", edgefile_detail());
}

/* For each_file(); state: verify_options. */
static int verify(const char *file, const void *state)
{
    static const char *const weights[] = {"", ", float weights", ", integer weights"};
    const double start = clock_seconds();
    verify_file v = {.o = state, .file = file};
    const int status = edgefile_open(&v.reader, file);
    int signal_number = 0;

    report_begin(&v);
    if (status != EDGEFILE_OK) {
        report_unopened(&v, status);
    } else {
        verify_say(&v, VERIFY_OK, "file", "%" PRIu64 " edges, ids of %d bits%s",
                   edgefile_edges(v.reader), 8 * edgefile_id_bytes(v.reader),
                   weights[edgefile_weight_of(v.reader)]);
        verify_attrs(&v);
        signal_number = verify_edges(&v);
    }
    edgefile_close(v.reader);
    report_end(&v, clock_seconds() - start);
    if (signal_number != 0) {
        runtime_error("verify", "stopped by %s", interrupt_name(signal_number));
        return 128 + signal_number;
    }
    return v.wrong > 0 ? EXIT_RUNTIME : v.failed > 0 ? EXIT_UNCHECKED : EXIT_OK;
}

/* --- The command --- */

static int resolve(const verify_values *raw, const bool *given, verify_options *out)
{
    if (given[SAMPLE_SEED] && !given[SAMPLE]) {
        return usage_error("verify", "--sample-seed: given alone, allowed: with --sample");
    }
    *out = (verify_options){.sample = raw->sample,
                            .sample_seed = raw->sample_seed,
                            .memory = raw->memory,
                            .threads = cpu_threads(raw->threads),
                            .backend = (rmat_backend)raw->backend,
                            .json = raw->json,
                            .quiet = raw->quiet};
    return given[SAMPLE_SEED] || getrandom(&out->sample_seed, sizeof out->sample_seed, 0) ==
                                     sizeof out->sample_seed
               ? EXIT_OK
               : runtime_error("verify", "no random numbers are available for the sample, choose "
                                         "them with --sample-seed");
}

int verify_main(int argc, char **argv)
{
    verify_values raw = {0};
    verify_options options;
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status;
    bool checks = one_process_parse(&verify_command_line, argc, argv, &raw, given, files, &status);

    if (checks) {
        status = files[0] == NULL
                     ? usage_error("verify", "FILE missing, allowed: the path of an edge file")
                     : resolve(&raw, given, &options);
    }
    if (checks && status == EXIT_OK) {
        interrupt_install();
        status = each_file(files, options.json, true, verify, &options);
    } else if (status == EXIT_RUNTIME) {
        status = EXIT_UNCHECKED;
    }
    dist_stop();
    return status;
}
