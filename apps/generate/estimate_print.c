/* What --dry-run prints: size and room, passes and speed, as lines or as JSON. */
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include "apps/generate/describe.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPEED_TEXT = 128 };

/* Bytes on the disk. */
static uint64_t needed(const engine_job *o, const engine_estimate *e)
{
    return (strcmp(o->output, "-") != 0 ? e->bytes : 0) + e->sorted_bytes;
}

static void json_passes(json_object *j, const engine_job *o, const engine_estimate *e)
{
    const sorted_plan *plan = &e->sorted;

    json_u64(j, "stream_edges", plan->stream_edges);
    json_bool(j, "stream_edges_known", !o->unique || o->dedup);
    json_u64(j, "passes", plan->passes + plan->counting);
    json_u64(j, "counting_passes", plan->counting);
    json_u64(j, "intervals", plan->passes);
    json_u64(j, "blocks", (uint64_t)plan->intervals);
    json_u64(j, "block_bytes", (uint64_t)plan->intervals * plan->interval_bytes);
    json_u64(j, "block_edges", plan->interval_edges);
    json_f64(j, "measured_sorted_edges_per_second", e->sort_rate);
    json_f64(j, "counting_seconds", e->counting);
}

void generate_estimate_json(const engine_job *o, const engine_estimate *e)
{
    json_object j;
    uint64_t first, edges;

    json_begin(&j, stdout);
    json_bool(&j, "dry_run", true);
    json_string(&j, "file", o->output);
    json_bool(&j, "file_exists", e->exists);
    json_u64(&j, "file_bytes", e->bytes);
    json_bool(&j, "file_bytes_exact", e->exact && o->graph_edges_known);
    if (e->sorted_bytes > 0) {
        json_u64(&j, "sorted_file_bytes", e->sorted_bytes);
    }
    json_bool(&j, "edges_known", o->graph_edges_known);
    if (e->room_error == 0) {
        json_u64(&j, "free_bytes", e->room);
    }
    json_bool(&j, "fits", e->room_error == 0 && needed(o, e) <= e->room);
    engine_range(o, &first, &edges);
    generate_json_model(&j, o, edges);
    json_string(&j, "command", e->command);
    json_u64(&j, "ranks", (uint64_t)dist_size());
    json_u64(&j, "hosts", (uint64_t)dist_host_count());
    json_string(&j, "layout", engine_layout_name(o->layout));
    if (o->layout != EDGEFILE_LAYOUT_AUTO) { /* else it depends on the file system */
        json_u64(&j, "files", o->layout == EDGEFILE_LAYOUT_SHARDED ? (uint64_t)dist_size() + 1 : 1);
    }
    json_string(&j, "file_system", edgefile_filesystem(o->output));
    json_string(&j, "backend",
                e->gpu_ranks == 0                      ? "cpu"
                : e->gpu_ranks < (uint64_t)dist_size() ? "mixed"
                                                       : "gpu");
    if (e->gpu_failed[0] != '\0') {
        json_string(&j, "gpu_failed", e->gpu_failed);
    }
    json_u64(&j, "threads", e->threads);
    json_u64(&j, "chunk_edges", e->plan.chunk);
    json_u64(&j, "buffer_bytes", pipeline_buffer_bytes(&e->plan));
    json_u64(&j, "device_bytes", e->my_device_bytes);
    json_u64(&j, "all_buffer_bytes", e->buffer_bytes);
    json_u64(&j, "all_device_bytes", e->device_bytes);
    if (o->sorted) {
        json_passes(&j, o, e);
    }
    json_f64(&j, "measured_edges_per_second", e->rate);
    json_f64(&j, "assumed_write_bytes_per_second", ASSUMED_WRITE_RATE);
    json_f64(&j, "generate_seconds", e->generating);
    json_f64(&j, "write_seconds", e->writing);
    if (engine_is_foreign(o) || e->converting > 0) {
        json_f64(&j, "convert_seconds", e->converting);
    }
    json_f64(&j, "estimated_seconds", e->seconds);
    json_end(&j);
}

static const char *seconds_text(char text[NUMBER_TEXT], double seconds)
{
    if (seconds < 60) {
        snprintf(text, NUMBER_TEXT, "%.2f s", seconds);
        return text;
    }
    return format_duration(text, seconds);
}

static void print_passes(const engine_job *o, const engine_estimate *e)
{
    const sorted_plan *plan = &e->sorted;
    char x[NUMBER_TEXT], y[NUMBER_TEXT];

    printf("intervals    %" PRIu64 "%s in %s, for %s edges%s\n", plan->passes,
           plan->passes == 1      ? ""
           : plan->intervals == 1 ? ", one at a time"
                                  : ", two at a time",
           format_bytes(x, plan->intervals * (double)plan->interval_bytes),
           format_si(y, (double)plan->interval_edges), plan->passes > 1 ? " each" : "");
    printf("passes       %" PRIu64, plan->passes + plan->counting);
    if (plan->counting > 0) {
        printf(", %" PRIu64 " of them to count,", plan->counting);
    }
    printf(" over %s%" PRIu64 " edges of the stream\n", o->unique && !o->dedup ? "about " : "",
           plan->stream_edges);
}

/* Where there are several ranks that each make the whole stream: of the slowest. */
static void speed_text(char text[SPEED_TEXT], const engine_job *o, const engine_estimate *e)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT];

    if (!o->sorted) {
        snprintf(text, SPEED_TEXT, "%s edges/s into memory", format_si(x, e->rate));
    } else {
        snprintf(text, SPEED_TEXT, "%s edges/s of the stream%s%s%s%s", format_si(x, e->rate),
                 dist_size() > 1 ? " each" : "", isfinite(e->sort_rate) ? ", " : "",
                 isfinite(e->sort_rate) ? format_si(y, e->sort_rate) : "",
                 isfinite(e->sort_rate) ? " sorted" : "");
    }
}

static void print_time(const engine_job *o, const engine_estimate *e)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT];

    if (engine_is_foreign(o) && !o->sorted) {
        printf("time         about %s, if the disk writes 1 GB/s\n", seconds_text(x, e->seconds));
        return;
    }
    printf("time         about %s: ", seconds_text(x, e->seconds));
    if (e->counting > 0) {
        printf("counting %s, ", seconds_text(x, e->counting));
    }
    printf("generating %s, %swriting %s%s", seconds_text(y, e->generating),
           o->sorted && e->sorted.intervals == 1 ? "then " : "", seconds_text(z, e->writing),
           o->sorted && e->sorted.intervals == 1 ? "" : " at the same time");
    if (e->converting > 0) {
        printf(", then converting %s", seconds_text(y, e->converting));
    }
    printf(", if the disk writes 1 GB/s\n");
}

static void print_buffers(const engine_estimate *e)
{
    char x[NUMBER_TEXT];

    printf("buffers      %s, %d of %" PRIu64 " edges each\n",
           format_bytes(x, (double)pipeline_buffer_bytes(&e->plan)), e->plan.buffers,
           e->plan.chunk);
    if (e->backend == RMAT_BACKEND_GPU) {
        printf("on the gpu   %s, %d chunks in flight\n",
               format_bytes(x, (double)e->my_device_bytes), e->plan.generators);
    }
}

void generate_estimate_lines(const engine_job *o, const engine_estimate *e)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], speed[SPEED_TEXT];
    uint64_t first, edges;

    printf("dry run: nothing is written\n");
    text_line(stdout, "file         %s%s", o->output,
              !e->exists   ? ""
              : o->replace ? " (exists, would be replaced)"
                           : " (exists, needs --force)");
    engine_range(o, &first, &edges);
    generate_print_model(stdout, o, edges, !o->graph_edges_known);
    if (o->layout == EDGEFILE_LAYOUT_SHARDED) {
        text_line(stdout, "layout       sharded: %d file%s in %s.shards, on %s", dist_size(),
                  dist_size() == 1 ? "" : "s", o->output, edgefile_filesystem(o->output));
    } else if (dist_size() > 1 && !engine_is_foreign(o)) {
        printf("layout       %s, on %s\n",
               o->layout == EDGEFILE_LAYOUT_SINGLE ? "single: 1 file" : "auto",
               edgefile_filesystem(o->output));
    }
    printf("file size    %s%" PRIu64 " bytes (%s)\n",
           !e->exact              ? "about "
           : o->graph_edges_known ? ""
                                  : "at most ",
           e->bytes, format_bytes(x, (double)e->bytes));
    if (e->sorted_bytes > 0) {
        printf("temporary    %s for the sorted graph in HDF5, which is removed at the end\n",
               format_bytes(x, (double)e->sorted_bytes));
    }
    if (e->room_error != 0) {
        printf("free space   unknown: %s\n", strerror(e->room_error));
    } else {
        printf("free space   %s%s\n", format_bytes(x, (double)e->room),
               needed(o, e) <= e->room ? "" : ", too little");
    }
    if (o->is_virtual) {
        return;
    }
    if (o->sorted) {
        print_passes(o, e);
    }
    if (e->plan.buffers > 0) {
        print_buffers(e);
    }
    speed_text(speed, o, e);
    if (dist_size() > 1 && e->buffer_bytes > 0) {
        printf("in all       %s of buffers%s", format_bytes(y, (double)e->buffer_bytes),
               o->sorted ? " and intervals" : "");
        if (e->device_bytes > 0) {
            printf(", %s on GPUs", format_bytes(y, (double)e->device_bytes));
        }
        putchar('\n');
    }
    if (dist_size() > 1) {
        printf("ranks        %d on %d host%s, %" PRIu64 " on GPUs, %" PRIu64
               " threads, measured %s\n",
               dist_size(), dist_host_count(), dist_host_count() == 1 ? "" : "s", e->gpu_ranks,
               e->threads, speed);
    } else if (e->backend == RMAT_BACKEND_GPU) {
        printf("gpu          %d, measured %s\n", e->device, speed);
    } else {
        printf("threads      %d, measured %s\n", o->threads, speed);
    }
    if (e->gpu_failed[0] != '\0') {
        printf("gpu          not used: %s\n", e->gpu_failed);
    }
    print_time(o, e);
}
