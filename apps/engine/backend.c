/* Who makes the edges of this rank: the backend and the GPU that the job asks for. */
#include "apps/engine/choose_backend.h"
#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"

#include <stdio.h>

static int create_generator(rmat_gen **gen, const engine_job *o, const rmat_config *config)
{
    return o->source != NULL ? rmat_create_from(gen, &o->source->edges, config)
                             : rmat_create(gen, config);
}

static int open_cpu(const engine_job *o, engine_backend *b)
{
    rmat_config config = o->model;
    int status;

    config.backend = RMAT_BACKEND_CPU;
    if (engine_sorts(
            o)) { /* intervals have threads of their own; a list's are those of the pipeline */
        config.threads = o->threads;
        config.stop = sorted_stop;
    }
    status = create_generator(&b->cpu_gen, o, &config);
    if (status == RMAT_ERR_NO_ISA) {
        return engine_fail("--isa %s: %s", rmat_isa_name(config.isa), rmat_strerror(status));
    }
    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    b->isa = rmat_used_isa(b->cpu_gen);
    return ENGINE_OK;
}

/* The ranks of a host take the GPUs in turn. */
static int device_of_rank(const engine_job *o)
{
    int gpus = rmat_gpu_count(), count = o->device_count > 0 ? o->device_count : gpus;
    int turn = count > 0 ? dist_local_rank() % count : 0;

    return o->device_count > 0 ? o->devices[turn] : turn;
}

/* Returns an engine_status. */
static int open_gpu(const engine_job *o, engine_backend *b)
{
    rmat_config config = o->model;
    int gpus = rmat_gpu_count(), status;

    b->device = device_of_rank(o);
    if (gpus > 0 && b->device >= gpus) {
        return engine_fail("--devices %d: this machine has %d GPU%s, the last one is %d", b->device,
                           gpus, gpus == 1 ? "" : "s", gpus - 1);
    }
    config.backend = RMAT_BACKEND_GPU;
    config.device = b->device;
    if (engine_sorts(o)) { /* the search for distinct edges has threads */
        config.threads = o->threads;
        config.stop = sorted_stop;
    }
    status = create_generator(&b->gpu_gen, o, &config);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        return engine_fail("--backend %s: %s%s%s",
                           o->model.backend == RMAT_BACKEND_AUTO ? "auto" : "gpu",
                           rmat_strerror(status), *cuda ? ": " : "", cuda);
    }
    return ENGINE_OK;
}

/* Can a GPU make this job's edges?  Weights that come with edges are sorted by the CPU alone. */
static bool suits_gpu(const engine_job *o)
{
    if (!engine_gpu_sorts(o)) {
        return false;
    }
    if (o->source != NULL && o->source->edges.fill_device == NULL) {
        return false;
    }
    return !(engine_sorts(o) && engine_has_own_weights(o));
}

/* CUDA is not even asked whether there is a GPU where the CPU is faster: that alone takes longer
 * than a small graph. */
static rmat_backend choose_for(const engine_job *o, const engine_backend *b)
{
    backend_job job = {.edges = o->graph_edges / (uint64_t)dist_host_count(),
                       .id_bytes = o->id_bytes,
                       .weight_bytes = engine_weight_bytes(o),
                       .threads = o->threads * dist_local_size(),
                       .isa = b->isa,
                       .sorted = engine_sorts(o)};

    if (!suits_gpu(o)) {
        return RMAT_BACKEND_CPU;
    }
    if (!engine_sorts(o) && engine_is_foreign(o)) {
        return RMAT_BACKEND_CPU; /* it takes the threads longer to encode the edges */
    }
    return choose_backend(&job) == RMAT_BACKEND_GPU && rmat_gpu_count() > device_of_rank(o)
               ? RMAT_BACKEND_GPU
               : RMAT_BACKEND_CPU;
}

int engine_backend_open(engine_backend *b, const engine_job *o)
{
    bool is_auto = o->model.backend == RMAT_BACKEND_AUTO;
    int status = ENGINE_OK;

    *b = (engine_backend){.used = o->model.backend};
    if (b->used == RMAT_BACKEND_GPU && !suits_gpu(o)) {
        return engine_fail("--backend gpu: only the CPU can generate these edges");
    }
    if (b->used != RMAT_BACKEND_GPU) {
        status = open_cpu(o, b);
        if (status != ENGINE_OK) {
            return status;
        }
    }
    if (is_auto) {
        b->used = choose_for(o, b);
    }
    if (b->used == RMAT_BACKEND_GPU) {
        status = open_gpu(o, b);
        if (status != ENGINE_OK && is_auto) {
            engine_note_warning("%s; the CPU generates the edges instead", engine_detail());
            b->used = RMAT_BACKEND_CPU;
            status = ENGINE_OK;
        }
    }
    if (status == ENGINE_OK) {
        b->producer = b->used == RMAT_BACKEND_GPU ? pipeline_gpu(b->gpu_gen)
                                                  : pipeline_cpu(b->cpu_gen, o->threads);
    }
    return status;
}

void engine_backend_close(engine_backend *b)
{
    rmat_destroy(b->cpu_gen);
    rmat_destroy(b->gpu_gen);
}

enum { ROUND_CHUNK = 1 << 17 };

/* Ranks may have different numbers of threads, and all must cut the edges alike, at the ends of
 * rounds too: a power of two. */
static uint64_t round_chunk(const engine_job *o)
{
    const uint64_t edge = (uint64_t)(2 * o->id_bytes + engine_weight_bytes(o));
    uint64_t chunk = ROUND_CHUNK;

    while (chunk > 1 && ((o->chunk > 0 && chunk > o->chunk) || chunk * edge > o->memory / 4)) {
        chunk /= 2;
    }
    return chunk;
}

int engine_backend_plan(engine_backend *b, const engine_job *o, uint64_t edges, pipeline_plan *plan)
{
    const uint64_t ranks = (uint64_t)dist_size();
    const uint64_t chunk = engine_in_rounds(o) ? round_chunk(o) : o->chunk;
    const bool gpu = b->used == RMAT_BACKEND_GPU;
    const int weight_bytes = engine_weight_bytes(o);
    const uint64_t width = 8 / (uint64_t)o->id_bytes;
    int status;

    edges = edges / ranks + (edges % ranks != 0);
    status =
        o->format == GRAPHFILE_CSR
            ? pipeline_make_sorted_plan(plan, edges + o->model.rows / ranks * width, o->id_bytes,
                                        weight_bytes, true, gpu ? PIPELINE_GPU_CHUNKS : o->threads,
                                        chunk, o->memory)
        : engine_is_foreign(o) ? pipeline_make_encoded_plan(plan, edges, o->id_bytes, weight_bytes,
                                                            gpu ? PIPELINE_GPU_CHUNKS : o->threads,
                                                            gpu ? pipeline_encoders(o->threads) : 0,
                                                            gpu, chunk, o->memory)
        : gpu ? pipeline_gpu_make_plan(plan, edges, o->id_bytes, weight_bytes, chunk, o->memory)
              : pipeline_make_plan(plan, edges, o->id_bytes, weight_bytes, o->threads, chunk,
                                   o->memory);

    b->producer.threads = gpu ? 1 : plan->generators;
    b->device_bytes = gpu ? pipeline_gpu_bytes(plan) : 0;
    return status;
}

uint64_t engine_backend_redraws(const engine_backend *b)
{
    const rmat_gen *const gens[] = {b->cpu_gen, b->gpu_gen};
    uint64_t sum = 0, redraws;

    for (int i = 0; i < 2; i++) {
        if (gens[i] != NULL && rmat_redraws(gens[i], &redraws) == RMAT_OK) {
            sum += redraws;
        }
    }
    return sum;
}

/*
 * The cost model: producer and disk work side by side, so a run takes as long as the slower of the
 * two, and a GPU's context has to come up first.
 *
 *   CPU   max(edges / (threads * rate per thread), bytes / disk)
 *   GPU   start-up + max(bytes / link, bytes / disk)
 *
 * The kernels are several times as fast as the link to the host and do not appear.  The disk's rate
 * is not known beforehand; the fastest one that was measured is assumed.  On a faster disk few
 * threads lose by staying on the CPU, on a slower one the GPU costs its start-up.
 *
 * A sorted graph is made before it is written: the time of both adds up.  There a GPU has an
 * advantage whatever the disk, as it sorts hundreds of times as fast as a thread.
 *
 * So the GPU gets large graphs where few threads, or old ones, would keep the disk waiting.  Where
 * the disk holds both back, nothing is gained by starting a GPU.
 */

/* Edges per second and thread, fingerprint included, scales 20 to 36, Xeon (virtual) and EPYC
 * (Zen 4).  NEON was not measured: at least that of the generic kernels. */
static const double cpu_edges_32[] = {[RMAT_ISA_GENERIC] = 55e6,
                                      [RMAT_ISA_AVX2] = 125e6,
                                      [RMAT_ISA_AVX512] = 230e6,
                                      [RMAT_ISA_NEON] = 55e6};
static const double cpu_edges_64[] = {[RMAT_ISA_GENERIC] = 50e6,
                                      [RMAT_ISA_AVX2] = 120e6,
                                      [RMAT_ISA_AVX512] = 170e6,
                                      [RMAT_ISA_NEON] = 50e6};

/* H200: what a whole run takes longer than one on the CPU, and bytes per second to the host. */
static const double gpu_start = 0.33, link_bytes = 51e9;

/* Edges per second, made, sorted and unique: of a thread (a Xeon with AVX-512), and of an H200. */
static const double cpu_sorted = 20e6, gpu_sorted = 10e9;

/* Bytes per second into a file, past the page cache; EPYC. */
static const double disk_bytes = 4e9;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

rmat_backend choose_backend(const backend_job *job)
{
    double edges = (double)job->edges, bytes = edges * (2 * job->id_bytes + job->weight_bytes);
    double disk = bytes / disk_bytes;
    double rate = (job->id_bytes == 4 ? cpu_edges_32 : cpu_edges_64)[job->isa];
    double cpu = larger(edges / (job->threads * rate), disk);
    double gpu = gpu_start + larger(bytes / link_bytes, disk);

    if (job->sorted) {
        cpu = edges / (job->threads * cpu_sorted) + disk;
        gpu += edges / gpu_sorted;
    }
    return gpu < cpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}
