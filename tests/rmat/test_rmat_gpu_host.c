/* A GPU generator's edges in host memory, and calls of one generator from many threads. */
#include "tests/support/rmat_gpu_util.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* More than three chunks, and less than one. */
START_TEST(host_memory)
{
    static const char *const names[] = {"30", "17 x 9", "42"};
    const uint64_t first = (UINT64_C(1) << 33) - 3000000, most = small_run() ? 10001 : 7000001;
    bench b = bench_create(graph_named(names[_i]), 1);
    uint64_t *x = must_alloc(4 * most, 8), *y = x + most, *s = y + most, *d = s + most;

    for (uint64_t count = most; count > 0; count /= 1000) {
        ck_assert_int_eq(rmat_generate(b.cpu, first, count, x, y), RMAT_OK);
        ck_assert_int_eq(rmat_generate(b.gpu, first, count, s, d), RMAT_OK);
        ck_assert(memcmp(x, s, 8 * count) == 0 && memcmp(y, d, 8 * count) == 0);
        if (narrow(b.graph)) {
            ck_assert_int_eq(rmat_generate32(b.cpu, first, count, (uint32_t *)x, (uint32_t *)y),
                             RMAT_OK);
            ck_assert_int_eq(rmat_generate32(b.gpu, first, count, (uint32_t *)s, (uint32_t *)d),
                             RMAT_OK);
            ck_assert(memcmp(x, s, 4 * count) == 0 && memcmp(y, d, 4 * count) == 0);
        }
    }
    free(x);
    bench_destroy(b);
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
    const uint64_t all = THREADS * TURNS * 1009 + PART;
    bench b = bench_create(graph_named(names[_i]), 1);
    uint64_t *src = must_alloc(all, 8), *dst = must_alloc(all, 8);
    pthread_t threads[THREADS];
    worker workers[THREADS];

    ck_assert_int_eq(rmat_generate(b.cpu, 0, all, src, dst), RMAT_OK);
    for (uint64_t t = 0; t < THREADS; t++) {
        workers[t] = (worker){b.gpu, NULL, src, dst, t};
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
    bench_destroy(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_host");
    TCase *tc = tcase_create("rmat_gpu_host");

    tcase_add_loop_test(tc, host_memory, 0, small_run() > 1 ? 1 : 3);
    if (small_run() < 2) { /* racecheck loses track of launches that come from threads */
        tcase_add_loop_test(tc, many_threads, 0, 2);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
