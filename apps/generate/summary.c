/* What `rmat generate` prints at the end: lines, or one JSON object. */
#include "apps/common/devices.h"
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include "apps/generate/describe.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the edges, and of a CSR file's pointers. */
static double data_bytes(const engine_job *o, const engine_result *s)
{
    bool csr = o->format == GRAPHFILE_CSR;

    if (engine_is_foreign(o)) {
        return (double)s->file_bytes;
    }
    return (double)s->edges * ((csr ? 1 : 2) * o->id_bytes + engine_weight_bytes(o)) +
           (csr ? 8 * ((double)o->model.rows + 1) : 0);
}

static void json_share(json_object *j, const char *which, const engine_share *s)
{
    char key[64];

    snprintf(key, sizeof key, "%s_rank", which);
    json_u64(j, key, (uint64_t)s->rank);
    snprintf(key, sizeof key, "%s_rank_edges", which);
    json_u64(j, key, s->edges);
    snprintf(key, sizeof key, "%s_rank_seconds", which);
    json_f64(j, key, s->seconds);
}

static void json_makers(json_object *j, const engine_result *s)
{
    json_string(j, "backend",
                s->totals.gpu_ranks == 0                ? "cpu"
                : s->totals.gpu_ranks < s->totals.ranks ? "mixed"
                                                        : "gpu");
    if (s->backend == RMAT_BACKEND_GPU) {
        json_u64(j, "device", (uint64_t)s->device);
        json_u64(j, "device_bytes", s->device_bytes);
    }
    if (s->totals.gpu_ranks > 0) {
        json_u64(j, "gpus", (uint64_t)s->totals.gpus);
        json_bool(j, "fell_back", s->totals.fell_back > 0);
    }
    if (s->totals.gpu_failed > 0) {
        json_string(j, "gpu_failed", s->totals.gpu_failed_text);
    }
    if (s->totals.threads > 0) {
        json_string(j, "isa", rmat_isa_name(s->isa));
        json_u64(j, "threads", (uint64_t)s->totals.threads);
    }
    json_u64(j, "ranks", (uint64_t)s->totals.ranks);
    json_u64(j, "hosts", (uint64_t)s->totals.hosts);
    if (s->totals.ranks > 1) {
        json_u64(j, "gpu_ranks", (uint64_t)s->totals.gpu_ranks);
        json_u64(j, "fell_back_ranks", (uint64_t)s->totals.fell_back);
        json_u64(j, "gpu_failed_ranks", (uint64_t)s->totals.gpu_failed);
        json_share(j, "fastest", &s->totals.fastest);
        json_share(j, "slowest", &s->totals.slowest);
    }
}

static void json_times(json_object *j, const engine_job *o, const engine_result *s)
{
    if (engine_is_converted(o)) {
        json_f64(j, "sort_seconds", o->sorted ? s->seconds - s->convert_seconds : 0);
        json_f64(j, "convert_seconds", s->convert_seconds);
    } else {
        json_f64(j, "create_seconds", s->seconds - s->stream_seconds - s->commit_seconds);
        json_f64(j, "generate_write_seconds", s->stream_seconds);
        json_f64(j, "commit_seconds", s->commit_seconds);
    }
    json_f64(j, "seconds", s->seconds);
}

/* Of an HDF5 file. */
static void json_writing(json_object *j, const engine_job *o, const engine_result *s)
{
    const bool sharded = s->layout == EDGEFILE_LAYOUT_SHARDED;

    json_string(j, "layout", o->shards > 0 ? "shard" : engine_layout_name(s->layout));
    json_u64(j, "shards", sharded ? (uint64_t)s->totals.ranks : o->shards);
    if (o->shards > 0) {
        json_u64(j, "shard", o->shard);
    }
    json_string(j, "io", engine_io_name(s->io));
    json_u64(j, "chunk_edges", s->chunk);
    json_u64(j, "buffer_bytes", s->buffer_bytes);
}

/* Files of other formats do not keep that of the edges which an earlier run has left. */
static bool knows_fingerprint(const engine_job *o, const engine_result *s)
{
    return !o->is_virtual && (s->resumed_edges == 0 || !engine_is_foreign(o));
}

static void print_json(FILE *f, const engine_job *o, const engine_result *s)
{
    json_object j;

    json_begin(&j, f);
    json_string(&j, "file", o->output);
    json_u64(&j, "file_bytes", s->file_bytes);
    generate_json_model(&j, o, s->edges);
    json_u64(&j, "stream_edges", s->stream_edges);
    json_u64(&j, "resumed_edges", s->resumed_edges);
    if (o->sorted) {
        json_u64(&j, "passes", s->passes);
        json_u64(&j, "block_bytes", s->interval_bytes);
    }
    json_u64(&j, "redraws", s->redraws);
    json_bool(&j, "virtual", o->is_virtual);
    if (knows_fingerprint(o, s)) {
        json_hex(&j, "fingerprint", s->fingerprint);
    }
    json_u64(&j, "stream_version", (uint64_t)rmat_stream_version(o->model.stream));
    json_string(&j, "library_version", rmat_version());
    json_string(&j, "command", s->command);
    json_makers(&j, s);
    if (!engine_is_foreign(o)) {
        json_writing(&j, o, s);
    }
    json_times(&j, o, s);
    if (!o->is_virtual) {
        json_f64(&j, "edges_per_second", (double)s->edges / s->seconds);
        json_f64(&j, "bytes_per_second", data_bytes(o, s) / s->seconds);
    }
    json_end(&j);
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

/* A lone process. */
static void print_maker(FILE *f, const engine_job *o, const engine_result *s)
{
    bool gpu = s->backend == RMAT_BACKEND_GPU;
    char why[DEVICES_TEXT];
    device_gpu device;

    fprintf(f, "made by      ");
    if (gpu && devices_gpu(s->device, &device, why)) {
        fprintf(f, "GPU %d (%s), ", s->device, device.name);
    } else if (gpu) {
        fprintf(f, "GPU %d, ", s->device);
    }
    if (s->fell_back) {
        fprintf(f, "which failed, then ");
    }
    if (!gpu || s->fell_back) {
        fprintf(f, "CPU, %s, ", rmat_isa_name(s->isa));
    }
    if (engine_is_foreign(o)) {
        fprintf(f, "%d thread%s\n", s->threads, plural(s->threads));
        return;
    }
    if (!gpu || s->fell_back) {
        fprintf(f, "%d thread%s, ", s->threads, plural(s->threads));
    }
    fprintf(f, "%s writes\n", engine_io_name(s->io));
}

static void print_share(FILE *f, const char *which, const engine_share *s)
{
    char edges[NUMBER_TEXT], speed[NUMBER_TEXT];

    fprintf(f, "%s %d with %s edges in %.3f s, %s/s", which, s->rank,
            format_si(edges, (double)s->edges), s->seconds,
            format_si(speed, (double)s->edges / s->seconds));
}

static void print_makers(FILE *f, const engine_job *o, const engine_result *s)
{
    int cpu_ranks = s->totals.ranks - s->totals.gpu_ranks;
    const char *before = ": ";

    fprintf(f, "made by      %d ranks on %d host%s", s->totals.ranks, s->totals.hosts,
            plural(s->totals.hosts));
    if (s->totals.gpu_ranks > 0) {
        fprintf(f, "%s%d on %d GPU%s", before, s->totals.gpu_ranks, s->totals.gpus,
                plural(s->totals.gpus));
        before = ", ";
    }
    if (s->totals.fell_back > 0) {
        fprintf(f, "%s%d of them on the CPU after the GPU failed", before, s->totals.fell_back);
        before = ", ";
    }
    if (cpu_ranks > 0) {
        fprintf(f, "%s%d on CPUs", before, cpu_ranks);
        before = ", ";
    }
    if (s->totals.threads > 0) {
        fprintf(f, "%s%d thread%s in all", before, s->totals.threads, plural(s->totals.threads));
        before = ", ";
    }
    if (!engine_is_foreign(o)) {
        fprintf(f, "%s%s writes", before, engine_io_name(s->io));
    }
    putc('\n', f);
    if (s->totals.fastest.rank != s->totals.slowest.rank) {
        print_share(f, "ranks        fastest", &s->totals.fastest);
        print_share(f, "; slowest", &s->totals.slowest);
        putc('\n', f);
    }
}

static void print_passes(FILE *f, const engine_result *s)
{
    char bytes[NUMBER_TEXT];

    fprintf(f,
            "passes       %" PRIu64 " over %" PRIu64
            " edges of the stream, sorted in %s of memory\n",
            s->passes, s->stream_edges, format_bytes(bytes, (double)s->interval_bytes));
}

static void print_time(FILE *f, const engine_job *o, const engine_result *s)
{
    if (!engine_is_converted(o)) {
        fprintf(f, "time         %.3f s: create %.3f, generate and write %.3f, commit %.3f\n",
                s->seconds, s->seconds - s->stream_seconds - s->commit_seconds, s->stream_seconds,
                s->commit_seconds);
    } else if (o->sorted) {
        fprintf(f, "time         %.3f s: sort %.3f, convert %.3f\n", s->seconds,
                s->seconds - s->convert_seconds, s->convert_seconds);
    } else {
        fprintf(f, "time         %.3f s\n", s->seconds);
    }
}

static void print_lines(FILE *f, const engine_job *o, const engine_result *s)
{
    double edges = (double)s->edges;
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    text_line(f, "file         %s (%s)", o->output, format_bytes(size, (double)s->file_bytes));
    if (s->layout == EDGEFILE_LAYOUT_SHARDED) {
        text_line(f, "layout       sharded: %d file%s in %s.shards", s->totals.ranks,
                  plural(s->totals.ranks), o->output);
    }
    if (o->shards > 0) {
        fprintf(
            f, "layout       shard %" PRIu64 " of %" PRIu64 ", of a graph with %" PRIu64 " edges\n",
            o->shard, o->shards, o->graph_edges);
    }
    generate_print_model(f, o, s->edges, false);
    if (o->is_virtual) {
        fprintf(f, "virtual      HDF5 makes the edges when they are read; 'rmat info "
                   "--plugin-path' says how\n");
        fprintf(f, "time         %.3f s\n", s->seconds);
        return;
    }
    if (s->resumed_edges == s->edges && s->stream_seconds == 0) { /* none was made or written */
        fprintf(f, "resumed      already complete\n");
        return;
    }
    if (o->sorted) {
        print_passes(f, s);
    }
    if (s->redraws > 0) {
        fprintf(f, "redraws      %" PRIu64 " draws were rejected and repeated, %.3g per edge\n",
                s->redraws, (double)s->redraws / (double)o->edges);
    }
    if (knows_fingerprint(o, s)) {
        fprintf(f, "fingerprint  0x%016" PRIx64 "\n", s->fingerprint);
    }
    if (s->resumed_edges > 0) {
        fprintf(f,
                "resumed      %" PRIu64
                " edges were in the file before; the rate counts all edges\n",
                s->resumed_edges);
    }
    print_time(f, o, s);
    fprintf(f, "rate         %s edges/s, %s/s\n", format_si(rate, edges / s->seconds),
            format_bytes(bytes, data_bytes(o, s) / s->seconds));
    if (s->totals.ranks == 1) {
        print_maker(f, o, s);
    } else {
        print_makers(f, o, s);
    }
    if (s->totals.gpu_failed > 0) {
        fprintf(f, "gpu          not used: %s\n", s->totals.gpu_failed_text);
    }
    if (s->totals.gpu_failed > 1) {
        fprintf(f, "             nor on %d more rank%s\n", s->totals.gpu_failed - 1,
                plural(s->totals.gpu_failed - 1));
    }
}

double generate_edge_bytes(const engine_job *job, const engine_result *result)
{
    return result->edges > 0 ? data_bytes(job, result) / (double)result->edges : 0;
}

void generate_print_summary(const generate_options *options, const engine_result *result)
{
    const engine_job *job = &options->job;
    /* What goes to standard output shall not be mixed with this. */
    FILE *f = strcmp(job->output, "-") == 0 ? stderr : stdout;

    if (options->json) {
        print_json(f, job, result);
    } else if (!options->quiet) {
        print_lines(f, job, result);
    }
}
