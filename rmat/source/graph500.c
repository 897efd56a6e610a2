/*
 * graph500.c - Graph500's edges as a source: the tables of its generator, and ranges of edges.  The
 * kernels of an instruction set make the edges in blocks of 256 (rmat/cpu/official_body.h).
 */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

/* to = a b mod f, of polynomials below degree 5, the constant term first. */
static void multiply(const uint32_t a[5], const uint32_t b[5], uint32_t to[5])
{
    uint32_t product[9] = {0};

    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            product[i + k] = mrg_reduce(product[i + k] + (uint64_t)a[i] * b[k]);
        }
    }
    for (int i = 8; i >= 5; i--) { /* t^5 = MRG_X t^4 + MRG_Y */
        product[i - 1] = mrg_reduce(product[i - 1] + (uint64_t)MRG_X * product[i]);
        product[i - 5] = mrg_reduce(product[i - 5] + (uint64_t)MRG_Y * product[i]);
    }
    memcpy(to, product, 5 * sizeof *to);
}

/* The powers of t^(256^k * 2^64). */
static void fill_skips(mrg_view *v)
{
    uint32_t base[5] = {0, 1}, power[5], next[5]; /* base: t, which is then squared 64 times */

    for (int i = 0; i < 64; i++) {
        multiply(base, base, next);
        memcpy(base, next, sizeof base);
    }
    for (int k = 0; k < 8; k++) {
        memset(power, 0, sizeof power);
        power[0] = 1;
        for (int n = 0; n < 256; n++) {
            for (int i = 0; i < 5; i++) {
                v->skip[k][i][n] = power[i];
            }
            multiply(power, base, next);
            memcpy(power, next, sizeof power);
        }
        memcpy(base, power, sizeof base); /* to the power of 256 */
    }
}

/* The seeded state is spread from two seeds. */
static void fill_start(mrg_view *v, uint64_t seed1, uint64_t seed2)
{
    const uint32_t part = 0x3FFFFFFF;

    v->start[0] = (uint32_t)(seed1 & part) + 1;
    v->start[1] = (uint32_t)(seed1 >> 30 & part) + 1;
    v->start[2] = (uint32_t)(seed2 & part) + 1;
    v->start[3] = (uint32_t)(seed2 >> 30 & part) + 1;
    v->start[4] = ((uint32_t)(seed2 >> 60) << 4) + (uint32_t)(seed1 >> 60) + 1;
}

/* Skips n * 2^128 numbers, 256 times the numbers of byte 7, the highest. */
static void skip_far(const mrg_view *v, int n, uint32_t z[5])
{
    for (int i = 0; i < n; i++) {
        mrg_skip(v, 7, 255, z);
        mrg_skip(v, 7, 1, z);
    }
}

/* The numbers 50 * 2^128 + 7 * 2^64 after the start scramble the vertices. */
static void fill_scrambling(mrg_view *v)
{
    uint32_t z[5], words[4];

    memcpy(z, v->start, sizeof z);
    mrg_skip(v, 0, 7, z);
    skip_far(v, 50, z);
    for (int i = 0; i < 4; i++) {
        words[i] = mrg_next(z);
    }
    v->scrambling.add = (uint64_t)words[0] * 0xFFFFFFFF + words[1];
    v->scrambling.multiply[0] = v->scrambling.add | 0x4519840211493211u;
    v->scrambling.multiply[1] = ((uint64_t)words[2] * 0xFFFFFFFF + words[3]) | 0x3050852102C843A5u;
    v->scrambling.add += (uint64_t)words[2] * 0xFFFFFFFF + words[3];
}

static void fill_view(mrg_view *v, int scale, uint64_t seed1, uint64_t seed2)
{
    v->scrambling.scale = scale;
    fill_skips(v);
    fill_start(v, seed1, seed2);
    fill_scrambling(v);
}

void rmat_graph500_destroy(void *list)
{
    rmat_graph500 *g = list;

    if (rmat_gpu() != NULL) {
        rmat_gpu()->copies_free(&g->copies);
    }
    free(g);
}

/* A number in [0, 1), made of two. */
static double fraction(uint32_t z[5])
{
    const double high = mrg_next(z), low = mrg_next(z);

    return high * .000000000465661287524579692 + low * .0000000000000000002168404346990492787;
}

void rmat_graph500_candidates(int scale, uint64_t seed1, uint64_t seed2, uint32_t z[5],
                              uint64_t count, uint64_t *vertices)
{
    const uint64_t all = (uint64_t)1 << scale;

    if ((z[0] | z[1] | z[2] | z[3] | z[4]) == 0) {
        mrg_view v;

        fill_view(&v, scale, seed1, seed2);
        memcpy(z, v.start, 5 * sizeof *z);
        skip_far(&v, 2, z);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double first = fraction(z), second = fraction(z);

        vertices[i] = (uint64_t)((first + second) * (double)all) % all;
    }
}

INLINE void store_ids(const uint64_t *from, uint64_t n, void *to, uint64_t at, const int id_bytes)
{
    for (uint64_t i = 0; i < n; i++) {
        set_id(to, at + i, from[i], id_bytes);
    }
}

static int fill_graph500(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_graph500 *g = state;
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(g->isa);
    _Alignas(64) uint64_t src[BLOCK], dst[BLOCK];
    float weight[BLOCK];

    for (uint64_t done = 0; done < count;) {
        const uint64_t skip = (first + done) % BLOCK;
        const uint64_t n = count - done < BLOCK - skip ? count - done : BLOCK - skip;

        kernels->graph500(&g->view, (first + done) / BLOCK, src, dst,
                          to->weight != NULL ? weight : NULL);
        BY_WIDTH(to->id_bytes, store_ids, src + skip, n, to->src, done);
        BY_WIDTH(to->id_bytes, store_ids, dst + skip, n, to->dst, done);
        if (to->weight != NULL) {
            memcpy((float *)to->weight + done, weight + skip, n * sizeof *weight);
        }
        done += n;
    }
    return 0;
}

int rmat_graph500_create(rmat_source *to, const rmat_config *c)
{
    const uint64_t vertices = (uint64_t)1 << c->rows_scale;
    rmat_graph500 *g = calloc(1, sizeof *g);

    if (g == NULL) {
        return RMAT_ERR_NOMEM;
    }
    g->isa = c->isa;
    fill_view(&g->view, c->rows_scale, c->seed, c->seed2);
    *to = (rmat_source){.rows = vertices,
                        .cols = vertices,
                        .edges = RMAT_MAX_EDGES >> (c->symmetrize != 0),
                        .weights = rmat_has_own_weights(c) ? RMAT_WEIGHTS_UNIFORM : RMAT_NO_WEIGHTS,
                        .fill = fill_graph500,
                        .fill_device = rmat_gpu() != NULL ? rmat_gpu()->graph500 : NULL,
                        .state = g};
    return RMAT_OK;
}
