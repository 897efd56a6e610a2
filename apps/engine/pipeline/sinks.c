/* Where the chunks of a pipeline go: a file of any format. */
#include "apps/engine/pipeline/pipeline.h"

static const char *write_chunk(void *writer, const pipeline_plan *plan, const pipeline_chunk *c)
{
    const uint64_t width = 8 / (uint64_t)plan->id_bytes;
    const graphfile_piece piece = {c->number, c->first,  c->count,      c->src,
                                   c->dst,    c->weight, c->fingerprint};
    const int status =
        pipeline_is_pointers(c->first)
            ? graphfile_write_pointers(writer, (c->first - PIPELINE_POINTERS) / width,
                                       c->count / width, c->dst)
            : graphfile_write(writer, &piece);

    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    return status == EDGEFILE_OK ? NULL : status == EDGEFILE_ERR_PEER ? "" : edgefile_detail();
}

static void cancel_writer(void *writer)
{
    graphfile_cancel(writer);
}

pipeline_sink pipeline_to_file(graphfile_writer *writer, graphfile_format format)
{
    return (pipeline_sink){.write = write_chunk,
                           .stop = cancel_writer,
                           .state = writer,
                           .in_order = !(graphfile_table[format]->traits & GRAPHFILE_EDGEFILE)};
}
