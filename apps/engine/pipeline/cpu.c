/* cpu.c - producers of a pipeline on the CPU: a generator, or a function that fills chunks. */
#include "apps/engine/pipeline/pipeline.h"
#include <stdio.h>
#include <stdlib.h>

/* Piece by piece, while the piece is in the cache.  src: where sources go that the file does not
 * have. */
static int fill_chunk(const pipeline_filler *f, const pipeline *p, pipeline_chunk *c, void *src)
{
    const int id_bytes = pipeline_plan_of(p)->id_bytes;
    const uint64_t width = c->what.kind == PIPELINE_EDGES ? (uint64_t)id_bytes : 8;

    c->fingerprint = 0;
    for (uint64_t at = 0; at < c->what.count && !pipeline_stopped(p); at += PIPELINE_BLOCK) {
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
        status = f->fill(f->state, &what, &piece, &fingerprint);
        if (status != RMAT_OK) {
            return status;
        }
        c->fingerprint += fingerprint;
    }
    return RMAT_OK;
}

static int run_filler(void *state, pipeline *p, char *text, size_t size)
{
    const pipeline_filler *f = state;
    const pipeline_plan *plan = pipeline_plan_of(p);
    void *src = plan->csr ? malloc(PIPELINE_BLOCK * (size_t)plan->id_bytes) : NULL;
    int status = plan->csr && src == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    pipeline_chunk *c;

    while (status == RMAT_OK && (c = pipeline_claim(p, true)) != NULL) {
        status = fill_chunk(f, p, c, src);
        if (status != RMAT_OK || pipeline_stopped(p)) {
            break;
        }
        if (f->filled != NULL) {
            f->filled(f->state, &c->what);
        }
        pipeline_submit(p, c);
    }
    free(src);
    if (status != RMAT_OK) {
        snprintf(text, size, "%s", rmat_strerror(status));
    }
    return status != RMAT_OK ? -1 : 0;
}

pipeline_producer pipeline_cpu_filled(const pipeline_filler *filler, int threads)
{
    return (pipeline_producer){run_filler, (void *)filler, threads};
}

static int generate_block(void *state, const pipeline_span *what, const rmat_arrays *to,
                          uint64_t *fingerprint)
{
    int status = rmat_generate_arrays(state, what->first, what->count, to);

    if (status == RMAT_OK) {
        *fingerprint = rmat_fingerprint(to->src, to->dst, what->count, to->id_bytes);
    }
    return status;
}

static int run_generator(void *state, pipeline *p, char *text, size_t size)
{
    pipeline_filler filler = {generate_block, NULL, state};

    return run_filler(&filler, p, text, size);
}

pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads)
{
    return (pipeline_producer){run_generator, (void *)gen, threads};
}
