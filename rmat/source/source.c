/*
 * Generators of an edge source: their life, and their edges on the CPU.
 *
 * A piece of edges is filled with base edges by the source, whose ends are then permuted and
 * directed in place.  With symmetrize the base edges are only half as many: they lie at the
 * beginning of the arrays and are spread from the last one to the first, so that none is
 * overwritten before it has been read.
 */
#include "rmat/source/source.h"
#include "rmat/cpu/ids.h"
#include "rmat/model/generator.h"
#include "rmat/rmat_source.h"
#include "rmat/try.h"

#include <omp.h>
#include <stdlib.h>

#define PIECE    ((uint64_t)65536) /* edges that a thread takes at a time, or the source's piece */
#define MAX_SIDE ((uint64_t)1 << RMAT_MAX_SCALE)

int rmat_scale_of(uint64_t vertices)
{
    int scale = 1;

    while (vertices > (uint64_t)1 << scale) {
        scale++;
    }
    return scale;
}

/* Spreads base edges over their two directions: element i becomes edge first + i. */
INLINE void spread_width(uint64_t first, uint64_t count, const rmat_arrays *to, const int id_bytes)
{
    for (uint64_t i = count; i-- > 0;) {
        const uint64_t base = (first + i) / 2 - first / 2;
        const int reverse = (first + i) & 1;
        const uint64_t src = id_at(to->src, base, id_bytes), dst = id_at(to->dst, base, id_bytes);

        set_id(to->src, i, reverse ? dst : src, id_bytes);
        set_id(to->dst, i, reverse ? src : dst, id_bytes);
        if (to->weight != NULL) {
            ((uint32_t *)to->weight)[i] = ((const uint32_t *)to->weight)[base];
        }
    }
}

INLINE void transform_width(const rmat_view *view, uint64_t count, const rmat_arrays *to,
                            const int id_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t src = id_at(to->src, i, id_bytes), dst = id_at(to->dst, i, id_bytes);

        rmat_transform_ends(view, &src, &dst);
        set_id(to->src, i, src, id_bytes);
        set_id(to->dst, i, dst, id_bytes);
    }
}

int rmat_source_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const unsigned symmetric = gen->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t base = first >> symmetric;
    const uint64_t bases = ((first + count - 1) >> symmetric) - base + 1;
    const bool own = gen->source.weights != RMAT_NO_WEIGHTS;
    const rmat_arrays some = {to->src, to->dst, own ? to->weight : NULL, to->id_bytes};

    if (gen->source.fill(gen->source.state, base, bases, &some) != 0) {
        return RMAT_ERR_SOURCE;
    }
    if (gen->view.transform & ~(unsigned)RMAT_TRANSFORM_SYMMETRIC) {
        if (to->id_bytes == 4) {
            transform_width(&gen->view, bases, to, 4);
        } else {
            transform_width(&gen->view, bases, to, 8);
        }
    }
    if (to->weight != NULL && !own) {
        rmat_cpu_kernels_of(gen->isa)->weights(gen, bases, to->src, to->dst, to->id_bytes,
                                               to->weight);
    }
    if (symmetric && to->id_bytes == 4) {
        spread_width(first, count, to, 4);
    } else if (symmetric) {
        spread_width(first, count, to, 8);
    }
    return RMAT_OK;
}

uint64_t rmat_source_piece_end(const rmat_gen *gen, uint64_t at)
{
    const unsigned symmetric = gen->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;

    return gen->source.piece_end != NULL
               ? gen->source.piece_end(gen->source.state, at >> symmetric) << symmetric
               : at + PIECE;
}

static int generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t own = rmat_source_piece_end(gen, first) - first;
    const uint64_t size = own > PIECE ? own : PIECE, id_bytes = (uint64_t)to->id_bytes;
    const uint64_t pieces = (count + size - 1) / size;
    const int most = gen->threads ? gen->threads : omp_get_max_threads();
    const int threads = pieces < (uint64_t)most ? (int)pieces : most;
    int failed = 0;

#pragma omp parallel for schedule(dynamic) num_threads(threads)                                    \
    reduction(|                                                                                    \
              : failed) if (threads > 1)
    for (uint64_t piece = 0; piece < pieces; piece++) {
        const uint64_t from = piece * size, n = count - from < size ? count - from : size;
        const rmat_arrays some = {
            (char *)to->src + from * id_bytes, (char *)to->dst + from * id_bytes,
            to->weight != NULL ? (char *)to->weight + from * 4 : NULL, to->id_bytes};

        failed |= rmat_source_edges(gen, first + from, n, &some) != RMAT_OK;
    }
    return failed ? RMAT_ERR_SOURCE : RMAT_OK;
}

/* Nothing is ever drawn again. */
static int redraws(const rmat_gen *gen, uint64_t *count)
{
    (void)gen;
    *count = 0;
    return RMAT_OK;
}

static const rmat_backend_ops cpu_ops = {.generate = generate, .redraws = redraws};

static int check(const rmat_source *s)
{
    if (s->fill == NULL || (unsigned)s->weights > RMAT_WEIGHTS_INT) {
        return RMAT_ERR_ARG;
    }
    if (s->rows < 1 || s->rows > MAX_SIDE || s->cols < 1 || s->cols > MAX_SIDE) {
        return RMAT_ERR_VERTICES;
    }
    if (s->weight_min > s->weight_max) {
        return RMAT_ERR_WEIGHTS;
    }
    return s->edges > RMAT_MAX_EDGES ? RMAT_ERR_RANGE : RMAT_OK;
}

/* The configuration with the source's sides and weights, and a valid model that nobody draws
 * from. */
static rmat_config config_of(const rmat_source *source, const rmat_config *config)
{
    rmat_config c = *config, standard;

    rmat_config_default(&standard);
    c.stream = RMAT_STREAM_RMAT;
    c.rows = source->rows;
    c.cols = source->cols;
    c.rows_scale = rmat_scale_of(source->rows);
    c.cols_scale = rmat_scale_of(source->cols);
    c.matrix = standard.matrix;
    c.levels = NULL;
    c.noise = 0;
    if (source->weights != RMAT_NO_WEIGHTS) {
        c.weights = source->weights;
        c.weight_min = INT32_MIN;
        c.weight_max = INT32_MAX;
    }
    return c;
}

static int set_up(rmat_gen *gen)
{
    const rmat_config *c = &gen->config;
    int st;

    RMAT_TRY(rmat_check_config(c));
    gen->isa = c->isa == RMAT_ISA_AUTO ? rmat_best_isa() : c->isa;
    gen->threads = c->threads;
    gen->kept = 1;
    gen->view.seed = c->seed;
    gen->view.src_mask = gen->source.rows - 1;
    gen->view.dst_mask = gen->source.cols - 1;
    rmat_set_transform(gen);
    gen->view.transform &= ~(unsigned)RMAT_TRANSFORM_REDRAWN;
    gen->ops = &cpu_ops;
    if (c->backend == RMAT_BACKEND_GPU) {
        gen->ops = gen->source.fill_device != NULL ? rmat_gpu_backend() : NULL;
    }
    if (gen->ops == NULL) {
        RMAT_TRY(RMAT_ERR_NO_BACKEND);
    }
    if (gen->ops->prepare != NULL) {
        RMAT_TRY(gen->ops->prepare(gen));
    }
done:
    return st;
}

int rmat_create_from(rmat_gen **out, const rmat_source *source, const rmat_config *config)
{
    rmat_gen *gen = NULL;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (source == NULL || config == NULL) {
        return RMAT_ERR_ARG;
    }
    RMAT_TRY(check(source));
    gen = calloc(1, sizeof *gen);
    if (gen == NULL) {
        return RMAT_ERR_NOMEM;
    }
    gen->source = *source;
    gen->config = config_of(source, config);
    RMAT_TRY(set_up(gen));
    *out = gen;
    gen = NULL;
done:
    rmat_destroy(gen);
    return st;
}
