/* backend.c - chooses and opens the backend that makes the edges of this rank, by the job's
 * options, and plans its buffers. */
#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"

#include <math.h>

/* The ranks of a host take the GPUs in turn. */
static int device_of_rank(const engine_plan *p)
{
    const int gpus = rmat_gpu_count(), asked = p->job.model.device;

    return asked >= 0 ? asked : gpus > 0 ? dist_local_rank() % gpus : 0;
}

/* Generators of intervals, and the search for distinct edges, have threads of their own and can be
 * stopped; a list's threads are those of the pipeline.  Returns an rmat_status. */
static int create_generator(rmat_gen **gen, const engine_plan *p, rmat_backend backend, int device)
{
    rmat_config config = p->job.model;

    config.backend = backend;
    config.device = device;
    if (p->way != ENGINE_LIST) {
        config.threads = p->job.threads;
        config.stop = sorted_stop;
    }
    return p->job.source != NULL ? rmat_create_from(gen, &p->job.source->edges, &config)
                                 : rmat_create(gen, &config);
}

/* Returns an engine_status. */
static int open_gpu(engine_backend *b, const engine_plan *p)
{
    int status;

    b->device = device_of_rank(p);
    status = create_generator(&b->gpu_gen, p, RMAT_BACKEND_GPU, b->device);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        return engine_fail("--backend %s: %s%s%s",
                           p->job.model.backend == RMAT_BACKEND_AUTO ? "auto" : "gpu",
                           rmat_strerror(status), *cuda ? ": " : "", cuda);
    }
    return ENGINE_OK;
}

/* Can a GPU make this job's edges?  Weights that come with edges are sorted by the CPU alone. */
static bool suits_gpu(const engine_plan *p)
{
    return p->gpu_sorts && (p->job.source == NULL || p->job.source->edges.fill_device != NULL) &&
           (p->way == ENGINE_LIST || !p->own_weights);
}

/* CUDA is not even asked whether there is a GPU where the CPU is faster: that alone takes longer
 * than a small graph.  Edges of a list that are encoded keep the threads busy longer than making
 * them does. */
static rmat_backend choose_for(const engine_plan *p, const engine_backend *b)
{
    const backend_job job = {.edges = p->graph_edges / (uint64_t)dist_host_count(),
                             .id_bytes = p->job.id_bytes,
                             .weight_bytes = engine_weight_bytes(p),
                             .threads = p->job.threads * dist_local_size(),
                             .isa = b->isa,
                             .sorted = p->way != ENGINE_LIST};

    return suits_gpu(p) && !(p->way == ENGINE_LIST && p->foreign) &&
                   choose_backend(&job) == RMAT_BACKEND_GPU && rmat_gpu_count() > device_of_rank(p)
               ? RMAT_BACKEND_GPU
               : RMAT_BACKEND_CPU;
}

int engine_backend_open(engine_backend *b, const engine_plan *p)
{
    const rmat_config *m = &p->job.model;
    int status;

    *b = (engine_backend){.used = m->backend};
    if (m->backend == RMAT_BACKEND_GPU && !suits_gpu(p)) {
        return engine_fail("--backend gpu: only the CPU can generate these edges");
    }
    if (m->backend != RMAT_BACKEND_GPU) {
        status = create_generator(&b->cpu_gen, p, RMAT_BACKEND_CPU, m->device);
        if (status != RMAT_OK) {
            const bool lacks = status == RMAT_ERR_NO_ISA;

            return engine_fail("%s%s%s%s", lacks ? "--isa " : "",
                               lacks ? rmat_isa_name(m->isa) : "", lacks ? ": " : "",
                               rmat_strerror(status));
        }
        b->isa = rmat_used_isa(b->cpu_gen);
        b->producer = pipeline_cpu(b->cpu_gen, p->job.threads);
    }
    if (m->backend == RMAT_BACKEND_AUTO) {
        b->used = choose_for(p, b);
    }
    if (b->used == RMAT_BACKEND_GPU) {
        status = open_gpu(b, p);
        if (status == ENGINE_OK) {
            b->producer = pipeline_gpu(b->gpu_gen);
        } else if (m->backend == RMAT_BACKEND_AUTO) {
            engine_note_warning("%s; the CPU generates the edges instead", engine_detail());
            b->used = RMAT_BACKEND_CPU;
        } else {
            return status;
        }
    }
    return ENGINE_OK;
}

void engine_backend_close(engine_backend *b)
{
    rmat_destroy(b->cpu_gen);
    rmat_destroy(b->gpu_gen);
}

/* The buffers between the backend and the file. */

enum { ROUND_CHUNK = 1 << 17, MAX_SORTED_BUFFERS = 64 };

/* Ranks may have different numbers of threads, and all must cut the edges alike, at the ends of
 * rounds too: a power of two. */
static uint64_t round_chunk(const engine_plan *plan)
{
    const uint64_t edge = (uint64_t)(2 * plan->job.id_bytes + engine_weight_bytes(plan));
    uint64_t chunk = ROUND_CHUNK;

    while (chunk > 1 && ((plan->job.chunk > 0 && chunk > plan->job.chunk) ||
                         chunk * edge > plan->job.memory / 4)) {
        chunk /= 2;
    }
    return chunk;
}

int engine_plan_buffers(const engine_plan *plan, const engine_backend *b, uint64_t edges,
                        uint64_t chunk, uint64_t memory, pipeline_plan *buffers)
{
    const bool gpu = b->used == RMAT_BACKEND_GPU, list = plan->way == ENGINE_LIST;
    const bool encoded = plan->foreign && plan->way != ENGINE_CONVERTED;
    uint64_t largest = PIPELINE_BUFFER;
    int most = 0;

    *buffers = (pipeline_plan){.edges = edges,
                               .id_bytes = plan->job.id_bytes,
                               .weight_bytes = engine_weight_bytes(plan),
                               .csr = plan->hdf5_format == GRAPHFILE_CSR && !encoded,
                               .chunk = chunk,
                               .generators = gpu ? PIPELINE_GPU_CHUNKS : plan->job.threads,
                               .writers = PIPELINE_WRITERS};
    if (encoded) {
        buffers->writers = list && !gpu ? 0 : pipeline_encoders(plan->job.threads);
        most = buffers->generators + 2 * buffers->writers;
        largest = gpu                     ? PIPELINE_GPU_ENCODED_BUFFER
                  : buffers->writers == 0 ? PIPELINE_CACHED_BUFFER
                                          : PIPELINE_ENCODED_BUFFER;
    } else if (!list || buffers->csr) {
        most = MAX_SORTED_BUFFERS;
    } else if (gpu) {
        largest = PIPELINE_GPU_BUFFER; /* the disk waits for the first one */
    }
    if (buffers->csr) {
        buffers->edges +=
            (plan->job.model.rows / (uint64_t)dist_size() + 1) * (8 / (uint64_t)buffers->id_bytes);
    }
    return pipeline_make_plan(buffers, memory, largest, most);
}

int engine_plan_list_buffers(const engine_plan *plan, engine_backend *b, uint64_t edges,
                             pipeline_plan *buffers)
{
    const uint64_t ranks = (uint64_t)dist_size();
    const bool gpu = b->used == RMAT_BACKEND_GPU;

    if (engine_plan_buffers(plan, b, edges / ranks + (edges % ranks != 0),
                            plan->rounds ? round_chunk(plan) : plan->job.chunk, plan->job.memory,
                            buffers) != 0) {
        return engine_fail("%s", rmat_strerror(RMAT_ERR_NOMEM));
    }
    b->producer.threads = gpu ? 1 : buffers->generators;
    b->device_bytes = gpu ? pipeline_gpu_bytes(buffers) : 0;
    return ENGINE_OK;
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

rmat_backend choose_backend(const backend_job *job)
{
    double edges = (double)job->edges, bytes = edges * (2 * job->id_bytes + job->weight_bytes);
    double disk = bytes / disk_bytes;
    double rate = (job->id_bytes == 4 ? cpu_edges_32 : cpu_edges_64)[job->isa];
    double cpu = fmax(edges / (job->threads * rate), disk);
    double gpu = gpu_start + fmax(bytes / link_bytes, disk);

    if (job->sorted) {
        cpu = edges / (job->threads * cpu_sorted) + disk;
        gpu += edges / gpu_sorted;
    }
    return gpu < cpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}
