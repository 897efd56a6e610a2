/* One case for each shape with each kind of matrix.  From one shape to the next the values of the
 * other options move by one after every 1 to 5 shapes, each at its own pace, so that any two meet
 * (after a change of the tables, count the pairs again). */
#include "tests/support/option_pairs.h"
#include "tests/support/models.h"

#include <stdio.h>

enum { SCALE, MATRIX, ROWS, PERMUTE, LOOPS, DIRECTION, SYMMETRIZE, WEIGHTS, FACTORS };

static const struct {
    int rows, cols;
} shapes[] = {{10, 10}, {20, 20}, {31, 31}, {36, 36}, {62, 62}, {3, 3},
              {24, 24}, {26, 26}, {32, 32}, {1, 1},   {42, 42}, {55, 55},
              {20, 7},  {9, 31},  {61, 33}, {32, 30}, {13, 12}};
enum { SQUARE_SHAPES = 12, SHAPES = COUNT(shapes) };

enum { PLAIN, HEAVY_D, NOISE, LEVELS, NOISY_LEVELS, MATRICES };
enum { FULL, ODD, BARELY, VERTICES };

/* How many values an option has, and after how many shapes it moves. */
static const int values[FACTORS] = {SHAPES, MATRICES, VERTICES, 2, 2, 3, 2, 4};
static const int paces[FACTORS] = {1, 1, 1, 1, 2, 3, 4, 5};

static int needs_square(int factor)
{
    return factor == LOOPS || factor == DIRECTION || factor == SYMMETRIZE;
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

void option_pairs(option_case cases[OPTION_PAIRS])
{
    for (int n = 0; n < OPTION_PAIRS; n++) {
        const int shape = n % SHAPES, matrix = n % MATRICES;
        int row[FACTORS] = {shape, matrix};

        for (int f = ROWS; f < FACTORS; f++) {
            row[f] = shape >= SQUARE_SHAPES && needs_square(f)
                         ? 0
                         : (matrix + shape / paces[f]) % values[f];
        }
        fill(&cases[n], row, n);
    }
}
