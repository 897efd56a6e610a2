/* backend.c - chooses and opens the backend that makes the edges of this rank, by the job's
 * options, and plans its buffers. */
#include "apps/common/message.h"
#include "apps/engine/job.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"

#include <stdio.h>

/* The ranks of a host take the GPUs in turn. */
static int device_of_rank(const engine_plan *p)
{
    const int gpus = rmat_gpu_count(), asked = p->job.model.device;

    return asked >= 0 ? asked : gpus > 0 ? dist_local_rank() % gpus : 0;
}

/* Can a GPU make this job's edges?  Weights that come with edges are sorted by the CPU alone. */
static bool suits_gpu(const engine_plan *p)
{
    return p->gpu_sorts && (p->job.source == NULL || p->job.source->edges.fill_device != NULL) &&
           (p->way == ENGINE_LIST || !p->own_weights);
}

static int create(rmat_gen **gen, const engine_plan *p, const rmat_config *config)
{
    return p->job.source != NULL ? rmat_create_from(gen, &p->job.source->edges, config)
                                 : rmat_create(gen, config);
}

int engine_backend_status(const engine_backend *b, int status)
{
    const char *cuda = b->used == RMAT_BACKEND_GPU ? rmat_gpu_error() : "";

    return status == RMAT_OK
               ? ENGINE_OK
               : engine_fail("%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
}

int engine_backend_open(engine_backend *b, const engine_plan *p)
{
    const rmat_backend asked = p->job.model.backend;
    rmat_config config = p->job.model;
    rmat_gen *gpu;
    int status;

    *b = (engine_backend){.used = asked};
    if (asked == RMAT_BACKEND_GPU && !suits_gpu(p)) {
        return engine_fail("--backend gpu: only the CPU can generate these edges");
    }
    if (p->way != ENGINE_LIST) {
        /* Generators of intervals, and the search for distinct edges, have threads of their own and
         * can be stopped; a list's threads are those of the pipeline. */
        config.threads = p->job.threads;
        config.stop = sorted_stop;
    }
    if (asked != RMAT_BACKEND_GPU) {
        config.backend = RMAT_BACKEND_CPU;
        status = create(&b->gen, p, &config);
        if (status != RMAT_OK) {
            return engine_fail("%s", rmat_strerror(status));
        }
        b->isa = rmat_used_isa(b->gen);
    }
    if (asked == RMAT_BACKEND_AUTO) {
        /* CUDA is not even asked whether there is a GPU where the CPU is faster: that alone takes
         * longer than a small graph.  Edges of a list that are encoded keep the threads busy longer
         * than making them does. */
        b->used = suits_gpu(p) && !(p->way == ENGINE_LIST && p->foreign) &&
                          choose_backend(p, b->isa) == RMAT_BACKEND_GPU &&
                          rmat_gpu_count() > device_of_rank(p)
                      ? RMAT_BACKEND_GPU
                      : RMAT_BACKEND_CPU;
    }
    if (b->used == RMAT_BACKEND_CPU) {
        return ENGINE_OK;
    }
    config.backend = RMAT_BACKEND_GPU;
    config.device = b->device = device_of_rank(p);
    status = create(&gpu, p, &config);
    if (status == RMAT_OK) {
        rmat_destroy(b->gen);
        b->gen = gpu;
        return ENGINE_OK;
    }
    engine_backend_status(b, status);
    if (asked == RMAT_BACKEND_GPU) {
        return engine_fail("--backend gpu: %s", engine_detail());
    }
    snprintf(b->warning, sizeof b->warning,
             "--backend auto: %s; the CPU generates the edges instead", engine_detail());
    b->used = RMAT_BACKEND_CPU;
    return ENGINE_OK;
}

pipeline_producer engine_producer(const engine_backend *b)
{
    return b->used == RMAT_BACKEND_GPU ? pipeline_gpu(b->gen)
                                       : pipeline_cpu(b->gen, b->buffers.generators);
}

/* The buffers between the backend and the file. */

enum { ROUND_CHUNK = 1 << 17, MAX_SORTED_BUFFERS = 64 };

/* Ranks may have different numbers of threads, and all must cut the edges alike, at the ends of
 * rounds too: a power of two. */
static uint64_t round_chunk(const engine_plan *plan)
{
    const uint64_t edge = (uint64_t)(2 * plan->job.id_bytes + plan->weight_bytes);
    uint64_t chunk = ROUND_CHUNK;

    while (chunk > 1 && ((plan->job.chunk > 0 && chunk > plan->job.chunk) ||
                         chunk * edge > plan->job.memory / 4)) {
        chunk /= 2;
    }
    return chunk;
}

/* Threads that encode and write.  While some wait for the disk, enough others compute to use all
 * processors. */
static int encoders(const engine_plan *plan)
{
    return plan->job.threads + plan->job.threads / 2 + 2;
}

int engine_plan_buffers(const engine_plan *plan, const engine_backend *b, uint64_t memory,
                        bool to_sink, pipeline_plan *buffers)
{
    const uint64_t ranks = (uint64_t)dist_size(), edges = plan->graph_edges;
    const bool gpu = b->used == RMAT_BACKEND_GPU, list = plan->way == ENGINE_LIST;
    const bool encoded = plan->foreign && plan->way != ENGINE_CONVERTED;
    const bool csr = plan->hdf5_format == GRAPHFILE_CSR;
    uint64_t largest = PIPELINE_BUFFER;
    int most = 0;

    *buffers = (pipeline_plan){.edges = edges / ranks + (edges % ranks != 0),
                               .id_bytes = plan->job.id_bytes,
                               .weight_bytes = plan->weight_bytes,
                               .csr = csr && !to_sink,
                               .chunk = plan->rounds ? round_chunk(plan) : plan->job.chunk,
                               .generators = gpu ? PIPELINE_GPU_CHUNKS : plan->job.threads,
                               .writers = PIPELINE_WRITERS};
    if (encoded) {
        buffers->writers = list && !gpu ? 0 : encoders(plan);
        most = buffers->generators + 2 * buffers->writers;
        largest = gpu                     ? PIPELINE_GPU_BUFFER
                  : buffers->writers == 0 ? PIPELINE_CACHED_BUFFER
                                          : PIPELINE_ENCODED_BUFFER;
    } else if (!list || csr) {
        most = MAX_SORTED_BUFFERS;
    } else if (gpu) {
        largest = PIPELINE_GPU_BUFFER; /* the disk waits for the first one */
    }
    if (to_sink) { /* it takes as long as the production of edges */
        buffers->writers = encoders(plan);
    }
    if (csr) { /* a chunk of pointers holds whole ones */
        buffers->chunk += buffers->chunk % 2;
        buffers->edges += (plan->job.model.rows / ranks + 1) * (8 / (uint64_t)buffers->id_bytes);
    }
    return pipeline_make_plan(buffers, memory, largest, most);
}

int engine_plan_list_buffers(const engine_plan *plan, engine_backend *b, bool to_sink)
{
    return engine_agree(engine_backend_status(
        b, engine_plan_buffers(plan, b, plan->job.memory, to_sink, &b->buffers)));
}

/*
 * The producer and the disk work side by side, so a GPU makes a list faster than the CPU if the CPU
 * takes longer than the disk and the start of the GPU together.  A sorted graph is made before it
 * is written, so there the disk does not count.  Where the disk holds both back, nothing is gained
 * by starting a GPU.
 *
 * The kernels of a GPU and the link to the host are several times as fast as the disk and do not
 * appear.  The disk's rate is not known beforehand; the fastest one that was measured is assumed.
 */

/* Edges per second and thread, fingerprint included, Xeon (virtual) and EPYC (Zen 4).  NEON was not
 * measured: at least that of the generic kernels. */
static const double cpu_edges[] = {[RMAT_ISA_GENERIC] = 55e6,
                                   [RMAT_ISA_AVX2] = 125e6,
                                   [RMAT_ISA_AVX512] = 200e6,
                                   [RMAT_ISA_NEON] = 55e6};

/* Edges per second and thread, made, sorted and unique (a Xeon with AVX-512). */
static const double cpu_sorted_edges = 20e6;

/* Seconds that a run on an H200 takes longer to start; bytes per second into a file, past the page
 * cache (EPYC). */
static const double gpu_start = 0.33, disk_bytes = 4e9;

rmat_backend choose_backend(const engine_plan *p, rmat_isa isa)
{
    const bool sorted = p->way != ENGINE_LIST;
    const double edges = (double)(p->graph_edges / (uint64_t)dist_host_count());
    const double bytes = sorted ? 0 : edges * (2 * p->job.id_bytes + p->weight_bytes);
    const double rate =
        p->job.threads * dist_local_size() * (sorted ? cpu_sorted_edges : cpu_edges[isa]);

    return edges / rate > gpu_start + bytes / disk_bytes ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}
