/* report.c - the output of `rmat generate`, as lines or as one JSON object: the model, the summary,
 * and the results of --dry-run. */
#include "apps/common/system.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *format_vertices(char text[NUMBER_TEXT], uint64_t vertices)
{
    if ((vertices & (vertices - 1)) == 0) {
        snprintf(text, NUMBER_TEXT, "2^%d", __builtin_ctzll(vertices));
    } else {
        snprintf(text, NUMBER_TEXT, "%" PRIu64, vertices);
    }
    return text;
}

/* Prints lines: vertices; the number of edges, or its upper bound; and the command, which says the
 * model. */
static void print_graph(FILE *f, const engine_plan *p, uint64_t edges, bool at_most,
                        const char *command)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT];

    fprintf(f, "vertices     %s sources, %s destinations\n", format_vertices(x, p->job.model.rows),
            format_vertices(y, p->job.model.cols));
    fprintf(f, "edges        %s%" PRIu64, at_most ? "at most " : "", edges);
    if (!p->foreign) { /* else the format says it */
        fprintf(f, ", %d-bit ids", 8 * p->job.id_bytes);
    }
    fprintf(f, "\ncommand      %s\n", command);
}

/* The model as members of a JSON object. */
static void json_model(json_object *j, const engine_plan *p, uint64_t edges)
{
    const rmat_config *m = &p->job.model;
    char weights[MODEL_WEIGHTS];

    json_u64(j, "rows_scale", m->rows_scale);
    json_u64(j, "cols_scale", m->cols_scale);
    json_u64(j, "num_rows", m->rows);
    json_u64(j, "num_cols", m->cols);
    json_u64(j, "edges", edges);
    json_u64(j, "base_edges", p->job.edges);
    if (!p->foreign) {
        json_u64(j, "id_bits", p->job.id_bytes * 8);
    }
    json_string(j, "format", graphfile_names[p->job.format]);
    json_bool(j, "sorted", p->job.sorted);
    json_bool(j, "unique", p->job.unique);
    json_bool(j, "dedup", p->job.dedup);
    json_string(j, "stream", rmat_stream_name(m->stream));
    json_bool(j, "level_matrices", m->levels != NULL);
    if (m->levels == NULL) {
        json_f64(j, "a", m->matrix.a);
        json_f64(j, "b", m->matrix.b);
        json_f64(j, "c", m->matrix.c);
        json_f64(j, "d", m->matrix.d);
    }
    json_f64(j, "noise", m->noise);
    json_bool(j, "permute", m->permute);
    json_bool(j, "self_loops", !m->no_self_loops);
    json_string(j, "direction", model_direction_names[m->direction]);
    json_bool(j, "symmetrize", m->symmetrize);
    json_string(j, "weights", model_weights_name(weights, m));
    json_u64(j, "first", m->first);
    json_u64(j, "seed", m->seed);
    if (m->stream == RMAT_STREAM_GRAPH500) {
        json_u64(j, "seed2", m->seed2);
    }
}

/* The summary. */

static void json_makers(json_object *j, const engine_result *s)
{
    const engine_totals *n = &s->totals;

    json_string(j, "backend",
                n->gpu_ranks == 0         ? "cpu"
                : n->gpu_ranks < n->ranks ? "mixed"
                                          : "gpu");
    if (s->backend == RMAT_BACKEND_GPU) {
        json_u64(j, "device", s->device);
        json_u64(j, "device_bytes", s->device_bytes);
    }
    if (n->threads > 0) {
        json_string(j, "isa", rmat_isa_name(s->isa));
        json_u64(j, "threads", n->threads);
    }
    json_u64(j, "ranks", n->ranks);
    json_u64(j, "hosts", n->hosts);
    if (n->ranks > 1) {
        json_u64(j, "gpu_ranks", n->gpu_ranks);
    }
}

static void print_summary_json(FILE *f, const engine_plan *p, const engine_result *s)
{
    json_object j;

    json_begin(&j, f);
    json_string(&j, "file", p->job.output);
    json_u64(&j, "file_bytes", s->file_bytes);
    json_model(&j, p, s->edges);
    json_u64(&j, "stream_edges", s->stream_edges);
    if (p->way != ENGINE_LIST) {
        json_u64(&j, "passes", s->passes);
        json_u64(&j, "interval_bytes", s->interval_bytes);
    }
    json_hex(&j, "fingerprint", s->fingerprint);
    json_u64(&j, "stream_version", rmat_stream_version(p->job.model.stream));
    json_string(&j, "library_version", rmat_version());
    json_string(&j, "command", s->command);
    json_makers(&j, s);
    if (!p->foreign) {
        json_u64(&j, "chunk_edges", s->chunk);
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

static const char *plural_s(int n)
{
    return n == 1 ? "" : "s";
}

/* A lone process. */
static void print_maker(FILE *f, const engine_plan *p, const engine_result *s)
{
    const bool gpu = s->backend == RMAT_BACKEND_GPU;
    char why[DEVICES_TEXT];
    device_gpu device;

    if (gpu) {
        fprintf(f, "made by      GPU %d (%s)", s->device,
                devices_gpu(s->device, &device, why) ? device.name : why);
    } else {
        fprintf(f, "made by      CPU, %s", rmat_isa_name(s->isa));
    }
    if (!gpu || p->foreign) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        const int usable = omp_get_num_procs();

        fprintf(f, ", %d thread%s", s->threads, plural_s(s->threads));
        if (s->threads == usable && usable < processors) { /* as mpirun binds one rank */
            fprintf(f, ": this process may use %d of %ld processors", s->threads, processors);
        }
    }
    putc('\n', f);
}

static void print_makers(FILE *f, const engine_result *s)
{
    const engine_totals *n = &s->totals;
    char text[256] = "";

    if (n->gpu_ranks > 0) {
        text_append(text, sizeof text, ", %d on GPUs", n->gpu_ranks);
    }
    if (n->ranks > n->gpu_ranks) {
        text_append(text, sizeof text, ", %d on CPUs", n->ranks - n->gpu_ranks);
    }
    if (n->threads > 0) {
        text_append(text, sizeof text, ", %d thread%s in all", n->threads, plural_s(n->threads));
    }
    fprintf(f, "made by      %d ranks on %d host%s:%s\n", n->ranks, n->hosts, plural_s(n->hosts),
            text + 1);
}

static void print_summary_lines(FILE *f, const engine_plan *p, const engine_result *s)
{
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    text_line(f, "file         %s (%s, %s)", p->job.output, graphfile_names[p->job.format],
              format_bytes(size, (double)s->file_bytes));
    print_graph(f, p, s->edges, false, s->command);
    if (p->way != ENGINE_LIST) {
        fprintf(f,
                "passes       %" PRIu64 " over %" PRIu64
                " edges of the stream, sorted in %s of memory\n",
                s->passes, s->stream_edges, format_bytes(bytes, (double)s->interval_bytes));
    }
    fprintf(f, "fingerprint  0x%016" PRIx64 "\n", s->fingerprint);
    if (p->way == ENGINE_CONVERTED) {
        fprintf(f, "time         %.3f s: sort %.3f, convert %.3f\n", s->seconds,
                s->seconds - s->convert_seconds, s->convert_seconds);
    } else {
        fprintf(f, "time         %.3f s: create %.3f, generate and write %.3f, commit %.3f\n",
                s->seconds, s->seconds - s->stream_seconds - s->commit_seconds, s->stream_seconds,
                s->commit_seconds);
    }
    fprintf(f, "rate         %s edges/s, %s/s\n", format_si(rate, (double)s->edges / s->seconds),
            format_bytes(bytes, (double)s->file_bytes / s->seconds));
    if (s->totals.ranks == 1) {
        print_maker(f, p, s);
    } else {
        print_makers(f, s);
    }
}

void generate_print_summary(const generate_options *options, const engine_result *result)
{
    const engine_plan *plan = &options->plan;
    /* Edges go to standard output. */
    FILE *f = strcmp(plan->job.output, "-") == 0 ? stderr : stdout;

    if (options->json) {
        print_summary_json(f, plan, result);
    } else if (!options->quiet) {
        print_summary_lines(f, plan, result);
    }
}

/* --dry-run. */

static void print_estimate_json(const engine_plan *p, const engine_estimate *e)
{
    json_object j;

    json_begin(&j, stdout);
    json_bool(&j, "dry_run", true);
    json_string(&j, "file", p->job.output);
    json_bool(&j, "file_exists", e->exists);
    json_u64(&j, "file_bytes", e->bytes);
    json_bool(&j, "file_bytes_exact", e->exact && p->graph_edges_known);
    if (e->sorted_bytes > 0) {
        json_u64(&j, "sorted_file_bytes", e->sorted_bytes);
    }
    json_bool(&j, "edges_known", p->graph_edges_known);
    json_model(&j, p, p->graph_edges);
    json_string(&j, "command", e->command);
    json_u64(&j, "ranks", dist_size());
    json_u64(&j, "hosts", dist_host_count());
    json_string(&j, "file_system", edgefile_filesystem(p->job.output));
    json_string(&j, "backend", e->backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    json_u64(&j, "threads", p->job.threads);
    json_u64(&j, "chunk_edges", e->buffers.chunk);
    json_u64(&j, "buffer_bytes", pipeline_buffer_bytes(&e->buffers));
    json_u64(&j, "device_bytes", e->device_bytes);
    if (p->way != ENGINE_LIST) {
        json_u64(&j, "stream_edges", e->stream_edges);
        json_bool(&j, "stream_edges_known", !p->draws);
        json_u64(&j, "passes", e->passes);
        json_u64(&j, "counting_passes", e->counting_passes);
        json_u64(&j, "intervals", e->intervals);
        json_u64(&j, "intervals_at_once", e->intervals_at_once);
        json_u64(&j, "interval_bytes", e->interval_bytes);
        json_u64(&j, "interval_edges", e->interval_edges);
    }
    json_end(&j);
}

static void print_planned_passes(const engine_plan *p, const engine_estimate *e)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT];

    printf("intervals    %" PRIu64 "%s in %s, for %s edges%s\n", e->intervals,
           e->intervals == 1           ? ""
           : e->intervals_at_once == 1 ? ", one at a time"
                                       : ", two at a time",
           format_bytes(x, (double)e->interval_bytes), format_si(y, (double)e->interval_edges),
           e->intervals > 1 ? " each" : "");
    printf("passes       %" PRIu64, e->passes);
    if (e->counting_passes > 0) {
        printf(", %" PRIu64 " of them to count,", e->counting_passes);
    }
    printf(" over %s%" PRIu64 " edges of the stream\n", p->draws ? "about " : "", e->stream_edges);
}

static void print_estimate_lines(const engine_plan *p, const engine_estimate *e)
{
    char x[NUMBER_TEXT];

    printf("dry run: nothing is written\n");
    text_line(stdout, "file         %s (%s%s)", p->job.output, graphfile_names[p->job.format],
              !e->exists       ? ""
              : p->job.replace ? ", exists, would be replaced"
                               : ", exists, needs --force");
    print_graph(stdout, p, p->graph_edges, !p->graph_edges_known, e->command);
    if (dist_size() > 1 && !p->foreign) {
        printf("file system  %s\n", edgefile_filesystem(p->job.output));
    }
    printf("file size    %s%" PRIu64 " bytes (%s)\n",
           e->exact && p->graph_edges_known ? "" : "at most ", e->bytes,
           format_bytes(x, (double)e->bytes));
    if (e->sorted_bytes > 0) {
        printf("temporary    %s for the sorted graph in HDF5, which is removed at the end\n",
               format_bytes(x, (double)e->sorted_bytes));
    }
    if (p->way != ENGINE_LIST) {
        print_planned_passes(p, e);
    }
    printf("buffers      %s, %d of %" PRIu64 " edges each\n",
           format_bytes(x, (double)pipeline_buffer_bytes(&e->buffers)), e->buffers.buffers,
           e->buffers.chunk);
    if (e->backend == RMAT_BACKEND_GPU) {
        printf("gpu          %d, %s, %d chunks in flight\n", e->device,
               format_bytes(x, (double)e->device_bytes), e->buffers.generators);
    } else {
        printf("threads      %d\n", p->job.threads);
    }
    if (dist_size() > 1) {
        printf("ranks        %d on %d host%s\n", dist_size(), dist_host_count(),
               plural_s(dist_host_count()));
    }
}

void generate_print_estimate(const generate_options *options, const engine_estimate *e)
{
    if (options->json) {
        print_estimate_json(&options->plan, e);
    } else if (!options->quiet) {
        print_estimate_lines(&options->plan, e);
    }
}
