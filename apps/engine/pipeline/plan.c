/* plan.c - the number and the size of the buffers. */
#include "apps/engine/run.h"
#include "mpi/dist.h"

enum { MIN_CHUNK = 1 << 14, ROUND_CHUNK = 1 << 17, MAX_SORTED_BUFFERS = 64 };

static size_t padded(uint64_t chunk, int bytes)
{
    size_t align = edgefile_alignment();

    return ((size_t)chunk * (size_t)bytes + align - 1) / align * align;
}

size_t pipeline_column_bytes(const pipeline_plan *plan)
{
    return padded(plan->chunk, plan->id_bytes);
}

size_t pipeline_chunk_bytes(const pipeline_plan *plan)
{
    return (plan->csr ? 1 : 2) * padded(plan->chunk, plan->id_bytes) +
           padded(plan->chunk, plan->weight_bytes);
}

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan)
{
    return (uint64_t)pipeline_chunk_bytes(plan) * (uint64_t)plan->buffers;
}

static int at_most(int count, uint64_t most)
{
    return (uint64_t)count < most ? count : (int)most;
}

int pipeline_make_plan(pipeline_plan *plan, uint64_t memory, uint64_t largest, int most)
{
    const uint64_t ids = (plan->csr ? 1 : 2) * (uint64_t)plan->id_bytes;
    const int needed = plan->generators + plan->writers + 1;
    uint64_t bytes, chunks;

    if (plan->chunk == 0) {
        const uint64_t part = memory / (uint64_t)needed, share = part < largest ? part : largest;

        /* A power of two: each column of a chunk then begins on a page of the file, too.  Halve
         * until the buffers fit, and until a small graph has work for everyone. */
        plan->chunk = largest / ids;
        while (plan->chunk > MIN_CHUNK &&
               (plan->chunk * (ids + (uint64_t)plan->weight_bytes) > share ||
                plan->edges / plan->chunk < (uint64_t)needed)) {
            plan->chunk /= 2;
        }
    } else if (plan->csr) {
        plan->chunk += plan->chunk % 2;
    }
    bytes = pipeline_chunk_bytes(plan);
    if (bytes > memory) {
        return -1;
    }
    chunks = plan->edges / plan->chunk + (plan->edges % plan->chunk != 0);
    chunks = chunks == 0 ? 1 : chunks < memory / bytes ? chunks : memory / bytes;
    plan->generators = at_most(plan->generators, chunks);
    plan->writers = at_most(plan->writers, chunks);
    plan->buffers = at_most(most > needed ? most : needed, chunks);
    return 0;
}

void pipeline_plan_sink(pipeline_plan *plan, int processors, uint64_t memory)
{
    const int encoders = pipeline_encoders(processors);
    int buffers;

    plan->csr = false;
    buffers = at_most(plan->generators + encoders + 1, memory / pipeline_chunk_bytes(plan));
    plan->writers = encoders > plan->writers ? encoders : plan->writers;
    plan->buffers = buffers > plan->buffers ? buffers : plan->buffers;
}

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
