/* fit.h - private to rmat/fit/: what the files of the fit share. */
#ifndef RMAT_FIT_FIT_H
#define RMAT_FIT_FIT_H

#include "rmat/rmat_fit.h"
#include "rmat/rmat_shape.h"

#include <stddef.h>

/*
 * Private to rmat/fit/: the degrees that a model is expected to have, in closed form and up to
 * small errors, which simulations correct (fit.c).
 */

/* A model of one matrix: x = a + b and y = a + c are the probabilities of a source's and of a
 * destination's bit to be 0. */
typedef struct {
    double x, y, a;
    double square;   /* of the noise; an estimate may be below 0, a model's is not */
    double vertices; /* rounded to a whole number */
    int open;        /* the graph does not tell a: it is x y, as of independent ends */
} fit_params;

/* How the graph was made. */
typedef struct {
    double edges;
    int undirected; /* each edge with its reverse: x = y */
    int distinct;   /* no edge twice */
} fit_graph;

enum { FIT_SOURCES, FIT_DESTINATIONS, FIT_SIDES };

/* One side: expected vertices by fine bins of their degree, and edges at them; and by the number of
 * zeros among a vertex's bits, the mean over edges of fit_log() of the end's degree. */
typedef struct {
    double vertices[RMAT_SHAPE_FINE], edges[RMAT_SHAPE_FINE];
    double log[RMAT_MAX_SCALE + 1];
} fit_side;

/* The noise of a model with these parameters. */
double fit_noise(const fit_params *p);

/* Expectations for a square of the noise below 0 continue those above as a straight line, so that
 * estimates are spread to both sides of 0 alike. */
void fit_expect(const fit_params *p, const fit_graph *g, int side, fit_side *s);

/* The expected covariance, over all edges, of the logarithms of the source's out-degree and the
 * destination's in-degree. */
double fit_expect_covariance(const fit_params *p, const fit_graph *g, const fit_side *out,
                             const fit_side *in);

/* What stands for the logarithm, of base 2, of all degrees in a coarse bin. */
double fit_log(int coarse);

int fit_levels(double vertices); /* of a graph of so many vertices */

/*
 * Private to rmat/fit/: the parameters of a model from the shape of a graph, by the expected
 * degrees alone (expect.h).
 */

/* A number of vertices that is fitted: at most this, and so many times those that have an edge. */
#define FIT_MOST_VERTICES 0x1p32
#define FIT_MOST_ISOLATED 256.0

/* Sets *p to the parameters whose expected degrees come closest to those of the shape.  free: is
 * the number of vertices among them?  Else it is p->vertices.  *p holds where to begin, or zeros;
 * with free, p->vertices is at least shape->used.  Returns the distance: the root of the mean
 * square of differences between shares of vertices and of edges. */
double fit_estimate(const rmat_shape *shape, const fit_graph *graph, int free, fit_params *p);

/* Sets parameters that do not exist, or that claim what no graph supports, to the nearest ones that
 * are allowed.  opposite: y is at most 1/2, else at least; x is at least 1/2. */
void fit_clamp(fit_params *p, int opposite);

/* The same as a correlation. */
double fit_assortativity(const rmat_shape *shape);

/* The correlation of a vertex's own out- and in-degree, by logarithms. */
double fit_own_correlation(const rmat_shape *shape);

/* Private to rmat/fit/: graphs of a model, treated as the graph that is fitted was. */

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

/* Private to rmat/fit/: all edges of a source in host memory, for a GPU. */
typedef struct {
    uint32_t *src, *dst;
    uint64_t vertices, edges;
} fit_loaded;

#ifdef __cplusplus
extern "C"
#endif
    rmat_source_fill_device fit_fill_device; /* upload.cu */

/* rmat_source.fill_device, whose state is a fit_loaded; NULL in a build without CUDA. */
static inline rmat_source_fill_device *fit_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    return fit_fill_device;
#else
    return NULL;
#endif
}

#endif
