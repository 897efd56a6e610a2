/* How large a file of another format becomes, and how fast: from some edges of the stream that are
 * made and, where the format is text, written to memory. */
#include "apps/common/clock.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <math.h>
#include <stdlib.h>

/* Edges of a list, and of a sorted graph, of whose order a sample has to have something. */
enum { SAMPLE = 1 << 17, SORTED_SAMPLE = 1 << 20, TRIES = 5 };

typedef struct {
    void *src, *dst, *weight;
} sample_memory;

static int get_memory(sample_memory *m, const engine_job *o, uint64_t edges)
{
    *m = (sample_memory){malloc(8 * edges), malloc(8 * edges),
                         o->weight != EDGEFILE_NO_WEIGHT ? malloc(4 * edges) : NULL};
    return m->src == NULL || m->dst == NULL ||
                   (o->weight != EDGEFILE_NO_WEIGHT && m->weight == NULL)
               ? engine_fail("memory is exhausted")
               : ENGINE_OK;
}

static void free_memory(sample_memory *m)
{
    free(m->src);
    free(m->dst);
    free(m->weight);
}

/* The first `draws` edges of the stream in their order; *count is how many are left of them. */
static int sort_some(const engine_job *o, const rmat_gen *gen, uint64_t draws,
                     const rmat_arrays *to, uint64_t *count)
{
    const rmat_cell first = {0, 0}, end = {o->model.rows, 0};
    rmat_interval *b = NULL;
    uint64_t bytes;
    int status = rmat_interval_bytes(
        gen, draws > 3072 ? draws + draws / 3 + 1 : RMAT_INTERVAL_LEAST_EDGES, &bytes);

    if (status == RMAT_OK) {
        status = rmat_interval_create(&b, gen, bytes);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_begin(b, &first, &end, o->unique);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_add(b, 0, draws);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_sort(b);
    }
    if (status == RMAT_OK) {
        *count = rmat_interval_edges(b);
        status = rmat_interval_read(b, 0, *count, to);
    }
    rmat_interval_destroy(b);
    return status == RMAT_OK ? ENGINE_OK : engine_fail("%s", rmat_strerror(status));
}

/* How many edges the graph has, about, where copies are dropped. */
static double expected_edges(const engine_job *o, const rmat_gen *gen)
{
    rmat_config config = o->model;
    rmat_sample *sample = NULL;
    double edges = (double)o->graph_edges;
    int status = !o->dedup || o->edges == 0 ? RMAT_ERR_ARG
                 : o->source != NULL        ? rmat_sample_create_from(&sample, gen, SAMPLE)
                                            : rmat_sample_create(&sample, &config, SAMPLE);

    if (status == RMAT_OK) {
        edges =
            ldexp(rmat_sample_distinct(sample, (double)o->edges, NULL), o->model.symmetrize != 0);
    }
    rmat_sample_destroy(sample);
    return edges;
}

/* Where a sample of a list begins: the first edges by rows, of few vertices, are unlike the others.
 */
static uint64_t first_sample(const engine_job *o, uint64_t count)
{
    return o->model.stream == RMAT_STREAM_ROWS ? (o->graph_edges - count) / 2 : 0;
}

/*
 * The more edges a sorted graph has, the fewer bits tell one from the next: with every doubling
 * about one bit less.  So two samples, one of which has a quarter of the other's edges, tell how
 * many bytes an edge takes in the whole graph.
 */
int engine_estimate_bytes(engine_estimate *e, const engine_backend *backend)
{
    const engine_job *o = e->job;
    const rmat_gen *gen = backend->used == RMAT_BACKEND_GPU ? backend->gpu_gen : backend->cpu_gen;
    const uint64_t stream = o->edges << o->model.symmetrize,
                   most = engine_sorts(o) ? SORTED_SAMPLE : SAMPLE;
    const uint64_t draws = stream < most ? stream : most;
    const double edges = expected_edges(o, gen);
    const graphfile_spec spec = {.format = o->format,
                                 .graph = engine_graph(o, (uint64_t)edges),
                                 .compress = o->compress,
                                 .encoding = o->encoding,
                                 .row_group = o->row_group,
                                 .codec = graphfile_codec_of(o->output, o->format)};
    uint64_t count[2] = {draws, draws}, bytes[2] = {0, 0};
    sample_memory m;
    int status = get_memory(&m, o, most);
    const rmat_arrays to = {m.src, m.dst, m.weight, o->id_bytes};

    for (int i = engine_sorts(o) && draws > 64 ? 0 : 1; i < 2 && status == ENGINE_OK; i++) {
        const uint64_t some = i == 0 ? draws / 8 * 2 : draws;

        status = engine_sorts(o) ? sort_some(o, gen, some, &to, &count[i])
                 : rmat_generate_arrays(gen, first_sample(o, some), some, &to) == RMAT_OK
                     ? ENGINE_OK
                     : engine_fail("%s", rmat_strerror(RMAT_ERR_SOURCE));
        const graphfile_piece piece = {0, 0, count[i], m.src, m.dst, m.weight, 0};

        if (status == ENGINE_OK &&
            graphfile_measure(&spec, &piece, &bytes[i], &e->exact) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    free_memory(&m);
    if (status == ENGINE_OK && bytes[0] > 0 && count[1] > count[0] && !e->exact) {
        const double slope =
            ((double)bytes[1] - (double)bytes[0]) / log2((double)count[1] / (double)count[0]);
        const double whole = (double)bytes[1] + slope * log2(edges / (double)count[1]);

        bytes[1] = (uint64_t)fmax(whole, (double)bytes[1] / 16);
    }
    if (status == ENGINE_OK) {
        e->bytes = bytes[1];
    }
    return status;
}

/* Seconds of one thread for so many edges. */
static int try_once(const engine_job *o, const engine_backend *b, const graphfile_spec *spec,
                    const sample_memory *m, uint64_t count, double *seconds)
{
    const rmat_gen *gen = b->used == RMAT_BACKEND_GPU ? b->gpu_gen : b->cpu_gen;
    const rmat_arrays to = {m->src, m->dst, m->weight, o->id_bytes};
    const graphfile_piece piece = {0, 0, count, m->src, m->dst, m->weight, 0};
    double start = clock_seconds();
    uint64_t bytes;
    int exact, status = rmat_generate_arrays(gen, first_sample(o, count), count, &to);

    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    if (graphfile_measure(spec, &piece, &bytes, &exact) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    *seconds = clock_seconds() - start;
    return ENGINE_OK;
}

int engine_estimate_format(engine_estimate *e, const engine_backend *backend)
{
    const engine_job *o = e->job;
    const graphfile_spec spec = {.format = o->format,
                                 .graph = engine_graph(o, o->graph_edges),
                                 .compress = o->compress,
                                 .encoding = o->encoding,
                                 .row_group = o->row_group,
                                 .codec = graphfile_codec_of(o->output, o->format)};
    const uint64_t count = o->graph_edges < SAMPLE ? o->graph_edges : SAMPLE;
    sample_memory m;
    double fastest = INFINITY, seconds = 0;
    int status = get_memory(&m, o, SAMPLE);

    e->sorted_bytes = engine_sorts(o) && !o->straight ? e->bytes : 0;
    for (int i = 0; i < TRIES && status == ENGINE_OK; i++) {
        status = try_once(o, backend, &spec, &m, count, &seconds);
        fastest = fmin(fastest, seconds);
    }
    free_memory(&m);
    if (status == ENGINE_OK) {
        status = engine_estimate_bytes(e, backend);
    }
    if (status != ENGINE_OK || count == 0) {
        return status;
    }
    e->convert_rate = (double)count / fastest * o->threads * dist_size();
    seconds = fmax((double)o->graph_edges / e->convert_rate, (double)e->bytes / ASSUMED_WRITE_RATE);
    if (o->straight) {
        engine_estimate_writing(e, seconds);
    } else {
        e->converting = seconds;
        e->seconds += seconds;
    }
    if (!engine_sorts(o)) {
        e->rate = e->convert_rate;
        e->threads = (uint64_t)o->threads;
        e->gpu_ranks = backend->used == RMAT_BACKEND_GPU;
    }
    return status;
}
