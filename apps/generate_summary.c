#include "apps/devices.h"
#include "apps/generate.h"
#include "apps/json.h"
#include "apps/numbers.h"
#include <inttypes.h>
#include <stdio.h>

static void print_json(const generate_summary *s)
{
    const generate_options *o = s->options;
    const rmat_config *m = &o->model;
    double edges = (double)o->edges;
    bool gpu = s->backend->used == RMAT_BACKEND_GPU;
    json_object j;

    json_begin(&j, stdout);
    json_string(&j, "file", o->output);
    json_u64(&j, "file_bytes", s->file_bytes);
    json_u64(&j, "rows_scale", (uint64_t)m->rows_scale);
    json_u64(&j, "cols_scale", (uint64_t)m->cols_scale);
    json_u64(&j, "num_rows", (uint64_t)1 << m->rows_scale);
    json_u64(&j, "num_cols", (uint64_t)1 << m->cols_scale);
    json_u64(&j, "edges", o->edges);
    json_u64(&j, "id_bits", (uint64_t)o->id_bytes * 8);
    json_f64(&j, "a", m->matrix.a);
    json_f64(&j, "b", m->matrix.b);
    json_f64(&j, "c", m->matrix.c);
    json_f64(&j, "d", m->matrix.d);
    json_u64(&j, "seed", m->seed);
    json_hex(&j, "fingerprint", s->fingerprint);
    json_u64(&j, "stream_version", RMAT_STREAM_VERSION);
    json_string(&j, "library_version", rmat_version());
    json_string(&j, "command", s->command);
    json_string(&j, "backend", gpu ? "gpu" : "cpu");
    if (gpu) {
        json_u64(&j, "device", (uint64_t)o->device);
        json_u64(&j, "device_bytes", s->backend->device_bytes);
        json_bool(&j, "fell_back", s->fell_back);
    }
    if (s->backend->gpu_failed[0] != '\0') {
        json_string(&j, "gpu_failed", s->backend->gpu_failed);
    }
    if (!gpu || s->fell_back) {
        json_string(&j, "isa", rmat_isa_name(s->backend->isa));
        json_u64(&j, "threads", (uint64_t)o->threads);
    }
    json_string(&j, "io", generate_path_name(s->path));
    json_u64(&j, "chunk_edges", s->chunk);
    json_u64(&j, "buffer_bytes", s->buffer_bytes);
    json_f64(&j, "create_seconds", s->seconds - s->stream_seconds - s->commit_seconds);
    json_f64(&j, "generate_write_seconds", s->stream_seconds);
    json_f64(&j, "commit_seconds", s->commit_seconds);
    json_f64(&j, "seconds", s->seconds);
    json_f64(&j, "edges_per_second", edges / s->seconds);
    json_f64(&j, "bytes_per_second", edges * 2 * o->id_bytes / s->seconds);
    json_end(&j);
}

static void print_maker(const generate_summary *s)
{
    const generate_options *o = s->options;
    bool gpu = s->backend->used == RMAT_BACKEND_GPU;
    char why[DEVICES_TEXT];
    device_gpu device;

    printf("made by      ");
    if (gpu && devices_gpu(o->device, &device, why)) {
        printf("gpu %d (%s), ", o->device, device.name);
    } else if (gpu) {
        printf("gpu %d, ", o->device);
    }
    if (s->fell_back) {
        printf("then, as it failed, ");
    }
    if (!gpu || s->fell_back) {
        printf("cpu, %s, %d thread%s, ", rmat_isa_name(s->backend->isa), o->threads,
               o->threads == 1 ? "" : "s");
    }
    printf("%s writes\n", generate_path_name(s->path));
    if (s->backend->gpu_failed[0] != '\0') {
        printf("gpu          not used: %s\n", s->backend->gpu_failed);
    }
}

static void print_lines(const generate_summary *s)
{
    const generate_options *o = s->options;
    const rmat_config *m = &o->model;
    double edges = (double)o->edges;
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    printf("file         %s (%sB)\n", o->output, format_si(size, (double)s->file_bytes));
    printf("vertices     2^%d sources, 2^%d destinations\n", m->rows_scale, m->cols_scale);
    printf("edges        %" PRIu64 ", %d-bit ids\n", o->edges, 8 * o->id_bytes);
    printf("fingerprint  0x%016" PRIx64 "\n", s->fingerprint);
    printf("time         %.3f s: create %.3f, generate and write %.3f, commit %.3f\n", s->seconds,
           s->seconds - s->stream_seconds - s->commit_seconds, s->stream_seconds,
           s->commit_seconds);
    printf("rate         %s edges/s, %sB/s\n", format_si(rate, edges / s->seconds),
           format_si(bytes, edges * 2 * o->id_bytes / s->seconds));
    print_maker(s);
}

void generate_print_summary(const generate_summary *summary)
{
    if (summary->options->json) {
        print_json(summary);
    } else if (!summary->options->quiet) {
        print_lines(summary);
    }
}
