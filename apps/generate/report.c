/* report.c - the output of `rmat generate`, as lines or as one JSON object: the graph, the summary,
 * and the results of --dry-run. */
#include "apps/engine/attributes/model_attrs.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <string.h>

/* Begins a report on the stream.  Returns whether there is one. */
static bool begin(json_object *j, const generate_options *o, FILE *stream)
{
    if (o->json) {
        json_begin(j, stream);
    } else if (!o->quiet) {
        json_begin_lines(j, stream);
    }
    return o->json || !o->quiet;
}

/* The graph and the command that makes it; in JSON, also the attributes of its
 * HDF5 file but the matrices. */
static void put_graph(json_object *j, const engine_plan *p, uint64_t edges, uint64_t stream_edges,
                      const char *command)
{
    engine_plan plan = *p;
    model_attrs attrs;

    json_u64(j, "edges", edges);
    if (!p->foreign) {
        json_u64(j, "id_bits", (uint64_t)p->job.id_bytes * 8);
    }
    json_string(j, "format", graphfile_names[p->job.format]);
    json_string(j, "command", command);
    if (j->lines) {
        return;
    }
    json_u64(j, "base_edges", p->job.edges);
    json_bool(j, "sorted", p->job.sorted);
    plan.job.source = NULL; /* of GAPBS's own graphs, which have a model as well */
    model_attrs_of_plan(&attrs, &plan, p->job.format, edges, stream_edges);
    for (size_t i = 0; i < attrs.n; i++) {
        const edgefile_attr *a = &attrs.list[i];

        if (strcmp(a->name, "command") == 0) { /* without the format */
            continue;
        }
        if (a->type == EDGEFILE_STRING) {
            json_string(j, a->name, a->value);
        } else if (a->type == EDGEFILE_U64) {
            json_u64(j, a->name, *(const uint64_t *)a->value);
        } else if (a->count == 1) {
            json_f64(j, a->name, *(const double *)a->value);
        }
    }
}

static void put_makers(json_object *j, const engine_result *s)
{
    const engine_totals *n = &s->totals;

    json_string(j, "backend",
                n->gpu_ranks == 0         ? "cpu"
                : n->gpu_ranks < n->ranks ? "mixed"
                                          : "gpu");
    if (s->backend == RMAT_BACKEND_GPU) {
        json_u64(j, "device", (uint64_t)s->device);
        json_u64(j, "device_bytes", s->device_bytes);
    }
    if (n->threads > 0) {
        json_string(j, "isa", rmat_isa_name(s->isa));
        json_u64(j, "threads", (uint64_t)n->threads);
    }
    json_u64(j, "ranks", (uint64_t)n->ranks);
    json_u64(j, "hosts", (uint64_t)n->hosts);
    if (n->ranks > 1) {
        json_u64(j, "gpu_ranks", (uint64_t)n->gpu_ranks);
        json_u64(j, "fastest_rank", (uint64_t)n->fastest.rank);
        json_u64(j, "fastest_rank_edges", n->fastest.edges);
        json_f64(j, "fastest_rank_seconds", n->fastest.seconds);
        json_u64(j, "slowest_rank", (uint64_t)n->slowest.rank);
        json_u64(j, "slowest_rank_edges", n->slowest.edges);
        json_f64(j, "slowest_rank_seconds", n->slowest.seconds);
    }
}

void generate_print_summary(const generate_options *options, const engine_result *s)
{
    const engine_plan *p = &options->plan;
    json_object j;

    /* Where the edges go to standard output, the summary does not. */
    if (!begin(&j, options, strcmp(p->job.output, "-") == 0 ? stderr : stdout)) {
        return;
    }
    json_string(&j, "file", p->job.output);
    json_u64(&j, "file_bytes", s->file_bytes);
    put_graph(&j, p, s->edges, s->stream_edges, s->command);
    if (p->way != ENGINE_LIST) {
        json_u64(&j, "passes", s->passes);
        json_u64(&j, "interval_bytes", s->interval_bytes);
    }
    json_u64(&j, "redraws", s->redraws);
    json_hex(&j, "fingerprint", s->fingerprint);
    put_makers(&j, s);
    if (!p->foreign) {
        json_u64(&j, "buffer_bytes", s->buffer_bytes);
    }
    if (p->way == ENGINE_CONVERTED) {
        json_f64(&j, "sort_seconds", s->seconds - s->convert_seconds);
        json_f64(&j, "convert_seconds", s->convert_seconds);
    } else {
        json_f64(&j, "create_seconds", s->seconds - s->stream_seconds - s->commit_seconds);
        json_f64(&j, "generate_write_seconds", s->stream_seconds);
        json_f64(&j, "commit_seconds", s->commit_seconds);
    }
    json_f64(&j, "seconds", s->seconds);
    json_f64(&j, "edges_per_second", (double)s->edges / s->seconds);
    json_f64(&j, "bytes_per_second", (double)s->file_bytes / s->seconds);
    json_end(&j);
}

/* Whether there is room for the file, and the sorted one before it. */
static bool fits(const engine_plan *p, const engine_estimate *e)
{
    const uint64_t file = strcmp(p->job.output, "-") != 0 ? e->bytes : 0;

    return e->room_error == 0 && file + e->sorted_bytes <= e->room;
}

void generate_print_estimate(const generate_options *options, const engine_estimate *e)
{
    const engine_plan *p = &options->plan;
    json_object j;

    if (!begin(&j, options, stdout)) {
        return;
    }
    json_bool(&j, "dry_run", true);
    json_string(&j, "file", p->job.output);
    json_bool(&j, "file_exists", e->exists);
    json_u64(&j, "file_bytes", e->bytes);
    json_bool(&j, "file_bytes_exact", e->exact && p->graph_edges_known);
    if (e->sorted_bytes > 0) {
        json_u64(&j, "sorted_file_bytes", e->sorted_bytes);
    }
    if (e->room_error == 0) {
        json_u64(&j, "free_bytes", e->room);
    } else {
        json_string(&j, "free_error", strerror(e->room_error));
    }
    json_bool(&j, "fits", fits(p, e));
    put_graph(&j, p, p->graph_edges, e->stream_edges, e->command);
    json_bool(&j, "edges_known", p->graph_edges_known);
    json_u64(&j, "ranks", (uint64_t)dist_size());
    json_u64(&j, "hosts", (uint64_t)dist_host_count());
    json_string(&j, "file_system", edgefile_filesystem(p->job.output));
    json_string(&j, "backend", e->backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    json_u64(&j, "threads", (uint64_t)p->job.threads);
    json_u64(&j, "buffer_bytes", pipeline_buffer_bytes(&e->buffers));
    json_u64(&j, "device_bytes", e->device_bytes);
    if (p->way != ENGINE_LIST) {
        json_bool(&j, "stream_edges_known", !p->draws);
        json_u64(&j, "passes", e->passes);
        json_u64(&j, "counting_passes", e->counting_passes);
        json_u64(&j, "intervals", e->intervals);
        json_u64(&j, "intervals_at_once", (uint64_t)e->intervals_at_once);
        json_u64(&j, "interval_bytes", e->interval_bytes);
        json_u64(&j, "interval_edges", e->interval_edges);
    }
    json_end(&j);
}
