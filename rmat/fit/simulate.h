/* simulate.h - private to rmat/fit/: graphs of a model, treated as the graph that is fitted was. */
#ifndef RMAT_FIT_SIMULATE_H
#define RMAT_FIT_SIMULATE_H

#include "rmat/fit/expect.h"
#include "rmat/rmat_fit.h"

/* What simulated graphs have in common. */
typedef struct {
    const rmat_fit_graph *graph;
    const rmat_fit_options *options;
    fit_graph kind;
    int no_loops;
} fit_simulation;

enum { FIT_SEEDS = 2048 }; /* that one is chosen from */

/* Sets the seed to one of FIT_SEEDS from `first` on, whose noise is balanced. */
void fit_choose_seed(rmat_config *config, uint64_t first);

/* The same with noise whose average alone is close to 0, and the rest as it comes. */
void fit_choose_any_seed(rmat_config *config, uint64_t first);

void fit_set_vertices(rmat_config *config, uint64_t vertices);

/* The configuration for these parameters, on the CPU.  number: of the simulation, each with a seed
 * of its own. */
rmat_config fit_config(const fit_simulation *s, const fit_params *p, uint64_t number);

/* The base edges that make so many edges of the graph: without copies, about so many. */
uint64_t fit_base_edges(const fit_simulation *s);

/* Does the model make so many distinct edges in a reasonable number of draws? */
int fit_has_so_many(const rmat_config *config, uint64_t edges);

/* Makes a graph, and sets *shape to its shape. */
int fit_simulate(const fit_simulation *s, const rmat_config *config, int probes, rmat_shape *shape);

#endif
