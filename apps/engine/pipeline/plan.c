/* plan.c - the number and the size of the buffers, and the sink that writes chunks to a file of any
 * format. */
#include "apps/engine/pipeline/pipeline.h"

enum { MIN_CHUNK = 1 << 14 };

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

void pipeline_add_encoders(pipeline_plan *plan, int encoders, uint64_t memory)
{
    const int buffers =
        at_most(plan->generators + encoders + 1, memory / pipeline_chunk_bytes(plan));

    plan->writers = encoders > plan->writers ? encoders : plan->writers;
    plan->buffers = buffers > plan->buffers ? buffers : plan->buffers;
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
