/* Sources batch by batch, destinations chunk by chunk, on a CPU. */
#include "apps/chung_lu/edges.h"
#include "apps/common/huge_alloc.h"
#include "rmat/rmat.h"
#include <stdio.h>
#include <string.h>

enum { MIN_LOG2 = 24, MAX_LOG2 = 28, PIECE = 1 << 15 /* edges: two arrays within L2 */ };

uint64_t chung_lu_batch(uint64_t vertices)
{
    int log2 = MIN_LOG2;

    while (log2 < MAX_LOG2 && (uint64_t)1 << log2 < vertices) {
        log2++;
    }
    return (uint64_t)1 << log2;
}

alias_config chung_lu_table_config(alias_backend backend, int device, int threads)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = backend;
    config.builder = ALIAS_BUILDER_PSA_PLUS;
    config.device = device;
    config.threads = threads;
    return config;
}

uint64_t chung_lu_source_seed(const chung_lu_stream *s)
{
    return s->seed;
}

uint64_t chung_lu_destination_seed(const chung_lu_stream *s)
{
    return ~s->seed;
}

uint64_t chung_lu_batch_count(const chung_lu_stream *s, uint64_t first)
{
    return s->edges - first < s->batch ? s->edges - first : s->batch;
}

int chung_lu_sources(const alias_table *table, const chung_lu_stream *s, uint64_t first, void *out)
{
    uint64_t count = chung_lu_batch_count(s, first), seed = chung_lu_source_seed(s);

    return s->id_bytes == 4 ? alias_sample_sections32(table, seed, first, count, out)
                            : alias_sample_sections64(table, seed, first, count, out);
}

int chung_lu_destinations(const alias_table *table, const chung_lu_stream *s, uint64_t first,
                          uint64_t count, void *out)
{
    uint64_t seed = chung_lu_destination_seed(s);

    return s->id_bytes == 4 ? alias_sample32(table, seed, first, count, out)
                            : alias_sample64(table, seed, first, count, out);
}

/* The sources of a chunk, from those of its batch, and the fingerprint of its edges. */
static uint64_t add_sources(pipeline_chunk *c, const char *sources, int id_bytes, int threads)
{
    const uint64_t id = (uint64_t)id_bytes, pieces = c->count / PIECE + (c->count % PIECE != 0);
    uint64_t sum = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t at = i * PIECE, n = c->count - at < PIECE ? c->count - at : PIECE;
        char *src = (char *)c->src + at * id;

        memcpy(src, sources + at * id, n * id);
        sum += rmat_fingerprint(src, (char *)c->dst + at * id, n, id_bytes);
    }
    return sum;
}

static int run(void *state, pipeline *p, char *text, size_t size)
{
    const chung_lu_cpu *cpu = state;
    const chung_lu_stream *s = cpu->stream;
    const uint64_t none = UINT64_MAX;
    uint64_t batch = none; /* whose sources are there */
    char *sources = huge_alloc(chung_lu_batch_count(s, 0) * (size_t)s->id_bytes + 1);
    int status = sources == NULL ? ALIAS_ERR_NOMEM : ALIAS_OK;
    pipeline_chunk *c;

    while (status == ALIAS_OK && (c = pipeline_claim(p, true)) != NULL) {
        uint64_t first = c->first - c->first % s->batch;

        if (first != batch) {
            status = chung_lu_sources(cpu->table, s, first, sources);
            batch = first;
        }
        if (status == ALIAS_OK) {
            status = chung_lu_destinations(cpu->table, s, c->first, c->count, c->dst);
        }
        if (status == ALIAS_OK) {
            c->fingerprint = add_sources(c, sources + (c->first - first) * (uint64_t)s->id_bytes,
                                         s->id_bytes, cpu->threads);
            pipeline_submit(p, c);
        } else {
            pipeline_return(p, c);
        }
    }
    free(sources);
    if (status != ALIAS_OK) {
        snprintf(text, size, "%s", alias_strerror(status));
    }
    return status == ALIAS_OK ? 0 : -1;
}

pipeline_producer chung_lu_cpu_producer(const chung_lu_cpu *state)
{
    return (pipeline_producer){run, (void *)state, 1};
}
