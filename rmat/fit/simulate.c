/*
 * Simulated graphs.
 *
 * Noise moves the matrix of each level by a random amount, and with few levels the average of these
 * is far from 0: at noise 0.1 and 20 levels, a is off by 0.02.  A seed is chosen, the best of many,
 * for which the average is close to 0 and the mean square to that of the distribution: then the
 * graph has the matrix and the noise that were asked for.
 */
#include "rmat/fit/fit.h"
#include "rmat/rmat_sample.h"
#include "rmat/try.h"

#include <math.h>
#include <stddef.h>

enum { CELLS = 1 << 14, MOST_DRAWS = 32 };

/* How far a seed's noise is from what is wanted: an average of 0, and with `amplitude` also the
 * mean square of the distribution, which matters less. */
static double seed_error(const rmat_config *config, int amplitude)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    double sum = 0, squares = 0;

    if (rmat_levels(config, levels) != RMAT_OK) {
        return INFINITY;
    }
    for (int l = 0; l < config->rows_scale; l++) {
        const double mu = (levels[l].b - config->matrix.b) / config->noise;

        sum += mu / config->rows_scale;
        squares += mu * mu / config->rows_scale;
    }
    return fabs(sum) + (amplitude ? 0.1 * fabs(squares - 1.0 / 3) : 0);
}

static void choose_seed(rmat_config *config, uint64_t first, uint64_t seeds, int amplitude)
{
    double best = INFINITY;
    uint64_t seed = first;

    for (uint64_t i = 0; i < seeds && config->noise > 0; i++) {
        double error;

        config->seed = first + i;
        error = seed_error(config, amplitude);
        if (error < best) {
            best = error;
            seed = config->seed;
        }
    }
    config->seed = seed;
}

void fit_choose_seed(rmat_config *config, uint64_t first)
{
    choose_seed(config, first, FIT_SEEDS, 1);
}

void fit_choose_any_seed(rmat_config *config, uint64_t first)
{
    choose_seed(config, first, FIT_SEEDS / 32, 0);
}

void fit_set_vertices(rmat_config *config, uint64_t vertices)
{
    config->rows_scale = config->cols_scale = rmat_scale_of(vertices);
    config->rows = config->cols = vertices == (uint64_t)1 << config->rows_scale ? 0 : vertices;
}

rmat_config fit_config(const fit_simulation *s, const fit_params *p, uint64_t number)
{
    rmat_config c;

    rmat_config_default(&c);
    fit_set_vertices(&c, (uint64_t)llround(p->vertices));
    c.matrix = (rmat_matrix){p->a, p->x - p->a, p->y - p->a, 1 - p->x - p->y + p->a};
    c.no_self_loops = s->no_loops;
    c.symmetrize = s->kind.undirected;
    c.backend = RMAT_BACKEND_CPU;
    c.noise = fmin(fit_noise(p), rmat_noise_limit(&c));
    fit_choose_seed(&c, s->options->seed + number * FIT_SEEDS);
    return c;
}

uint64_t fit_base_edges(const fit_simulation *s)
{
    const uint64_t edges = s->graph->shape.edges;

    return s->kind.undirected ? (edges + 1) / 2 : edges;
}

/* The draws that make about so many distinct edges.  Where the model has hardly so many: as many as
 * are worth while. */
static int draws_for(const rmat_config *config, uint64_t edges, uint64_t *draws)
{
    rmat_sample *sample;
    rmat_window window;
    int st;

    RMAT_TRY(rmat_sample_create(&sample, config, CELLS));
    st = rmat_window_first(sample, edges, &window);
    rmat_sample_destroy(sample);
    *draws = st == RMAT_OK ? window.low + (window.high - window.low) / 2 : UINT64_MAX;
    if (*draws / MOST_DRAWS > edges) {
        *draws = MOST_DRAWS * edges;
    }
    st = st == RMAT_ERR_DRAWS ? RMAT_OK : st;
done:
    return st;
}

int fit_has_so_many(const rmat_config *config, uint64_t edges)
{
    uint64_t draws;

    return draws_for(config, edges, &draws) == RMAT_OK && draws < MOST_DRAWS * edges;
}

int fit_simulate(const fit_simulation *s, const rmat_config *config, int probes, rmat_shape *shape)
{
    const rmat_fit_options *o = s->options;
    rmat_config here = *config;
    uint64_t edges = fit_base_edges(s);
    rmat_gen *gen = NULL;
    int st;

    here.backend = o->backend;
    here.threads = o->threads;
    here.device = o->device;
    here.stop = o->stop;
    here.stop_state = o->stop_state;
    if (s->kind.distinct) {
        RMAT_TRY(draws_for(&here, edges, &edges));
    }
    RMAT_TRY(rmat_create(&gen, &here));
    st = rmat_shape_of(gen, edges << here.symmetrize, s->kind.distinct, probes, shape);
done:
    rmat_destroy(gen);
    return st;
}
