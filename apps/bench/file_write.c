/* One write into a file: plain or of edges, by one process, by all ranks or by one of them. */
#include "apps/bench/file.h"
#include "apps/bench/ranks.h"
#include "apps/common/clock.h"
#include "apps/common/huge_alloc.h"
#include "apps/common/interrupt.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "apps/engine/ranks/rank_work.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCALE = 30, ID_BYTES = 4 }; /* of the graph of one process */

#define MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

int maker_open(bench_maker *m, const bench_job *job, bool gpu, int scale, int id_bytes)
{
    rmat_config config;

    *m = (bench_maker){.gpu = gpu, .threads = job->threads, .id_bytes = id_bytes};
    rmat_config_default(&config);
    config.stream = (rmat_stream)job->o->stream;
    config.rows_scale = config.cols_scale = scale;
    config.backend = gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.threads = 1; /* the pipeline's generators are the threads */
    config.device = job->device;
    return bench_failed(rmat_create(&m->gen, &config));
}

static int lone_tick(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return interrupt_signal();
}

int maker_fill(const bench_maker *m, uint64_t edges, edgefile_path path,
               const pipeline_source *source, graphfile_writer *writer, pipeline_tick tick)
{
    pipeline_plan plan;
    pipeline_producer producer;
    const pipeline_sink sink = pipeline_to_file(writer, GRAPHFILE_H5);
    pipeline_result result;
    int status;

    if (m->gpu) {
        pipeline_gpu_make_plan(&plan, edges, m->id_bytes, 0, path, 0, MEMORY);
        producer = pipeline_gpu(m->gen);
    } else {
        pipeline_make_plan(&plan, edges, m->id_bytes, 0, m->threads, path, 0, MEMORY);
        producer = pipeline_cpu(m->gen, plan.generators);
    }
    status = pipeline_run(&plan, source, &producer, NULL, writer != NULL ? &sink : NULL,
                          tick != NULL ? tick : lone_tick, NULL, &result);
    if (source != NULL) {
        dist_work_report(result.done);
    }
    if (status == 0 || result.stopped) {
        return EXIT_OK;
    }
    return runtime_error("bench", "%s",
                         result.error != NULL ? result.error : "not all edges were made");
}

int files_open_makers(bench_files *f)
{
    const bench_job *job = f->job;
    int status = EXIT_OK;

    if (job->o->part >= PART_RANKS) {
        return maker_open(&f->makers[0], job, job->gpu, ranks_scale(job), ranks_id_bytes(job));
    }
    if (job->cpu) {
        status = maker_open(&f->makers[0], job, false, SCALE, ID_BYTES);
    }
    return job->gpu && status == EXIT_OK ? maker_open(&f->makers[1], job, true, SCALE, ID_BYTES)
                                         : status;
}

uint64_t files_bytes(uint64_t bytes)
{
    const uint64_t unit = 2 * edgefile_alignment(); /* a page of src and one of dst */

    return bytes / unit * unit;
}

int files_open(bench_files *f, uint64_t bytes)
{
    const bench_maker *m = f->makers[0].gen != NULL ? &f->makers[0] : &f->makers[1];
    const uint64_t edges = bytes / (2 * (uint64_t)m->id_bytes);
    uint64_t half;
    int fd;

    snprintf(f->name, sizeof f->name, "%s/rmat-bench.%d.h5", f->job->o->dir, (int)getpid());
    snprintf(f->raw_name, sizeof f->raw_name, "%s/rmat-bench.%d.raw", f->job->o->dir,
             (int)getpid());
    dist_broadcast(f->name, sizeof f->name);
    dist_broadcast(f->raw_name, sizeof f->raw_name);
    snprintf(f->own_name, sizeof f->own_name, "%s", f->raw_name);
    if (dist_size() > 1) {
        snprintf(f->own_name, sizeof f->own_name, "%s.%d", f->raw_name, dist_rank());
    }
    pipeline_make_plan(&f->plan, edges, m->id_bytes, 0, m->threads, EDGEFILE_PATH_AUTO, 0, MEMORY);
    f->data = huge_alloc((size_t)m->id_bytes * f->plan.chunk);
    if (f->data == NULL) {
        return bench_failed(RMAT_ERR_NOMEM);
    }
    half = f->plan.chunk / 2;
    rmat_generate_arrays(
        m->gen, 0, half,
        &(rmat_arrays){f->data, (char *)f->data + half * (uint64_t)m->id_bytes, NULL, m->id_bytes});
    fd = open(f->own_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT, 0666);
    f->direct = fd >= 0;
    if (fd < 0 && errno != EINVAL) {
        return runtime_error("bench", "%s: %s", f->own_name, strerror(errno));
    }
    unlink(f->own_name); /* a refused O_DIRECT may have left it */
    if (fd >= 0) {
        close(fd);
    }
    return EXIT_OK;
}

void files_close(bench_files *f)
{
    rmat_destroy(f->makers[0].gen);
    rmat_destroy(f->makers[1].gen);
    free(f->data);
}

static int shared_tick(void *argument, uint64_t done)
{
    (void)argument;
    if (interrupt_signal() != 0) {
        dist_request_stop(interrupt_signal());
    }
    dist_work_report(done);
    return dist_stopping();
}

/* All ranks' parts of the file, until all are done. */
static int fill_together(const bench_maker *m, graphfile_writer *writer, uint64_t edges)
{
    char text[MESSAGE_TEXT];
    int status;

    if (rank_work_begin(writer, edges, m->id_bytes, EDGEFILE_NO_WEIGHT, text, sizeof text) != 0) {
        return runtime_error("bench", "%s", text);
    }
    status =
        maker_fill(m, edges, graphfile_used_path(writer), &rank_work_source, writer, shared_tick);
    if (status != EXIT_OK) {
        dist_request_stop(-1);
    }
    dist_work_end();
    return status;
}

static int write_edges(bench_files *f, const file_kind *kind, uint64_t bytes)
{
    const bool shared = !kind->alone && f->group != NULL;
    const bench_maker *m = &f->makers[kind->gpu];
    const uint64_t edges = bytes / (2 * (uint64_t)m->id_bytes);
    graphfile_spec spec = {.format = GRAPHFILE_H5,
                          .graph = {.edges = shared ? edges * (uint64_t)dist_size() : edges, .id_bytes = m->id_bytes},
                          .path = kind->path,
                          .layout = kind->layout,
                          .replace = 1,
                          .group = shared ? f->group : NULL};
    graphfile_committed done;
    graphfile_writer *writer;
    int status;

    if (graphfile_create(&writer, f->name, &spec) != EDGEFILE_OK) {
        return runtime_error("bench", "%s", edgefile_detail());
    }
    status = shared ? fill_together(m, writer, spec.graph.edges)
                    : maker_fill(m, edges, graphfile_used_path(writer), NULL, writer, NULL);
    if (status != EXIT_OK || interrupt_signal() != 0 || (shared && dist_stopping() != 0)) {
        graphfile_abort(&writer);
        return status;
    }
    if (graphfile_commit(&writer, &done) != EDGEFILE_OK) {
        return runtime_error("bench", "%s", edgefile_detail());
    }
    f->fingerprint = done.fingerprint;
    return EXIT_OK;
}

int files_write(bench_files *f, const file_kind *kind, uint64_t bytes, double *done)
{
    int status;

    if (kind->raw) {
        return files_write_raw(f, kind->own, bytes, done);
    }
    status = write_edges(f, kind, bytes);
    *done = clock_seconds();
    return status;
}

void files_remove(const bench_files *f)
{
    char shard[sizeof f->name + 32];

    if (dist_rank() != 0) {
        return;
    }
    unlink(f->name);
    for (int k = 0; k < dist_size(); k++) {
        snprintf(shard, sizeof shard, "%s.shards/%05d.h5", f->name, k);
        unlink(shard);
    }
    snprintf(shard, sizeof shard, "%s.shards", f->name);
    rmdir(shard);
}
