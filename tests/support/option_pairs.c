/* Greedy construction: each case is the one among many random ones with the most new pairs of
 * values. */
#include "tests/support/option_pairs.h"
#include "tests/support/models.h"

#include <stdio.h>
#include <string.h>

enum { SCALE, MATRIX, ROWS, PERMUTE, LOOPS, DIRECTION, SYMMETRIZE, WEIGHTS, FACTORS };
enum { MOST_VALUES = 20, CANDIDATES = 400 };

static const struct {
    int rows, cols;
} shapes[] = {{10, 10}, {20, 20}, {31, 31}, {36, 36}, {62, 62}, {3, 3},
              {24, 24}, {26, 26}, {32, 32}, {1, 1},   {42, 42}, {55, 55},
              {20, 7},  {9, 31},  {61, 33}, {32, 30}, {13, 12}};
enum { SQUARE_SHAPES = 12, SHAPES = sizeof shapes / sizeof shapes[0] };

enum { PLAIN, HEAVY_D, NOISE, LEVELS, NOISY_LEVELS, MATRICES };
enum { FULL, ODD, BARELY, VERTICES };

static const int values[FACTORS] = {SHAPES, MATRICES, VERTICES, 2, 2, 3, 2, 4};

static uint64_t state;

static int below(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

static int needs_square(int factor, int value)
{
    return value && (factor == LOOPS || factor == DIRECTION || factor == SYMMETRIZE);
}

static int allowed(int f, int v, int g, int w)
{
    return !(f == SCALE && v >= SQUARE_SHAPES && needs_square(g, w));
}

typedef unsigned char pairs_met[FACTORS][MOST_VALUES][FACTORS][MOST_VALUES];

/* How many pairs of the row are new; -1 if one is not allowed. */
static int new_pairs(pairs_met met, const int *row, int mark)
{
    int n = 0;

    for (int f = 0; f < FACTORS; f++) {
        for (int g = f + 1; g < FACTORS; g++) {
            if (!allowed(f, row[f], g, row[g])) {
                return -1;
            }
            n += !met[f][row[f]][g][row[g]];
            met[f][row[f]][g][row[g]] |= (unsigned char)mark;
        }
    }
    return n;
}

static int pairs_wanted(void)
{
    int n = 0;

    for (int f = 0; f < FACTORS; f++) {
        for (int g = f + 1; g < FACTORS; g++) {
            for (int v = 0; v < values[f]; v++) {
                for (int w = 0; w < values[g]; w++) {
                    n += allowed(f, v, g, w);
                }
            }
        }
    }
    return n;
}

static uint64_t vertices(int kind, int scale)
{
    uint64_t half = UINT64_C(1) << (scale - 1);

    return kind == FULL ? 0 : kind == BARELY ? half + 1 : half + half / 4 * 3 / 2 + 1;
}

static void fill(option_case *c, const int *row, int number)
{
    rmat_config *k = &c->config;

    rmat_config_default(k);
    k->rows_scale = shapes[row[SCALE]].rows;
    k->cols_scale = shapes[row[SCALE]].cols;
    if (row[MATRIX] == HEAVY_D) { /* most draws are beyond half + 1 vertices */
        k->matrix = (rmat_matrix){0.07, 0.19, 0.21, 0.53};
    }
    if (row[MATRIX] >= LEVELS) {
        slope(c->levels);
        k->levels = c->levels;
    }
    if (row[MATRIX] == NOISE || row[MATRIX] == NOISY_LEVELS) {
        k->noise = 0.05;
    }
    k->rows = vertices(row[ROWS], k->rows_scale);
    k->cols = vertices(row[ROWS], k->cols_scale);
    k->permute = row[PERMUTE];
    k->no_self_loops = row[LOOPS];
    k->direction = (rmat_direction)row[DIRECTION];
    k->symmetrize = row[SYMMETRIZE];
    k->weights = (rmat_weights)row[WEIGHTS];
    k->weight_min = number % 3 == 0 ? 1 : number % 3 == 1 ? -1000 : INT32_MIN;
    k->weight_max = number % 3 == 0 ? 255 : number % 3 == 1 ? 77 : INT32_MAX;
    k->weight_low = number % 3 == 0 ? 0 : number % 3 == 1 ? -0.1F : -1e38F;
    k->weight_high = number % 3 == 0 ? 1000.1F : number % 3 == 1 ? 1e-6F : 1e38F;
    k->seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)number;
    snprintf(c->name, sizeof c->name,
             "%d x %d, matrix %d, vertices %d, permute %d, no loops %d, direction %d, symmetrize "
             "%d, weights %d",
             k->rows_scale, k->cols_scale, row[MATRIX], row[ROWS], row[PERMUTE], row[LOOPS],
             row[DIRECTION], row[SYMMETRIZE], row[WEIGHTS]);
}

int option_pairs(option_case *cases)
{
    static pairs_met met;
    int missing = pairs_wanted(), n = 0;

    memset(met, 0, sizeof met);
    state = 1;
    while (missing > 0 && n < OPTION_PAIRS_MAX) {
        int best[FACTORS] = {0}, best_new = -1;

        for (int i = 0; i < CANDIDATES; i++) {
            int row[FACTORS], fresh;

            for (int f = 0; f < FACTORS; f++) {
                row[f] = below(values[f]);
            }
            fresh = new_pairs(met, row, 0);
            if (fresh > best_new) {
                best_new = fresh;
                memcpy(best, row, sizeof best);
            }
        }
        missing -= new_pairs(met, best, 1);
        fill(&cases[n], best, n);
        n++;
    }
    return missing ? 0 : n;
}
