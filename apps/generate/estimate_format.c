/* How large a file of another format becomes, and how fast: from some edges of the stream that are
 * made and, where the format is text, written to memory. */
#include "apps/common/clock.h"
#include "apps/common/message.h"
#include "apps/generate/estimate.h"
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1 << 17, TRIES = 5 };

typedef struct {
    void *src, *dst, *weight;
} sample_memory;

/* Seconds of one thread for so many edges. */
static int try_once(const generate_estimate *e, const graphfile_spec *spec, const sample_memory *m,
                    uint64_t count, double *seconds, uint64_t *bytes, int *exact)
{
    const generate_backend *b = e->backend;
    const rmat_gen *gen = b->used == RMAT_BACKEND_GPU ? b->gpu_gen : b->cpu_gen;
    const rmat_arrays to = {m->src, m->dst, m->weight, e->options->id_bytes};
    const graphfile_piece piece = {0, 0, count, m->src, m->dst, m->weight};
    double start = clock_seconds();
    int status = rmat_generate_arrays(gen, 0, count, &to);

    if (status != RMAT_OK) {
        return runtime_error("generate", "%s", rmat_strerror(status));
    }
    if (graphfile_measure(spec, &piece, bytes, exact) != EDGEFILE_OK) {
        return runtime_error("generate", "%s", edgefile_detail());
    }
    *seconds = clock_seconds() - start;
    return EXIT_OK;
}

int generate_estimate_converted(generate_estimate *e)
{
    const generate_options *o = e->options;
    const graphfile_spec spec = {.format = o->file_format, .graph = generate_graph(o, o->edges)};
    const uint64_t count = o->edges < SAMPLE ? o->edges : SAMPLE;
    sample_memory m = {malloc(8 * SAMPLE), malloc(8 * SAMPLE),
                       o->weight != EDGEFILE_NO_WEIGHT ? malloc(4 * SAMPLE) : NULL};
    double fastest = INFINITY, seconds = 0;
    int status = EXIT_OK;

    e->sorted_bytes = o->sorted ? e->bytes : 0;
    if (m.src == NULL || m.dst == NULL || (o->weight != EDGEFILE_NO_WEIGHT && m.weight == NULL)) {
        status = runtime_error("generate", "memory is exhausted");
    }
    for (int i = 0; i < TRIES && status == EXIT_OK; i++) {
        status = try_once(e, &spec, &m, count, &seconds, &e->bytes, &e->exact);
        fastest = fmin(fastest, seconds);
    }
    free(m.src);
    free(m.dst);
    free(m.weight);
    if (status != EXIT_OK || count == 0) {
        return status;
    }
    e->convert_rate = (double)count / fastest * o->threads;
    e->converting = fmax((double)o->edges / e->convert_rate, (double)e->bytes / ASSUMED_WRITE_RATE);
    e->seconds += e->converting;
    if (!o->sorted) {
        e->rate = e->convert_rate;
        e->threads = (uint64_t)o->threads;
        e->gpu_ranks = e->backend->used == RMAT_BACKEND_GPU;
    }
    return status;
}
