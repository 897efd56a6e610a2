#include "apps/pipeline_cpu.h"
#include <stdio.h>

/* Generate and hash block by block, while the block is in the cache. */
static int fill(const rmat_gen *gen, const pipeline *p, int id_bytes, pipeline_chunk *c)
{
    uint64_t id = (uint64_t)id_bytes;

    c->fingerprint = 0;
    for (uint64_t at = 0; at < c->count && !pipeline_stopped(p); at += PIPELINE_BLOCK) {
        uint64_t n = c->count - at < PIPELINE_BLOCK ? c->count - at : PIPELINE_BLOCK;
        rmat_arrays block = {(char *)c->src + at * id, (char *)c->dst + at * id, NULL, id_bytes};
        int status;

        if (c->weight != NULL) {
            block.weight = (char *)c->weight + at * 4;
        }
        status = rmat_generate_arrays(gen, c->first + at, n, &block);

        if (status != RMAT_OK) {
            return status;
        }
        c->fingerprint += rmat_fingerprint(block.src, block.dst, n, id_bytes);
    }
    return RMAT_OK;
}

static int run(void *state, pipeline *p, char *text, size_t size)
{
    const rmat_gen *gen = state;
    int id_bytes = pipeline_plan_of(p)->id_bytes;
    pipeline_chunk *c;

    while ((c = pipeline_claim(p, true)) != NULL) {
        int status = fill(gen, p, id_bytes, c);

        if (status == RMAT_OK && !pipeline_stopped(p)) {
            pipeline_submit(p, c);
            continue;
        }
        pipeline_return(p, c);
        if (status != RMAT_OK) {
            snprintf(text, size, "%s", rmat_strerror(status));
            return -1;
        }
    }
    return 0;
}

pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads)
{
    return (pipeline_producer){run, (void *)gen, threads};
}
