/* How many buffers of what size; and the sink that writes chunks to a file of any format. */
#include "apps/engine/pipeline/gpu.h"
#include "apps/engine/pipeline/pipeline.h"

/* On an H200 buffers of 4, 8 and 16 MiB take 49, 51.8 and 52 GB/s from the GPU, and the first write
 * begins after 3.5, 5 and 9 ms. */
enum {
    MIN_CHUNK = 1 << 14,
    MAX_BUFFER = 16 << 20,
    MAX_GPU_BUFFER = 8 << 20,
    MAX_ENCODED_BUFFER = 2 << 20,
    MAX_CACHED_BUFFER = 1 << 20,     /* encoded by the thread that made it */
    MAX_GPU_ENCODED_BUFFER = 8 << 20 /* a GPU takes as long to be asked for less */
};

enum { MAX_SORTED_BUFFERS = 64 };

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

uint64_t pipeline_max_chunk(uint64_t memory, int id_bytes, int weight_bytes)
{
    pipeline_plan plan = {.id_bytes = id_bytes, .weight_bytes = weight_bytes};
    uint64_t low = 0, high = memory / (uint64_t)(2 * id_bytes + weight_bytes);

    while (low < high) {
        plan.chunk = high - (high - low) / 2;
        if (pipeline_chunk_bytes(&plan) <= memory) {
            low = plan.chunk;
        } else {
            high = plan.chunk - 1;
        }
    }
    return low;
}

/* With plan->csr set. */
static int make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                     int at_once, int writers, uint64_t chunk, uint64_t memory, uint64_t max_buffer)
{
    uint64_t columns = plan->csr ? 1 : 2;
    uint64_t edge_bytes = columns * (uint64_t)id_bytes + (uint64_t)weight_bytes, bytes, chunks;

    plan->edges = edges;
    plan->id_bytes = id_bytes;
    plan->weight_bytes = weight_bytes;
    plan->generators = at_once;
    plan->writers = writers;
    plan->buffers = plan->generators + plan->writers + 1;
    plan->chunk = plan->csr && chunk % 2 != 0 ? chunk + 1 : chunk;
    if (chunk == 0) {
        uint64_t share = memory / (uint64_t)plan->buffers;

        /* A power of two: each column of a chunk then begins on a page of the file, too.  Halve
         * until the buffers fit, and until a small graph has work for everyone. */
        plan->chunk = max_buffer / (columns * (uint64_t)id_bytes);
        while (plan->chunk > MIN_CHUNK &&
               (plan->chunk * edge_bytes > (share < max_buffer ? share : max_buffer) ||
                edges / plan->chunk < (uint64_t)plan->buffers)) {
            plan->chunk /= 2;
        }
    }
    bytes = pipeline_chunk_bytes(plan);
    if (bytes > memory) {
        return -1;
    }
    if (memory / bytes < (uint64_t)plan->buffers) {
        plan->buffers = (int)(memory / bytes);
    }
    chunks = edges / plan->chunk + (edges % plan->chunk != 0);
    if (chunks < (uint64_t)plan->buffers) {
        plan->buffers = chunks > 0 ? (int)chunks : 1;
    }
    if (plan->generators > plan->buffers) {
        plan->generators = plan->buffers;
    }
    if (plan->writers > plan->buffers) {
        plan->writers = plan->buffers;
    }
    return 0;
}

int pipeline_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                       int at_once, uint64_t chunk, uint64_t memory)
{
    plan->csr = false;
    return make_plan(plan, edges, id_bytes, weight_bytes, at_once, PIPELINE_WRITERS, chunk, memory,
                     MAX_BUFFER);
}

int pipeline_gpu_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                           uint64_t chunk, uint64_t memory)
{
    plan->csr = false;
    return make_plan(plan, edges, id_bytes, weight_bytes, PIPELINE_GPU_CHUNKS, PIPELINE_WRITERS,
                     chunk, memory, MAX_GPU_BUFFER);
}

/* Up to `most` buffers for the plan, as far as there is memory and work for them. */
static void add_buffers(pipeline_plan *plan, uint64_t memory, uint64_t most)
{
    uint64_t bytes = pipeline_chunk_bytes(plan);
    uint64_t chunks = plan->edges / plan->chunk + (plan->edges % plan->chunk != 0);

    most = memory / bytes < most ? memory / bytes : most;
    most = chunks < most ? chunks : most;
    if (most > (uint64_t)plan->buffers) {
        plan->buffers = (int)most;
    }
}

int pipeline_make_sorted_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                              bool csr, int at_once, uint64_t chunk, uint64_t memory)
{
    plan->csr = csr;
    if (make_plan(plan, edges, id_bytes, weight_bytes, at_once, PIPELINE_WRITERS, chunk, memory,
                  MAX_BUFFER) != 0) {
        return -1;
    }
    add_buffers(plan, memory, MAX_SORTED_BUFFERS);
    return 0;
}

int pipeline_make_encoded_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                               int at_once, int encoders, bool gpu, uint64_t chunk, uint64_t memory)
{
    plan->csr = false;
    if (make_plan(plan, edges, id_bytes, weight_bytes, at_once, encoders, chunk, memory,
                  gpu             ? MAX_GPU_ENCODED_BUFFER
                  : encoders == 0 ? MAX_CACHED_BUFFER
                                  : MAX_ENCODED_BUFFER) != 0) {
        return -1;
    }
    add_buffers(plan, memory, (uint64_t)(plan->generators + 2 * plan->writers));
    return 0;
}

void pipeline_add_encoders(pipeline_plan *plan, int encoders, uint64_t memory)
{
    const uint64_t most = memory / pipeline_chunk_bytes(plan);
    const int wanted = plan->generators + encoders + 1;

    if (encoders > plan->writers) {
        plan->writers = encoders;
    }
    if (wanted > plan->buffers && most > (uint64_t)plan->buffers) {
        plan->buffers = most < (uint64_t)wanted ? (int)most : wanted;
    }
}

/* Where the chunks of a pipeline go: a file of any format. */

static const char *write_to_file(void *writer, const pipeline_chunk *c)
{
    const graphfile_piece piece = {c->number, c->what.first, c->what.count, c->src,
                                   c->dst,    c->weight,     c->fingerprint};
    const int status = c->what.kind == PIPELINE_EDGES
                           ? graphfile_write(writer, &piece)
                           : graphfile_write_part(writer, GRAPHFILE_POINTERS, c->what.first,
                                                  c->what.count, c->dst);

    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    return status == EDGEFILE_OK ? NULL : status == EDGEFILE_ERR_PEER ? "" : edgefile_detail();
}

static void cancel_file(void *writer)
{
    graphfile_cancel(writer);
}

pipeline_sink pipeline_to_file(graphfile_writer *writer, graphfile_format format)
{
    return (pipeline_sink){.write = write_to_file,
                           .stop = cancel_file,
                           .state = writer,
                           .in_order = !(graphfile_table[format]->traits & GRAPHFILE_EDGEFILE)};
}
