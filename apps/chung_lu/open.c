/* The alias table over the vertices, on the backend that makes the edges. */
#include "alias/alias_gpu.h"
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/message.h"
#include <stdio.h>

/* A GPU's start takes a third of a second, in which a thread of a CPU makes some 30 M edges. */
enum { GPU_EDGES_PER_THREAD = 1 << 25 };

static bool worth_a_gpu(const chung_lu_options *o, const chung_lu_stream *s)
{
    return o->no_file || s->edges / (uint64_t)o->threads >= GPU_EDGES_PER_THREAD;
}

/* Returns 0, or -1 and why. */
static int open_gpu(chung_lu_maker *maker, const chung_lu_options *o, const double *weights,
                    char *why, size_t size)
{
    alias_config config = chung_lu_table_config(ALIAS_BACKEND_GPU, o->device, o->threads);
    int gpus = alias_gpu_count(), status;

    if (gpus > 0 && o->device >= gpus) {
        snprintf(why, size, "--device %d: this machine has %d GPU%s, the last one is %d", o->device,
                 gpus, gpus == 1 ? "" : "s", gpus - 1);
        return -1;
    }
    status = gpus > 0 ? alias_create(&maker->table, &config, weights, o->vertices, NULL)
                      : ALIAS_ERR_NO_BACKEND;
    if (status != ALIAS_OK) {
        const char *cuda = gpus > 0 ? alias_gpu_error() : "";

        snprintf(why, size, "--backend gpu: %s%s%s", alias_strerror(status), *cuda ? ": " : "",
                 cuda);
        return -1;
    }
    maker->gpu = true;
    maker->device = o->device;
    return 0;
}

int chung_lu_open(chung_lu_maker *maker, const chung_lu_options *o, const chung_lu_stream *stream,
                  const double *weights)
{
    bool is_auto = o->backend == ALIAS_BACKEND_AUTO;
    alias_config config = chung_lu_table_config(ALIAS_BACKEND_CPU, -1, o->threads);
    char why[MESSAGE_TEXT];
    int status;

    if (o->backend == ALIAS_BACKEND_GPU ||
        (is_auto && worth_a_gpu(o, stream) && alias_gpu_count() > o->device)) {
        if (open_gpu(maker, o, weights, why, sizeof why) == 0) {
            return EXIT_OK;
        }
        if (!is_auto) {
            return runtime_error("", "%s", why);
        }
        message_print("", "%s; the CPU makes the edges", why);
    }
    status = alias_create(&maker->table, &config, weights, o->vertices, NULL);
    return status == ALIAS_OK ? EXIT_OK
                              : runtime_error("", "the alias table: %s", alias_strerror(status));
}
