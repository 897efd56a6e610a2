/*
 * rmat.c - the public interface of rmat.h and rmat_gpu.h: validation, the life of a generator, the
 * calls of its backend, and the names of statuses and instruction sets.
 */
#include "rmat/rmat.h"
#include "alias/alias.h"
#include "alias/alias_gpu.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"
#include "rmat/try.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MATRIX_TOLERANCE 1e-9

void rmat_config_default(rmat_config *config)
{
    *config = (rmat_config){
        .rows_scale = 20,
        .cols_scale = 20,
        .matrix = {0.57, 0.19, 0.19, 0.05},
        .seed = 1,
        .device = -1,
    };
}

static bool is_probability(double p)
{
    return p >= 0.0 && p <= 1.0; /* false for NaN */
}

static bool is_matrix(const rmat_matrix *m)
{
    return is_probability(m->a) && is_probability(m->b) && is_probability(m->c) &&
           is_probability(m->d) && fabs(m->a + m->b + m->c + m->d - 1.0) <= MATRIX_TOLERANCE;
}

/* Whether the scale is the smallest one for this many vertices, or the count is 0. */
static bool is_count(uint64_t vertices, int scale)
{
    return vertices == 0 || (vertices - 1) >> (scale - 1) == 1 || (scale == 1 && vertices == 1);
}

/* Checks the values that the stream fixes. */
static int check_stream(const rmat_config *c)
{
    const uint64_t all = (uint64_t)1 << c->rows_scale;
    rmat_config standard;

    if (c->stream == RMAT_STREAM_RMAT) {
        return RMAT_OK;
    }
    if (c->stream == RMAT_STREAM_ROWS) {
        return c->first != 0                                       ? RMAT_ERR_STREAM
               : c->edges > RMAT_MAX_EDGES >> (c->symmetrize != 0) ? RMAT_ERR_RANGE
                                                                   : RMAT_OK;
    }
    rmat_config_default(&standard);
    return rmat_is_official(c->stream) && c->rows_scale == c->cols_scale &&
                   (c->rows == 0 || c->rows == all) && (c->cols == 0 || c->cols == all) &&
                   c->levels == NULL && c->noise == 0 && c->matrix.a == standard.matrix.a &&
                   c->matrix.b == standard.matrix.b && c->matrix.c == standard.matrix.c &&
                   c->matrix.d == standard.matrix.d
               ? RMAT_OK
               : RMAT_ERR_STREAM;
}

static int check_shape(const rmat_config *c)
{
    const bool square = rmat_vertices(c, RMAT_ROWS) == rmat_vertices(c, RMAT_COLS);

    if (!is_count(c->rows, c->rows_scale) || !is_count(c->cols, c->cols_scale)) {
        return RMAT_ERR_VERTICES;
    }
    if (!(c->noise >= 0 && c->noise <= rmat_noise_limit(c))) {
        return RMAT_ERR_NOISE;
    }
    if ((unsigned)c->direction > RMAT_UPPER || (unsigned)c->weights > RMAT_WEIGHTS_FLOAT) {
        return RMAT_ERR_ARG;
    }
    if (!square && (c->no_self_loops || c->symmetrize || c->direction != RMAT_DIRECTED)) {
        return RMAT_ERR_SQUARE;
    }
    if (c->first > RMAT_MAX_EDGES >> (c->symmetrize != 0)) {
        return RMAT_ERR_RANGE;
    }
    if (c->weights == RMAT_WEIGHTS_FLOAT &&
        !(c->weight_low >= -1e38F && c->weight_low <= c->weight_high && c->weight_high <= 1e38F)) {
        return RMAT_ERR_WEIGHTS; /* also if one of them is not a number */
    }
    return c->weights == RMAT_WEIGHTS_INT && c->weight_min > c->weight_max ? RMAT_ERR_WEIGHTS
                                                                           : RMAT_OK;
}

int rmat_check_config(const rmat_config *c)
{
    if (c->rows_scale < 1 || c->rows_scale > RMAT_MAX_SCALE || c->cols_scale < 1 ||
        c->cols_scale > RMAT_MAX_SCALE) {
        return RMAT_ERR_SCALE;
    }
    for (int level = 0; level < (c->levels != NULL ? rmat_scale(c) : 1); level++) {
        if (!is_matrix(c->levels != NULL ? &c->levels[level] : &c->matrix)) {
            return RMAT_ERR_MATRIX;
        }
    }
    RMAT_OR_RETURN(check_shape(c));
    RMAT_OR_RETURN(check_stream(c));
    if ((unsigned)c->backend > RMAT_BACKEND_GPU || (unsigned)c->isa > RMAT_ISA_NEON ||
        c->threads < 0 || c->device < -1) {
        return RMAT_ERR_ARG;
    }
    return rmat_cpu_has_isa(c->isa) ? RMAT_OK : RMAT_ERR_NO_ISA;
}

int rmat_start(rmat_gen *gen)
{
    const rmat_config *c = &gen->config;
    const bool on_gpu = !rmat_has_source(gen) || gen->source.fill_device != NULL;

    gen->isa = c->isa == RMAT_ISA_AUTO ? rmat_best_isa() : c->isa;
    gen->threads = c->threads;
    rmat_set_transform(gen);
    return c->backend != RMAT_BACKEND_GPU ? RMAT_OK
           : on_gpu && rmat_gpu() != NULL ? rmat_gpu()->prepare(gen)
                                          : RMAT_ERR_NO_BACKEND;
}

/* Sets everything that the configuration decides; gen is zeroed. */
static int set_up(rmat_gen *gen, const rmat_config *config)
{
    RMAT_OR_RETURN(rmat_check_config(config));
    rmat_levels_of(config, gen->levels);
    gen->kept = rmat_kept_of(config, gen->levels);
    if (gen->kept * RMAT_MAX_REDRAW < 1) {
        return RMAT_ERR_REDRAW;
    }
    gen->config = *config;
    gen->config.levels = NULL;
    RMAT_OR_RETURN(rmat_build_tables(gen));
    return rmat_start(gen);
}

int rmat_is_as_drawn(const rmat_config *config)
{
    return !config->permute && !config->symmetrize && config->direction == RMAT_DIRECTED;
}

rmat_config rmat_as_drawn(const rmat_config *config)
{
    rmat_config c = *config;

    c.permute = c.symmetrize = 0;
    c.direction = RMAT_DIRECTED;
    return c;
}

int rmat_create(rmat_gen **out, const rmat_config *config)
{
    rmat_gen *gen;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (config == NULL) {
        return RMAT_ERR_ARG;
    }
    if (config->stream != RMAT_STREAM_RMAT) {
        return rmat_create_listed(out, config);
    }
    gen = calloc(1, sizeof *gen);
    if (gen == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY(set_up(gen, config));
    *out = gen;
    gen = NULL;
done:
    rmat_destroy(gen);
    return st;
}

void rmat_destroy(rmat_gen *gen)
{
    if (gen != NULL) {
        if (gen->gpu != NULL) {
            rmat_gpu()->destroy(gen);
        }
        rmat_close_listed(gen);
        free(gen->tables);
        free(gen);
    }
}

static int check_arrays(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    if (gen == NULL || to == NULL || (to->id_bytes != 4 && to->id_bytes != 8) ||
        (count && (to->src == NULL || to->dst == NULL))) {
        return RMAT_ERR_ARG;
    }
    if (first > rmat_stream_edges(gen) || count > rmat_stream_edges(gen) - first) {
        return RMAT_ERR_RANGE;
    }
    if (to->id_bytes == 4 && (gen->config.rows_scale > 32 || gen->config.cols_scale > 32)) {
        return RMAT_ERR_ID_WIDTH;
    }
    return to->weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS ? RMAT_ERR_WEIGHTS
                                                                        : RMAT_OK;
}

int rmat_generate_arrays(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const rmat_arrays *arrays)
{
    RMAT_OR_RETURN(check_arrays(gen, first, count, arrays));
    first += rmat_stream_first(gen);
    return count == 0         ? RMAT_OK
           : gen->gpu != NULL ? rmat_gpu()->generate(gen, first, count, arrays)
                              : rmat_cpu_generate(gen, first, count, arrays);
}

int rmat_generate(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst)
{
    return rmat_generate_arrays(gen, first, count, &(rmat_arrays){src, dst, NULL, 8});
}

uint64_t rmat_fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes)
{
    return rmat_cpu_kernels_of(RMAT_ISA_AUTO)->fingerprint(src, dst, count, id_bytes);
}

rmat_isa rmat_used_isa(const rmat_gen *gen)
{
    return gen->isa;
}

rmat_backend rmat_used_backend(const rmat_gen *gen)
{
    return gen->gpu != NULL ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}

const char *rmat_isa_name(rmat_isa isa)
{
    static const char *const names[] = {"auto", "generic", "avx2", "avx512", "neon"};

    return (unsigned)isa < sizeof names / sizeof names[0] ? names[isa] : "unknown";
}

const char *rmat_strerror(int status)
{
    static const char *const texts[] = {
        [RMAT_ERR_ARG - RMAT_ERR_ARG] = "an argument is invalid",
        [RMAT_ERR_ARG - RMAT_ERR_SCALE] = "the scale is not within 1 to 62",
        [RMAT_ERR_ARG - RMAT_ERR_MATRIX] = "matrix entries must lie in [0, 1] and sum to 1",
        [RMAT_ERR_ARG - RMAT_ERR_RANGE] = "the edges lie beyond the end of the stream",
        [RMAT_ERR_ARG - RMAT_ERR_ID_WIDTH] = "32-bit ids cannot name more than 2^32 vertices",
        [RMAT_ERR_ARG - RMAT_ERR_NOMEM] = "memory is exhausted",
        [RMAT_ERR_ARG - RMAT_ERR_NO_ISA] = "this processor or this build lacks the instruction set",
        [RMAT_ERR_ARG - RMAT_ERR_DEVICE] = "there is no GPU of that number",
        [RMAT_ERR_ARG - RMAT_ERR_CUDA] = "the GPU failed",
        [RMAT_ERR_ARG - RMAT_ERR_VERTICES] =
            "a vertex count must be above half of 2^scale, and at most that",
        [RMAT_ERR_ARG - RMAT_ERR_NOISE] =
            "noise must lie between 0 and min((a + d) / 2, b, c) of every level",
        [RMAT_ERR_ARG - RMAT_ERR_SQUARE] =
            "options about self loops, direction and reverse edges require as many rows as columns",
        [RMAT_ERR_ARG - RMAT_ERR_REDRAW] = "nearly all edges would have to be drawn again",
        [RMAT_ERR_ARG - RMAT_ERR_WEIGHTS] =
            "the edges have no weights, or the least weight is above the greatest, or a float "
            "weight is not from -1e38 to 1e38",
        [RMAT_ERR_ARG - RMAT_ERR_FULL] = "there are more edges than fit into memory",
        [RMAT_ERR_ARG - RMAT_ERR_DRAWS] =
            "the model does not have that many distinct edges, or drawing them would take too long",
        [RMAT_ERR_ARG - RMAT_ERR_ROWS] = "the graph does not have these rows",
        [RMAT_ERR_ARG - RMAT_ERR_VERTEX] = "the graph does not have a vertex of this number",
        [RMAT_ERR_ARG - RMAT_ERR_EDGES] = "there are more edges than the interval can hold",
        [RMAT_ERR_ARG - RMAT_ERR_SOURCE] = "the source failed to provide its edges",
        [RMAT_ERR_ARG - RMAT_ERR_STOPPED] = "the call was stopped",
        [RMAT_ERR_ARG - RMAT_ERR_GPU_SCALE] =
            "a GPU sorts graphs of up to 2^32 rows and columns; the CPU sorts any, and the stream "
            "by rows comes in order",
        [RMAT_ERR_ARG - RMAT_ERR_STREAM] =
            "an official stream has one model, of 2^scale vertices; GAPBS has seeds of 32 bits; "
            "the stream by rows has no slices",
    };
    const unsigned i = (unsigned)RMAT_ERR_ARG - (unsigned)status;

    if (status == RMAT_ERR_NO_BACKEND) {
        return alias_strerror(ALIAS_ERR_NO_BACKEND);
    }
    return status == RMAT_OK                                        ? "success"
           : i < sizeof texts / sizeof texts[0] && texts[i] != NULL ? texts[i]
                                                                    : "unknown status";
}

const char *rmat_version(void)
{
    return RMAT_VERSION;
}

/* The functions of rmat_gpu.h: they check their arguments and call the GPU backend (model/gpu.h),
 * which a build without CUDA does not have. */

int rmat_gpu_count(void)
{
    return alias_gpu_count();
}

const char *rmat_gpu_error(void)
{
    return alias_gpu_error();
}

int rmat_used_device(const rmat_gen *gen)
{
    return gen->gpu != NULL ? gen->config.device : -1;
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *to, void *stream)
{
    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(check_arrays(gen, first, count, to));
    if (gen->gpu == NULL || (uintptr_t)to->src % (unsigned)to->id_bytes ||
        (uintptr_t)to->dst % (unsigned)to->id_bytes || (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    return count == 0 ? RMAT_OK
                      : rmat_gpu()->start(gen, rmat_stream_first(gen) + first, count, to, stream);
}

int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream)
{
    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    if (result == NULL || (id_bytes != 4 && id_bytes != 8) ||
        (count != 0 && (src == NULL || dst == NULL))) {
        return RMAT_ERR_ARG;
    }
    return count == 0 ? RMAT_OK
                      : rmat_gpu()->fingerprint(src, dst, count, id_bytes, result, stream);
}

int rmat_get_device_view(const rmat_gen *gen, rmat_view *view)
{
    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    if (gen == NULL || view == NULL || gen->gpu == NULL || rmat_has_source(gen)) {
        return RMAT_ERR_ARG;
    }
    *view = rmat_gpu()->view(gen);
    return RMAT_OK;
}
