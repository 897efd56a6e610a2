/* Arrays as the source of a fit. */
#include "apps/binding/fit.h"
#include "apps/binding/graph.h"
#include "apps/binding/private.h"
#include "apps/common/devices.h"
#include "apps/fit/fit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *src, *dst;
    int id_bytes;
} arrays;

static uint64_t id_at(const void *ids, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static void copy_ids(const void *from, uint64_t first, uint64_t count, int from_bytes, void *to,
                     int to_bytes)
{
    if (from_bytes == to_bytes) {
        memcpy(to, (const char *)from + first * (uint64_t)from_bytes, count * (uint64_t)from_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t id = id_at(from, first + i, from_bytes);

        if (to_bytes == 4) {
            ((uint32_t *)to)[i] = (uint32_t)id;
        } else {
            ((uint64_t *)to)[i] = id;
        }
    }
}

static int fill_from_arrays(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const arrays *a = state;

    copy_ids(a->src, first, count, a->id_bytes, to->src, to->id_bytes);
    copy_ids(a->dst, first, count, a->id_bytes, to->dst, to->id_bytes);
    return 0;
}

/* Negative numbers are large ones here. */
static uint64_t largest_id(const arrays *a, uint64_t edges, int threads)
{
    uint64_t most = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most)
    for (uint64_t i = 0; i < edges; i++) {
        const uint64_t u = id_at(a->src, i, a->id_bytes), v = id_at(a->dst, i, a->id_bytes);
        const uint64_t end = u > v ? u : v;

        most = end > most ? end : most;
    }
    return most;
}

static int watch_tick(void *stop, const engine_progress *progress)
{
    (void)progress;
    return binding_stops(stop);
}

static int report_failure(int status)
{
    return status == ENGINE_STOPPED
               ? binding_fail(BINDING_ERR_STOPPED, "the fit was stopped")
               : binding_fail(BINDING_ERR_FIT, "%s%s%s", engine_field(),
                              *engine_field() != '\0' ? ": " : "", engine_detail());
}

static int print_report(const fit_report *report, char **json)
{
    size_t bytes;
    FILE *to = open_memstream(json, &bytes);

    if (to == NULL) {
        return BINDING_ERR_NOMEM;
    }
    fit_print_json(report, to);
    if (fclose(to) != 0) {
        free(*json);
        *json = NULL;
        return BINDING_ERR_NOMEM;
    }
    return BINDING_OK;
}

int binding_fit(const void *src, const void *dst, uint64_t edges, int id_bytes,
                const binding_fit_options *o, char **json)
{
    arrays a = {src, dst, id_bytes};
    const int threads = o->threads > 0 ? o->threads : cpu_usable();
    const uint64_t most = largest_id(&a, edges, threads);
    const uint64_t vertices = o->vertices > most + 1 ? o->vertices : most + 1;
    const engine_source source = {.edges = {.rows = vertices,
                                            .cols = vertices,
                                            .edges = edges,
                                            .fill = fill_from_arrays,
                                            .state = &a}};
    const engine_watch watch = {.tick = watch_tick, .state = binding_watched()};
    const fit_options options = {.vertices = o->vertices,
                                 .memory = o->memory,
                                 .multiply = o->multiply,
                                 .seed = o->seed,
                                 .time = o->time,
                                 .backend = (rmat_backend)o->backend,
                                 .device = o->device,
                                 .threads = threads,
                                 .edges = (rmat_fit_edges)o->edges,
                                 .densify = o->densify,
                                 .chung_lu = o->chung_lu};
    fit_report *report;
    int status;

    *json = NULL;
    if (most >= (uint64_t)1 << RMAT_MAX_SCALE) {
        return binding_fail(BINDING_ERR_OPTION,
                            "a vertex number is %" PRId64 ", allowed: 0 to 2^62 - 1",
                            (int64_t)most);
    }
    if (o->vertices > 0 && o->vertices <= most) {
        return binding_fail(BINDING_ERR_OPTION,
                            "vertices: '%" PRIu64 "' is out of range, allowed: %" PRIu64 " or more",
                            o->vertices, most + 1);
    }
    report = calloc(1, sizeof *report);
    if (report == NULL) {
        return BINDING_ERR_NOMEM;
    }
    status = fit_run(&source, &options, &watch, report);
    status = status == ENGINE_OK ? print_report(report, json) : report_failure(status);
    free(report);
    return status;
}

void binding_fit_free(char *json)
{
    free(json);
}
