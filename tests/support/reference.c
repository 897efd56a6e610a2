/*
 * The reference: rmat/STREAM.md, sentence by sentence, in plain arithmetic, without bit tricks,
 * vectors or headers of the library.  If it and the library differ, one of them has misread the
 * page.
 */
#include "tests/support/reference.h"
#include "tests/support/reference_impl.h"

#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 65536 };

reference_block reference_philox(uint64_t seed, uint64_t index, uint64_t block, uint64_t purpose)
{
    uint64_t c0 = index % TWO_TO_32, c1 = index / TWO_TO_32, c2 = block, c3 = purpose;
    uint64_t k0 = seed % TWO_TO_32, k1 = seed / TWO_TO_32;

    for (int round = 1; round <= 10; round++) {
        uint64_t first = UINT64_C(0xCD9E8D57) * c2, second = UINT64_C(0xD2511F53) * c0;

        c0 = first / TWO_TO_32 ^ c1 ^ k0;
        c1 = first % TWO_TO_32;
        c2 = second / TWO_TO_32 ^ c3 ^ k1;
        c3 = second % TWO_TO_32;
        k0 = (k0 + 0x9E3779B9) % TWO_TO_32;
        k1 = (k1 + 0xBB67AE85) % TWO_TO_32;
    }
    return (reference_block){{c0, c1, c2, c3}};
}

/* An earlier group whose six matrices are those of group g; those after the last level repeat it.
 */
static int same_group(const reference *r, int g)
{
    for (int other = 0; other < g; other++) {
        int same = 1;

        for (int l = 0; l < 6; l++) {
            int level = 6 * g + l < r->scale ? 6 * g + l : r->scale - 1;

            for (int k = 0; k < 4; k++) {
                same = same && r->level[6 * other + l][k] == r->level[level][k];
            }
        }
        if (same) {
            return other;
        }
    }
    return g;
}

reference *reference_create(const reference_config *config)
{
    reference *r = calloc(1, sizeof *r);

    if (!r) {
        abort();
    }
    r->config = *config;
    if (config->rows == 0) {
        r->config.rows = UINT64_C(1) << config->rows_scale;
    }
    if (config->cols == 0) {
        r->config.cols = UINT64_C(1) << config->cols_scale;
    }
    r->scale = config->rows_scale > config->cols_scale ? config->rows_scale : config->cols_scale;
    r->groups = (r->scale + 5) / 6;
    for (int l = 0; l < r->scale; l++) {
        if (config->noise != 0) {
            reference_noise(config->matrices[l], config->noise, config->seed, l, r->level[l]);
        } else {
            memcpy(r->level[l], config->matrices[l], sizeof r->level[l]);
        }
    }
    r->tables = calloc((size_t)r->groups, sizeof *r->tables);
    if (!r->tables) {
        abort();
    }
    for (int g = 0; g < r->groups; g++) {
        int other = same_group(r, g);

        if (other < g) {
            r->tables[g] = r->tables[other];
        } else {
            reference_build_table(&r->tables[g], (const double(*)[4])r->level, r->scale, g);
        }
    }
    return r;
}

void reference_destroy(reference *r)
{
    free(r->tables);
    free(r);
}

const double *reference_level(const reference *r, int l)
{
    return r->level[l];
}

/* What is drawn: attempt t at base edge i. */
typedef struct {
    uint64_t i, t;
} draw;

static reference_block draw_block(const reference *r, draw d, int number, uint64_t purpose)
{
    return reference_philox(r->config.seed, d.i, d.t * 65536 + (uint64_t)number, purpose);
}

/* "Draws": the path of group g, given its row and fraction (f bits). */
static int decide(const reference *r, draw d, int g, int row, uint64_t fraction, int f)
{
    const reference_table *t = &r->tables[g];
    uint64_t full = t->threshold[row] * 16384; /* modulo 2^64 */
    uint64_t top = full >> (64 - f);
    reference_block tie;

    if (fraction < top) {
        return row;
    }
    if (fraction > top) {
        return t->alias[row];
    }
    tie = draw_block(r, d, g, 1);
    if ((fraction << (64 - f)) + ((tie.v[0] + tie.v[1] * TWO_TO_32) >> f) < full) {
        return row;
    }
    return t->alias[row];
}

static void draw_ends(const reference *r, draw what, uint64_t *src, uint64_t *dst)
{
    uint64_t s = 0, d = 0;

    for (int g = 0; g < r->groups; g++) {
        int path, f = r->groups == 5 ? 13 : 20;

        if (r->groups == 5 && g == 4) {
            reference_block b = draw_block(r, what, 0, 0);
            uint64_t spare[4];

            for (int k = 0; k < 4; k++) {
                spare[k] = b.v[k] / 4096 % 128;
            }
            path = decide(r, what, g, (int)(spare[0] + 128 * (spare[1] % 32)),
                          64 * spare[2] + spare[3] / 2, f);
        } else {
            reference_block b = draw_block(r, what, g / 4, 0);
            uint64_t w = b.v[g % 4];

            path = decide(r, what, g, (int)(w % 4096), w >> (32 - f), f);
        }
        for (int l = 0; l < 6 && 6 * g + l < r->scale; l++) {
            s = 2 * s + (uint64_t)(path / 64 / (32 >> l) % 2);
            d = 2 * d + (uint64_t)(path % 64 / (32 >> l) % 2);
        }
    }
    *src = s % (UINT64_C(1) << r->config.rows_scale);
    *dst = d % (UINT64_C(1) << r->config.cols_scale);
}

static void swap(uint64_t *src, uint64_t *dst)
{
    uint64_t s = *src;

    *src = *dst;
    *dst = s;
}

uint64_t reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst)
{
    const reference_config *c = &r->config;
    draw d = {c->symmetrize ? i / 2 : i, 0};

    for (;; d.t++) {
        draw_ends(r, d, src, dst);
        if ((*src < c->rows && *dst < c->cols && !(c->no_self_loops && *src == *dst)) ||
            d.t == ATTEMPTS - 1) {
            break;
        }
    }
    if (c->permute) {
        *src = reference_permute(r, 0, *src);
        *dst = reference_permute(r, 1, *dst);
    }
    if ((c->direction == 'l' && *src < *dst) || (c->direction == 'u' && *src > *dst)) {
        swap(src, dst);
    }
    if (c->symmetrize && i % 2) {
        swap(src, dst);
    }
    return d.t;
}

uint64_t reference_hash(uint64_t src, uint64_t dst)
{
    uint64_t x = src * UINT64_C(0x9E3779B97F4A7C15) + dst * UINT64_C(0xC2B2AE3D27D4EB4F);

    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}
