/*
 * Edges by a GPU, by scale and width of ids: into its own memory beside plain writes to it
 * (cudaMemset), and into host memory beside plain copies over the link (pinned memory).
 *
 * Everything takes turns as in apps/bench/memory.c, in slices of time; the GPU always has some work
 * queued, so that what the host does meanwhile is not measured.
 */
#include "apps/bench/bench.h"
#include "apps/common/clock.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>

#define DEVICE_EDGES ((uint64_t)1 << 27) /* of one call, 1 GiB per array with wide ids */
#define HOST_EDGES   ((uint64_t)1 << 24)

typedef enum { TO_DEVICE, TO_HOST, TARGETS } gpu_target;

enum { CALLS = 4 }; /* before the host waits */

typedef struct {
    const bench_job *job;
    double slice;
    int turns;
    cudaStream_t stream;
    uint64_t edges[TARGETS]; /* of one call */
    char *device[2];         /* src and dst, for edges[TO_DEVICE] wide ids */
    char *host[2];           /* pinned, for edges[TO_HOST] */
    uint64_t next;           /* edge */
    bench_row rows[TARGETS];
} gpu_bench;

static int failed(const gpu_bench *b, const char *what, const char *why)
{
    return runtime_error("bench", "GPU %d: %s: %s", b->job->device, what, why);
}

static int cuda_status(const gpu_bench *b, const char *what, cudaError_t error)
{
    if (error == cudaSuccess) {
        return EXIT_OK;
    }
    (void)cudaGetLastError();
    return failed(b, what, cudaGetErrorString(error));
}

static int rmat_status(const gpu_bench *b, const char *what, int status)
{
    const char *cuda = status == RMAT_ERR_CUDA || status == RMAT_ERR_NOMEM ? rmat_gpu_error() : "";

    return status == RMAT_OK ? EXIT_OK
                             : failed(b, what, *cuda != '\0' ? cuda : rmat_strerror(status));
}

/* One call of the generator. */
static int make_edges(gpu_bench *b, const rmat_gen *gen, gpu_target target, int id_bytes)
{
    uint64_t n = b->edges[target], first = b->next;
    void *src = target == TO_DEVICE ? b->device[0] : b->host[0];
    void *dst = target == TO_DEVICE ? b->device[1] : b->host[1];

    b->next += n;
    if (target == TO_HOST) {
        return rmat_status(b, "edges into host memory",
                           id_bytes == 4 ? rmat_generate32(gen, first, n, src, dst)
                                         : rmat_generate(gen, first, n, src, dst));
    }
    return rmat_status(b, "edges",
                       id_bytes == 4 ? rmat_generate32_device(gen, first, n, src, dst, b->stream)
                                     : rmat_generate_device(gen, first, n, src, dst, b->stream));
}

/* The same bytes without a generator. */
static int move_bytes(gpu_bench *b, gpu_target target, int id_bytes)
{
    size_t bytes = b->edges[target] * (size_t)id_bytes;
    int status = EXIT_OK;

    for (int i = 0; i < 2 && status == EXIT_OK; i++) {
        if (target == TO_DEVICE) {
            status = cuda_status(b, "writing its memory",
                                 cudaMemsetAsync(b->device[i], i + 1, bytes, b->stream));
        } else {
            status = cuda_status(b, "copying to the host",
                                 cudaMemcpyAsync(b->host[i], b->device[i], bytes,
                                                 cudaMemcpyDeviceToHost, b->stream));
        }
    }
    return status;
}

/* Edges per second; of plain writes or copies where gen is NULL.  The first call warms up. */
static int measure(gpu_bench *b, const rmat_gen *gen, gpu_target target, int id_bytes, double *rate)
{
    double start = 0, seconds = 0;
    uint64_t edges = 0;
    int status = EXIT_OK;

    for (bool warm = false;
         status == EXIT_OK && interrupt_signal() == 0 && (edges == 0 || seconds < b->slice);) {
        for (int i = 0; i < (warm ? CALLS : 1) && status == EXIT_OK; i++) {
            status = gen != NULL ? make_edges(b, gen, target, id_bytes)
                                 : move_bytes(b, target, id_bytes);
            edges += warm ? b->edges[target] : 0;
        }
        if (status == EXIT_OK) {
            status = cuda_status(b, "waiting", cudaStreamSynchronize(b->stream));
        }
        if (!warm) {
            warm = true;
            start = clock_seconds();
        }
        seconds = clock_seconds() - start;
    }
    *rate = (double)edges / seconds;
    return status;
}

static int measure_scale(gpu_bench *b, int s, int id_bytes)
{
    rmat_gen *gen = NULL;
    rmat_config config;
    int status;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = bench_scales[s];
    config.backend = RMAT_BACKEND_GPU;
    config.device = b->job->device;
    status = rmat_status(b, "generator", rmat_create(&gen, &config));
    for (int turn = 0; turn < b->turns && status == EXIT_OK; turn++) {
        for (gpu_target t = 0; t < TARGETS && status == EXIT_OK; t++) {
            status = measure(b, NULL, t, id_bytes, &b->rows[t].limits[s][turn]);
            if (status == EXIT_OK) {
                status = measure(b, gen, t, id_bytes, &b->rows[t].rates[s][turn]);
            }
        }
    }
    rmat_destroy(gen);
    return status;
}

/* Buffers within a quarter of what is free on the GPU. */
static int prepare(gpu_bench *b)
{
    size_t available, total;
    int status = cuda_status(b, "select", cudaSetDevice(b->job->device));

    if (status == EXIT_OK) {
        status = cuda_status(b, "memory", cudaMemGetInfo(&available, &total));
    }
    b->edges[TO_DEVICE] = DEVICE_EDGES;
    b->edges[TO_HOST] = HOST_EDGES;
    while (status == EXIT_OK && b->edges[TO_DEVICE] > HOST_EDGES &&
           2 * sizeof(uint64_t) * b->edges[TO_DEVICE] > available / 4) {
        b->edges[TO_DEVICE] /= 2;
    }
    if (status == EXIT_OK) {
        status =
            cuda_status(b, "stream", cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    }
    for (int i = 0; i < 2 && status == EXIT_OK; i++) {
        status =
            cuda_status(b, "memory",
                        cudaMalloc((void **)&b->device[i], b->edges[TO_DEVICE] * sizeof(uint64_t)));
        if (status == EXIT_OK) {
            status = cuda_status(
                b, "pinned memory",
                cudaMallocHost((void **)&b->host[i], b->edges[TO_HOST] * sizeof(uint64_t)));
        }
    }
    return status;
}

static void give_back(gpu_bench *b)
{
    for (int i = 0; i < 2; i++) {
        (void)cudaFree(b->device[i]);
        (void)cudaFreeHost(b->host[i]);
    }
    if (b->stream != NULL) {
        (void)cudaStreamDestroy(b->stream);
    }
}

static void print_head(const gpu_bench *b)
{
    char why[DEVICES_TEXT];
    device_gpu gpu = {.name = "unknown"};

    devices_gpu(b->job->device, &gpu, why);
    fprintf(b->job->table, "Edges/s by GPU %d, %s, median of %d\n", b->job->device, gpu.name,
            b->turns);
    json_string(b->job->json, "gpu_name", gpu.name);
    json_u64(b->job->json, "gpu_device", (uint64_t)b->job->device);
    json_u64(b->job->json, "gpu_turns", (uint64_t)b->turns);
}

int bench_gpu(const bench_job *job, double seconds)
{
    gpu_bench b = {
        .job = job,
        .rows = {{.backend = "gpu", .variant = "memory", .limit_name = "its memory written"},
                 {.backend = "gpu", .variant = "to host", .limit_name = "pinned host memory"}}};
    int kinds = 2 * TARGETS * (bench_row_scales(4) + bench_row_scales(8)), status;
    json_object rows;

    b.slice = bench_slice(seconds, kinds, &b.turns);
    status = prepare(&b);
    if (status != EXIT_OK) {
        goto done;
    }
    print_head(&b);
    bench_rows_begin(job, "gpu", &rows);
    for (int id_bytes = 4; id_bytes <= 8 && status == EXIT_OK; id_bytes += 4) {
        for (int s = 0; s < bench_row_scales(id_bytes) && status == EXIT_OK; s++) {
            status = measure_scale(&b, s, id_bytes);
        }
        for (gpu_target t = 0; t < TARGETS && status == EXIT_OK && interrupt_signal() == 0; t++) {
            b.rows[t].id_bytes = id_bytes;
            bench_row_print(job, &b.rows[t], b.turns, &rows);
        }
    }
    bench_rows_end(job, &rows);
done:
    give_back(&b);
    return status == EXIT_OK && interrupt_signal() != 0 ? bench_stopped() : status;
}
