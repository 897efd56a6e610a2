/* Counts of edges over windows of levels, and their verdicts; small models by enumeration
 * (stats_rmat.h). */
#include "tests/support/stats_rmat.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (UINT64_C(1) << 17) /* a multiple of twice any lag */

stat_model stat_model_distinct(int rows_scale, int cols_scale, int even)
{
    static const double skewed[4] = {0.40, 0.27, 0.20, 0.13}, flat[4] = {0.30, 0.27, 0.23, 0.20};
    const double *base = even ? flat : skewed;
    stat_model m = {.rows_scale = rows_scale, .cols_scale = cols_scale};

    m.scale = rows_scale > cols_scale ? rows_scale : cols_scale;
    for (int level = 0; level < m.scale; level++) {
        int order = level * 7 % 24; /* all 24 orders of the four, neighbors far apart */
        double tilt = 0.01 * (level / 24), p[4];
        int left[4] = {0, 1, 2, 3};

        for (int i = 0, radix = 6; i < 4; i++) {
            int pick = order / radix;

            p[i] = base[left[pick]] + (left[pick] == 0 ? tilt : left[pick] == 2 ? -tilt : 0.0);
            order %= radix;
            radix = radix > 2 ? 2 : 1;
            for (int k = pick; k < 3; k++) {
                left[k] = left[k + 1];
            }
        }
        m.level[level] = (rmat_matrix){p[0], p[1], p[2], p[3]};
    }
    return m;
}

stat_model stat_model_same(int scale, rmat_matrix matrix)
{
    stat_model m = {.rows_scale = scale, .cols_scale = scale, .scale = scale};

    for (int level = 0; level < scale; level++) {
        m.level[level] = matrix;
    }
    return m;
}

rmat_gen *stat_create(stat_model *m, double noise, uint64_t seed)
{
    const rmat_config config = model_of((rmat_config){.rows_scale = m->rows_scale,
                                                      .cols_scale = m->cols_scale,
                                                      .levels = noise > 0 ? NULL : m->level,
                                                      .noise = noise,
                                                      .seed = seed});

    if (noise > 0) {
        ok(rmat_levels(&config, m->level));
    }
    return create_gen(&config);
}

int stat_level_windows(stat_window *windows, int scale)
{
    int n = 0, end = 0;

    for (int level = 0; end < scale; level += 3) {
        end = level + STAT_WINDOW_LEVELS < scale ? level + STAT_WINDOW_LEVELS : scale;
        windows[n++] = (stat_window){.level = {level}, .width = {end - level}};
    }
    return n;
}

/* src and dst bits of a run of levels, as one number. */
static inline uint32_t run_of(uint64_t src, uint64_t dst, int shift, int width)
{
    uint32_t mask = (1u << width) - 1;

    return ((uint32_t)(src >> shift) & mask) << width | ((uint32_t)(dst >> shift) & mask);
}

static void count_window(stat_window *w, int scale, uint64_t count, const uint64_t *src,
                         const uint64_t *dst)
{
    const int w0 = w->width[0], w1 = w->width[1], lag = w->lag;
    const int shift0 = scale - w->level[0] - w0, shift1 = scale - w->level[1] - w1;

    if (!w1) {
        for (uint64_t i = 0; i < count; i++) {
            w->count[run_of(src[i], dst[i], shift0, w0)]++;
        }
    } else {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t j = i + (uint64_t)lag;

            if (i & (uint64_t)lag) {
                continue; /* the later edge of a pair */
            }
            w->count[run_of(src[i], dst[i], shift0, w0) << 2 * w1 |
                     run_of(src[j], dst[j], shift1, w1)]++;
        }
    }
    w->n += lag ? count / 2 : count;
}

static void add_windows(stat_window *to, const stat_window *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i].n += from[i].n;
        for (int cell = 0; cell < STAT_WINDOW_CELLS; cell++) {
            to[i].count[cell] += from[i].count[cell];
        }
    }
}

/* Each thread makes and counts its own chunks: nothing to wait for. */
void stat_count(const rmat_gen *gen, const stat_model *m, uint64_t first, uint64_t count,
                stat_tamper *tamper, stat_window *windows, int n_windows)
{
    int failures = 0;

    ck_assert(count % CHUNK == 0);
#pragma omp parallel reduction(+ : failures)
    {
        uint64_t *src = malloc(CHUNK * sizeof *src), *dst = malloc(CHUNK * sizeof *dst);
        stat_window *mine = malloc((size_t)n_windows * sizeof *mine);

        failures = !src || !dst || !mine;
        for (int i = 0; !failures && i < n_windows; i++) {
            mine[i] = windows[i];
            mine[i].n = 0;
            memset(mine[i].count, 0, sizeof mine[i].count);
        }
#pragma omp for schedule(dynamic)
        for (uint64_t from = first; from < first + count; from += CHUNK) {
            if (failures || rmat_generate(gen, from, CHUNK, src, dst)) {
                failures++;
                continue;
            }
            if (tamper) {
                tamper(gen, from, CHUNK, src, dst);
            }
            for (int i = 0; i < n_windows; i++) {
                count_window(&mine[i], m->scale, CHUNK, src, dst);
            }
        }
#pragma omp critical
        if (!failures) {
            add_windows(windows, mine, n_windows);
        }
        free(src);
        free(dst);
        free(mine);
    }
    ck_assert_int_eq(failures, 0);
}

/* Quadrant probabilities as seen from outside: a side without a bit at this level has a 0 there. */
static void quadrants(const stat_model *m, int level, double q[4])
{
    rmat_matrix x = m->level[level];
    int has_src = level >= m->scale - m->rows_scale, has_dst = level >= m->scale - m->cols_scale;

    q[0] = x.a + (has_src ? 0.0 : x.c) + (has_dst ? 0.0 : x.b);
    q[1] = has_dst ? x.b + (has_src ? 0.0 : x.d) : 0.0;
    q[2] = has_src ? x.c + (has_dst ? 0.0 : x.d) : 0.0;
    q[3] = has_src && has_dst ? x.d : 0.0;
}

/* The cell as a number of base 4, one digit (quadrant) per level, the first level on top. */
static unsigned cell_digits(const stat_window *w, unsigned cell)
{
    unsigned digits = 0;
    int below = 2 * (w->width[0] + w->width[1]);

    for (int r = 0; r < 2; r++) {
        int width = w->width[r];

        below -= 2 * width;
        for (int bit = width - 1; bit >= 0; bit--) {
            unsigned s = cell >> (below + width + bit) & 1, d = cell >> (below + bit) & 1;

            digits = digits << 2 | s << 1 | d;
        }
    }
    return digits;
}

/* p-value of levels [from, from + width) of the window, counted within it. */
static double judge_part(const stat_model *m, const stat_window *w, const uint64_t *by_digits,
                         int from, int width)
{
    int levels = w->width[0] + w->width[1];
    unsigned cells = 1u << (2 * width), drop = 2 * (unsigned)(levels - from - width);
    uint64_t seen[STAT_WINDOW_CELLS] = {0};
    double probability[STAT_WINDOW_CELLS] = {1.0};
    unsigned known = 1;

    for (unsigned cell = 0; cell < 1u << (2 * levels); cell++) {
        seen[cell >> drop & (cells - 1)] += by_digits[cell];
    }
    for (int k = from; k < from + width; k++) {
        int second = k >= w->width[0];
        double q[4];

        quadrants(m, second ? w->level[1] + k - w->width[0] : w->level[0] + k, q);
        for (unsigned cell = 4 * known; cell-- > 0;) {
            probability[cell] = probability[cell / 4] * q[cell % 4];
        }
        known *= 4;
    }
    return stats_fit(seen, probability, cells, w->n);
}

stat_verdict stat_judge(const stat_model *m, const stat_window *windows, int n_windows)
{
    stat_verdict v = {.p = 2.0};
    int looks = 0;

    for (int i = 0; i < n_windows; i++) {
        const stat_window *w = &windows[i];
        int levels = w->width[0] + w->width[1];
        uint64_t by_digits[STAT_WINDOW_CELLS];

        for (unsigned cell = 0; cell < 1u << (2 * levels); cell++) {
            by_digits[cell_digits(w, cell)] = w->count[cell];
        }
        for (int width = 1; width <= levels; width++) {
            if (width != 1 && width != 3 && width != levels) {
                continue;
            }
            for (int from = 0; from + width <= levels; from++) {
                double p = judge_part(m, w, by_digits, from, width);

                looks++;
                if (p < v.p) {
                    v.p = p;
                    snprintf(v.where, sizeof v.where,
                             "parts %d..%d of levels %d..%d and %d..%d, lag %d", from,
                             from + width - 1, w->level[0], w->level[0] + w->width[0] - 1,
                             w->level[1], w->level[1] + w->width[1] - 1, w->lag);
                }
            }
        }
    }
    v.p = fmin(1.0, v.p * looks);
    return v;
}

void cells_enumerate(const rmat_config *c, const rmat_matrix *levels, small_model *out)
{
    const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
    const unsigned rows = c->rows ? (unsigned)c->rows : 1u << c->rows_scale;
    const unsigned cols = c->cols ? (unsigned)c->cols : 1u << c->cols_scale;

    memset(out, 0, sizeof *out);
    /* All pairs of the square graph whose shorter side drops its upper bits. */
    for (unsigned u = 0; u < 1u << scale; u++) {
        for (unsigned v = 0; v < 1u << scale; v++) {
            const unsigned src = u % (1u << c->rows_scale), dst = v % (1u << c->cols_scale);
            double p = 1;

            if (src >= rows || dst >= cols || (c->no_self_loops && src == dst)) {
                continue;
            }
            for (int l = 0; l < scale; l++) {
                const double m[4] = {levels[l].a, levels[l].b, levels[l].c, levels[l].d};

                p *= m[(u >> (scale - 1 - l) & 1) * 2 + (v >> (scale - 1 - l) & 1)];
            }
            out->kept += p;
            out->share[src << c->cols_scale | dst] += p;
        }
    }
    for (unsigned i = 0; i < 1u << (c->rows_scale + c->cols_scale); i++) {
        out->share[i] /= out->kept;
    }
}
