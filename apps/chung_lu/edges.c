/* Edges of a Chung-Lu graph on the CPU: part of a sectioned batch paired with baseline draws. */
#include "apps/chung_lu/edges.h"
#include <stddef.h>

enum { MIN_LOG2 = 24, MAX_LOG2 = 28 };

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
    return s->batch == 0 ? 0 : s->edges - first < s->batch ? s->edges - first : s->batch;
}

/* Edges that all lie in the batch which begins at `batch`. */
static int edges_of_batch(const chung_lu_tables *tables, const chung_lu_stream *s, uint64_t batch,
                          uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t of_sources = chung_lu_source_seed(s), all = chung_lu_batch_count(s, batch);
    const uint64_t of_destinations = chung_lu_destination_seed(s);
    int status;

    if (to->id_bytes == 4) {
        status = alias_sample_sections_part32(tables->src, of_sources, batch, all, first - batch,
                                              count, to->src);
        return status != ALIAS_OK
                   ? status
                   : alias_sample32(tables->dst, of_destinations, first, count, to->dst);
    }
    status = alias_sample_sections_part64(tables->src, of_sources, batch, all, first - batch, count,
                                          to->src);
    return status != ALIAS_OK ? status
                              : alias_sample64(tables->dst, of_destinations, first, count, to->dst);
}

static int edges_without_batches(const chung_lu_tables *tables, const chung_lu_stream *s,
                                 uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t of_sources = chung_lu_source_seed(s);
    const uint64_t of_destinations = chung_lu_destination_seed(s);
    int status;

    if (to->id_bytes == 4) {
        status = alias_sample32(tables->src, of_sources, first, count, to->src);
        return status != ALIAS_OK
                   ? status
                   : alias_sample32(tables->dst, of_destinations, first, count, to->dst);
    }
    status = alias_sample64(tables->src, of_sources, first, count, to->src);
    return status != ALIAS_OK ? status
                              : alias_sample64(tables->dst, of_destinations, first, count, to->dst);
}

int chung_lu_edges(const chung_lu_tables *tables, const chung_lu_stream *s, uint64_t first,
                   uint64_t count, const rmat_arrays *to)
{
    const uint64_t id = (uint64_t)to->id_bytes;
    int status = ALIAS_OK;

    if (s->batch == 0) {
        return edges_without_batches(tables, s, first, count, to);
    }
    for (uint64_t done = 0; done < count && status == ALIAS_OK;) {
        const uint64_t at = first + done, batch = at - at % s->batch;
        const uint64_t left = batch + s->batch - at;
        const uint64_t n = count - done < left ? count - done : left;
        const rmat_arrays some = {(char *)to->src + done * id, (char *)to->dst + done * id, NULL,
                                  to->id_bytes};

        status = edges_of_batch(tables, s, batch, at, n, &some);
        done += n;
    }
    return status;
}
