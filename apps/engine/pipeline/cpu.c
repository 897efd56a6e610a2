/* cpu.c - the producer of a pipeline on the CPU. */
#include "apps/engine/pipeline/pipeline.h"
#include <stdio.h>
#include <stdlib.h>

/* Piece by piece, while the piece is in the cache.  src: where sources go that the file does not
 * have. */
static int fill_chunk(const pipeline *p, pipeline_chunk *c, void *src)
{
    const int id_bytes = p->plan->id_bytes;
    const uint64_t width = c->what.kind == PIPELINE_EDGES ? (uint64_t)id_bytes : 8;

    c->fingerprint = 0;
    for (uint64_t at = 0; at < c->what.count && !p->stop; at += PIPELINE_BLOCK) {
        const uint64_t left = c->what.count - at;
        const pipeline_span what = {c->what.kind, c->what.first + at,
                                    left < PIPELINE_BLOCK ? left : PIPELINE_BLOCK};
        uint64_t fingerprint = 0;
        rmat_arrays piece = {src, (char *)c->dst + at * width, NULL, id_bytes};
        int status;

        if (c->src != NULL) {
            piece.src = (char *)c->src + at * width;
        }
        if (c->weight != NULL) {
            piece.weight = (char *)c->weight + at * 4;
        }
        status = p->producer->fill(p->producer->state, &what, &piece, &fingerprint, NULL);
        if (status != RMAT_OK) {
            return status;
        }
        c->fingerprint += fingerprint;
    }
    return RMAT_OK;
}

static int run_cpu(pipeline *p, char *text, size_t size)
{
    void *src = p->plan->csr ? malloc(PIPELINE_BLOCK * (size_t)p->plan->id_bytes) : NULL;
    int status = p->plan->csr && src == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    pipeline_chunk *c;

    while (status == RMAT_OK && (c = pipeline_claim(p, true)) != NULL) {
        status = fill_chunk(p, c, src);
        if (status != RMAT_OK || p->stop) {
            break;
        }
        if (p->producer->filled != NULL) {
            p->producer->filled(p->producer->state, &c->what);
        }
        pipeline_submit(p, c);
    }
    free(src);
    if (status != RMAT_OK) {
        snprintf(text, size, "%s", rmat_strerror(status));
    }
    return status != RMAT_OK ? -1 : 0;
}

static int generate(void *gen, const pipeline_span *what, const rmat_arrays *to,
                    uint64_t *fingerprint, void *unused)
{
    const int status = rmat_generate_arrays(gen, what->first, what->count, to);

    (void)unused;
    if (status == RMAT_OK) {
        *fingerprint = rmat_fingerprint(to->src, to->dst, what->count, to->id_bytes);
    }
    return status;
}

pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads)
{
    return (pipeline_producer){
        .run = run_cpu, .state = (void *)gen, .threads = threads, .fill = generate};
}
