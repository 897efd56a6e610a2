/* The official streams: what they are called, and generators of them, each of which owns the edge
 * source that it is made from. */
#include "rmat/source/official.h"
#include "rmat/model/generator.h"
#include "rmat/rmat_graph500.h"
#include "rmat/try.h"

#include <stddef.h>

static int open_graph500(rmat_source *to, const rmat_config *c, uint64_t edges)
{
    rmat_graph500 *g;
    int st = rmat_graph500_create(&g, c->rows_scale, c->seed, c->seed2, c->isa);

    if (st == RMAT_OK) {
        *to = rmat_graph500_source(g, edges, rmat_has_own_weights(c));
    }
    return st;
}

static void close_graph500(void *state)
{
    rmat_graph500_destroy(state);
}

static const struct {
    const char *name;
    int (*open)(rmat_source *to, const rmat_config *config, uint64_t edges);
    void (*close)(void *state);
} streams[RMAT_STREAMS] = {
    [RMAT_STREAM_RMAT] = {.name = "rmat"},
    [RMAT_STREAM_GRAPH500] = {"graph500", open_graph500, close_graph500},
};

const char *rmat_stream_name(rmat_stream stream)
{
    return (unsigned)stream < RMAT_STREAMS ? streams[stream].name : "unknown";
}

int rmat_stream_version(rmat_stream stream)
{
    return stream == RMAT_STREAM_RMAT ? RMAT_STREAM_VERSION : 1;
}

int rmat_has_own_weights(const rmat_config *config)
{
    return config->stream == RMAT_STREAM_GRAPH500 && config->weights == RMAT_WEIGHTS_UNIFORM;
}

int rmat_create_official(rmat_gen **out, const rmat_config *config)
{
    rmat_source source = {.fill = NULL};
    int st;

    RMAT_TRY(rmat_check_config(config));
    RMAT_TRY(streams[config->stream].open(&source, config, RMAT_MAX_EDGES >> config->symmetrize));
    RMAT_TRY(rmat_create_from(out, &source, config));
    (*out)->config.stream = config->stream;
    (*out)->close_source = streams[config->stream].close;
done:
    if (st != RMAT_OK && source.fill != NULL) {
        streams[config->stream].close(source.state);
    }
    return st;
}
