/* Where the chunks of a pipeline go: an HDF5 file of ours, or a file in the format of another
 * program. */
#include "apps/engine/pipeline/pipeline.h"

static const char *to_edgefile(void *writer, const pipeline_plan *plan, const pipeline_chunk *c)
{
    const uint64_t width = 8 / (uint64_t)plan->id_bytes;
    const int status =
        pipeline_is_pointers(c->first)
            ? edgefile_write_pointers(writer, (c->first - PIPELINE_POINTERS) / width,
                                      c->count / width, c->dst)
            : edgefile_write(writer, c->first, c->count, c->src, c->dst, c->weight, c->fingerprint);

    return status == EDGEFILE_OK ? NULL : edgefile_detail();
}

static const char *to_graphfile(void *writer, const pipeline_plan *plan, const pipeline_chunk *c)
{
    const graphfile_piece piece = {c->number, c->first, c->count, c->src, c->dst, c->weight};
    const int status = graphfile_write(writer, &piece);

    (void)plan;
    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    return status == EDGEFILE_OK ? NULL : status == EDGEFILE_ERR_PEER ? "" : edgefile_detail();
}

static void cancel(void *writer)
{
    graphfile_cancel(writer);
}

pipeline_sink pipeline_to_edgefile(edgefile_writer *writer)
{
    return (pipeline_sink){.write = to_edgefile, .state = writer};
}

pipeline_sink pipeline_to_graphfile(graphfile_writer *writer)
{
    return (pipeline_sink){
        .write = to_graphfile, .stop = cancel, .state = writer, .in_order = true};
}
