/*
 * rmat verify: checks that a file is undamaged and holds the edges that its attributes describe.
 * This file has the command and the report.  A file that cannot be opened is wrong, unless the
 * system failed: the file is missing or unreadable, or this process lacks memory or file
 * descriptors.
 */
#include "apps/verify/verify.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "mpi/dist.h"
#include <inttypes.h>

#define AT(field) offsetof(verify_options, field)

enum { SAMPLE, THREADS, BACKEND, MEMORY, JSON, QUIET, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [SAMPLE] = {.name = "sample", .kind = OPTION_COUNT, .argument = "N", .offset = AT(sample),
        .min = 2, .max = (uint64_t)1 << 44,
        .group = "Options",
        .help = "compare only N chunks of 262144 edges: the first, the last, and others spread "
                "evenly between them; a sorted graph is made whole all the same"},
    [THREADS] = OPTION_ROW_THREADS(verify_options, threads, "Options", "number of threads"),
    [BACKEND] = OPTION_ROW_BACKEND(verify_options, backend, "Options",
        "device that generates the edges to compare with, which are the same on each; auto: the CPU"),
    [MEMORY] = OPTION_ROW_MEMORY(verify_options, memory, "Options",
        "half of the available memory, or 9/10 of a GPU's",
        "memory in bytes for the intervals in which a sorted graph is generated again"),
    [JSON] = OPTION_ROW_JSON(verify_options, json, "Options", "print one JSON object"),
    [QUIET] = OPTION_ROW_QUIET(verify_options, quiet, "Options",
        "print no progress, and only checks that fail"),
    [HELP] = OPTION_ROW_LONG_HELP(verify_options, help, "Options"),
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
        "was not checked: it is missing or cannot be read, or memory, file descriptors or the GPU "
        "failed; 128 + N stopped by signal N.",
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
        verify_say(&v, verify_is_failure(status) ? VERIFY_FAILED : VERIFY_WRONG, "file", "%s",
                   edgefile_detail());
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

int verify_main(int argc, char **argv)
{
    verify_options options = {0};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status;
    bool checks =
        one_process_parse(&verify_command_line, argc, argv, &options, given, files, &status);

    if (checks && files[0] == NULL) {
        status = usage_error("verify", "FILE missing, allowed: the path of an edge file");
    } else if (checks) {
        interrupt_install();
        status = each_file(files, options.json, true, verify, &options);
    } else if (status == EXIT_RUNTIME) {
        status = EXIT_UNCHECKED;
    }
    dist_stop();
    return status;
}
