/* --no-file: how fast edges come into memory. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/clock.h"
#include "apps/common/message.h"
#include "apps/engine/pipeline/cpu.h"
#include "rmat/rmat_gpu.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 128 << 20 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

chung_lu_times chung_lu_times_of(double *seconds, uint64_t n)
{
    qsort(seconds, n, sizeof *seconds, ascending);
    return (chung_lu_times){seconds[0], (seconds[(n - 1) / 2] + seconds[n / 2]) / 2,
                            seconds[n - 1]};
}

static int go_on(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return 0;
}

/* Messages are no longer kept for another rank. */
__attribute__((format(printf, 1, 2))) static int fail(const char *format, ...)
{
    char text[MESSAGE_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_print("", "%s", text);
    return EXIT_RUNTIME;
}

/* As for a file, up to the buffers that would be written. */
static int measure_cpu(const chung_lu_summary *s, const rmat_gen *gen, chung_lu_measured *m)
{
    const chung_lu_options *o = s->options;
    double *seconds = malloc((o->repeat + 1) * sizeof *seconds);
    pipeline_producer producer = pipeline_cpu(gen, o->job.threads);
    pipeline_result result = {.error = "memory is exhausted"};
    pipeline_plan plan;
    int status = EXIT_RUNTIME;

    if (seconds != NULL) {
        pipeline_make_plan(&plan, o->edges, s->stream->id_bytes, 0, o->job.threads,
                           EDGEFILE_PATH_DIRECT, 0, BUFFER_BYTES);
        status = EXIT_OK;
    }
    for (uint64_t i = 0; i <= o->repeat && status == EXIT_OK; i++) {
        double start = clock_seconds();

        if (pipeline_run(&plan, NULL, &producer, NULL, NULL, go_on, NULL, &result) != 0) {
            status = EXIT_RUNTIME;
        }
        seconds[i] = clock_seconds() - start;
    }
    if (status == EXIT_OK) {
        m->both = chung_lu_times_of(seconds + 1, o->repeat);
        m->fingerprint = result.fingerprint;
        m->stored = plan.chunk * (uint64_t)plan.buffers;
    } else {
        message_print("", "%s", s->graph->text[0] != '\0' ? s->graph->text : result.error);
    }
    free(seconds);
    return status;
}

/* Where the edges are to be made; the table is built there. */
static int choose_place(chung_lu_summary *s)
{
    const engine_job *job = &s->options->job;
    const rmat_backend wanted = job->model.backend;
    const int device = job->device_count > 0 ? job->devices[0] : 0, gpus = rmat_gpu_count();
    char text[MESSAGE_TEXT];

    s->made.device = device;
    if (wanted == RMAT_BACKEND_GPU && gpus > 0 && device >= gpus) {
        return fail("--device %d: this machine has %d GPU%s, the last one is %d", device, gpus,
                    gpus == 1 ? "" : "s", gpus - 1);
    }
    s->made.backend = wanted == RMAT_BACKEND_CPU || (wanted == RMAT_BACKEND_AUTO && device >= gpus)
                          ? RMAT_BACKEND_CPU
                          : RMAT_BACKEND_GPU;
    if (chung_lu_graph_prepare(s->graph, s->made.backend, device, text, sizeof text) != 0) {
        return fail("%s", text);
    }
    return EXIT_OK;
}

int chung_lu_measure(chung_lu_summary *s)
{
    const engine_source source = chung_lu_source(s->graph);
    rmat_config config = s->options->job.model;
    chung_lu_measured m = {0};
    char text[MESSAGE_TEXT];
    rmat_gen *gen;
    int status = choose_place(s);

    if (status != EXIT_OK) {
        return status;
    }
    if (s->made.backend == RMAT_BACKEND_GPU) {
        if (chung_lu_gpu_measure(&s->graph->device, s->stream, s->made.device, s->options->repeat,
                                 &m, text, sizeof text) != 0) {
            return fail("%s", text);
        }
    } else {
        config.backend = RMAT_BACKEND_CPU;
        config.threads = 1; /* of a generator; the pipeline has as many of them */
        status = rmat_create_from(&gen, &source.edges, &config);
        status = status == RMAT_OK ? measure_cpu(s, gen, &m) : fail("%s", rmat_strerror(status));
        rmat_destroy(gen);
    }
    if (status == EXIT_OK) {
        chung_lu_print_measured(s, &m);
    }
    return status;
}
