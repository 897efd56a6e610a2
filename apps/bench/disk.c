/* Edge files and plain files for the benchmarks of disks, each written and timed once. */
#include "apps/bench/disk.h"
#include "apps/bench/raw.h"
#include "apps/common/clock.h"
#include "apps/common/huge_alloc.h"
#include "apps/common/interrupt.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "rmat/rmat_gpu.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

static int failed(bench_disk *d, const char *what, const char *why)
{
    snprintf(d->error, sizeof d->error, "%s%s%s", what, *what != '\0' ? ": " : "", why);
    return -1;
}

int bench_tick(void *argument, uint64_t done)
{
    (void)argument;
    (void)done;
    return interrupt_signal();
}

int bench_fill(const bench_maker *maker, uint64_t edges, edgefile_path path,
               const pipeline_source *source, edgefile_writer *writer, pipeline_tick tick,
               pipeline_result *result)
{
    pipeline_plan plan;
    pipeline_producer producer;

    if (maker->gpu) {
        pipeline_gpu_make_plan(&plan, edges, maker->id_bytes, 0, path, 0, MEMORY);
        producer = pipeline_gpu(maker->gen);
    } else {
        pipeline_make_plan(&plan, edges, maker->id_bytes, 0, maker->threads, path, 0, MEMORY);
        producer = pipeline_cpu(maker->gen, plan.generators);
    }
    return pipeline_run(&plan, source, &producer, NULL, writer, tick, NULL, result);
}

uint64_t bench_disk_edges_of(uint64_t bytes)
{
    size_t unit = edgefile_alignment();

    return bytes / (2 * unit) * unit / BENCH_DISK_ID_BYTES;
}

uint64_t bench_disk_bytes(const bench_disk *d)
{
    return 2 * BENCH_DISK_ID_BYTES * d->edges;
}

static int create(rmat_gen **gen, rmat_backend backend, int device)
{
    rmat_config config;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = BENCH_DISK_SCALE;
    config.backend = backend;
    config.threads = 1; /* the pipeline's generators are the threads */
    config.device = device;
    return rmat_create(gen, &config);
}

int bench_disk_open(bench_disk *d, const char *dir, const char *prefix, uint64_t bytes, int threads)
{
    uint64_t half;
    int status;

    memset(d, 0, sizeof *d);
    d->threads = threads;
    d->edges = bench_disk_edges_of(bytes);
    snprintf(d->name, sizeof d->name, "%s/%s.%d.h5", dir, prefix, (int)getpid());
    snprintf(d->raw_name, sizeof d->raw_name, "%s/%s.%d.raw", dir, prefix, (int)getpid());
    pipeline_make_plan(&d->plan, d->edges, BENCH_DISK_ID_BYTES, 0, threads, EDGEFILE_PATH_AUTO, 0,
                       MEMORY);
    status = create(&d->gen, RMAT_BACKEND_CPU, -1);
    if (status != RMAT_OK) {
        return failed(d, "", rmat_strerror(status));
    }
    d->data = huge_alloc(BENCH_DISK_ID_BYTES * d->plan.chunk);
    if (d->data == NULL) {
        return failed(d, "", "memory is exhausted");
    }
    /* Real edges: a disk that compresses gains nothing. */
    half = d->plan.chunk / 2;
    rmat_generate32(d->gen, 0, half, d->data, (uint32_t *)d->data + half);
    return 0;
}

int bench_disk_open_gpu(bench_disk *d, int device)
{
    int status = create(&d->gpu_gen, RMAT_BACKEND_GPU, device);
    const char *cuda = rmat_gpu_error();

    return status == RMAT_OK ? 0 : failed(d, "GPU", *cuda != '\0' ? cuda : rmat_strerror(status));
}

void bench_disk_close(bench_disk *d)
{
    rmat_destroy(d->gen);
    rmat_destroy(d->gpu_gen);
    free(d->data);
}

int bench_disk_write_edges(bench_disk *d, rmat_backend backend, edgefile_path *path,
                           double *seconds)
{
    edgefile_spec spec = {
        .edges = d->edges, .id_bytes = BENCH_DISK_ID_BYTES, .path = *path, .replace = 1};
    const bool gpu = backend == RMAT_BACKEND_GPU;
    const bench_maker maker = {gpu ? d->gpu_gen : d->gen, gpu, d->threads, BENCH_DISK_ID_BYTES};
    edgefile_writer *writer;
    pipeline_result result;
    uint64_t fingerprint;
    double start = clock_seconds();

    if (edgefile_create(&writer, d->name, &spec) != EDGEFILE_OK) {
        return failed(d, "", edgefile_detail());
    }
    *path = edgefile_used_path(writer);
    if (bench_fill(&maker, d->edges, *path, NULL, writer, bench_tick, &result) != 0) {
        edgefile_abort(&writer);
        return failed(d, "", result.error != NULL ? result.error : "");
    }
    if (edgefile_commit(&writer, &fingerprint) != EDGEFILE_OK) {
        return failed(d, "", edgefile_detail());
    }
    *seconds = clock_seconds() - start;
    unlink(d->name);
    return interrupt_signal() == 0 ? 0 : -1;
}

/* Without a name from the start: nothing can be left behind. */
static int open_nameless(bench_disk *d, int flags)
{
    int fd = open(d->raw_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0666);

    unlink(d->raw_name); /* a refused O_DIRECT may have left it */
    return fd;
}

int bench_disk_write_raw(bench_disk *d, bool direct, double *seconds)
{
    double start = clock_seconds();
    int fd = open_nameless(d, direct ? O_DIRECT : 0);
    int error;

    if (fd < 0) {
        return failed(d, d->raw_name, strerror(errno));
    }
    error = bench_raw_reserve(fd, bench_disk_bytes(d));
    if (error == 0) {
        error = bench_raw_write(fd, d->data, 0, bench_disk_bytes(d),
                                BENCH_DISK_ID_BYTES * d->plan.chunk, d->plan.writers);
    }
    *seconds = clock_seconds() - start;
    close(fd);
    if (error != 0) {
        return failed(d, d->raw_name, strerror(error));
    }
    return interrupt_signal() == 0 ? 0 : -1;
}

int bench_disk_takes_direct(bench_disk *d)
{
    int fd = open_nameless(d, O_DIRECT);

    if (fd < 0 && errno != EINVAL) {
        return failed(d, d->raw_name, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}
