/* Who makes the edges: what --backend, --devices and --fallback come to on this rank. */
#include "apps/common/message.h"
#include "apps/engine/choose_backend.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>

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
    if (o->sorted) {
        config.threads = o->threads;
        status = rmat_create(&b->sorting_gen, &config);
    }
    return status == RMAT_OK ? EXIT_OK : runtime_error("generate", "%s", rmat_strerror(status));
}

/* The ranks of a host take the GPUs in turn. */
static int device_of_rank(const generate_options *o)
{
    int gpus = rmat_gpu_count(), count = o->devices.count > 0 ? o->devices.count : gpus;
    int turn = count > 0 ? dist_local_rank() % count : 0;

    return o->devices.count > 0 ? o->devices.item[turn] : turn;
}

/* Returns 0, or -1 and b->gpu_failed says why. */
static int open_gpu(const generate_options *o, generate_backend *b)
{
    rmat_config config = o->model;
    int gpus = rmat_gpu_count(), status;

    b->device = device_of_rank(o);
    if (gpus > 0 && b->device >= gpus) {
        snprintf(b->gpu_failed, sizeof b->gpu_failed,
                 "--device%s %d: this machine has %d GPU%s, the last one is %d",
                 o->devices.count > 1 ? "s" : "", b->device, gpus, gpus == 1 ? "" : "s", gpus - 1);
        return -1;
    }
    config.backend = RMAT_BACKEND_GPU;
    config.device = b->device;
    status = rmat_create(&b->gpu_gen, &config);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        snprintf(b->gpu_failed, sizeof b->gpu_failed, "--backend %s: %s%s%s",
                 o->model.backend == RMAT_BACKEND_AUTO ? "auto" : "gpu", rmat_strerror(status),
                 *cuda ? ": " : "", cuda);
        return -1;
    }
    return 0;
}

/* CUDA is not even asked whether there is a GPU where the CPU is faster: that alone takes longer
 * than a small graph. */
static rmat_backend choose(const generate_options *o, const generate_backend *b)
{
    backend_job job = {.edges = o->edges / (uint64_t)dist_host_count(),
                       .id_bytes = o->id_bytes,
                       .weight_bytes = generate_weight_bytes(o),
                       .threads = o->threads * dist_local_size(),
                       .isa = b->isa,
                       .path = o->path,
                       .sorted = o->sorted};

    if (generate_converts(o) && !o->sorted) { /* it takes the threads longer to write the edges */
        return RMAT_BACKEND_CPU;
    }
    return choose_backend(&job) == RMAT_BACKEND_GPU && rmat_gpu_count() > device_of_rank(o)
               ? RMAT_BACKEND_GPU
               : RMAT_BACKEND_CPU;
}

void generate_backend_without_gpu(generate_backend *b)
{
    b->used = RMAT_BACKEND_CPU;
    b->producer = b->cpu;
    b->fallback = NULL;
}

int generate_backend_open(generate_backend *b, const generate_options *o)
{
    bool is_auto = o->model.backend == RMAT_BACKEND_AUTO;
    int status = EXIT_OK;

    *b = (generate_backend){.used = o->model.backend};
    if (b->used != RMAT_BACKEND_GPU || o->fall_back) {
        status = open_cpu(o, b);
        if (status != EXIT_OK) {
            return status;
        }
    }
    if (is_auto) {
        b->used = choose(o, b);
    }
    if (b->used == RMAT_BACKEND_CPU) {
        b->producer = b->cpu;
    } else if (open_gpu(o, b) == 0) {
        b->producer = pipeline_gpu(b->gpu_gen);
        b->fallback = o->fall_back ? &b->cpu : NULL;
    } else {
        bool go_on = b->cpu_gen != NULL;

        if (!is_auto) { /* else the summary says it */
            status = runtime_error("generate", "%s%s", b->gpu_failed,
                                   go_on ? "; the CPU makes the edges" : "");
        }
        if (!go_on) {
            return status;
        }
        generate_backend_without_gpu(b);
    }
    return EXIT_OK;
}

void generate_backend_close(generate_backend *b)
{
    rmat_destroy(b->cpu_gen);
    rmat_destroy(b->gpu_gen);
    rmat_destroy(b->sorting_gen);
}

int generate_backend_plan(generate_backend *b, const generate_options *o, uint64_t edges,
                          edgefile_path path, pipeline_plan *plan)
{
    uint64_t ranks = (uint64_t)dist_size();
    int weight_bytes = generate_weight_bytes(o), status;

    edges = edges / ranks + (edges % ranks != 0);
    status = b->used == RMAT_BACKEND_GPU
                 ? pipeline_gpu_make_plan(plan, edges, o->id_bytes, weight_bytes, path, o->chunk,
                                          o->memory)
                 : pipeline_make_plan(plan, edges, o->id_bytes, weight_bytes, o->threads, path,
                                      o->chunk, o->memory);

    /* More threads than buffers would only wait. */
    if (b->cpu.threads > plan->buffers) {
        b->cpu.threads = plan->buffers;
    }
    b->producer.threads = b->used == RMAT_BACKEND_GPU ? 1 : plan->generators;
    b->device_bytes = b->used == RMAT_BACKEND_GPU ? pipeline_gpu_bytes(plan) : 0;
    return status;
}

uint64_t generate_backend_redraws(const generate_backend *b)
{
    const rmat_gen *const gens[] = {b->cpu_gen, b->gpu_gen, b->sorting_gen};
    uint64_t sum = 0, redraws;

    for (int i = 0; i < 3; i++) {
        if (gens[i] != NULL && rmat_redraws(gens[i], &redraws) == RMAT_OK) {
            sum += redraws;
        }
    }
    return sum;
}
