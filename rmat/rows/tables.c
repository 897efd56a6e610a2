/*
 * tables.c - computes the tables and probabilities of the stream `rows` from a model (ROWS.md).
 *
 * Given the source's bits, the bits of the destination are independent.  So a group of six levels
 * has an alias table over the 64 values of its destination bits for each of the 64 values of its
 * source bits.  If the first k levels of the group are known, it has one of 2^(6 - k) rows for each
 * value of the other source bits.  Groups of the same matrices share their tables.
 */
#include "rmat/rows/rows.h"
#include "rmat/try.h"
#include <stdlib.h>
#include <string.h>

#define MASS ((uint64_t)1 << 62)

__extension__ typedef unsigned __int128 u128;

/* For a level: the masses of destination bits 0 and 1, given the source bit. */
typedef struct {
    uint64_t mass[2][2];
} level_law;

static uint64_t chance_of(uint64_t zero, uint64_t one)
{
    return zero == 0 && one > 0 ? RMAT_ROWS_CERTAIN
           : one == 0           ? 0
                                : (uint64_t)(((u128)one << 64) / (zero + one));
}

static double share_of(uint64_t zero, uint64_t one)
{
    return one == 0 ? 0 : (double)one / ((double)zero + (double)one);
}

static void set_level(rmat_rows_level *l, level_law *law, const rmat_matrix *m, bool has_src)
{
    uint64_t e[4];

    rmat_level_masses(m, e);
    for (int bit = 0; bit < 2; bit++) {
        for (int d = 0; d < 2; d++) {
            law->mass[bit][d] = has_src ? e[2 * bit + d] : e[d] + e[2 + d];
        }
        l->dst[bit] = chance_of(law->mass[bit][0], law->mass[bit][1]);
        l->p_dst[bit][0] = share_of(law->mass[bit][1], law->mass[bit][0]);
        l->p_dst[bit][1] = share_of(law->mass[bit][0], law->mass[bit][1]);
    }
    l->src = has_src ? chance_of(e[0] + e[1], e[2] + e[3]) : 0;
    l->p_src[0] = has_src ? share_of(e[2] + e[3], e[0] + e[1]) : 1;
    l->p_src[1] = has_src ? share_of(e[0] + e[1], e[2] + e[3]) : 0;
}

/* Computes the fraction of wanted edges from each level and state on, the last level first. */
static void set_wanted(rmat_rows_view *v)
{
    for (int tight = 0; tight < 2; tight++) {
        for (int s = 0; s < RMAT_ROWS_STATES; s++) {
            v->level[v->levels].wanted[tight][s] = !(s & RMAT_ROWS_EQUAL);
        }
    }
    for (int i = 2 * RMAT_ROWS_STATES * v->levels - 1; i >= 0; i--) {
        const int at = i / (2 * RMAT_ROWS_STATES), tight = i / RMAT_ROWS_STATES % 2;
        const int s = i % RMAT_ROWS_STATES, most = rmat_rows_bit(v->rows - 1, v->levels, at);
        const bool has_bit = at >= rmat_rows_src_level(v);
        double sum = 0;

        for (int bit = 0; bit < 2 && !(tight && has_bit && bit > most); bit++) {
            for (int d = 0; d < 2; d++) {
                const int next = rmat_rows_next(v, at, s, bit, d);

                sum += next < 0
                           ? 0
                           : v->level[at].p_src[bit] * v->level[at].p_dst[bit][d] *
                                 v->level[at + 1].wanted[tight && (!has_bit || bit == most)][next];
            }
        }
        v->level[at].wanted[tight][s] = sum;
    }
}

/* Sets, for each level, the states from which fewer than 1 / RMAT_MAX_REDRAW of the destinations of
 * some source are wanted. */
static void set_rare(rmat_rows_view *v)
{
    double least[RMAT_ROWS_STATES], above[RMAT_ROWS_STATES];

    for (int s = 0; s < RMAT_ROWS_STATES; s++) {
        least[s] = !(s & RMAT_ROWS_EQUAL);
    }
    for (int at = v->levels - 1; at >= 0; at--) {
        rmat_rows_level *l = &v->level[at];

        for (int s = 0; s < RMAT_ROWS_STATES; s++) {
            above[s] = 1;
            for (int bit = 0; bit < 2 && s > 0; bit++) {
                double sum = 0;

                for (int d = 0; d < 2; d++) {
                    const int next = rmat_rows_next(v, at, s, bit, d);

                    sum += next < 0 ? 0 : l->p_dst[bit][d] * least[next];
                }
                above[s] = l->p_src[bit] > 0 && sum < above[s] ? sum : above[s];
            }
            l->rare |= (unsigned)(above[s] * RMAT_MAX_REDRAW < 1) << s;
        }
        memcpy(least, above, sizeof least);
    }
}

/* Builds the table for levels known ... 5 of a group and these source bits. */
static int build_table(const level_law *group, int known, uint32_t src_bits, uint64_t *full,
                       uint32_t *fast)
{
    const int left = RMAT_ROWS_GROUP - known;
    uint64_t masses[1 << RMAT_ROWS_GROUP] = {MASS};

    for (int i = 0; i < left; i++) {
        const uint64_t *m = group[known + i].mass[src_bits >> (left - 1 - i) & 1];

        for (uint32_t q = (uint32_t)1 << i; q-- > 0;) {
            const uint64_t whole = masses[q];
            const uint64_t one =
                m[1] == 0 ? 0 : (uint64_t)((u128)whole * m[1] / ((u128)m[0] + m[1]));

            masses[2 * q + 1] = one;
            masses[2 * q] = whole - one;
        }
    }
    return rmat_build_table(masses, (uint32_t)1 << left, full, fast);
}

/* Builds all tables; groups of the same law share theirs. */
static int build_tables(rmat_rows_view *v, const level_law *law)
{
    const int groups = (v->levels + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP;
    uint64_t *full;
    uint32_t *fast;

    v->tables = rmat_share_tables(law, RMAT_ROWS_GROUP * sizeof *law, groups, v->table_of);
    full = malloc((size_t)v->tables * RMAT_ROWS_TABLE * (sizeof *full + sizeof *fast));
    if (full == NULL) {
        return RMAT_ERR_NOMEM;
    }
    fast = (uint32_t *)(full + (size_t)v->tables * RMAT_ROWS_TABLE);
    v->full = full;
    v->fast = fast;
    for (int g = 0, built = 0; g < groups; g++) {
        for (int known = 0; known < RMAT_ROWS_GROUP && v->table_of[g] == built; known++) {
            for (uint32_t bits = 0; bits < (uint32_t)1 << (RMAT_ROWS_GROUP - known); bits++) {
                const uint32_t at =
                    (uint32_t)(built * RMAT_ROWS_TABLE) + rmat_rows_table(known, bits);

                RMAT_OR_RETURN(
                    build_table(&law[g * RMAT_ROWS_GROUP], known, bits, full + at, fast + at));
            }
        }
        built += v->table_of[g] == built;
    }
    return RMAT_OK;
}

int rmat_rows_set_up(rmat_rows_view *v, const rmat_config *c, const rmat_matrix *levels)
{
    level_law law[RMAT_ROWS_GROUPS * RMAT_ROWS_GROUP];

    memset(v, 0, sizeof *v);
    v->seed = c->seed;
    v->levels = rmat_scale(c);
    v->rows_scale = c->rows_scale;
    v->cols_scale = c->cols_scale;
    v->rows = rmat_vertices(c, RMAT_ROWS);
    v->cols = rmat_vertices(c, RMAT_COLS);
    v->src_tight = v->rows != (uint64_t)1 << c->rows_scale;
    v->state = (v->cols != (uint64_t)1 << c->cols_scale ? RMAT_ROWS_TIGHT : 0) |
               (c->no_self_loops ? RMAT_ROWS_EQUAL : 0);
    for (int l = 0; l < RMAT_ROWS_GROUPS * RMAT_ROWS_GROUP; l++) {
        rmat_rows_level beyond; /* levels of the last group that do not exist repeat the last one */
        const bool exists = l < v->levels;

        set_level(exists ? &v->level[l] : &beyond, &law[l], &levels[exists ? l : v->levels - 1],
                  !exists || l >= rmat_rows_src_level(v));
    }
    set_wanted(v);
    set_rare(v);
    return build_tables(v, law);
}
