/* The edges into a file: its attributes, and the run of the pipeline. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/gpu.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/progress.h"
#include "apps/engine/pipeline/gpu.h"
#include "rmat/rmat.h"
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BUFFER_BYTES = 128 << 20 };

__attribute__((format(printf, 2, 3))) static void add(char text[CHUNG_LU_COMMAND],
                                                      const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, CHUNG_LU_COMMAND - used, format, arguments);
    va_end(arguments);
}

void chung_lu_format_command(char text[CHUNG_LU_COMMAND], const chung_lu_options *o,
                             const chung_lu_stream *stream)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT];

    text[0] = '\0';
    if (o->degrees != NULL) {
        add(text, "chung_lu --degrees FILE");
    } else {
        add(text, "chung_lu --power-law %s --vertices %" PRIu64 " --min-degree %s --max-degree %s",
            format_double(x, o->exponent), o->vertices, format_double(y, o->min_degree),
            format_double(z, o->max_degree));
    }
    add(text, " --edges %" PRIu64 " --seed %" PRIu64, stream->edges, stream->seed);
    add(text, "%s",
        stream->id_bytes == 8 && o->vertices <= (uint64_t)1 << 32 ? " --id-bits 64" : "");
}

static void put(chung_lu_attrs *a, const char *name, edgefile_type type, const void *value)
{
    a->list[a->n++] = (edgefile_attr){name, type, 1, value};
}

void chung_lu_spec(edgefile_spec *spec, chung_lu_attrs *a, const chung_lu_options *o,
                   const chung_lu_stream *stream, const char *command)
{
    a->n = 0;
    a->vertices = stream->vertices;
    a->seed = stream->seed;
    a->batch = stream->batch;
    for (a->scale = 0; (uint64_t)1 << a->scale < stream->vertices; a->scale++) {
    }
    snprintf(a->generator, sizeof a->generator, "chung_lu %s", rmat_version());
    put(a, "generator", EDGEFILE_STRING, a->generator);
    put(a, "model", EDGEFILE_STRING, "chung-lu");
    put(a, "rows_scale", EDGEFILE_U64, &a->scale);
    put(a, "cols_scale", EDGEFILE_U64, &a->scale);
    put(a, "num_rows", EDGEFILE_U64, &a->vertices);
    put(a, "num_cols", EDGEFILE_U64, &a->vertices);
    if (o->degrees == NULL) {
        put(a, "exponent", EDGEFILE_F64, &o->exponent);
        put(a, "min_degree", EDGEFILE_F64, &o->min_degree);
        put(a, "max_degree", EDGEFILE_F64, &o->max_degree);
    }
    put(a, "seed", EDGEFILE_U64, &a->seed);
    put(a, "batch", EDGEFILE_U64, &a->batch);
    put(a, "command", EDGEFILE_STRING, command);
    *spec = (edgefile_spec){.edges = stream->edges,
                            .id_bytes = stream->id_bytes,
                            .path = o->path,
                            .replace = o->force,
                            .layout = EDGEFILE_LAYOUT_SINGLE,
                            .attrs = a->list,
                            .n_attrs = a->n};
}

static int tick(void *argument, uint64_t done)
{
    progress_update(argument, done);
    return interrupt_signal();
}

static int file_error(int status)
{
    return runtime_error("", "%s%s", edgefile_detail(),
                         status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
}

static int stopped(const char *output)
{
    int signal_number = interrupt_signal();

    runtime_error("", "stopped by %s, '%s' was not made", interrupt_name(signal_number), output);
    return 128 + signal_number;
}

/* All edges, by the CPU or the GPU. */
static int fill(edgefile_writer *writer, chung_lu_summary *summary, progress *bar)
{
    const chung_lu_stream *s = summary->stream;
    const chung_lu_maker *maker = summary->maker;
    chung_lu_cpu cpu = {maker->table, s, summary->options->threads};
    chung_lu_gpu *gpu = NULL;
    pipeline_producer producer = chung_lu_cpu_producer(&cpu);
    pipeline_plan plan;
    pipeline_result result;
    char text[PIPELINE_TEXT];

    if (maker->gpu) {
        if (chung_lu_gpu_open(&gpu, maker->table, s, maker->device, text, sizeof text) != 0) {
            return runtime_error("", "%s", text);
        }
        producer = chung_lu_gpu_producer(gpu);
        pipeline_gpu_make_plan(&plan, s->edges, s->id_bytes, 0, summary->path, 0, BUFFER_BYTES);
    } else {
        pipeline_make_plan(&plan, s->edges, s->id_bytes, 0, 1, summary->path, 0, BUFFER_BYTES);
    }
    pipeline_run(&plan, NULL, &producer, NULL, writer, tick, bar, &result);
    chung_lu_gpu_close(gpu);
    progress_end(bar, false);
    return result.error != NULL      ? runtime_error("", "%s", result.error)
           : interrupt_signal() != 0 ? stopped(summary->options->output)
                                     : EXIT_OK;
}

int chung_lu_write(chung_lu_summary *summary)
{
    const chung_lu_options *o = summary->options;
    edgefile_writer *writer = NULL;
    edgefile_spec spec;
    chung_lu_attrs attrs;
    progress bar;
    struct stat st;
    double start;
    int status;

    chung_lu_spec(&spec, &attrs, o, summary->stream, summary->command);
    interrupt_install();
    status = edgefile_create(&writer, o->output, &spec);
    if (status != EDGEFILE_OK) {
        return file_error(status);
    }
    summary->path = edgefile_used_path(writer);
    start = clock_seconds();
    progress_start(&bar, spec.edges, 2 * spec.id_bytes, o->quiet);
    status = fill(writer, summary, &bar);
    if (status != EXIT_OK) {
        edgefile_abort(&writer);
        return status;
    }
    status = edgefile_commit(&writer, &summary->fingerprint);
    if (status != EDGEFILE_OK) {
        return file_error(status);
    }
    progress_end(&bar, true);
    summary->stream_seconds = clock_seconds() - start;
    summary->file_bytes = stat(o->output, &st) == 0 ? (uint64_t)st.st_size : 0;
    return EXIT_OK;
}
