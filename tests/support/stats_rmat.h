/*
 * stats_rmat.h - counts edges over windows of levels and tests them against an R-MAT model.
 *
 * A window is up to six levels: one or two runs of consecutive levels, the second possibly of a
 * later edge.  The joint quadrants of its levels are its cells.  A verdict checks every single
 * level, every three consecutive levels and all cells of every window.  The same verdicts test the
 * generator and the defects that test_rmat_stat_levels.c plants.
 */
#ifndef TESTS_SUPPORT_STATS_RMAT_H
#define TESTS_SUPPORT_STATS_RMAT_H

#include "tests/support/models.h"
#include "tests/support/stats.h"

#include <stdlib.h>

#define STAT_WINDOW_LEVELS 6
#define STAT_WINDOW_CELLS  4096
#define STAT_MAX_WINDOWS   64

typedef struct {
    int rows_scale, cols_scale, scale;
    rmat_matrix level[RMAT_MAX_SCALE]; /* the most significant one first */
} stat_model;

typedef struct {
    int level[2], width[2]; /* two runs of levels; a run of width 0 is none */
    int lag;    /* the second run belongs to the edge `lag` later: 0 or a power of two */
    uint64_t n; /* the sum of count[], below 2^32 */
    uint32_t count[STAT_WINDOW_CELLS];
} stat_window;

typedef struct {
    double p; /* of the least likely check, Bonferroni-corrected */
    char where[96];
} stat_verdict;

/* Changes edges [first, first + count) after they were generated. */
typedef void stat_tamper(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst);

/* Four distinct probabilities at each level, and all levels different: about .40, .27, .20, .13 in
 * changing order or, if even, .30, .27, .23, .20; then most rows keep most of their bucket. */
stat_model stat_model_distinct(int rows_scale, int cols_scale, int even);
stat_model stat_model_same(int scale, rmat_matrix matrix);

/* 1 with RMAT_TEST_LARGE (tests/README.md), otherwise 0; and the number of edges of a test:
 * `usual`, or then `times` as many. */
#define STAT_LARGE (getenv("RMAT_TEST_LARGE") != NULL)
static inline uint64_t stat_size(uint64_t usual, uint64_t times)
{
    return STAT_LARGE ? usual * times : usual;
}

/* A generator for the model; the calling test fails if there is none.  With noise, it is one of the
 * usual matrix, and *m becomes the matrices that the seed draws. */
rmat_gen *stat_create(stat_model *m, double noise, uint64_t seed);

/* Windows of six levels at every third level, so that any three consecutive levels share one.
 * Returns their number. */
int stat_level_windows(stat_window *windows, int scale);

/* Adds edges [first, first + count) to the windows; count is a multiple of 2^17.  tamper may be
 * NULL.  Several threads call it at the same time. */
void stat_count(const rmat_gen *gen, const stat_model *m, uint64_t first, uint64_t count,
                stat_tamper *tamper, stat_window *windows, int n_windows);

stat_verdict stat_judge(const stat_model *m, const stat_window *windows, int n_windows);

/* --- Small models by enumeration: the probability of every cell of the adjacency matrix --- */

enum { CELLS_MAX_SCALE = 8 };

typedef struct {
    double kept; /* fraction of the draws that are kept */
    /* Of (src, dst), at src << cols_scale | dst: the fraction kept, before permutation. */
    double share[1 << 2 * CELLS_MAX_SCALE];
} small_model;

/* levels: the matrices that are drawn from.  Both scales at most CELLS_MAX_SCALE. */
void cells_enumerate(const rmat_config *c, const rmat_matrix *levels, small_model *out);

#endif
