/*
 * rmat/STREAM.md, sentence by sentence, in plain arithmetic: no bit tricks, no vectors, no header
 * of the library.  Where this and the library differ, one of them misread the page.
 */
#include "tests/reference.h"

#include <math.h>
#include <stdlib.h>

enum { PATHS = 4096 };

static const int64_t capacity = INT64_C(1) << 50, two62 = INT64_C(1) << 62;

typedef struct {
    uint64_t threshold[PATHS]; /* 0 ... capacity */
    int alias[PATHS];
} table;

struct reference {
    int rows_scale, cols_scale, scale, groups;
    uint64_t seed;
    table *tables; /* one per group */
};

typedef struct {
    uint64_t v[4];
} block;

static const uint64_t two32 = UINT64_C(1) << 32;

static block philox(uint64_t seed, uint64_t index, uint64_t block_number, uint64_t purpose)
{
    uint64_t c0 = index % two32, c1 = index / two32, c2 = block_number, c3 = purpose;
    uint64_t k0 = seed % two32, k1 = seed / two32;

    for (int round = 1; round <= 10; round++) {
        uint64_t first = UINT64_C(0xCD9E8D57) * c2, second = UINT64_C(0xD2511F53) * c0;

        c0 = first / two32 ^ c1 ^ k0;
        c1 = first % two32;
        c2 = second / two32 ^ c3 ^ k1;
        c3 = second % two32;
        k0 = (k0 + 0x9E3779B9) % two32;
        k1 = (k1 + 0xBB67AE85) % two32;
    }
    return (block){{c0, c1, c2, c3}};
}

/* floor(x * y / z) for x, y up to 2^62 and z up to 2^63, digit by digit. */
static int64_t multiply_divide(int64_t x, int64_t y, uint64_t z)
{
    uint64_t quotient = 0, remainder = 0; /* of (upper bits of x) * y by z */

    for (int bit = 62; bit >= 0; bit--) {
        remainder *= 2;
        quotient *= 2;
        if (remainder >= z) {
            remainder -= z;
            quotient++;
        }
        if (x >> bit & 1) {
            quotient += (uint64_t)y / z;
            remainder += (uint64_t)y % z;
            if (remainder >= z) {
                remainder -= z;
                quotient++;
            }
        }
    }
    return (int64_t)quotient;
}

/* "Level masses" */
static int level_masses(const double entry[4], int64_t e[4])
{
    int64_t x[4];
    uint64_t sum = 0;
    int largest = 0;

    for (int k = 0; k < 4; k++) {
        x[k] = (int64_t)floor(ldexp(entry[k], 62));
        sum += (uint64_t)x[k];
    }
    for (int k = 1; k < 4; k++) {
        if (x[k] > x[largest]) {
            largest = k;
        }
    }
    e[largest] = two62;
    for (int k = 0; k < 4; k++) {
        if (k != largest) {
            e[k] = multiply_divide(x[k], two62, sum);
            e[largest] -= e[k];
        }
    }
    return largest;
}

/* "Path masses", for one path: follow it down, level by level. */
static int64_t path_mass(const double (*matrices)[4], int scale, int group, int path)
{
    int64_t q = two62;

    for (int l = 0; l < 6; l++) {
        int level = 6 * group + l;
        int src_bit = path / 64 / (32 >> l) % 2, dst_bit = path % 64 / (32 >> l) % 2;
        int64_t e[4], rest = q;
        int largest = level_masses(matrices[level < scale ? level : scale - 1], e);

        if (2 * src_bit + dst_bit != largest) {
            q = multiply_divide(q, e[2 * src_bit + dst_bit], (uint64_t)two62);
        } else {
            for (int k = 0; k < 4; k++) {
                rest -= k == largest ? 0 : multiply_divide(q, e[k], (uint64_t)two62);
            }
            q = rest;
        }
    }
    return q;
}

/* "Rows" by their definition, searching from the start each time. */
static void rows(const int64_t *q, table *t)
{
    int light[PATHS], heavy[PATHS], lights = 0, heavies = 0;
    int64_t d[PATHS + 1], e[PATHS + 1];

    d[0] = e[0] = 0;
    for (int p = 0; p < PATHS; p++) {
        if (q[p] <= capacity) {
            light[lights] = p;
            d[lights + 1] = d[lights] + (capacity - q[p]);
            lights++;
        } else {
            heavy[heavies] = p;
            e[heavies + 1] = e[heavies] + (q[p] - capacity);
            heavies++;
        }
    }
    for (int i = 0; i < lights; i++) {
        int j = 0;

        while (j < heavies && e[j + 1] <= d[i]) {
            j++;
        }
        t->threshold[light[i]] = (uint64_t)q[light[i]];
        t->alias[light[i]] = q[light[i]] == capacity ? light[i] : heavy[j];
    }
    for (int j = 0; j < heavies; j++) {
        int64_t threshold;
        int i = 0;

        while (d[i] < e[j + 1]) {
            i++;
        }
        threshold = capacity + e[j + 1] - d[i];
        t->threshold[heavy[j]] = (uint64_t)threshold;
        t->alias[heavy[j]] = threshold == capacity ? heavy[j] : heavy[j + 1];
    }
}

static void build_table(table *t, const double (*matrices)[4], int scale, int group)
{
    int64_t q[PATHS];

    for (int p = 0; p < PATHS; p++) {
        q[p] = path_mass(matrices, scale, group, p);
    }
    rows(q, t);
}

reference *reference_create(int rows_scale, int cols_scale, const double (*matrices)[4],
                            uint64_t seed)
{
    reference *r = calloc(1, sizeof *r);

    if (!r) {
        abort();
    }
    r->rows_scale = rows_scale;
    r->cols_scale = cols_scale;
    r->scale = rows_scale > cols_scale ? rows_scale : cols_scale;
    r->groups = (r->scale + 5) / 6;
    r->seed = seed;
    r->tables = calloc((size_t)r->groups, sizeof *r->tables);
    if (!r->tables) {
        abort();
    }
    for (int g = 0; g < r->groups; g++) {
        build_table(&r->tables[g], matrices, r->scale, g);
    }
    return r;
}

void reference_destroy(reference *r)
{
    free(r->tables);
    free(r);
}

uint64_t reference_threshold(const reference *r, int group, int path)
{
    return r->tables[group].threshold[path];
}

int reference_alias(const reference *r, int group, int path)
{
    return r->tables[group].alias[path];
}

/* "Draws": the path of group g, given its row and fraction (f bits). */
static int decide(const reference *r, uint64_t i, int g, int row, uint64_t fraction, int f)
{
    const table *t = &r->tables[g];
    uint64_t full = t->threshold[row] * 16384; /* modulo 2^64 */
    uint64_t top = full >> (64 - f);
    block tie;

    if (fraction < top) {
        return row;
    }
    if (fraction > top) {
        return t->alias[row];
    }
    tie = philox(r->seed, i, (uint64_t)g, 1);
    if ((fraction << (64 - f)) + ((tie.v[0] + tie.v[1] * two32) >> f) < full) {
        return row;
    }
    return t->alias[row];
}

void reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst)
{
    uint64_t s = 0, d = 0;

    for (int g = 0; g < r->groups; g++) {
        int path, f = r->groups == 5 ? 13 : 20;

        if (r->groups == 5 && g == 4) {
            block b = philox(r->seed, i, 0, 0);
            uint64_t spare[4];

            for (int k = 0; k < 4; k++) {
                spare[k] = b.v[k] / 4096 % 128;
            }
            path = decide(r, i, g, (int)(spare[0] + 128 * (spare[1] % 32)),
                          64 * spare[2] + spare[3] / 2, f);
        } else {
            block b = philox(r->seed, i, (uint64_t)(g / 4), 0);
            uint64_t w = b.v[g % 4];

            path = decide(r, i, g, (int)(w % 4096), w >> (32 - f), f);
        }
        for (int l = 0; l < 6 && 6 * g + l < r->scale; l++) {
            s = 2 * s + (uint64_t)(path / 64 / (32 >> l) % 2);
            d = 2 * d + (uint64_t)(path % 64 / (32 >> l) % 2);
        }
    }
    *src = s % (UINT64_C(1) << r->rows_scale);
    *dst = d % (UINT64_C(1) << r->cols_scale);
}

uint64_t reference_hash(uint64_t src, uint64_t dst)
{
    uint64_t x = src * UINT64_C(0x9E3779B97F4A7C15) + dst * UINT64_C(0xC2B2AE3D27D4EB4F);

    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}
