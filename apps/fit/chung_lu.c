/* A graph with the expected degrees of another one, as `chung_lu --like` makes it, to be compared
 * with the fitted model. */
#include "apps/chung_lu/graph.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_sample.h"
#include "rmat/rmat_source.h"
#include <stdio.h>
#include <stdlib.h>

static int weights_of(const fit_report *r, chung_lu_degrees *degrees)
{
    const uint64_t n = r->graph.shape.vertices;
    const bool directed = r->graph.listed == RMAT_LISTED_DIRECTED;

    *degrees = (chung_lu_degrees){.out = malloc(n * sizeof *degrees->out),
                                  .in = directed ? malloc(n * sizeof *degrees->in) : NULL,
                                  .sum = (double)r->graph.shape.edges};
    if (degrees->out == NULL || (directed && degrees->in == NULL)) {
        return RMAT_ERR_NOMEM;
    }
#pragma omp parallel for schedule(static) num_threads(r->options->threads)
    for (uint64_t v = 0; v < n; v++) {
        degrees->out[v] = r->out[v];
        if (directed) {
            degrees->in[v] = r->in[v];
        }
    }
    return RMAT_OK;
}

enum { MOST_DRAWS = 32 }; /* for each edge: what takes more is not worth the memory */

/* Draws among which about so many are distinct. */
static int draws_for(const rmat_gen *gen, uint64_t distinct, uint64_t *draws)
{
    rmat_sample *sample;
    rmat_window window;
    int status = rmat_sample_create_from(&sample, gen, 0);

    if (status == RMAT_OK) {
        status = rmat_window_first(sample, distinct, &window);
        rmat_sample_destroy(sample);
    }
    *draws = status == RMAT_OK ? window.low + (window.high - window.low) / 2 : 0;
    if (*draws / MOST_DRAWS > distinct) {
        status = RMAT_ERR_DRAWS;
    }
    return status;
}

static int measure(fit_report *r, chung_lu_graph *g, const rmat_config *config)
{
    const engine_source source = chung_lu_source(g);
    const bool distinct = r->graph.shape.copies == 0;
    uint64_t edges = r->fit.edges;
    rmat_gen *gen;
    int status = rmat_create_from(&gen, &source.edges, config);

    if (status != RMAT_OK) {
        return status;
    }
    if (distinct) {
        status = draws_for(gen, edges, &edges);
    }
    if (status == RMAT_OK) {
        status = rmat_shape_of(gen, edges << config->symmetrize, distinct, 1, &r->chung_lu);
    }
    rmat_destroy(gen);
    return status;
}

int fit_chung_lu(fit_report *r, int (*stop)(void *state), void *stop_state, char text[FIT_TEXT])
{
    const uint64_t vertices = r->graph.shape.vertices;
    const bool distinct = r->graph.shape.copies == 0;
    const chung_lu_stream stream = {.vertices = vertices,
                                    .edges = distinct ? RMAT_MAX_EDGES / 2 : r->fit.edges,
                                    .seed = r->options->seed,
                                    .batch = distinct ? 0 : chung_lu_batch(vertices),
                                    .id_bytes = 4};
    chung_lu_degrees degrees;
    chung_lu_graph g;
    rmat_config config;
    int status = weights_of(r, &degrees);

    rmat_config_default(&config);
    config.backend = r->backend;
    if (r->backend == RMAT_BACKEND_GPU) {
        config.device = r->options->device > 0 ? r->options->device : 0;
    }
    config.threads = r->options->threads;
    config.stop = stop;
    config.stop_state = stop_state;
    config.symmetrize = r->graph.listed != RMAT_LISTED_DIRECTED;
    config.no_self_loops = r->graph.shape.loops == 0;
    chung_lu_graph_open(&g, &stream, &degrees, config.threads);
    if (status == RMAT_OK &&
        chung_lu_graph_prepare(&g, config.backend, config.device, text, FIT_TEXT) != 0) {
        status = RMAT_ERR_SOURCE;
    }
    if (status == RMAT_OK) {
        status = measure(r, &g, &config);
    }
    if (status != RMAT_OK && text[0] == '\0') {
        snprintf(text, FIT_TEXT, "%.250s",
                 status == RMAT_ERR_SOURCE && g.text[0] != '\0' ? g.text : rmat_strerror(status));
    }
    r->chung_lu.edges = status == RMAT_OK ? r->chung_lu.edges : 0;
    chung_lu_graph_close(&g);
    free(degrees.out);
    free(degrees.in);
    return status;
}
