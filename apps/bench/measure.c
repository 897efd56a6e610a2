/*
 * The cases of `rmat bench`.
 *
 *   memory, models, ranks  arrays far larger than the caches are filled, over and over again; a GPU
 *                          has several calls queued before the host waits.  Limits are plain writes
 *                          to the same memory, plain copies from a GPU to the host, and the plain
 *                          model
 *   csr                    each rank makes its share of the rows by rmat_csr_rank(), allocations
 *                          included; counts the edges of the stream
 *   file                   what `rmat generate` does, from before the file is created until it is
 *                          synced and has its name; the limit is as many bytes past the page cache,
 *                          without generator and HDF5, from creating the file to the end of its
 *                          sync
 */
#include "apps/bench/bench.h"
#include "apps/common/system.h"
#include "apps/engine/engine.h"
#include "mpi/dist.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef RMAT_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#define GPU_EDGES  ((uint64_t)1 << 29) /* of the arrays, and of a call */
#define HOST_EDGES ((uint64_t)1 << 24) /* of the arrays, at least; and of a call to the host */
#define CPU_EDGES  ((uint64_t)1 << 20) /* per thread in one call */
#define ALIGNMENT  64                  /* of the arrays: a vector of AVX-512 */
#define SECONDS    0.2                 /* of a measurement of edges */

#define LEAST_FILE ((uint64_t)1 << 20)
#define USUAL_FILE ((uint64_t)1 << 30)
#define CHUNK      ((uint64_t)16 << 20) /* of plain writes to a file */

enum { WRITES, COPIES, STORED, TO_HOST };
enum { GPU_CALLS = 4 }; /* before the host waits */
enum { WRITERS = 3 };   /* of plain writes to a file, as many as `rmat generate` has */
enum { EDGE_FACTOR = 16, NAME = PATH_MAX + 64 };

/* --- Memory of the processors or, for a group of a GPU, its own: functions return an rmat_status
 * --- */

/* Returns the status of a CUDA call from the calling function, for a group of a GPU. */
#ifdef RMAT_HAVE_CUDA
#define ON_GPU(g, call)                                                                            \
    do {                                                                                           \
        if ((g)->gpu) {                                                                            \
            const cudaError_t error = (call);                                                      \
            return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);                   \
        }                                                                                          \
    } while (0)
#else
#define ON_GPU(g, call) ((void)(g))
#endif

static int use_device(const bench_group *g)
{
    ON_GPU(g, cudaSetDevice(g->device));
    return RMAT_OK;
}

/* pinned: host memory that the GPU writes to directly. */
static int allocate(const bench_group *g, bool pinned, void **place, size_t bytes)
{
    (void)pinned;
    ON_GPU(g, pinned ? cudaMallocHost(place, bytes) : cudaMalloc(place, bytes));
    *place = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return *place != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int release(const bench_group *g, bool pinned, void *place)
{
    (void)pinned;
    ON_GPU(g, pinned ? cudaFreeHost(place) : cudaFree(place));
    free(place);
    return RMAT_OK;
}

static int copy_to_host(const bench_group *g, void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    ON_GPU(g, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, NULL));
    return RMAT_OK;
}

static int set(const bench_group *g, void *place, size_t bytes, int threads)
{
    ON_GPU(g, cudaMemsetAsync(place, 1, bytes, NULL));
#pragma omp parallel num_threads(threads)
    {
        const size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        const size_t from = bytes / n * i, to = i + 1 < n ? from + bytes / n : bytes;

        memset((char *)place + from, 1, to - from);
    }
    return RMAT_OK;
}

static int finish(const bench_group *g)
{
    ON_GPU(g, cudaDeviceSynchronize());
    return RMAT_OK;
}

/* --- Generators --- */

/* The plain model, one for each of the model's options, and the official streams. */
static const struct {
    const char *name;
    rmat_stream stream;
    double noise;
    int permute, no_self_loops, symmetrize;
    rmat_weights weights;
    int vertices; /* 0: 2^scale; 1: 7/8 of that; 2: just above its half */
} models[] = {
    {.name = "plain"},
    {.name = "noise", .noise = 0.1},
    {.name = "permuted", .permute = 1},
    {.name = "no loops", .no_self_loops = 1},
    {.name = "both directions", .symmetrize = 1},
    {.name = "uniform weights", .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "int weights", .weights = RMAT_WEIGHTS_INT},
    {.name = "7/8 of the vertices", .vertices = 1},
    {.name = "1/2 of them and 1", .vertices = 2},
    {.name = "the same, permuted", .vertices = 2, .permute = 1},
    {.name = "graph500's stream", .stream = RMAT_STREAM_GRAPH500},
};
enum { MODELS = sizeof models / sizeof *models };

static uint64_t csr_edges(const bench_group *g)
{
    return (uint64_t)EDGE_FACTOR << g->scale;
}

static int stop_at_signal(void *state)
{
    (void)state;
    return interrupt_signal();
}

static rmat_config config_of(const bench_group *g, const bench_case *c)
{
    const uint64_t half = UINT64_C(1) << (g->scale - 1);
    const bool rows = g->part == PART_CSR && g->o->rows;
    const int m = c->model;
    rmat_config config;

    rmat_config_default(&config);
    config.stream = rows ? RMAT_STREAM_ROWS : models[m].stream;
    config.edges = rows ? csr_edges(g) : 0;
    config.rows_scale = config.cols_scale = g->scale;
    config.noise = models[m].noise;
    config.permute = models[m].permute;
    config.no_self_loops = models[m].no_self_loops;
    config.symmetrize = models[m].symmetrize;
    config.weights = models[m].weights;
    config.weight_min = 1;
    config.weight_max = 255;
    config.rows = config.cols = models[m].vertices == 0   ? 0
                                : models[m].vertices == 1 ? 2 * half - half / 4
                                                          : half + 1;
    config.backend = g->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.isa = c->isa;
    config.threads = c->threads;
    config.device = g->device;
    config.stop = g->part == PART_CSR ? stop_at_signal : NULL;
    return config;
}

static int create(const bench_group *g, bench_case *c)
{
    const rmat_config config = config_of(g, c);

    return rmat_create(&c->gen, &config);
}

/* --- Edges in memory --- */

/* Starts making n edges, or moving as many bytes. */
static int start(bench_group *g, const bench_case *c, uint64_t n)
{
    const uint64_t first = g->next, at = g->at + n > g->capacity ? 0 : g->at;
    const uint64_t bytes = n * (uint64_t)g->id_bytes, offset = at * (uint64_t)g->id_bytes;
    rmat_arrays to = {(char *)g->src + offset, (char *)g->dst + offset, NULL, g->id_bytes};

    g->at = at + n;
    g->next = first + n;
    switch (c->kind) {
    case WRITES:
        RMAT_OR_RETURN(set(g, to.src, bytes, c->threads));
        return set(g, to.dst, bytes, c->threads);
    case COPIES:
        RMAT_OR_RETURN(copy_to_host(g, g->host_src, g->src, bytes));
        return copy_to_host(g, g->host_dst, g->dst, bytes);
    case TO_HOST:
        to.src = g->host_src;
        to.dst = g->host_dst;
        return rmat_generate_arrays(c->gen, first, n, &to);
    default:
        to.weight = models[c->model].weights != RMAT_NO_WEIGHTS ? g->weight : NULL;
        return g->gpu ? rmat_generate_arrays_device(c->gen, first, n, &to, NULL)
                      : rmat_generate_arrays(c->gen, first, n, &to);
    }
}

static int measure_edges(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const uint64_t n = c->kind == TO_HOST || c->kind == COPIES ? HOST_EDGES
                       : g->gpu || c->kind == WRITES           ? g->capacity
                                                               : CPU_EDGES * (uint64_t)c->threads;
    int status = RMAT_OK;

    do {
        const double begun = clock_seconds();

        for (int i = 0; i < (g->gpu ? GPU_CALLS : 1) && status == RMAT_OK; i++) {
            status = start(g, c, n);
            *work += (double)n;
        }
        status = status == RMAT_OK ? finish(g) : status;
        *seconds += clock_seconds() - begun;
    } while (status == RMAT_OK && *seconds < SECONDS && interrupt_signal() == 0);
    return bench_failed(status);
}

/* Returns the new case. */
static bench_case *add(bench_group *g, const char *name, int kind, int threads, int limit)
{
    bench_case *c = &g->cases[g->n_cases++];

    *c = (bench_case){
        .name = name, .measure = measure_edges, .kind = kind, .threads = threads, .limit = limit};
    return c;
}

static void add_cases(bench_group *g)
{
    const int counts = g->threads > 1 ? 2 : 1, threads[] = {1, g->threads};

    if (g->part == PART_RANKS) {
        add(g, "one rank, times all", STORED, g->gpu ? 0 : g->threads, -1)->alone = true;
        add(g, "all ranks", STORED, g->gpu ? 0 : g->threads, 0);
    } else if (g->part == PART_MODELS) {
        for (int m = 0; m < MODELS; m++) {
            add(g, models[m].name, STORED, !g->gpu, m > 0 ? 0 : -1)->model = m;
        }
    } else if (g->gpu) {
        add(g, "plain writes", WRITES, 0, -1);
        add(g, "plain copies to the host", COPIES, 0, -1);
        add(g, "memory", STORED, 0, 0);
        add(g, "to host", TO_HOST, 0, 1);
    } else {
        for (int k = 0; k < counts; k++) {
            add(g, "plain writes", WRITES, threads[k], -1);
        }
        for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
            for (int k = 0; k < counts && rmat_cpu_has_isa(isa); k++) {
                add(g, rmat_isa_name(isa), STORED, threads[k], k)->isa = isa;
            }
        }
    }
}

/* Far more than the caches hold, but at most a quarter of the free memory, which the ranks of a
 * host may share. */
static uint64_t choose_capacity(const bench_group *g)
{
    const uint64_t call = g->gpu ? HOST_EDGES : CPU_EDGES * (uint64_t)g->threads;
    const uint64_t edge = 2 * (uint64_t)g->id_bytes + sizeof(float);
    uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t n = g->gpu ? GPU_EDGES : 4 * call > HOST_EDGES ? 4 * call : HOST_EDGES;
    char why[DEVICES_TEXT];
    device_gpu gpu;

    if (g->gpu && devices_gpu(g->device, &gpu, why)) {
        room = gpu.free;
    }
    while (n > call && edge * n > room / 4 / (uint64_t)dist_local_size()) {
        n /= 2;
    }
    return n > call ? n : call;
}

static int open_memory(bench_group *g)
{
    const size_t id_bytes = (size_t)g->id_bytes;

    add_cases(g);
    RMAT_OR_RETURN(use_device(g));
    g->capacity = choose_capacity(g);
    RMAT_OR_RETURN(allocate(g, false, &g->src, g->capacity * id_bytes));
    RMAT_OR_RETURN(allocate(g, false, &g->dst, g->capacity * id_bytes));
    RMAT_OR_RETURN(set(g, g->src, g->capacity * id_bytes, g->threads));
    RMAT_OR_RETURN(set(g, g->dst, g->capacity * id_bytes, g->threads));
    if (g->part == PART_MODELS) {
        RMAT_OR_RETURN(allocate(g, false, &g->weight, g->capacity * sizeof(float)));
    }
    if (g->part == PART_MEMORY && g->gpu) {
        RMAT_OR_RETURN(allocate(g, true, &g->host_src, HOST_EDGES * id_bytes));
        RMAT_OR_RETURN(allocate(g, true, &g->host_dst, HOST_EDGES * id_bytes));
    }
    for (int i = 0; i < g->n_cases; i++) {
        bench_case *c = &g->cases[i];

        if (c->kind == STORED || c->kind == TO_HOST) {
            RMAT_OR_RETURN(create(g, c));
        }
    }
    return RMAT_OK;
}

/* --- CSR --- */

/* Rank 0 counts the edges of the whole stream, because the ranks together make the graph once. */
static int measure_csr(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const rmat_csr_spec spec = {
        .edges = csr_edges(g), .unique = g->o->unique, .id_bytes = g->id_bytes};
    const double begun = clock_seconds();
    rmat_csr csr = {.pointers = NULL};
    int status = (g->gpu ? rmat_csr_rank_device : rmat_csr_rank)(c->gen, dist_rank(), dist_size(),
                                                                 &spec, &csr);

    status = status == RMAT_OK ? finish(g) : status;
    *seconds = clock_seconds() - begun;
    *work = dist_rank() == 0 ? (double)spec.edges : 0;
    if (g->gpu) {
        rmat_csr_free_device(c->gen, &csr);
    } else {
        rmat_csr_free(&csr);
    }
    return status == RMAT_ERR_STOPPED ? EXIT_OK /* the turns report the signal */
                                      : bench_failed(status);
}

static int open_csr(bench_group *g)
{
    bench_case *c = add(g, g->o->rows ? "rows" : "rmat", 0, g->gpu ? 0 : g->threads, -1);

    c->measure = measure_csr;
    RMAT_OR_RETURN(use_device(g));
    return create(g, c);
}

/* --- Files --- */

static void name_file(char name[NAME], const bench_group *g, const char *suffix)
{
    snprintf(name, NAME, "%s/rmat-bench.%d.%s", g->o->dir, (int)getpid(), suffix);
}

static int file_failed(const char *name, int error)
{
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", name, strerror(error));
}

/* Writes the same data repeatedly, then syncs; a signal stops it early.  Returns 0 or an errno. */
static int write_and_sync(const bench_group *g, int fd)
{
    atomic_int error = 0; /* of a write that failed */

#pragma omp parallel for num_threads(WRITERS) schedule(dynamic, 1)
    for (uint64_t at = 0; at < g->bytes; at += CHUNK) {
        const uint64_t n = g->bytes - at < CHUNK ? g->bytes - at : CHUNK;

        if (atomic_load(&error) == 0 && interrupt_signal() == 0) {
            const ssize_t written = pwrite(fd, g->data, n, (off_t)at);

            if (written != (ssize_t)n) {
                atomic_store(&error, written < 0 ? errno : ENOSPC);
            }
        }
    }
    return error != 0 || fdatasync(fd) == 0 ? error : errno;
}

/* *seconds: the time until the bytes are on the disk, without their removal.  The file has no name
 * while it is written, so nothing is left in any case.  As edge files, it is reserved if the file
 * system can do so, but not in memory. */
static int write_plain(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const double start = clock_seconds();
    char name[NAME];
    int fd, error = 0;

    (void)c;
    name_file(name, g, "raw");
    fd = open(name, flags | O_DIRECT, 0666);
    if (fd < 0 && errno == EINVAL) { /* the file system has no direct writes */
        fd = open(name, flags, 0666);
    }
    if (fd < 0 || ftruncate(fd, (off_t)g->bytes) != 0 ||
        (strcmp(edgefile_filesystem(name), "tmpfs") != 0 &&
         fallocate(fd, 0, 0, (off_t)g->bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)) {
        error = errno;
    }
    if (fd >= 0) {
        unlink(name);
        error = error == 0 ? write_and_sync(g, fd) : error;
        *seconds = clock_seconds() - start;
        close(fd);
    }
    *work = (double)g->bytes;
    return file_failed(name, error);
}

static int tick(void *state, const engine_progress *now)
{
    (void)now;
    return stop_at_signal(state);
}

static int write_edges(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const double start = clock_seconds();
    char name[NAME];
    engine_result result;
    engine_job job;
    int status;

    name_file(name, g, "h5");
    engine_job_default(&job);
    job.model = config_of(g, c);
    job.edges = g->bytes / (2 * (uint64_t)g->id_bytes);
    job.id_bytes = g->id_bytes;
    job.output = name;
    job.replace = true;
    job.threads = g->threads;
    job.watch.tick = tick;
    status = engine_run(&job, NULL, &result);
    *seconds = clock_seconds() - start;
    *work = (double)g->bytes;
    unlink(name);
    return status == ENGINE_OK || status == ENGINE_STOPPED
               ? EXIT_OK
               : runtime_error("bench", "%s", engine_detail());
}

/* Chooses the size of a file: the requested size, or at most a tenth of the free space. */
static int open_file(bench_group *g)
{
    const uint64_t unit = 2 * edgefile_alignment(); /* pages of src and as many of dst */
    const bench_options *o = g->o;
    struct statvfs fs;
    uint64_t room, word = 1, *words;

    if (statvfs(o->dir, &fs) != 0) {
        return file_failed(o->dir, errno);
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    g->bytes = o->size > 0 ? o->size : room / 10 < USUAL_FILE ? room / 10 : USUAL_FILE;
    g->bytes = (g->bytes < LEAST_FILE ? LEAST_FILE : g->bytes) / unit * unit;
    if (g->bytes + LEAST_FILE > room) { /* the edge file's metadata is within LEAST_FILE */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            o->dir, g->bytes + LEAST_FILE, room);
    }
    add(g, "plain writes", 0, 0, -1)->measure = write_plain;
    add(g, "edges", 0, g->threads, 0)->measure = write_edges;
    g->data = words = huge_alloc(CHUNK);
    for (uint64_t i = 0; words != NULL && i < CHUNK / sizeof *words; i++) {
        word = word * UINT64_C(6364136223846793005) + 1; /* Knuth's generator */
        words[i] = word;
    }
    return bench_failed(words != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
}

int bench_open(bench_group *g)
{
    return g->part == PART_FILE ? open_file(g)
                                : bench_failed(g->part == PART_CSR ? open_csr(g) : open_memory(g));
}

void bench_release(bench_group *g)
{
    (void)release(g, false, g->src);
    (void)release(g, false, g->dst);
    (void)release(g, false, g->weight);
    (void)release(g, true, g->host_src);
    (void)release(g, true, g->host_dst);
    free(g->data);
    for (int i = 0; i < g->n_cases; i++) {
        rmat_destroy(g->cases[i].gen);
    }
}
