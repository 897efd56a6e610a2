#include "apps/common/devices.h"
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "apps/generate/describe.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the edges, and of a CSR file's pointers. */
static double data_bytes(const generate_summary *s)
{
    const generate_options *o = s->options;
    bool csr = o->file_format == GRAPHFILE_CSR;

    if (generate_converts(o)) {
        return (double)s->file_bytes;
    }
    return (double)s->graph_edges * ((csr ? 1 : 2) * o->id_bytes + generate_weight_bytes(o)) +
           (csr ? 8 * ((double)o->model.rows + 1) : 0);
}

static void json_share(json_object *j, const char *which, const generate_share *s)
{
    char key[64];

    snprintf(key, sizeof key, "%s_rank", which);
    json_u64(j, key, (uint64_t)s->rank);
    snprintf(key, sizeof key, "%s_rank_edges", which);
    json_u64(j, key, s->edges);
    snprintf(key, sizeof key, "%s_rank_seconds", which);
    json_f64(j, key, s->seconds);
}

static void json_makers(json_object *j, const generate_summary *s, const generate_totals *t)
{
    json_string(j, "backend",
                t->gpu_ranks == 0         ? "cpu"
                : t->gpu_ranks < t->ranks ? "mixed"
                                          : "gpu");
    if (s->backend->used == RMAT_BACKEND_GPU) {
        json_u64(j, "device", (uint64_t)s->backend->device);
        json_u64(j, "device_bytes", s->backend->device_bytes);
    }
    if (t->gpu_ranks > 0) {
        json_u64(j, "gpus", (uint64_t)t->gpus);
        json_bool(j, "fell_back", t->fell_back > 0);
    }
    if (t->gpu_failed > 0) {
        json_string(j, "gpu_failed", t->gpu_failed_text);
    }
    if (t->threads > 0) {
        json_string(j, "isa", rmat_isa_name(s->backend->isa));
        json_u64(j, "threads", (uint64_t)t->threads);
    }
    json_u64(j, "ranks", (uint64_t)t->ranks);
    json_u64(j, "hosts", (uint64_t)t->hosts);
    if (t->ranks > 1) {
        json_u64(j, "gpu_ranks", (uint64_t)t->gpu_ranks);
        json_u64(j, "fell_back_ranks", (uint64_t)t->fell_back);
        json_u64(j, "gpu_failed_ranks", (uint64_t)t->gpu_failed);
        json_share(j, "fastest", &t->fastest);
        json_share(j, "slowest", &t->slowest);
    }
}

static void json_times(json_object *j, const generate_summary *s)
{
    if (generate_converts(s->options)) {
        json_f64(j, "sort_seconds", s->options->sorted ? s->seconds - s->convert_seconds : 0);
        json_f64(j, "convert_seconds", s->convert_seconds);
    } else {
        json_f64(j, "create_seconds", s->seconds - s->stream_seconds - s->commit_seconds);
        json_f64(j, "generate_write_seconds", s->stream_seconds);
        json_f64(j, "commit_seconds", s->commit_seconds);
    }
    json_f64(j, "seconds", s->seconds);
}

/* Of an HDF5 file. */
static void json_writing(json_object *j, const generate_summary *s, const generate_totals *t)
{
    json_string(j, "layout", generate_layout_name(s->layout));
    json_u64(j, "shards", s->layout == EDGEFILE_LAYOUT_SHARDED ? (uint64_t)t->ranks : 0);
    json_string(j, "io", generate_path_name(s->path));
    json_u64(j, "chunk_edges", s->chunk);
    json_u64(j, "buffer_bytes", s->buffer_bytes);
}

static void print_json(FILE *f, const generate_summary *s, const generate_totals *t)
{
    const generate_options *o = s->options;
    json_object j;

    json_begin(&j, f);
    json_string(&j, "file", o->output);
    json_u64(&j, "file_bytes", s->file_bytes);
    generate_json_model(&j, o, s->graph_edges);
    json_u64(&j, "stream_edges", s->stream_edges);
    if (o->sorted) {
        json_u64(&j, "passes", s->passes);
        json_u64(&j, "block_bytes", s->block_bytes);
    }
    json_u64(&j, "redraws", s->redraws);
    json_hex(&j, "fingerprint", s->fingerprint);
    json_u64(&j, "stream_version", RMAT_STREAM_VERSION);
    json_string(&j, "library_version", rmat_version());
    json_string(&j, "command", s->command);
    json_makers(&j, s, t);
    if (!generate_converts(o)) {
        json_writing(&j, s, t);
    }
    json_times(&j, s);
    json_f64(&j, "edges_per_second", (double)s->graph_edges / s->seconds);
    json_f64(&j, "bytes_per_second", data_bytes(s) / s->seconds);
    json_end(&j);
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

/* A lone process. */
static void print_maker(FILE *f, const generate_summary *s)
{
    const generate_options *o = s->options;
    bool gpu = s->backend->used == RMAT_BACKEND_GPU;
    char why[DEVICES_TEXT];
    device_gpu device;

    fprintf(f, "made by      ");
    if (gpu && devices_gpu(s->backend->device, &device, why)) {
        fprintf(f, "gpu %d (%s), ", s->backend->device, device.name);
    } else if (gpu) {
        fprintf(f, "gpu %d, ", s->backend->device);
    }
    if (s->fell_back) {
        fprintf(f, "then, as it failed, ");
    }
    if (!gpu || s->fell_back) {
        fprintf(f, "cpu, %s, ", rmat_isa_name(s->backend->isa));
    }
    if (generate_converts(o)) {
        fprintf(f, "%d thread%s\n", o->threads, plural(o->threads));
        return;
    }
    if (!gpu || s->fell_back) {
        fprintf(f, "%d thread%s, ", o->threads, plural(o->threads));
    }
    fprintf(f, "%s writes\n", generate_path_name(s->path));
}

static void print_share(FILE *f, const char *which, const generate_share *s)
{
    char edges[NUMBER_TEXT], speed[NUMBER_TEXT];

    fprintf(f, "%s %d with %s edges in %.3f s, %s/s", which, s->rank,
            format_si(edges, (double)s->edges), s->seconds,
            format_si(speed, (double)s->edges / s->seconds));
}

static void print_makers(FILE *f, const generate_summary *s, const generate_totals *t)
{
    int cpu_ranks = t->ranks - t->gpu_ranks;

    fprintf(f, "made by      %d ranks on %d host%s: ", t->ranks, t->hosts, plural(t->hosts));
    if (t->gpu_ranks > 0) {
        fprintf(f, "%d by %d gpu%s, ", t->gpu_ranks, t->gpus, plural(t->gpus));
    }
    if (t->fell_back > 0) {
        fprintf(f, "%d of them, as it failed, then by cpu, ", t->fell_back);
    }
    if (cpu_ranks > 0) {
        fprintf(f, "%d by cpu, ", cpu_ranks);
    }
    if (t->threads > 0) {
        fprintf(f, "%d thread%s in all, ", t->threads, plural(t->threads));
    }
    fprintf(f, "%s writes\n", generate_path_name(s->path));
    if (t->fastest.rank != t->slowest.rank) {
        print_share(f, "ranks        fastest", &t->fastest);
        print_share(f, "; slowest", &t->slowest);
        putc('\n', f);
    }
}

static void print_passes(FILE *f, const generate_summary *s)
{
    char bytes[NUMBER_TEXT];

    fprintf(f, "passes       %" PRIu64 " over %" PRIu64 " edges of the stream, blocks in %sB\n",
            s->passes, s->stream_edges, format_si(bytes, (double)s->block_bytes));
}

static void print_time(FILE *f, const generate_summary *s)
{
    if (!generate_converts(s->options)) {
        fprintf(f, "time         %.3f s: create %.3f, generate and write %.3f, commit %.3f\n",
                s->seconds, s->seconds - s->stream_seconds - s->commit_seconds, s->stream_seconds,
                s->commit_seconds);
    } else if (s->options->sorted) {
        fprintf(f, "time         %.3f s: sort %.3f, convert %.3f\n", s->seconds,
                s->seconds - s->convert_seconds, s->convert_seconds);
    } else {
        fprintf(f, "time         %.3f s\n", s->seconds);
    }
}

static void print_lines(FILE *f, const generate_summary *s, const generate_totals *t)
{
    const generate_options *o = s->options;
    double edges = (double)s->graph_edges;
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    fprintf(f, "file         %s (%sB)\n", o->output, format_si(size, (double)s->file_bytes));
    if (s->layout == EDGEFILE_LAYOUT_SHARDED) {
        fprintf(f, "layout       sharded: %d file%s in %s.shards\n", t->ranks, plural(t->ranks),
                o->output);
    }
    generate_print_model(f, o, s->graph_edges, false);
    if (o->sorted) {
        print_passes(f, s);
    }
    if (s->redraws > 0) {
        fprintf(f, "drawn again  %" PRIu64 ", %.3g for an edge\n", s->redraws,
                (double)s->redraws / (double)o->base_edges);
    }
    fprintf(f, "fingerprint  0x%016" PRIx64 "\n", s->fingerprint);
    print_time(f, s);
    fprintf(f, "rate         %s edges/s, %sB/s\n", format_si(rate, edges / s->seconds),
            format_si(bytes, data_bytes(s) / s->seconds));
    if (t->ranks == 1) {
        print_maker(f, s);
    } else {
        print_makers(f, s, t);
    }
    if (t->gpu_failed > 0) {
        fprintf(f, "gpu          not used: %s\n", t->gpu_failed_text);
    }
    if (t->gpu_failed > 1) {
        fprintf(f, "             likewise on %d more rank%s\n", t->gpu_failed - 1,
                plural(t->gpu_failed - 1));
    }
}

void generate_print_summary(const generate_summary *summary)
{
    /* What goes to standard output shall not be mixed with this. */
    FILE *f = strcmp(summary->options->output, "-") == 0 ? stderr : stdout;
    generate_totals totals;

    generate_sum_up(&totals, summary);
    if (dist_rank() != 0) {
        return;
    }
    if (summary->options->json) {
        print_json(f, summary, &totals);
    } else if (!summary->options->quiet) {
        print_lines(f, summary, &totals);
    }
}
