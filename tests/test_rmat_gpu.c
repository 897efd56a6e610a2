/*
 * The GPU makes the CPU's edges: every group count, width and layout, anywhere in the stream, with
 * any alignment; ties, forced and counted; fingerprints; into host memory; from many threads.
 */
#include "rmat/gpu_impl.h"
#include "rmat/rmat_gpu.h"
#include "tests/gpu_util.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    int rows_scale, cols_scale;
    rmat_matrix matrix; /* a < 0: by level */
} graph;

#define GRAPH500                                                                                   \
    {                                                                                              \
        0.57, 0.19, 0.19, 0.05                                                                     \
    }
#define BY_LEVEL                                                                                   \
    {                                                                                              \
        -1, 0, 0, 0                                                                                \
    }
#define COUNT 60013
#define MANY  200003 /* enough for ties */

static const graph graphs[] = {
    {"1", 1, 1, GRAPH500},
    {"5", 5, 5, GRAPH500},
    {"6", 6, 6, GRAPH500},
    {"7", 7, 7, GRAPH500},
    {"12", 12, 12, GRAPH500},
    {"20", 20, 20, GRAPH500},
    {"24", 24, 24, GRAPH500},
    {"30", 30, 30, GRAPH500},
    {"31", 31, 31, GRAPH500},
    {"32", 32, 32, GRAPH500},
    {"33", 33, 33, GRAPH500},
    {"35", 35, 35, GRAPH500},
    {"36", 36, 36, GRAPH500},
    {"42", 42, 42, GRAPH500},
    {"48", 48, 48, GRAPH500},
    {"54", 54, 54, GRAPH500},
    {"60", 60, 60, GRAPH500},
    {"62", 62, 62, GRAPH500},
    {"17 x 9", 17, 9, GRAPH500},
    {"3 x 30", 3, 30, GRAPH500},
    {"32 x 25", 32, 25, GRAPH500},
    {"40 x 11", 40, 11, GRAPH500},
    {"1 x 62", 1, 62, GRAPH500},
    {"30, all a", 30, 30, {1, 0, 0, 0}},
    {"30, all d", 30, 30, {0, 0, 0, 1}},
    {"36, b or c", 36, 36, {0, 0.5, 0.5, 0}},
    {"25, uniform", 25, 25, {0.25, 0.25, 0.25, 0.25}},
    {"20, by level", 20, 20, BY_LEVEL},
    {"29, by level", 29, 29, BY_LEVEL},
    {"36 x 33, by level", 36, 33, BY_LEVEL},
    {"41, by level", 41, 41, BY_LEVEL},
    {"62, by level", 62, 62, BY_LEVEL},
};
enum { GRAPHS = sizeof graphs / sizeof graphs[0] };

static rmat_gen *create(const graph *g, rmat_backend backend)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config config;
    rmat_gen *gen;
    int st;

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = (rmat_matrix){0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
    rmat_config_default(&config);
    config.rows_scale = g->rows_scale;
    config.cols_scale = g->cols_scale;
    config.matrix = g->matrix;
    config.levels = g->matrix.a < 0 ? levels : NULL;
    config.seed = UINT64_C(0xFEDCBA9876543210);
    config.backend = backend;
    st = rmat_create(&gen, &config);
    ck_assert_msg(st == RMAT_OK, "%s: %s (%s)", g->name, rmat_strerror(st), rmat_gpu_error());
    return gen;
}

static const graph *graph_named(const char *name)
{
    for (int g = 0; g < GRAPHS; g++) {
        if (strcmp(graphs[g].name, name) == 0) {
            return &graphs[g];
        }
    }
    ck_abort_msg("no graph %s", name);
}

/* Where edges go on the device, with guards on both sides, and what should be there. */
typedef struct {
    uint64_t *src, *dst;       /* expected; host */
    unsigned char *room, *got; /* device, host: two arrays, or one of pairs */
    size_t array;              /* bytes of room for one array */
} bench;

enum { GUARD = 64, FILL = 0xA5 };

static bench bench_create(uint64_t count)
{
    bench b = {.array = 8 * count + 2 * GUARD};

    b.src = must_alloc(count + 1, 8);
    b.dst = must_alloc(count + 1, 8);
    b.got = must_alloc(2, b.array);
    b.room = on_device(NULL, 2 * b.array);
    return b;
}

static void bench_destroy(bench b)
{
    must_cuda(cudaFree(b.room));
    free(b.got);
    free(b.src);
    free(b.dst);
}

static uint64_t id_at(const unsigned char *array, uint64_t i, int id_bytes)
{
    uint64_t x = 0;

    memcpy(&x, array + i * (uint64_t)id_bytes, (size_t)id_bytes); /* little-endian */
    return x;
}

typedef struct {
    uint64_t first, count;
    int id_bytes;
    int pairs;
    int src_at, dst_at; /* elements behind a 16-byte border */
} placing;

static int start(const rmat_gen *gen, const placing *p, unsigned char *src, unsigned char *dst)
{
    if (p->pairs) {
        return p->id_bytes == 4
                   ? rmat_generate_pairs32_device(gen, p->first, p->count, (uint32_t *)src, NULL)
                   : rmat_generate_pairs_device(gen, p->first, p->count, (uint64_t *)src, NULL);
    }
    return p->id_bytes == 4 ? rmat_generate32_device(gen, p->first, p->count, (uint32_t *)src,
                                                     (uint32_t *)dst, NULL)
                            : rmat_generate_device(gen, p->first, p->count, (uint64_t *)src,
                                                   (uint64_t *)dst, NULL);
}

/* How many edges differ from b->src and b->dst.  Nothing around them may be touched. */
static uint64_t differences(const bench *b, const graph *g, const rmat_gen *gen, const placing *p,
                            int report)
{
    const size_t size = (size_t)p->id_bytes, second = p->pairs ? GUARD : b->array + GUARD;
    const size_t src = GUARD + (size_t)p->src_at * size;
    const size_t dst = p->pairs ? src + size : second + (size_t)p->dst_at * size;
    const size_t step = p->pairs ? 2 : 1, bytes = (size_t)p->count * step * size;
    uint64_t wrong = 0;
    int st;

    must_cuda(cudaMemset(b->room, FILL, 2 * b->array));
    st = start(gen, p, b->room + src, b->room + dst);
    ck_assert_msg(st == RMAT_OK, "%s: %s (%s)", g->name, rmat_strerror(st), rmat_gpu_error());
    must_cuda(cudaMemcpy(b->got, b->room, 2 * b->array, cudaMemcpyDeviceToHost));
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t s = id_at(b->got + src, i * step, p->id_bytes);
        uint64_t d = id_at(b->got + dst, i * step, p->id_bytes);

        if (s != b->src[i] || d != b->dst[i]) {
            ck_assert_msg(!report,
                          "%s, %d-byte %s at %d and %d, edges from %#" PRIx64 ": edge %" PRIu64
                          " of %" PRIu64 " is (%#" PRIx64 ", %#" PRIx64 "), not (%#" PRIx64
                          ", %#" PRIx64 ")",
                          g->name, p->id_bytes, p->pairs ? "pairs" : "arrays", p->src_at, p->dst_at,
                          p->first, i, p->count, s, d, b->src[i], b->dst[i]);
            wrong++;
        }
    }
    for (size_t i = 0; i < 2 * b->array; i++) {
        int inside = (i >= src && i < src + bytes) || (!p->pairs && i >= dst && i < dst + bytes);

        ck_assert_msg(inside || b->got[i] == FILL,
                      "%s, %" PRIu64 " %d-byte %s at %d and %d: byte %zu written, outside", g->name,
                      p->count, p->id_bytes, p->pairs ? "pairs" : "arrays", p->src_at, p->dst_at,
                      i);
    }
    return wrong;
}

static int narrow(const graph *g)
{
    return g->rows_scale <= 32 && g->cols_scale <= 32;
}

/* In every width and layout, aligned and not. */
static void check_all_ways(const bench *b, const graph *g, const rmat_gen *gen, uint64_t first,
                           uint64_t count)
{
    static const int places[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {2, 3}};

    for (int bytes = narrow(g) ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int pairs = 0; pairs < 2; pairs++) {
            for (int at = 0; at < (pairs ? 3 : 6); at++) {
                placing p = {first, count, bytes, pairs, places[at][0], places[at][1]};

                differences(b, g, gen, &p, 1);
            }
        }
    }
}

START_TEST(same_as_cpu)
{
    const graph *g = &graphs[_i];
    const uint64_t count = small_run() ? 5003 : COUNT;
    const uint64_t firsts[] = {0,
                               (UINT64_C(1) << 32) - count / 3,
                               (UINT64_C(1) << 31) - count / 2,
                               (UINT64_C(1) << 40) + 3,
                               (UINT64_C(1) << 61) - 1,
                               RMAT_MAX_EDGES - count};
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    bench b = bench_create(2 * count + 16);

    for (int f = 0; f < (small_run() ? 2 : 6); f++) {
        ck_assert_int_eq(rmat_generate(cpu, firsts[f], count, b.src, b.dst), RMAT_OK);
        check_all_ways(&b, g, gpu, firsts[f], count);
    }
    bench_destroy(b);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

START_TEST(few_edges)
{
    static const char *const names[] = {"20", "30", "36", "62, by level"};
    static const uint64_t counts[] = {1,  2,   3,   4,   5,   31,  32,  63,  64,  65,
                                      95, 127, 128, 129, 131, 255, 256, 257, 1000};
    const graph *g = graph_named(names[_i]);
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    bench b = bench_create(2 * 1000 + 16);

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c += small_run() ? 5 : 1) {
        const uint64_t first = UINT64_C(0x300000000) - counts[c] / 2;

        ck_assert_int_eq(rmat_generate(cpu, first, counts[c], b.src, b.dst), RMAT_OK);
        check_all_ways(&b, g, gpu, first, counts[c]);
        ck_assert_int_eq(rmat_generate(cpu, 77, counts[c], b.src, b.dst), RMAT_OK);
        check_all_ways(&b, g, gpu, 77, counts[c]);
    }
    ck_assert_int_eq(rmat_generate_device(gpu, 5, 0, NULL, NULL, NULL), RMAT_OK);
    bench_destroy(b);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

/*
 * Every edge treated as a tie, with lists that have room for none to all of them: the same edges.
 * And no edge treated as one: those that do tie come out wrong, so that they are what settling
 * settles.
 */
START_TEST(forced_ties)
{
    static const char *const names[] = {"7", "20", "30", "36", "42", "62, by level"};
    static const uint32_t rooms[] = {1, 100, 2000, 1000000};
    const graph *g = graph_named(names[_i]);
    const uint64_t count = small_run() ? 5003 : COUNT;
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    bench b = bench_create(2 * count + 16);

    ck_assert_int_eq(rmat_generate(cpu, 12345, count, b.src, b.dst), RMAT_OK);
    for (int r = small_run() ? 2 : 0; r < 4; r++) {
        uint64_t before, after;

        rmat_gpu_set_ties(gpu, rooms[r], UINT32_MAX);
        ck_assert_int_eq(rmat_gpu_tied(gpu, &before), RMAT_OK);
        check_all_ways(&b, g, gpu, 12345, count);
        ck_assert_int_eq(rmat_gpu_tied(gpu, &after), RMAT_OK);
        ck_assert_uint_ge(after - before, 5 * (count - 200));
        rmat_gpu_set_ties(gpu, rooms[r], 1u << 30); /* some of them */
        check_all_ways(&b, g, gpu, 12345, count);
    }
    bench_destroy(b);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

/* The same where every block has many turns. */
START_TEST(many_forced_ties)
{
    static const struct {
        uint32_t room, limit;
    } ways[] = {{100, UINT32_MAX}, {100, 1u << 30}, {100000, UINT32_MAX}, {0, 0}};
    const graph *g = graph_named(_i ? "29, by level" : "20");
    const placing p = {.first = 1, .count = 5000011, .id_bytes = 8};
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    bench b = bench_create(p.count + 16);

    ck_assert_int_eq(rmat_generate(cpu, p.first, p.count, b.src, b.dst), RMAT_OK);
    for (int w = 0; w < 4; w++) {
        rmat_gpu_set_ties(gpu, ways[w].room, ways[w].limit);
        differences(&b, g, gpu, &p, 1);
    }
    bench_destroy(b);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

START_TEST(ties_matter)
{
    const graph *g = graph_named("30");
    const placing p = {.count = MANY, .id_bytes = 8};
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    bench b = bench_create(MANY + 16);
    uint64_t wrong;

    ck_assert_int_eq(rmat_generate(cpu, 0, MANY, b.src, b.dst), RMAT_OK);
    rmat_gpu_set_ties(gpu, 0, 1);
    wrong = differences(&b, g, gpu, &p, 0);
    /* 5 * 2^-13 * MANY = 122 ties; some of the 122 decide for the right side by luck */
    ck_assert_uint_ge(wrong, 5);
    ck_assert_uint_le(wrong, 250);
    rmat_gpu_set_ties(gpu, 0, 0);
    ck_assert_uint_eq(differences(&b, g, gpu, &p, 1), 0);
    bench_destroy(b);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

/* 2^30 edges and more: as many ties as there should be, and the CPU's fingerprint of the first. */
START_TEST(many_edges)
{
    static const struct {
        const char *name;
        int groups, bits;
    } cases[] = {{"30", 5, 13}, {"20", 4, 20}, {"36", 6, 20}};
    const graph *g = graph_named(cases[_i].name);
    const uint64_t chunk = UINT64_C(1) << (small_run() ? 18 : 28), chunks = small_run() ? 2 : 6;
    const uint64_t first = (UINT64_C(1) << 34) - chunk / 2, piece = 1 << 18;
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    uint64_t *src = on_device(NULL, 8 * chunk), *dst = on_device(NULL, 8 * chunk), *sum, tied;
    uint64_t got = 0, expected = 0;
    uint64_t *s = must_alloc(piece, 8), *d = must_alloc(piece, 8);
    double p = 1 - pow(1 - pow(2, -cases[_i].bits), cases[_i].groups);
    double n = (double)(chunk * chunks), sigma = sqrt(n * p * (1 - p));

    sum = on_device(&got, 8);
    for (uint64_t c = 0; c < chunks; c++) {
        ck_assert_int_eq(rmat_generate_device(gpu, first + c * chunk, chunk, src, dst, NULL),
                         RMAT_OK);
        if (c == 0) {
            ck_assert_int_eq(rmat_fingerprint_device(src, dst, chunk, 8, sum, NULL), RMAT_OK);
        }
    }
    must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
    for (uint64_t at = 0; at < chunk; at += piece) {
        ck_assert_int_eq(rmat_generate(cpu, first + at, piece, s, d), RMAT_OK);
        expected += rmat_fingerprint(s, d, piece, 8);
    }
    ck_assert_uint_eq(got, expected);
    ck_assert_int_eq(rmat_gpu_tied(gpu, &tied), RMAT_OK);
    ck_assert_msg(fabs((double)tied - n * p) <= 5 * sigma + 1, "%" PRIu64 " ties, expected %.0f",
                  tied, n * p);
    must_cuda(cudaFree(src));
    must_cuda(cudaFree(dst));
    must_cuda(cudaFree(sum));
    free(s);
    free(d);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

START_TEST(fingerprints)
{
    const graph *g = graph_named("32");
    const uint64_t most = small_run() ? 5000 : 3000001;
    const uint64_t counts[] = {0, 1, 2, 31, 32, 33, 1000, most};
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU);
    uint64_t *src = must_alloc(most, 8), *dst = must_alloc(most, 8), *sum, *wide_src, *wide_dst;
    uint32_t *src32 = must_alloc(most, 4), *dst32 = must_alloc(most, 4), *low_src, *low_dst;

    ck_assert_int_eq(rmat_generate(cpu, 9, most, src, dst), RMAT_OK);
    ck_assert_int_eq(rmat_generate32(cpu, 9, most, src32, dst32), RMAT_OK);
    wide_src = on_device(src, 8 * most);
    wide_dst = on_device(dst, 8 * most);
    low_src = on_device(src32, 4 * most);
    low_dst = on_device(dst32, 4 * most);
    sum = on_device(NULL, 8);
    for (int c = 0; c < 8; c++) {
        const uint64_t start = 1000, n = counts[c], skip = n == most ? 1 : 0;
        const uint64_t once = rmat_fingerprint(src + skip, dst + skip, n - skip, 8);
        uint64_t got;

        must_cuda(cudaMemcpy(sum, &start, 8, cudaMemcpyHostToDevice));
        ck_assert_int_eq(
            rmat_fingerprint_device(wide_src + skip, wide_dst + skip, n - skip, 8, sum, NULL),
            RMAT_OK);
        ck_assert_int_eq(
            rmat_fingerprint_device(low_src + skip, low_dst + skip, n - skip, 4, sum, NULL),
            RMAT_OK);
        must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
        ck_assert_uint_eq(got, start + 2 * once);
    }
    ck_assert_int_eq(rmat_fingerprint_device(wide_src, wide_dst, 1, 5, sum, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_fingerprint_device(wide_src, wide_dst, 1, 8, NULL, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_fingerprint_device(NULL, wide_dst, 1, 8, sum, NULL), RMAT_ERR_ARG);
    must_cuda(cudaFree(wide_src));
    must_cuda(cudaFree(wide_dst));
    must_cuda(cudaFree(low_src));
    must_cuda(cudaFree(low_dst));
    must_cuda(cudaFree(sum));
    free(src);
    free(dst);
    free(src32);
    free(dst32);
    rmat_destroy(cpu);
}
END_TEST

/* More than three chunks, and less than one. */
START_TEST(host_memory)
{
    static const char *const names[] = {"30", "17 x 9", "42"};
    const graph *g = graph_named(names[_i]);
    const uint64_t first = (UINT64_C(1) << 33) - 3000000, most = small_run() ? 10001 : 7000001;
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    uint64_t *x = must_alloc(4 * most, 8), *y = x + most, *s = y + most, *d = s + most;

    for (uint64_t count = most; count > 0; count /= 1000) {
        ck_assert_int_eq(rmat_generate(cpu, first, count, x, y), RMAT_OK);
        ck_assert_int_eq(rmat_generate(gpu, first, count, s, d), RMAT_OK);
        ck_assert(memcmp(x, s, 8 * count) == 0 && memcmp(y, d, 8 * count) == 0);
        if (narrow(g)) {
            ck_assert_int_eq(rmat_generate32(cpu, first, count, (uint32_t *)x, (uint32_t *)y),
                             RMAT_OK);
            ck_assert_int_eq(rmat_generate32(gpu, first, count, (uint32_t *)s, (uint32_t *)d),
                             RMAT_OK);
            ck_assert(memcmp(x, s, 4 * count) == 0 && memcmp(y, d, 4 * count) == 0);
        }
    }
    free(x);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

enum { THREADS = 6, TURNS = 20, PART = 50021 };

typedef struct {
    const rmat_gen *gen;
    const char *failed;
    uint64_t *src, *dst; /* expected, of all threads */
    uint64_t number;
} worker;

/* Alternates between device memory on a stream of its own and host memory. */
static void *work(void *argument)
{
    worker *w = argument;
    uint64_t *src = NULL, *dst = NULL, *s = malloc(PART * 8), *d = malloc(PART * 8);
    cudaStream_t stream = NULL;

    if (s == NULL || d == NULL || cudaMalloc((void **)&src, PART * 8) != cudaSuccess ||
        cudaMalloc((void **)&dst, PART * 8) != cudaSuccess ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        w->failed = "set-up";
    }
    for (int turn = 0; turn < TURNS && w->failed == NULL; turn++) {
        const uint64_t at = (w->number * TURNS + (uint64_t)turn) * 1009;

        if (turn % 2) {
            w->failed = rmat_generate(w->gen, at, PART, s, d) ? "host memory" : NULL;
        } else if (rmat_generate_device(w->gen, at, PART, src, dst, stream) ||
                   cudaMemcpyAsync(s, src, PART * 8, cudaMemcpyDeviceToHost, stream) ||
                   cudaMemcpyAsync(d, dst, PART * 8, cudaMemcpyDeviceToHost, stream) ||
                   cudaStreamSynchronize(stream)) {
            w->failed = "device memory";
        }
        if (w->failed == NULL &&
            (memcmp(s, w->src + at, PART * 8) != 0 || memcmp(d, w->dst + at, PART * 8) != 0)) {
            w->failed = "other edges";
        }
    }
    cudaFree(src);
    cudaFree(dst);
    if (stream != NULL) {
        cudaStreamDestroy(stream);
    }
    free(s);
    free(d);
    return NULL;
}

START_TEST(many_threads)
{
    static const char *const names[] = {"30", "29, by level"};
    const graph *g = graph_named(names[_i]);
    const uint64_t all = THREADS * TURNS * 1009 + PART;
    rmat_gen *cpu = create(g, RMAT_BACKEND_CPU), *gpu = create(g, RMAT_BACKEND_GPU);
    uint64_t *src = must_alloc(all, 8), *dst = must_alloc(all, 8);
    pthread_t threads[THREADS];
    worker workers[THREADS];

    ck_assert_int_eq(rmat_generate(cpu, 0, all, src, dst), RMAT_OK);
    for (uint64_t t = 0; t < THREADS; t++) {
        workers[t] = (worker){gpu, NULL, src, dst, t};
        ck_assert_int_eq(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
    }
    for (int t = 0; t < THREADS; t++) {
        ck_assert_msg(workers[t].failed == NULL, "thread %d: %s", t, workers[t].failed);
    }
    free(src);
    free(dst);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu");
    TCase *tc = tcase_create("rmat_gpu");
    const int all = small_run() < 2;

    if (all) {
        tcase_add_loop_test(tc, same_as_cpu, 0, GRAPHS);
        tcase_add_loop_test(tc, few_edges, 0, 4);
        tcase_add_test(tc, ties_matter);
        tcase_add_loop_test(tc, many_forced_ties, 0, small_run() ? 1 : 2);
        tcase_add_loop_test(tc, host_memory, 0, 3);
    } else {
        tcase_add_loop_test(tc, same_as_cpu, GRAPHS - 5, GRAPHS);
    }
    tcase_add_loop_test(tc, forced_ties, all ? 0 : 2, all ? 6 : 3);
    tcase_add_loop_test(tc, many_edges, 0, all ? 3 : 1);
    tcase_add_test(tc, fingerprints);
    tcase_add_loop_test(tc, many_threads, 0, all ? 2 : 1);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
