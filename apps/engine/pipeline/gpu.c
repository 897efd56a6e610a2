/*
 * gpu.c - the host side of a GPU that fills the pipeline's buffers.
 *
 * The buffers are the CPU's huge pages, which suit O_DIRECT.  They are registered with CUDA so that
 * copies run beside the kernels.  So they outlive the device: after a failure, when nothing on the
 * device can write to them any more, the CPU can use the same buffers.  Each buffer is registered
 * at its first use, because registering all at the start would keep the disk waiting.
 *
 * GPUDirect Storage was not measured: the machine at hand had no nvidia-fs.
 */
#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>

enum { SUM_BYTES = 256 }; /* per chunk: its fingerprint, and what keeps the arrays aligned */

/* A chunk on its way. */
typedef struct {
    pipeline_chunk *chunk;
    cudaStream_t stream;
    cudaEvent_t copied;
    rmat_arrays arrays;
    uint64_t *sum, *host_sum;
} flight;

typedef struct {
    pipeline *pipeline;
    const pipeline_plan *plan; /* of the pipeline */
    void *device_memory;
    uint64_t *host_sums; /* pinned */
    flight flights[PIPELINE_GPU_CHUNKS];
    uint64_t begun, ended; /* flights; the n-th uses flights[n % at_once] */
} work;

static size_t flight_bytes(const pipeline_plan *plan)
{
    return pipeline_chunk_bytes(plan) + (plan->csr ? pipeline_column_bytes(plan) : 0) + SUM_BYTES;
}

uint64_t pipeline_gpu_bytes(const pipeline_plan *plan)
{
    return (uint64_t)flight_bytes(plan) * (uint64_t)plan->generators;
}

static int cuda_status(work *w, const char *what, cudaError_t error)
{
    if (error == cudaSuccess) {
        return 0;
    }
    pipeline_fail(w->pipeline, "GPU %d: %s: %s: %s", w->pipeline->producer->device, what,
                  cudaGetErrorName(error), cudaGetErrorString(error));
    (void)cudaGetLastError(); /* so that the next call starts afresh */
    return -1;
}

static flight *flight_of(work *w, uint64_t n)
{
    return &w->flights[n % (uint64_t)w->plan->generators];
}

static int pin(work *w, pipeline_chunk *c)
{
    if (!c->pinned && cuda_status(w, "pinning a buffer",
                                  cudaHostRegister(c->memory, pipeline_chunk_bytes(w->plan),
                                                   cudaHostRegisterDefault)) != 0) {
        return -1;
    }
    c->pinned = true;
    return 0;
}

static int set_up(work *w)
{
    const size_t column = pipeline_column_bytes(w->plan), chunk = pipeline_chunk_bytes(w->plan);
    const int at_once = w->plan->generators;
    cudaError_t error = cudaSetDevice(w->pipeline->producer->device);

    if (cuda_status(w, "select", error) != 0 ||
        cuda_status(w, "device memory",
                    cudaMalloc(&w->device_memory, pipeline_gpu_bytes(w->plan))) != 0 ||
        cuda_status(w, "pinned memory",
                    cudaHostAlloc((void **)&w->host_sums, (size_t)at_once * sizeof(uint64_t),
                                  cudaHostAllocDefault)) != 0) {
        return -1;
    }
    for (int i = 0; i < at_once; i++) {
        flight *f = &w->flights[i];
        char *memory = (char *)w->device_memory + flight_bytes(w->plan) * (size_t)i;
        char *dst = w->plan->csr ? memory : memory + column;

        /* src and dst, or of CSR dst, and weight as in a chunk; then the sum; then src of CSR. */
        f->arrays =
            (rmat_arrays){w->plan->csr ? memory + chunk + SUM_BYTES : memory, dst,
                          w->plan->weight_bytes > 0 ? dst + column : NULL, w->plan->id_bytes};
        f->sum = (uint64_t *)(memory + chunk);
        f->host_sum = &w->host_sums[i];
        /* This thread sleeps while it waits: the processor belongs to the writers. */
        error =
            cudaEventCreateWithFlags(&f->copied, cudaEventBlockingSync | cudaEventDisableTiming);
        if (cuda_status(w, "event", error) != 0 ||
            cuda_status(w, "stream",
                        cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking)) != 0) {
            return -1;
        }
    }
    return 0;
}

static void tear_down(work *w)
{
    for (int i = 0; i < w->plan->generators; i++) {
        if (w->flights[i].copied != NULL) {
            (void)cudaEventDestroy(w->flights[i].copied);
        }
        if (w->flights[i].stream != NULL) {
            (void)cudaStreamDestroy(w->flights[i].stream);
        }
    }
    for (int i = 0; i < w->plan->buffers; i++) {
        if (w->pipeline->chunks[i].pinned) {
            (void)cudaHostUnregister(w->pipeline->chunks[i].memory);
        }
    }
    (void)cudaFreeHost(w->host_sums);
    (void)cudaFree(w->device_memory);
}

static int copy(work *w, void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    return cuda_status(w, "copy to the host",
                       cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
}

/* Start everything that makes the chunk. */
static int launch(work *w, flight *f)
{
    pipeline_chunk *c = f->chunk;
    const bool edges = c->what.kind == PIPELINE_EDGES;
    const pipeline_producer *producer = w->pipeline->producer;
    const rmat_arrays *from = &f->arrays;
    size_t bytes = c->what.count * (edges ? (size_t)from->id_bytes : 8);
    int status;

    if (pin(w, c) != 0 ||
        cuda_status(w, "fingerprint", cudaMemsetAsync(f->sum, 0, sizeof *f->sum, f->stream)) != 0) {
        return -1;
    }
    status = producer->fill(producer->state, &c->what, from, f->stream);
    if (status == RMAT_OK && edges) {
        status = rmat_fingerprint_device(from->src, from->dst, c->what.count, from->id_bytes,
                                         f->sum, f->stream);
    }
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        pipeline_fail(w->pipeline, "GPU %d: edges: %s%s%s", producer->device, rmat_strerror(status),
                      *cuda ? ": " : "", cuda);
        return -1;
    }
    if ((c->src != NULL && copy(w, c->src, from->src, bytes, f->stream) != 0) ||
        copy(w, c->dst, from->dst, bytes, f->stream) != 0 ||
        (from->weight != NULL && edges &&
         copy(w, c->weight, from->weight, c->what.count * 4, f->stream) != 0) ||
        copy(w, f->host_sum, f->sum, sizeof *f->sum, f->stream) != 0 ||
        cuda_status(w, "event", cudaEventRecord(f->copied, f->stream)) != 0) {
        return -1;
    }
    return 0;
}

/* Returns whether the oldest copy in flight has arrived, without waiting.  False after an error:
 * the thread that waits sees the error. */
static bool arrived(work *w)
{
    if (w->ended == w->begun) {
        return false;
    }
    if (cudaEventQuery(flight_of(w, w->ended)->copied) == cudaSuccess) {
        return true;
    }
    (void)cudaGetLastError(); /* "not ready" would be taken for a failed launch */
    return false;
}

static void run_gpu(pipeline *p)
{
    const pipeline_producer *producer = p->producer;
    work w = {.pipeline = p, .plan = p->plan};
    int status = set_up(&w);

    while (status == 0) {
        uint64_t flying = w.begun - w.ended;
        pipeline_chunk *c = NULL;

        /* What has arrived goes to the writers before more is begun. */
        if (flying < (uint64_t)w.plan->generators && !arrived(&w)) {
            c = pipeline_claim(p, flying == 0);
        }
        if (c != NULL) {
            flight *f = flight_of(&w, w.begun++);

            f->chunk = c;
            status = launch(&w, f);
        } else if (flying > 0) {
            flight *f = flight_of(&w, w.ended);

            status = cuda_status(&w, "edges", cudaEventSynchronize(f->copied));
            if (status == 0) {
                f->chunk->fingerprint = *f->host_sum;
                if (producer->filled != NULL) {
                    producer->filled(producer->state, &f->chunk->what);
                }
                pipeline_submit(p, f->chunk);
                w.ended++;
            }
        } else {
            break;
        }
    }
    if (status != 0) { /* a device that failed has ended all its work, or ends it now */
        (void)cudaDeviceSynchronize();
    }
    tear_down(&w);
}

static int generate(void *gen, const pipeline_span *what, const rmat_arrays *to, void *stream)
{
    return rmat_generate_arrays_device(gen, what->first, what->count, to, stream);
}

pipeline_producer pipeline_gpu(const rmat_gen *gen)
{
    return (pipeline_producer){.run = run_gpu,
                               .state = (void *)gen,
                               .threads = 1,
                               .fill = generate,
                               .device = rmat_used_device(gen)};
}
