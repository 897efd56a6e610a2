/*
 * Blocks of sorted edges on the GPU are the CPU's: every function of rmat_block.h, of any model
 * (option_pairs.h); intervals cut by rows and by destinations, of one cell, of none; more edges
 * than fit; streams of unique edges much longer than the memory for them; edges that come late;
 * into host and device memory, from several streams and threads at once.
 */
#include "rmat/rmat_block.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_impl.h"
#include "tests/gpu_util.h"
#include "tests/option_pairs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CPU, GPU, BACKENDS };

/* The same on both backends. */
typedef struct {
    const char *name;
    rmat_gen *gen[BACKENDS];
    rmat_block *block[BACKENDS];
} both;

#define must_be(what, call)                                                                        \
    do {                                                                                           \
        const int must_st = (call);                                                                \
        must(must_st == (what), "%s: %s: %d, %s", b->name, #call, must_st, rmat_gpu_error());      \
    } while (0)
#define must_ok(call) must_be(RMAT_OK, call)

static both create(const rmat_config *config, const char *name, uint64_t edges)
{
    both made = {.name = name}, *b = &made;

    for (int k = 0; k < BACKENDS; k++) {
        rmat_config c = *config;

        c.backend = k == GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
        c.threads = 2;
        must_ok(rmat_create(&b->gen[k], &c));
        must_ok(rmat_block_create(&b->block[k], b->gen[k], rmat_block_bytes(b->gen[k], edges)));
    }
    return made;
}

static void destroy(both *b)
{
    for (int k = 0; k < BACKENDS; k++) {
        rmat_block_destroy(b->block[k]);
        rmat_destroy(b->gen[k]);
    }
}

/* In three calls, the last part first. */
static int fill(rmat_block *block, const rmat_cell *first, const rmat_cell *end, int unique,
                uint64_t from, uint64_t count)
{
    const uint64_t third = count / 3;
    int st = rmat_block_begin(block, first, end, unique);

    st = st ? st : rmat_block_add(block, from + 2 * third, count - 2 * third);
    st = st ? st : rmat_block_add(block, from, third);
    st = st ? st : rmat_block_add(block, from + third, third);
    return st ? st : rmat_block_sort(block);
}

static void check_counts(const both *b)
{
    uint64_t edges[BACKENDS], lower[BACKENDS];

    for (int k = 0; k < BACKENDS; k++) {
        edges[k] = rmat_block_edges(b->block[k]);
        must_ok(rmat_block_lower(b->block[k], &lower[k]));
    }
    must(edges[CPU] == edges[GPU], "%s: %" PRIu64 " edges, not %" PRIu64, b->name, edges[GPU],
         edges[CPU]);
    must(lower[CPU] == lower[GPU], "%s: lower: %" PRIu64 ", not %" PRIu64, b->name, lower[GPU],
         lower[CPU]);
}

/* Edges [first, first + n) in every choice and width, and from the device, from two streams. */
static void check_edges(const both *b, uint64_t first, uint64_t n)
{
    const rmat_config *c = &b->gen[CPU]->config;
    const int narrow = c->rows_scale <= 32 && c->cols_scale <= 32;
    char *host[BACKENDS] = {must_alloc(n + 1, 24), must_alloc(n + 1, 24)};
    char *device = on_device(NULL, 24 * n + 24);
    cudaStream_t streams[2];

    must_cuda(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    must_cuda(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (int bytes = narrow ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int choice = 1; choice < (c->weights ? 8 : 4); choice++) {
            const uint64_t half = n / 2;

            for (int way = 0; way < 3; way++) {
                char *base = way == 2 ? device : host[way], *src = base, *dst = src + 8 * n;
                char *weight = dst + 8 * n;
                const rmat_arrays to = {choice & 1 ? src : NULL, choice & 2 ? dst : NULL,
                                        choice & 4 ? weight : NULL, bytes};
                const rmat_arrays rest = {choice & 1 ? src + (size_t)bytes * half : NULL,
                                          choice & 2 ? dst + (size_t)bytes * half : NULL,
                                          choice & 4 ? weight + 4 * half : NULL, bytes};

                if (way < 2) {
                    memset(base, 0x5A, 24 * n + 1);
                    must_ok(rmat_block_read(b->block[way], first, n, &to));
                } else {
                    must_cuda(cudaMemset(device, 0x5A, 24 * n + 1));
                    must_cuda(cudaDeviceSynchronize());
                    must_ok(rmat_block_read_device(b->block[GPU], first, half, &to, streams[0]));
                    must_ok(rmat_block_read_device(b->block[GPU], first + half, n - half, &rest,
                                                   streams[1]));
                    must_cuda(cudaDeviceSynchronize());
                    must_cuda(cudaMemcpy(host[GPU], device, 24 * n + 1, cudaMemcpyDeviceToHost));
                }
                must(way == 0 || memcmp(host[CPU], host[GPU], 24 * n + 1) == 0,
                     "%s: %" PRIu64 " edges from %" PRIu64 ", %d bytes, choice %d, way %d", b->name,
                     n, first, bytes, choice, way);
            }
        }
    }
    must_cuda(cudaStreamDestroy(streams[0]));
    must_cuda(cudaStreamDestroy(streams[1]));
    must_cuda(cudaFree(device));
    free(host[CPU]);
    free(host[GPU]);
}

static void check_pointers(const both *b, uint64_t first, uint64_t n)
{
    uint64_t *host[BACKENDS] = {must_alloc(n + 1, 8), must_alloc(n + 1, 8)};
    uint64_t *device = on_device(NULL, 8 * n + 8);

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_block_pointers(b->block[k], first, n, 1000, host[k]));
    }
    must(memcmp(host[CPU], host[GPU], 8 * n) == 0, "%s: %" PRIu64 " pointers from %" PRIu64,
         b->name, n, first);
    must_ok(rmat_block_pointers_device(b->block[GPU], first, n, 1000, device, NULL));
    must_cuda(cudaMemcpy(host[GPU], device, 8 * n, cudaMemcpyDeviceToHost));
    must(memcmp(host[CPU], host[GPU], 8 * n) == 0, "%s: %" PRIu64 " pointers from %" PRIu64,
         b->name, n, first);
    must_cuda(cudaFree(device));
    free(host[CPU]);
    free(host[GPU]);
}

static void check_before(const both *b, const rmat_cell *cells, uint64_t n)
{
    uint64_t *counts[BACKENDS] = {must_alloc(n, 8), must_alloc(n, 8)};

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_block_before(b->block[k], n, cells, counts[k]));
    }
    must(memcmp(counts[CPU], counts[GPU], 8 * n) == 0, "%s: before", b->name);
    free(counts[CPU]);
    free(counts[GPU]);
}

enum { CELLS = 200 };

/* Some cells of the graph, most of them of edges of the stream, with the first and the last one. */
static void some_cells(const both *b, rmat_cell *cells)
{
    const rmat_view *v = &b->gen[CPU]->view;
    uint64_t src[CELLS], dst[CELLS];

    must_ok(rmat_generate(b->gen[CPU], 0, CELLS, src, dst));
    for (int i = 0; i < CELLS; i++) {
        cells[i] = i % 5 ? (rmat_cell){src[i], dst[i]}
                         : (rmat_cell){src[i] ^ (src[i] > 0), dst[CELLS - 1 - i]};
    }
    cells[0] = (rmat_cell){0, 0};
    cells[1] = (rmat_cell){v->rows, 0};
    cells[2] = (rmat_cell){v->rows - 1, v->cols - 1};
}

/* All that can be asked of two blocks. */
static void check_blocks(const both *b)
{
    const uint64_t rows = b->gen[CPU]->view.rows, n = rmat_block_edges(b->block[CPU]);
    rmat_cell cells[CELLS], c;

    some_cells(b, cells);
    check_counts(b);
    check_before(b, cells, CELLS);
    check_edges(b, 0, n);
    check_edges(b, n / 3, n / 2);
    check_pointers(b, 0, rows < 5000 ? rows + 1 : 5000);
    check_pointers(b, rows < 3000 ? 0 : rows - 2999, rows < 3000 ? rows : 3000);
    if (n) {
        const rmat_arrays to = {&c.src, &c.dst, NULL, 8};

        must_ok(rmat_block_read(b->block[CPU], n / 2, 1, &to));
        check_pointers(b, c.src - (c.src ? 1 : 0), rows - c.src < 4000 ? rows - c.src : 4000);
    }
}

static int compare(const void *x, const void *y)
{
    const rmat_cell *a = x, *b = y;

    return a->src != b->src ? (a->src < b->src ? -1 : 1) : a->dst < b->dst ? -1 : a->dst > b->dst;
}

static void check_count_cells(const both *b, rmat_cell *cells, uint64_t n, uint64_t from,
                              uint64_t count)
{
    uint64_t *counts[BACKENDS] = {must_alloc(n, 8), must_alloc(n, 8)};

    qsort(cells, n, sizeof *cells, compare);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_count_cells(b->gen[k], from, count, n, cells, counts[k]));
    }
    must(memcmp(counts[CPU], counts[GPU], 8 * (n - 1)) == 0, "%s: cells counted", b->name);
    free(counts[CPU]);
    free(counts[GPU]);
}

static void check_interval(both *b, const rmat_cell *first, const rmat_cell *end, uint64_t from,
                           uint64_t count)
{
    for (int unique = 0; unique < 2; unique++) {
        for (int k = 0; k < BACKENDS; k++) {
            must_ok(fill(b->block[k], first, end, unique, from, count));
        }
        check_blocks(b);
    }
}

static rmat_cell next(const both *b, rmat_cell c)
{
    c.dst++;
    return c.dst < b->gen[CPU]->view.cols ? c : (rmat_cell){c.src + 1, 0};
}

static void check_model(const rmat_config *config, const char *name)
{
    const uint64_t from = (UINT64_C(1) << 33) - 901, count = small_run() ? 2003 : 20011;
    both made = create(config, name, 2 * count + RMAT_BLOCK_LEAST), *b = &made;
    rmat_cell cells[CELLS], start, end, c;

    some_cells(b, cells);
    start = cells[0];
    end = cells[1];
    c = cells[7];
    check_interval(b, &start, &end, from, count);
    if (small_run() < 2) {
        const rmat_cell behind = next(b, c), row = {c.src, 0}, next_row = {c.src + 1, 0};

        check_interval(b, &start, &c, from, count);
        check_interval(b, &c, &end, from, count);
        check_interval(b, &c, &behind, 0, count); /* edge 7 is there */
        check_interval(b, &c, &c, from, count);
        check_interval(b, &c, &next_row, from, count);
        check_interval(b, &row, &c, from, count);
        check_count_cells(b, cells, CELLS, from, count);
        check_count_cells(b, (rmat_cell[]){start, c}, 2, from, count);
        check_count_cells(b, (rmat_cell[]){c, behind}, 2, 0, count);
    }
    destroy(b);
}

static option_case cases[OPTION_PAIRS_MAX];
static int n_cases;

START_TEST(models)
{
    for (int i = 0; i < n_cases; i += small_run() == 2 ? 30 : small_run() ? 9 : 1) {
        check_model(&cases[i].config, cases[i].name);
    }
}
END_TEST

static rmat_config square(int scale, int permute)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = scale;
    c.permute = permute;
    return c;
}

/* So much memory that warps take room for many edges at once, in several launches. */
START_TEST(large)
{
    const rmat_config c = square(_i ? 35 : 24, _i);
    const uint64_t count = 3000017;
    both made = create(&c, "large", (uint64_t)1 << 26), *b = &made;
    const rmat_cell start = {0, 0}, end = {UINT64_C(1) << c.rows_scale, 0}, cut = {5, 77};

    check_interval(b, &start, &end, (UINT64_C(1) << 32) - 1000000, count);
    check_interval(b, &start, &cut, 0, count);
    check_interval(b, &cut, &end, 0, count);
    destroy(b);
}
END_TEST

/* What does not fit is cut in two at the middle, until it does: in order, it is the graph. */
static void fill_parts(both *b, rmat_block *part, const rmat_cell *first, const rmat_cell *end,
                       int unique, uint64_t count, uint64_t *done)
{
    const uint64_t all = rmat_block_edges(b->block[CPU]);
    const int st = fill(part, first, end, unique, 0, count);
    uint64_t n, *ids;

    must(st == RMAT_OK || st == RMAT_ERR_FULL, "%s: %s", b->name, rmat_gpu_error());
    if (st == RMAT_ERR_FULL) {
        rmat_cell m;

        must_ok(rmat_block_middle(part, &m));
        must(compare(first, &m) < 0 && compare(&m, end) < 0, "%s: middle", b->name);
        fill_parts(b, part, first, &m, unique, count, done);
        fill_parts(b, part, &m, end, unique, count, done);
        return;
    }
    n = rmat_block_edges(part);
    must(n <= all - *done, "%s: too many edges", b->name);
    ids = must_alloc(4 * n + 1, 8);
    must_ok(rmat_block_read(b->block[CPU], *done, n, &(rmat_arrays){ids, ids + n, NULL, 8}));
    must_ok(rmat_block_read(part, 0, n, &(rmat_arrays){ids + 2 * n, ids + 3 * n, NULL, 8}));
    must(memcmp(ids, ids + 2 * n, 16 * n) == 0, "%s: part from %" PRIu64, b->name, *done);
    *done += n;
    free(ids);
}

START_TEST(too_many)
{
    static const int scales[] = {4, 20, 40, 33};
    const uint64_t count = small_run() ? 9001 : 100003;

    for (int unique = 0; unique < 2; unique++) {
        const rmat_config c = square(scales[_i], _i % 2);
        both made = create(&c, "too many", count), *b = &made;
        const rmat_cell first = {0, 0}, end = {UINT64_C(1) << scales[_i], 0};
        rmat_block *part;
        uint64_t done = 0;

        must_ok(fill(b->block[CPU], &first, &end, unique, 0, count));
        must_ok(
            rmat_block_create(&part, b->gen[GPU], rmat_block_bytes(b->gen[GPU], RMAT_BLOCK_LEAST)));
        fill_parts(b, part, &first, &end, unique, count, &done);
        ck_assert_uint_eq(done, rmat_block_edges(b->block[CPU]));
        rmat_block_destroy(part);
        destroy(b);
    }
}
END_TEST

/* A stream many times as long as the memory, of a graph that fits. */
START_TEST(unique_from_long_streams)
{
    static const struct {
        int rows_scale, cols_scale;
        uint64_t capacity;
    } kinds[] = {{5, 5, RMAT_BLOCK_LEAST},
                 {6, 5, RMAT_BLOCK_LEAST},
                 {9, 9, 300000},
                 {40, 1, 200000},
                 {40, 25, 700000}};
    const uint64_t count = small_run() ? 20000 : 1000003;
    rmat_config c = square(5, 0);
    both made, *b = &made;
    rmat_cell first = {0, 0}, end;

    c.rows_scale = kinds[_i].rows_scale;
    c.cols_scale = kinds[_i].cols_scale;
    c.matrix = (rmat_matrix){0.9, 0.05, 0.04, 0.01};
    end = (rmat_cell){UINT64_C(1) << c.rows_scale, 0};
    made = create(&c, "long stream", kinds[_i].capacity);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(fill(b->block[k], &first, &end, 1, 12345, count));
    }
    check_blocks(b);
    destroy(b);
}
END_TEST

/* News of a window, and some of them put in. */
static void check_late(both *b, const rmat_cell *first, const rmat_cell *end, uint64_t count,
                       uint64_t window)
{
    rmat_new *news[BACKENDS];
    uint64_t n[BACKENDS], most;

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(fill(b->block[k], first, end, 1, 0, count));
        must_ok(rmat_block_news(b->block[k], count, window, window, &news[k], &n[k]));
    }
    must(n[CPU] == n[GPU], "%s: %" PRIu64 " news, not %" PRIu64, b->name, n[GPU], n[CPU]);
    must(n[CPU] == 0 || memcmp(news[CPU], news[GPU], n[CPU] * sizeof *news[CPU]) == 0, "%s: news",
         b->name);
    most = n[CPU];
    free(news[GPU]);
    if (most) {
        must_be(RMAT_ERR_FULL,
                rmat_block_news(b->block[GPU], count, window, most - 1, &news[GPU], &n[GPU]));
    }
    must_ok(rmat_block_news(b->block[GPU], count, window, most, &news[GPU], &n[GPU]));
    must(n[GPU] == most, "%s: news again", b->name);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_block_insert(b->block[k], most - most / 4, news[CPU]));
    }
    check_blocks(b);
    free(news[CPU]);
    free(news[GPU]);
}

START_TEST(late)
{
    const uint64_t count = small_run() ? 3001 : 50021;

    for (int i = 0; i < n_cases; i += small_run() ? 20 : 4) {
        both made = create(&cases[i].config, cases[i].name, 2 * count), *b = &made;
        rmat_cell cells[CELLS], behind;

        some_cells(b, cells);
        check_late(b, &cells[0], &cells[1], count, count / 2);
        check_late(b, &cells[8], &cells[1], count, count / 2);
        behind = next(b, cells[8]);
        check_late(b, &cells[8], &behind, count, count / 2);
        check_late(b, &cells[8], &behind, 1, count / 2); /* is not there yet */
        destroy(b);
    }
}
END_TEST

/* More of them than the first list has room for, found again and again. */
START_TEST(many_late)
{
    const rmat_config c = square(_i ? 36 : 20, 1);
    both made = create(&c, "many late", 8000000), *b = &made;
    const rmat_cell first = {0, 0}, end = {UINT64_C(1) << c.rows_scale, 0};

    check_late(b, &first, &end, 1000, 5000000);
    destroy(b);
}
END_TEST

typedef struct {
    const rmat_block *block;
    uint64_t first, n, *ids;
    int st;
} reader;

static void *read_some(void *argument)
{
    reader *r = argument;

    r->st =
        rmat_block_read(r->block, r->first, r->n, &(rmat_arrays){r->ids, r->ids + r->n, NULL, 8});
    return NULL;
}

START_TEST(many_threads)
{
    enum { THREADS = 4 };
    const uint64_t count = small_run() ? 10000 : 6000000, part = count / THREADS;
    const rmat_config c = square(22, 0);
    both made = create(&c, "threads", count), *b = &made;
    const rmat_cell first = {0, 0}, end = {1 << 22, 0};
    uint64_t *ids[BACKENDS] = {must_alloc(2 * count, 8), must_alloc(2 * count, 8)};

    for (int k = 0; k < BACKENDS; k++) {
        pthread_t threads[THREADS];
        reader readers[THREADS];

        must_ok(fill(b->block[k], &first, &end, 0, 0, count));
        for (uint64_t t = 0; t < THREADS; t++) {
            readers[t] = (reader){b->block[k], t * part, part, ids[k] + 2 * t * part, 1};
            ck_assert_int_eq(pthread_create(&threads[t], NULL, read_some, &readers[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
            must_ok(readers[t].st);
        }
    }
    ck_assert(memcmp(ids[CPU], ids[GPU], 16 * THREADS * part) == 0);
    free(ids[CPU]);
    free(ids[GPU]);
    destroy(b);
}
END_TEST

/* All the memory of a block is what it was told; the current device stays; all is given back. */
START_TEST(memory)
{
    const uint64_t bytes = UINT64_C(1) << 30;
    rmat_config c = square(28, 0);
    const rmat_cell first = {0, 0}, end = {1 << 28, 0};
    size_t before, now;
    rmat_block *block;
    rmat_gen *gen;

    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    for (int turn = 0; turn < 2; turn++) { /* kernels and pools take memory at first */
        before = free_device_memory();
        ck_assert_int_eq(rmat_block_create(&block, gen, bytes), RMAT_OK);
        now = free_device_memory();
        ck_assert(now < before);
        ck_assert_uint_le(before - now, bytes + (4 << 20));
        ck_assert_uint_gt(before - now, bytes / 100 * 95);
        ck_assert_int_eq(fill(block, &first, &end, turn, 0, 1000000), RMAT_OK);
        ck_assert_uint_gt(rmat_block_capacity(gen, bytes), bytes / 16 / 100 * 85);
        ck_assert_uint_le(rmat_block_bytes(gen, rmat_block_capacity(gen, bytes)), bytes);
        rmat_block_destroy(block);
    }
    check_no_leak(before);
    ck_assert_int_eq(rmat_block_create(&block, gen, UINT64_C(1) << 45), RMAT_ERR_NOMEM);
    ck_assert_ptr_null(block);
    ck_assert_int_eq(rmat_block_create(&block, gen, 30000), RMAT_ERR_ARG);
    rmat_destroy(gen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_block");
    TCase *tc = tcase_create("rmat_gpu_block");
    const int all = small_run() < 2;

    n_cases = option_pairs(cases);
    tcase_add_test(tc, models);
    tcase_add_loop_test(tc, too_many, 0, all ? 4 : 1);
    tcase_add_loop_test(tc, unique_from_long_streams, 0, all ? 5 : 1);
    tcase_add_test(tc, late);
    tcase_add_test(tc, many_threads);
    if (!small_run()) {
        tcase_add_loop_test(tc, large, 0, 2);
        tcase_add_loop_test(tc, many_late, 0, 2);
        tcase_add_test(tc, memory);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
