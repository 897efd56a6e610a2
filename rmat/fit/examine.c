/* examine.c - a graph is looked at, to be fitted or to be compared with another one. */
#include "rmat/fit/fit.h"
#include "rmat/rmat_fit.h"
#include "rmat/try.h"

#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

/* All edges of a source in host memory: threads take one piece after another. */

#define PIECE ((uint64_t)1 << 18) /* edges, where the source has any range at the same price */
static uint64_t piece_end(const rmat_source *source, uint64_t first)
{
    const uint64_t end =
        source->piece_end != NULL ? source->piece_end(source->state, first) : first + PIECE;

    return end < source->edges ? end : source->edges;
}

static int fill_all(const fit_loaded *l, const rmat_source *source, int threads)
{
    uint64_t next = 0;
    int st = RMAT_OK;

#pragma omp parallel num_threads(threads)
    for (;;) {
        uint64_t first, end;
        int failed;

#pragma omp critical(rmat_fit_load)
        {
            first = st == RMAT_OK ? next : source->edges;
            next = end = first < source->edges ? piece_end(source, first) : first;
        }
        if (first == end) {
            break;
        }
        failed = source->fill(source->state, first, end - first,
                              &(rmat_arrays){l->src + first, l->dst + first, NULL, 4});
        if (failed) {
#pragma omp critical(rmat_fit_load)
            st = RMAT_ERR_SOURCE;
        }
    }
    return st;
}

/* *loaded is to be unloaded in any case. */
static int load_edges(fit_loaded *loaded, const rmat_source *source, const rmat_fit_input *input)
{
    const uint64_t n = source->edges;

    *loaded = (fit_loaded){.vertices = source->rows, .edges = n};
    if (source->rows != source->cols) {
        return RMAT_ERR_SQUARE;
    }
    if (source->rows > (uint64_t)1 << 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    if (n >= RMAT_SHAPE_MOST_EDGES) {
        return RMAT_ERR_EDGES;
    }
    if (input->memory == 0 || 2 * sizeof *loaded->src * n <= input->memory) {
        loaded->src = malloc(n > 0 ? 2 * sizeof *loaded->src * n : 1);
    }
    if (loaded->src == NULL) {
        return RMAT_ERR_NOMEM;
    }
    loaded->dst = loaded->src + n;
    return fill_all(loaded, source, input->threads > 0 ? input->threads : omp_get_max_threads());
}

static void unload_edges(fit_loaded *loaded)
{
    free(loaded->src);
    loaded->src = NULL;
}

static void copy_ids(const uint32_t *ids, uint64_t count, void *to, int id_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        if (id_bytes == 4) {
            ((uint32_t *)to)[i] = ids[i];
        } else {
            ((uint64_t *)to)[i] = ids[i];
        }
    }
}

static int fill_loaded(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_loaded *l = state;

    copy_ids(l->src + first, count, to->src, to->id_bytes);
    copy_ids(l->dst + first, count, to->dst, to->id_bytes);
    return 0;
}

static rmat_source loaded_source(fit_loaded *loaded)
{
    return (rmat_source){.rows = loaded->vertices,
                         .cols = loaded->vertices,
                         .edges = loaded->edges,
                         .fill = fill_loaded,
                         .fill_device = fit_cuda(),
                         .state = loaded};
}

/*
 * A graph is looked at, to be fitted: its shape, and how its edges are listed.
 *
 * On the CPU the edges go from their source into a sorted graph.  For a GPU all of them are read
 * into host memory first, by all threads, and copied from there.
 */

/* Keys of 8 bytes, on a GPU sorted from one array into another; on a CPU a sixth more, and columns
 * of 4 bytes.  Row pointers, in-degrees and their bins. */
uint64_t rmat_fit_bytes(uint64_t vertices, uint64_t edges)
{
    return 18 * edges + 13 * vertices + ((uint64_t)1 << 20);
}

void rmat_fit_input_default(rmat_fit_input *input)
{
    *input = (rmat_fit_input){.device = -1};
}

static int shape_of(const rmat_source *source, const rmat_fit_input *input, int symmetrize,
                    int unique, rmat_shape *shape)
{
    const int gpu = input->backend == RMAT_BACKEND_GPU;
    rmat_config config;
    rmat_gen *gen;
    int st;

    if (!gpu && input->memory > 0 &&
        rmat_fit_bytes(source->rows, source->edges << symmetrize) > input->memory) {
        return RMAT_ERR_NOMEM;
    }
    rmat_config_default(&config);
    config.backend = gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.device = input->device;
    config.symmetrize = symmetrize;
    config.threads = input->threads;
    config.stop = input->stop;
    config.stop_state = input->stop_state;
    st = rmat_create_from(&gen, source, &config);
    if (st == RMAT_OK) {
        const uint64_t edges = source->edges << symmetrize;

        st = input->out != NULL
                 ? rmat_shape_and_degrees(gen, edges, unique, 1, shape, input->out, input->in)
                 : rmat_shape_of(gen, edges, unique, 1, shape);
        rmat_destroy(gen);
    }
    return st;
}

static int examine_source(rmat_fit_graph *graph, const rmat_source *source,
                          const rmat_fit_input *input)
{
    rmat_shape *shape = &graph->shape;
    uint64_t turned;

    RMAT_OR_RETURN(shape_of(source, input, 0, 0, shape));
    turned = shape->edges - shape->loops;
    if (input->edges == RMAT_FIT_DIRECTED || turned == 0) {
        return RMAT_OK;
    }
    if (shape->probed > 0 && shape->mutual == shape->probed) {
        graph->listed = RMAT_LISTED_BOTH;
    } else if (input->edges == RMAT_FIT_UNDIRECTED || shape->lower == 0 || shape->lower == turned) {
        graph->listed = 2 * shape->lower > turned ? RMAT_LISTED_LOWER : RMAT_LISTED_UPPER;
        /* A loop and its reverse are no copies. */
        RMAT_OR_RETURN(shape_of(source, input, 1, shape->copies == 0, shape));
    }
    return RMAT_OK;
}

int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, const rmat_fit_input *input)
{
    rmat_source copy;
    fit_loaded loaded;
    int st;

    if (graph == NULL || source == NULL || input == NULL) {
        return RMAT_ERR_ARG;
    }
    graph->listed = RMAT_LISTED_DIRECTED;
    if (input->backend != RMAT_BACKEND_GPU) {
        return examine_source(graph, source, input);
    }
    st = load_edges(&loaded, source, input);
    if (st == RMAT_OK) {
        copy = loaded_source(&loaded);
        st = examine_source(graph, &copy, input);
    }
    unload_edges(&loaded);
    return st;
}

/* How much two shapes differ, and what else can be said of one. */
static double ks_degrees(const uint64_t *a, const uint64_t *b)
{
    double all_a = 0, all_b = 0, some_a = 0, some_b = 0, most = 0;

    for (int i = 1; i < RMAT_SHAPE_FINE; i++) {
        all_a += (double)a[i];
        all_b += (double)b[i];
    }
    for (int i = 1; i < RMAT_SHAPE_FINE && all_a > 0 && all_b > 0; i++) {
        some_a += (double)a[i];
        some_b += (double)b[i];
        most = fmax(most, fabs(some_a / all_a - some_b / all_b));
    }
    return most;
}

static double ks_joint(const rmat_shape *a, const rmat_shape *b)
{
    double column[RMAT_SHAPE_COARSE] = {0}; /* sums over rows so far of differences */
    double most = 0;

    for (int i = 0; i < RMAT_SHAPE_COARSE; i++) {
        double sum = 0;

        for (int j = i == 0; j < RMAT_SHAPE_COARSE; j++) {
            column[j] += (double)a->joint[i][j] / fmax((double)a->used, 1) -
                         (double)b->joint[i][j] / fmax((double)b->used, 1);
        }
        for (int j = 0; j < RMAT_SHAPE_COARSE; j++) {
            sum += column[j];
            most = fmax(most, fabs(sum));
        }
    }
    return most;
}

void rmat_fit_distance_of(const rmat_shape *a, const rmat_shape *b, rmat_fit_distance *distance)
{
    distance->out = ks_degrees(a->out_vertices, b->out_vertices);
    distance->in = ks_degrees(a->in_vertices, b->in_vertices);
    distance->joint = ks_joint(a, b);
}

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

void rmat_fit_traits_of(const rmat_shape *s, rmat_fit_traits *traits)
{
    *traits = (rmat_fit_traits){.isolated = share_of(s->vertices - s->used, s->vertices),
                                .loops = share_of(s->loops, s->edges),
                                .copies = share_of(s->copies, s->edges),
                                .reciprocity = share_of(s->mutual, s->probed),
                                .assortativity = fit_assortativity(s),
                                .own = fit_own_correlation(s),
                                .closure = share_of(s->closed, s->walks)};
}
