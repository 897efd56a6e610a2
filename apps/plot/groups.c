/*
 * Groups of vertices, level by level: each group's next bit is 0 in one half and 1 in the other.
 * While there are few, each is one vertex's upper bits, and nothing is lost.
 */
#include "apps/plot/groups.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS ((size_t)1 << 20)
#define WIDTH      1e-3

typedef struct {
    uint64_t last[2]; /* the largest vertices */
    int scales[2], scale, side;
    rmat_matrix levels[RMAT_MAX_SCALE];
} descent;

plot_log_scale plot_log_scale_of(double least, double most)
{
    const double low = log(least), range = log(most) - low;

    return (plot_log_scale){low, fmax(WIDTH, range / (PLOT_LOG_BINS - 3))};
}

size_t plot_log_bin(const plot_log_scale *s, double x)
{
    return x > 0 ? 1 + (size_t)fmax(0, (log(x) - s->low) / s->width) : 0;
}

/* Of the level's matrix: bit u of the group's vertex, v of the other one. */
static double entry(const rmat_matrix *m, int side, int u, int v)
{
    const double entries[2][2] = {{m->a, m->b}, {m->c, m->d}};

    return side == RMAT_ROWS ? entries[u][v] : entries[v][u];
}

/* The bit of a side's largest vertex, -1 where the side has none at this level. */
static int last_bit(const descent *d, int side, int level)
{
    const int place = d->scale - 1 - level;

    return place < d->scales[side] ? (int)(d->last[side] >> place & 1) : -1;
}

/* The half of a group whose vertices have the bit u; u is -1 where they have none. */
static plot_group descend(const descent *d, const plot_group *from, int level, int u)
{
    const rmat_matrix *m = &d->levels[level];
    plot_group to = {.vertices = from->vertices};

    for (int way = 0; way < 2; way++) {
        /* From vertices of the group, or to them; of rectangles the one that is asked for. */
        const int side = d->scales[0] == d->scales[1] ? way : d->side;
        const int last = last_bit(d, !side, level);
        const double zero =
            u >= 0 ? entry(m, side, u, 0) : entry(m, side, 0, 0) + entry(m, side, 1, 0);
        const double one =
            u >= 0 ? entry(m, side, u, 1) : entry(m, side, 0, 1) + entry(m, side, 1, 1);

        to.free[way] = from->free[way] * (zero + one) + (last == 1 ? from->tight[way] * zero : 0);
        to.tight[way] = from->tight[way] * (last < 0 ? zero + one : last ? one : zero);
        to.below[way] = from->below[way] * (zero + one) + (u == 1 ? from->loop * zero : 0);
    }
    to.loop = u >= 0 ? from->loop * entry(m, RMAT_ROWS, u, u) : 0;
    return to;
}

/* to: a mean of both. */
static void add(plot_group *to, const plot_group *g)
{
    const double all = to->vertices + g->vertices, share = g->vertices / all;

    for (int way = 0; way < 2; way++) {
        to->free[way] += (g->free[way] - to->free[way]) * share;
        to->tight[way] += (g->tight[way] - to->tight[way]) * share;
        to->below[way] += (g->below[way] - to->below[way]) * share;
    }
    to->loop += (g->loop - to->loop) * share;
    to->vertices = all;
}

/* All but the first, which is the largest vertex's. */
static int merge(plot_groups *groups, plot_group_mass mass)
{
    plot_group *bins = calloc(PLOT_LOG_BINS, sizeof *bins);
    double least = INFINITY, most = 0;
    plot_log_scale scale;
    size_t count = 1;

    if (bins == NULL) {
        return -1;
    }
    for (size_t i = 1; i < groups->count; i++) {
        const double x = mass(&groups->group[i]);

        least = x > 0 ? fmin(least, x) : least;
        most = fmax(most, x);
    }
    scale = plot_log_scale_of(least, most);
    for (size_t i = 1; i < groups->count; i++) {
        add(&bins[plot_log_bin(&scale, mass(&groups->group[i]))], &groups->group[i]);
    }
    for (size_t i = 0; i < PLOT_LOG_BINS; i++) {
        if (bins[i].vertices > 0) {
            groups->group[count++] = bins[i];
        }
    }
    groups->count = count;
    free(bins);
    return 0;
}

/* The first group is the largest vertex's and remains so; what its bits are 1 for leaves a group of
 * all smaller vertices. */
static void split(const descent *d, plot_groups *groups, int level)
{
    const int last = last_bit(d, d->side, level);
    plot_group *g = groups->group;
    const plot_group first = g[0];
    size_t count = groups->count;

    if (last < 0) {
        for (size_t i = 0; i < groups->count; i++) {
            g[i] = descend(d, &g[i], level, -1);
        }
        return;
    }
    for (size_t i = 1; i < groups->count; i++) {
        const plot_group from = g[i];

        g[i] = descend(d, &from, level, 0);
        g[count++] = descend(d, &from, level, 1);
    }
    if (last == 1) {
        g[count++] = descend(d, &first, level, 0);
    }
    g[0] = descend(d, &first, level, last);
    groups->count = count;
}

int plot_groups_make(plot_groups *groups, const rmat_config *c, rmat_side side,
                     plot_group_mass mass)
{
    const uint64_t one = 1;
    descent d = {.last = {(c->rows ? c->rows : one << c->rows_scale) - 1,
                          (c->cols ? c->cols : one << c->cols_scale) - 1},
                 .scales = {c->rows_scale, c->cols_scale},
                 .scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale,
                 .side = side};
    int status = rmat_levels(c, d.levels);

    *groups = (plot_groups){malloc(2 * (MAX_GROUPS + PLOT_LOG_BINS) * sizeof(plot_group)), 1, 0};
    if (groups->group == NULL || status != RMAT_OK) {
        return -1;
    }
    groups->group[0] = (plot_group){1, {0, 0}, {1, 1}, {0, 0}, 1};
    for (int level = 0; level < d.scale; level++) {
        if (groups->count > MAX_GROUPS && merge(groups, mass) != 0) {
            return -1;
        }
        split(&d, groups, level);
    }
    for (size_t i = 0; i < groups->count; i++) {
        const plot_group *g = &groups->group[i];

        groups->kept +=
            g->vertices * (g->free[side] + g->tight[side] - (c->no_self_loops ? g->loop : 0));
    }
    return 0;
}
