/* Who makes the edges: what --backend, --device and --fallback come to. */
#include "apps/choose_backend.h"
#include "apps/generate.h"
#include "apps/message.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>

enum { WHY = 512 };

static int open_cpu(const generate_options *o, generate_backend *b)
{
    rmat_config config = o->model;
    int status;

    config.backend = RMAT_BACKEND_CPU;
    status = rmat_create(&b->cpu_gen, &config);
    if (status == RMAT_ERR_NO_ISA) {
        return runtime_error("generate", "--isa %s: %s", rmat_isa_name(config.isa),
                             rmat_strerror(status));
    }
    if (status != RMAT_OK) {
        return runtime_error("generate", "%s", rmat_strerror(status));
    }
    b->isa = rmat_used_isa(b->cpu_gen);
    b->cpu = pipeline_cpu(b->cpu_gen, o->threads);
    return EXIT_OK;
}

/* Returns 0, or -1 with why it cannot be. */
static int open_gpu(const generate_options *o, generate_backend *b, char why[WHY])
{
    rmat_config config = o->model;
    int gpus = rmat_gpu_count(), status;

    if (gpus > 0 && o->device >= gpus) {
        snprintf(why, WHY, "--device %d: this machine has %d GPU%s, the last one is %d", o->device,
                 gpus, gpus == 1 ? "" : "s", gpus - 1);
        return -1;
    }
    config.backend = RMAT_BACKEND_GPU;
    config.device = o->device;
    status = rmat_create(&b->gpu_gen, &config);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        snprintf(why, WHY, "--backend gpu: %s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
        return -1;
    }
    return 0;
}

/* CUDA is not even asked whether there is a GPU where the CPU is faster: that alone takes longer
 * than a small graph. */
static rmat_backend wanted(const generate_options *o)
{
    backend_job job = {o->edges, o->id_bytes, o->threads, o->path, true};

    if (o->model.backend != RMAT_BACKEND_AUTO) {
        return o->model.backend;
    }
    return choose_backend(&job) == RMAT_BACKEND_GPU && rmat_gpu_count() > o->device
               ? RMAT_BACKEND_GPU
               : RMAT_BACKEND_CPU;
}

int generate_backend_open(generate_backend *b, const generate_options *o)
{
    char why[WHY];
    int status = EXIT_OK;

    *b = (generate_backend){.used = wanted(o), .isa = o->model.isa};
    if (b->used == RMAT_BACKEND_GPU && open_gpu(o, b, why) != 0) {
        /* AUTO never was a promise of a GPU. */
        bool go_on = o->fall_back || o->model.backend == RMAT_BACKEND_AUTO;

        status = runtime_error("generate", "%s%s", why, go_on ? "; the CPU makes the edges" : "");
        if (!go_on) {
            return status;
        }
        b->used = RMAT_BACKEND_CPU;
    }
    if (b->used == RMAT_BACKEND_CPU || o->fall_back) {
        status = open_cpu(o, b);
        if (status != EXIT_OK) {
            return status;
        }
    }
    if (b->used == RMAT_BACKEND_GPU) {
        b->producer = pipeline_gpu(b->gpu_gen);
        b->fallback = o->fall_back ? &b->cpu : NULL;
    } else {
        b->producer = b->cpu;
    }
    return EXIT_OK;
}

void generate_backend_close(generate_backend *b)
{
    rmat_destroy(b->cpu_gen);
    rmat_destroy(b->gpu_gen);
}

int generate_backend_plan(generate_backend *b, const generate_options *o, uint64_t edges,
                          edgefile_path path, pipeline_plan *plan)
{
    int at_once = b->used == RMAT_BACKEND_GPU ? PIPELINE_GPU_CHUNKS : o->threads;
    int status = pipeline_make_plan(plan, edges, o->id_bytes, at_once, path, o->chunk, o->memory);

    /* More threads than buffers would only wait. */
    if (b->cpu.threads > plan->buffers) {
        b->cpu.threads = plan->buffers;
    }
    b->producer.threads = b->used == RMAT_BACKEND_GPU ? 1 : plan->generators;
    b->device_bytes = b->used == RMAT_BACKEND_GPU ? pipeline_gpu_bytes(plan) : 0;
    return status;
}
