/* rmat verify: checks that a file is undamaged and holds the edges that its attributes describe. */
#include "apps/verify/verify.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

typedef struct {
    uint64_t sample, sample_seed, threads, device, memory;
    int backend;
    bool json, quiet, help;
} verify_values;

#define AT(field) offsetof(verify_values, field)

enum { SAMPLE, SAMPLE_SEED, THREADS, BACKEND, DEVICE, MEMORY, JSON, QUIET, HELP, N_OPTIONS };

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
    [DEVICE] = OPTION_ROW_DEVICE(verify_values, device, "Options", "0",
        "number of the GPU for --backend gpu, as CUDA counts them"),
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
               "other, and "
               "whether their edges are those that the attributes describe.",
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

static void report_file(verify_report *report, edgefile_reader *r)
{
    static const char *const weights[] = {"", ", float weights", ", integer weights"};

    verify_ok(report, "file", "%" PRIu64 " edges, ids of %d bits%s", edgefile_edges(r),
              8 * edgefile_id_bytes(r), weights[edgefile_weight_of(r)]);
}

/* Verifies one file, for each_file(); state: verify_options. */
static int verify(const char *file, const void *state)
{
    verify_options chosen = *(const verify_options *)state, *options = &chosen;
    double start = clock_seconds();
    edgefile_reader *r = NULL;
    verify_report report;
    file_model model;
    int signal_number = 0, status;

    options->file = file;
    verify_report_begin(&report, file, options->json, options->quiet);
    status = edgefile_open(&r, options->file);
    if (status != EDGEFILE_OK) {
        verify_not_opened(&report, status, options->file);
    } else {
        char name[FOREIGN_MAKER];
        const char *maker = foreign_maker(r, name);
        bool has_model = false;

        report_file(&report, r);
        if (maker != NULL) {
            verify_foreign(&report, r, maker, &model);
        } else {
            has_model = verify_attrs(&report, r, &model);
        }
        signal_number = verify_edges(&report, r, options, has_model ? &model : NULL,
                                     maker != NULL ? &model : NULL, maker);
    }
    edgefile_close(r);
    verify_report_end(&report, clock_seconds() - start);
    if (signal_number != 0) {
        runtime_error("verify", "stopped by %s", interrupt_name(signal_number));
        return 128 + signal_number;
    }
    return report.wrong > 0 ? EXIT_RUNTIME : report.failed > 0 ? EXIT_UNCHECKED : EXIT_OK;
}

static int resolve(const verify_values *raw, const bool *given, verify_options *out)
{
    if (given[DEVICE] && raw->backend != RMAT_BACKEND_GPU) {
        return usage_error("verify", "--device: given with --backend %s, allowed: with gpu",
                           option_backends[raw->backend]);
    }
    if (given[SAMPLE_SEED] && !given[SAMPLE]) {
        return usage_error("verify", "--sample-seed: given alone, allowed: with --sample");
    }
    if (out->file == NULL) {
        return usage_error("verify", "FILE missing, allowed: the path of an edge file");
    }
    out->sample = raw->sample;
    out->sample_seed = raw->sample_seed;
    if (!given[SAMPLE_SEED] &&
        getrandom(&out->sample_seed, sizeof out->sample_seed, 0) != sizeof out->sample_seed) {
        return runtime_error("verify",
                             "no random numbers are available for the sample, choose them with "
                             "--sample-seed");
    }
    out->memory = raw->memory;
    out->threads = cpu_threads(raw->threads);
    out->backend = (rmat_backend)raw->backend;
    out->device = given[DEVICE] ? (int)raw->device : -1;
    out->json = raw->json;
    out->quiet = raw->quiet;
    return EXIT_OK;
}

int verify_main(int argc, char **argv)
{
    verify_values raw = {0};
    verify_options options = {0};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status = one_process("verify");

    if (status == EXIT_OK) {
        status = options_parse(&verify_command_line, argc, argv, &raw, given, files);
        options.file = files[0];
    }
    if (status == EXIT_OK && !raw.help) {
        status = resolve(&raw, given, &options);
    }
    if (status == EXIT_RUNTIME) {
        status = EXIT_UNCHECKED;
    } else if (status == EXIT_OK && raw.help) {
        options_help(&verify_command_line, stdout);
    } else if (status == EXIT_OK) {
        interrupt_install();
        status = each_file(files, options.json, true, verify, &options);
    }
    if (status == EXIT_OK && finish_stdout("verify") != EXIT_OK) {
        status = EXIT_UNCHECKED;
    }
    dist_stop();
    return status;
}
