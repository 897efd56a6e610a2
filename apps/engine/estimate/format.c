/* How large a file of another format becomes, and how fast: from some edges of the stream that are
 * made and, where the format is text, written to memory. */
#include "apps/common/clock.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1 << 17, TRIES = 5 };

typedef struct {
    void *src, *dst, *weight;
} sample_memory;

/* Seconds of one thread for so many edges. */
static int try_once(const engine_job *o, const engine_backend *b, const graphfile_spec *spec,
                    const sample_memory *m, uint64_t count, double *seconds, uint64_t *bytes,
                    int *exact)
{
    const rmat_gen *gen = b->used == RMAT_BACKEND_GPU ? b->gpu_gen : b->cpu_gen;
    const rmat_arrays to = {m->src, m->dst, m->weight, o->id_bytes};
    const graphfile_piece piece = {0, 0, count, m->src, m->dst, m->weight};
    double start = clock_seconds();
    int status = rmat_generate_arrays(gen, 0, count, &to);

    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    if (graphfile_measure(spec, &piece, bytes, exact) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    *seconds = clock_seconds() - start;
    return ENGINE_OK;
}

int engine_estimate_format(engine_estimate *e, const engine_backend *backend)
{
    const engine_job *o = e->job;
    const graphfile_spec spec = {.format = o->format, .graph = engine_graph(o, o->graph_edges)};
    const uint64_t count = o->graph_edges < SAMPLE ? o->graph_edges : SAMPLE;
    sample_memory m = {malloc(8 * SAMPLE), malloc(8 * SAMPLE),
                       o->weight != EDGEFILE_NO_WEIGHT ? malloc(4 * SAMPLE) : NULL};
    double fastest = INFINITY, seconds = 0;
    int status = ENGINE_OK;

    e->sorted_bytes = o->sorted && !o->straight ? e->bytes : 0;
    if (m.src == NULL || m.dst == NULL || (o->weight != EDGEFILE_NO_WEIGHT && m.weight == NULL)) {
        status = engine_fail("memory is exhausted");
    }
    for (int i = 0; i < TRIES && status == ENGINE_OK; i++) {
        status = try_once(o, backend, &spec, &m, count, &seconds, &e->bytes, &e->exact);
        fastest = fmin(fastest, seconds);
    }
    free(m.src);
    free(m.dst);
    free(m.weight);
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
    if (!o->sorted) {
        e->rate = e->convert_rate;
        e->threads = (uint64_t)o->threads;
        e->gpu_ranks = backend->used == RMAT_BACKEND_GPU;
    }
    return status;
}
