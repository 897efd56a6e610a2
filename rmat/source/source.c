/*
 * source.c - generators of an edge source, and of the streams that use one: the official streams
 * and ROWS.
 */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"
#include "rmat/rmat_source.h"
#include "rmat/rows/rows.h"
#include "rmat/try.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * Generators of an edge source: their life, and their edges on the CPU.
 *
 * The source fills a piece with base edges; their ends are then permuted and directed in place.
 * With symmetrize there are only half as many base edges.  They lie at the beginning of the arrays
 * and are spread from the last one to the first, so that none is overwritten before it is read.
 */

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
INLINE void spread(uint64_t first, uint64_t count, const rmat_arrays *to, const int id_bytes)
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

INLINE void transform_all(const rmat_view *view, uint64_t count, const rmat_arrays *to,
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
        BY_WIDTH(to->id_bytes, transform_all, &gen->view, bases, to);
    }
    if (to->weight != NULL && !own) {
        rmat_cpu_kernels_of(gen->isa)->weights(&gen->weighing, bases, to->src, to->dst,
                                               to->id_bytes, to->weight);
    }
    if (symmetric) {
        BY_WIDTH(to->id_bytes, spread, first, count, to);
    }
    return RMAT_OK;
}

uint64_t rmat_piece_end(const rmat_gen *gen, uint64_t at)
{
    const unsigned symmetric = gen->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;

    return gen->source.piece_end != NULL
               ? gen->source.piece_end(gen->source.state, at >> symmetric) << symmetric
               : at + RMAT_PIECE;
}

static int check_source(const rmat_source *s)
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

/* Returns the configuration with the source's sides and weights, and a valid model from which
 * nothing is drawn. */
static rmat_config config_of_source(const rmat_source *source, const rmat_config *config)
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

/* c: a checked result of config_of_source(). */
static int create_checked(rmat_gen **out, const rmat_source *source, const rmat_config *c)
{
    rmat_gen *gen = calloc(1, sizeof *gen);
    int st;

    if (gen == NULL) {
        return RMAT_ERR_NOMEM;
    }
    gen->source = *source;
    gen->config = *c;
    gen->kept = 1;
    gen->view.seed = c->seed;
    gen->view.src_mask = source->rows - 1;
    gen->view.dst_mask = source->cols - 1;
    RMAT_TRY(rmat_start(gen));
    *out = gen;
    gen = NULL;
done:
    rmat_destroy(gen);
    return st;
}

int rmat_create_from(rmat_gen **out, const rmat_source *source, const rmat_config *config)
{
    rmat_config c;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (source == NULL || config == NULL) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(check_source(source));
    c = config_of_source(source, config);
    RMAT_OR_RETURN(rmat_check_config(&c));
    return create_checked(out, source, &c);
}

/* The streams with an edge source: their names, and their generators. */

/* The generator applies the transformations of the drawn edges. */
static int create_rows(rmat_source *to, const rmat_config *c)
{
    const rmat_config drawn = rmat_as_drawn(c);
    rmat_rows *rows;

    RMAT_OR_RETURN(rmat_rows_create(&rows, &drawn, c->edges));
    *to = rmat_rows_source(rows);
    return RMAT_OK;
}

static void destroy_rows(void *rows)
{
    rmat_rows_destroy(rows);
}

static const struct {
    const char *name;
    int (*create)(rmat_source *to, const rmat_config *config);
    void (*destroy)(void *state);
} streams[RMAT_STREAMS] = {
    [RMAT_STREAM_RMAT] = {.name = "rmat"},
    [RMAT_STREAM_GRAPH500] = {"graph500", rmat_graph500_create, rmat_graph500_destroy},
    [RMAT_STREAM_GAPBS] = {"gapbs", rmat_gapbs_create, rmat_gapbs_destroy},
    [RMAT_STREAM_ROWS] = {"rows", create_rows, destroy_rows},
};

const char *rmat_stream_name(rmat_stream stream)
{
    return (unsigned)stream < RMAT_STREAMS ? streams[stream].name : "unknown";
}

int rmat_stream_version(rmat_stream stream)
{
    return stream == RMAT_STREAM_RMAT   ? RMAT_STREAM_VERSION
           : stream == RMAT_STREAM_ROWS ? RMAT_ROWS_VERSION
                                        : 1;
}

int rmat_is_official(rmat_stream stream)
{
    return stream == RMAT_STREAM_GRAPH500 || stream == RMAT_STREAM_GAPBS;
}

int rmat_has_own_weights(const rmat_config *config)
{
    return config->stream == RMAT_STREAM_GRAPH500
               ? config->weights == RMAT_WEIGHTS_UNIFORM
               : config->stream == RMAT_STREAM_GAPBS && config->weights == RMAT_WEIGHTS_INT &&
                     config->weight_min == 1 && config->weight_max == 255;
}

void rmat_close_listed(const rmat_gen *gen)
{
    if (gen->config.stream != RMAT_STREAM_RMAT) {
        streams[gen->config.stream].destroy(gen->source.state);
    }
}

int rmat_create_listed(rmat_gen **out, const rmat_config *config)
{
    rmat_source source;
    rmat_config here;
    int st;

    RMAT_OR_RETURN(rmat_check_config(config));
    RMAT_OR_RETURN(streams[config->stream].create(&source, config));
    here = config_of_source(&source, config);
    if (config->stream == RMAT_STREAM_ROWS) {
        here.no_self_loops = 0; /* the stream has no self-loops left to drop */
    }
    st = create_checked(out, &source, &here);
    if (st == RMAT_OK) {
        (*out)->config.stream = config->stream;
    } else {
        streams[config->stream].destroy(source.state);
    }
    return st;
}

rmat_source rmat_source_of(const rmat_gen *gen)
{
    return gen->source;
}

const rmat_rows *rmat_rows_behind(const rmat_gen *gen)
{
    return gen->config.stream == RMAT_STREAM_ROWS && rmat_is_in_order(gen) ? gen->source.state
                                                                           : NULL;
}
