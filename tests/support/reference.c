/*
 * The reference: rmat/STREAM.md, sentence by sentence, in simple arithmetic, without bit tricks,
 * vectors or any code of the library.  If it and the library differ, one of them has misread the
 * page.
 */
#include "tests/support/reference.h"

#include <math.h>

#define TWO_TO_32 (UINT64_C(1) << 32)

enum { PATHS = 4096, GROUPS = 11 };

typedef struct {
    uint64_t threshold[PATHS]; /* 0 ... 2^50 */
    int alias[PATHS];
} table;

struct reference {
    rmat_config config; /* rows and cols filled in; no levels */
    int scale, groups;
    double level[GROUPS * 6][4]; /* those after the last level repeat it */
    table *tables;               /* one per group */
};

typedef struct {
    uint64_t v[4];
} random_block;

/* --- "Random bits" --- */

enum { ATTEMPTS = 65536 };

static random_block philox(uint64_t seed, uint64_t index, uint64_t block, uint64_t purpose)
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
    return (random_block){{c0, c1, c2, c3}};
}

/* --- "Tables" --- */

static const int64_t capacity = INT64_C(1) << 50, two62 = INT64_C(1) << 62;

/* floor(x * y / z) for x, y up to 2^62 and z up to 2^64. */
static int64_t multiply_divide(int64_t x, int64_t y, uint64_t z)
{
    return (int64_t)((unsigned __int128)x * (unsigned __int128)y / z);
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

/* The six levels of a group. */
typedef struct {
    int64_t e[6][4];
    int largest[6];
} group_masses;

/* "Path masses", for one path: follow it down, level by level. */
static int64_t path_mass(const group_masses *m, int path)
{
    int64_t q = two62;

    for (int l = 0; l < 6; l++) {
        int quadrant = path / 64 / (32 >> l) % 2 * 2 + path % 64 / (32 >> l) % 2;
        int64_t rest = q;

        if (quadrant != m->largest[l]) {
            q = multiply_divide(q, m->e[l][quadrant], (uint64_t)two62);
        } else {
            for (int k = 0; k < 4; k++) {
                rest -= k == quadrant ? 0 : multiply_divide(q, m->e[l][k], (uint64_t)two62);
            }
            q = rest;
        }
    }
    return q;
}

/* "Rows" by their definition; what the conditions search for never lies before the last find. */
static void build_rows(const int64_t *q, table *t)
{
    int light[PATHS], heavy[PATHS], lights = 0, heavies = 0, found = 0;
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
        while (found < heavies && e[found + 1] <= d[i]) {
            found++;
        }
        t->threshold[light[i]] = (uint64_t)q[light[i]];
        t->alias[light[i]] = q[light[i]] == capacity ? light[i] : heavy[found];
    }
    found = 0;
    for (int j = 0; j < heavies; j++) {
        int64_t threshold;

        while (d[found] < e[j + 1]) {
            found++;
        }
        threshold = capacity + e[j + 1] - d[found];
        t->threshold[heavy[j]] = (uint64_t)threshold;
        t->alias[heavy[j]] = threshold == capacity ? heavy[j] : heavy[j + 1];
    }
}

/* Of the six matrices of a group. */
static void build_table(table *t, const double (*levels)[4])
{
    int64_t q[PATHS];
    group_masses m;

    for (int l = 0; l < 6; l++) {
        m.largest[l] = level_masses(levels[l], m.e[l]);
    }
    for (int p = 0; p < PATHS; p++) {
        q[p] = path_mass(&m, p);
    }
    build_rows(q, t);
}

/* --- "Noise" --- */

static void draw_noise(const double given[4], double noise, uint64_t seed, int l, double drawn[4])
{
    random_block b = philox(seed, (uint64_t)l, 0, 2);
    uint64_t v = b.v[0] + TWO_TO_32 * b.v[1];
    double u = ldexp((double)(v / 2048), -53);
    double mu = noise * (2 * u - 1);
    double diagonal = given[0] + given[3];
    double t = diagonal == 0 ? 0 : 2 * mu / diagonal;

    drawn[0] = given[0] - given[0] * t;
    drawn[1] = given[1] + mu;
    drawn[2] = given[2] + mu;
    drawn[3] = given[3] - given[3] * t;
}

/* --- Edges --- */

reference *reference_create(const rmat_config *config)
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
        const rmat_matrix m = config->levels ? config->levels[l] : config->matrix;
        const double given[4] = {m.a, m.b, m.c, m.d};

        if (config->noise != 0) {
            draw_noise(given, config->noise, config->seed, l, r->level[l]);
        } else {
            memcpy(r->level[l], given, sizeof given);
        }
    }
    for (int l = r->scale; l < 6 * r->groups; l++) {
        memcpy(r->level[l], r->level[r->scale - 1], sizeof r->level[l]);
    }
    r->tables = calloc((size_t)r->groups, sizeof *r->tables);
    if (!r->tables) {
        abort();
    }
    for (int g = 0; g < r->groups; g++) {
        int same = 0; /* the first group of equal matrices */

        while (memcmp(r->level[6 * same], r->level[6 * g], 6 * sizeof r->level[0]) != 0) {
            same++;
        }
        if (same < g) {
            r->tables[g] = r->tables[same];
        } else {
            build_table(&r->tables[g], (const double(*)[4])r->level[6 * g]);
        }
    }
    return r;
}

void reference_destroy(reference *r)
{
    if (r) {
        free(r->tables);
        free(r);
    }
}

rmat_matrix reference_level(const reference *r, int l)
{
    return (rmat_matrix){r->level[l][0], r->level[l][1], r->level[l][2], r->level[l][3]};
}

/* What is drawn: attempt t at base edge i. */
typedef struct {
    uint64_t i, t;
} draw;

static random_block draw_block(const reference *r, draw d, int number, uint64_t purpose)
{
    return philox(r->config.seed, d.i, d.t * 65536 + (uint64_t)number, purpose);
}

/* "Draws": the path of group g, given its row and fraction (f bits). */
static int decide(const reference *r, draw d, int g, int row, uint64_t fraction, int f)
{
    const table *t = &r->tables[g];
    uint64_t full = t->threshold[row] * 16384; /* modulo 2^64 */
    uint64_t top = full >> (64 - f);
    random_block tie;

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
            random_block b = draw_block(r, what, 0, 0);
            uint64_t spare[4];

            for (int k = 0; k < 4; k++) {
                spare[k] = b.v[k] / 4096 % 128;
            }
            path = decide(r, what, g, (int)(spare[0] + 128 * (spare[1] % 32)),
                          64 * spare[2] + spare[3] / 2, f);
        } else {
            random_block b = draw_block(r, what, g / 4, 0);
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

void reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst)
{
    const rmat_config *c = &r->config;
    draw d = {c->symmetrize ? i / 2 : i, 0};

    for (;; d.t++) {
        draw_ends(r, d, src, dst);
        if ((*src < c->rows && *dst < c->cols && !(c->no_self_loops && *src == *dst)) ||
            d.t == ATTEMPTS - 1) {
            break;
        }
    }
    if (c->permute) {
        *src = reference_permute(r, RMAT_ROWS, *src);
        *dst = reference_permute(r, RMAT_COLS, *dst);
    }
    if ((c->direction == RMAT_LOWER && *src < *dst) ||
        (c->direction == RMAT_UPPER && *src > *dst)) {
        swap(src, dst);
    }
    if (c->symmetrize && i % 2) {
        swap(src, dst);
    }
}

uint64_t reference_hash(uint64_t src, uint64_t dst)
{
    uint64_t x = src * UINT64_C(0x9E3779B97F4A7C15) + dst * UINT64_C(0xC2B2AE3D27D4EB4F);

    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

/* --- "Weights" --- */

static uint64_t hash_of(uint64_t key, uint64_t lo, uint64_t hi)
{
    uint64_t x = lo * UINT64_C(0x9E3779B97F4A7C15) + hi * UINT64_C(0xC2B2AE3D27D4EB4F) + key;

    for (int round = 0; round < 2; round++) {
        x ^= x / TWO_TO_32;
        x *= UINT64_C(0xD6E8FEB86659FD93);
    }
    return x ^ x / TWO_TO_32;
}

/* floor(x * y / 2^64) for y up to 2^32, from the lowest bit of x on. */
static uint64_t scaled(uint64_t x, uint64_t y)
{
    uint64_t product = 0;

    for (int bit = 0; bit < 64; bit++, x /= 2) {
        product = (product + x % 2 * y) / 2;
    }
    return product;
}

uint32_t reference_weight(const reference *r, uint64_t src, uint64_t dst)
{
    const rmat_config *c = &r->config;
    random_block b = philox(c->seed, 0, 0, 4);
    uint64_t key = b.v[0] + TWO_TO_32 * b.v[1];
    uint64_t x = src < dst ? hash_of(key, src, dst) : hash_of(key, dst, src);
    uint32_t bits;

    if (c->weights == RMAT_WEIGHTS_INT) {
        int64_t range = (int64_t)c->weight_max - c->weight_min + 1;
        int32_t value = (int32_t)(c->weight_min + (int64_t)scaled(x, (uint64_t)range));

        memcpy(&bits, &value, sizeof bits);
    } else {
        float value = (float)(x / (UINT64_C(1) << 40)) / 16777216.0f;

        if (c->weights == RMAT_WEIGHTS_FLOAT) {
            volatile float product = (c->weight_high - c->weight_low) * value; /* rounded here */

            value = c->weight_low + product;
            value = value > c->weight_high ? c->weight_high : value;
        }
        memcpy(&bits, &value, sizeof bits);
    }
    return bits;
}

/* --- "Permutation" --- */

enum { MOST_ROUNDS = 9 };

static const uint64_t spread = 0xD2511F53;

typedef struct {
    int bits, rounds;
    uint64_t vertices, factor[MOST_ROUNDS], addend[MOST_ROUNDS];
} side_permutation;

/* A square graph has one permutation, that of the rows. */
static side_permutation permutation_of(const reference *r, rmat_side side)
{
    const rmat_config *c = &r->config;
    const bool columns = side == RMAT_COLS;
    uint64_t number = c->rows != c->cols && columns ? 1 : 0;
    side_permutation p;

    p.bits = columns ? c->cols_scale : c->rows_scale;
    p.rounds = p.bits < 12 ? 9 : 4;
    p.vertices = columns ? c->cols : c->rows;
    for (int round = 0; round < p.rounds; round++) {
        random_block block = philox(c->seed, number, (uint32_t)round, 3);

        p.addend[round] = block.v[0] + TWO_TO_32 * block.v[1];
        p.factor[round] = block.v[2] % 2 ? block.v[2] : block.v[2] + 1;
    }
    return p;
}

static uint64_t power_of_two(int n)
{
    return UINT64_C(1) << n;
}

/* The lowest `bits` bits of x in reverse order. */
static uint64_t reverse(uint64_t x, int bits)
{
    uint64_t reversed = 0;

    for (int k = 0; k < bits; k++) {
        reversed = 2 * reversed + x / power_of_two(k) % 2;
    }
    return reversed;
}

static uint64_t turn(const side_permutation *p, uint64_t x)
{
    uint64_t low = x % TWO_TO_32, high = x / TWO_TO_32;

    return p->bits <= 32 ? reverse(x, p->bits)
                         : high * TWO_TO_32 + reverse((low + spread * high) % TWO_TO_32, 32);
}

static uint64_t multiply(const side_permutation *p, int round, uint64_t x)
{
    uint64_t m = (2 * x + p->factor[round]) % TWO_TO_32;

    return (x * m + p->addend[round]) % power_of_two(p->bits);
}

uint64_t reference_permute(const reference *r, rmat_side side, uint64_t id)
{
    side_permutation p = permutation_of(r, side);

    do {
        for (int round = 0; round < p.rounds; round++) {
            id = multiply(&p, round, round > 0 ? turn(&p, id) : id);
        }
    } while (id >= p.vertices);
    return id;
}

void expect_reference(bench *b, const reference *r, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        reference_edge(r, first + i, &b->src[i], &b->dst[i]);
        b->weight[i] = b->config.weights ? reference_weight(r, b->src[i], b->dst[i]) : 0;
    }
}
