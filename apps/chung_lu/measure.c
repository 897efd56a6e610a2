/* --no-file: how fast edges come into memory. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/gpu.h"
#include "apps/common/clock.h"
#include "apps/common/message.h"
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

/* As for a file, up to the buffers that would be written. */
static int measure_cpu(const chung_lu_summary *s, chung_lu_measured *m)
{
    const chung_lu_options *o = s->options;
    double *seconds = malloc((o->repeat + 1) * sizeof *seconds);
    chung_lu_cpu cpu = {s->maker->table, s->stream, o->threads};
    pipeline_producer producer = chung_lu_cpu_producer(&cpu);
    pipeline_result result = {.error = "memory is exhausted"};
    pipeline_plan plan;
    int status = EXIT_RUNTIME;

    if (seconds != NULL) {
        pipeline_make_plan(&plan, s->stream->edges, s->stream->id_bytes, 0, 1, EDGEFILE_PATH_DIRECT,
                           0, BUFFER_BYTES);
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
        runtime_error("", "%s", result.error);
    }
    free(seconds);
    return status;
}

int chung_lu_measure(chung_lu_summary *summary)
{
    chung_lu_measured m = {0};
    char text[MESSAGE_TEXT];
    int status = EXIT_OK;

    if (!summary->maker->gpu) {
        status = measure_cpu(summary, &m);
    } else if (chung_lu_gpu_measure(summary->maker->table, summary->stream, summary->maker->device,
                                    summary->options->repeat, &m, text, sizeof text) != 0) {
        status = runtime_error("", "%s", text);
    }
    if (status == EXIT_OK) {
        chung_lu_print_measured(summary, &m);
    }
    return status;
}
