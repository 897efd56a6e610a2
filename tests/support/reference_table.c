/* The reference's tables: STREAM.md, "Tables", sentence by sentence. */
#include "tests/support/reference_impl.h"

#include <math.h>

enum { PATHS = REFERENCE_PATHS };

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

/* "Rows" by their definition, searching from the start each time. */
static void rows(const int64_t *q, reference_table *t)
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

void reference_build_table(reference_table *t, const double (*levels)[4], int scale, int group)
{
    int64_t q[PATHS];
    group_masses m;

    for (int l = 0; l < 6; l++) {
        int level = 6 * group + l;

        m.largest[l] = level_masses(levels[level < scale ? level : scale - 1], m.e[l]);
    }
    for (int p = 0; p < PATHS; p++) {
        q[p] = path_mass(&m, p);
    }
    rows(q, t);
}
