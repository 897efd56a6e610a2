/*
 * Draws on the GPU equal the CPU's for every sampler, row width, output width and alignment,
 * stream and position of the batch; and refusals.  test_alias_chi2.c and test_alias_sections.c
 * compare the CPU's draws with the masses.
 */
#include "alias/gpu/device.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

enum { SAMPLERS = 4, GUARD = 8 };

static const alias_sampler samplers[SAMPLERS] = {ALIAS_SAMPLER_BASELINE, ALIAS_SAMPLER_CACHED,
                                                 ALIAS_SAMPLER_LIMITED, ALIAS_SAMPLER_SHARED};

/* The same table on the CPU and on the GPU. */
typedef struct {
    alias_table *cpu, *gpu;
} pair;

static pair create(uint64_t n, int row_bytes, uint64_t section_rows)
{
    scoped(free) double *w = family_weights(4, n);
    alias_config c = table_config(ALIAS_BACKEND_CPU, ALIAS_BUILDER_SWEEP, row_bytes);
    pair p;

    c.section_rows = section_rows;
    ok(alias_create(&p.cpu, &c, w, n, NULL));
    c.backend = ALIAS_BACKEND_GPU;
    ok(alias_create(&p.gpu, &c, w, n, NULL));
    return p;
}

static void destroy(pair p)
{
    alias_destroy(p.cpu);
    alias_destroy(p.gpu);
}
SCOPED(destroy, pair)

/* Draws into device memory at out + shift, with guards around it, and copies to the host. */
static void draw(const alias_table *gpu, alias_sampler sampler, uint64_t first, uint64_t count,
                 int wide, int shift, void *stream, void *got)
{
    const size_t size = wide ? 8 : 4, bytes = (2 * GUARD + count) * size;
    scoped(free) unsigned char *host = must_alloc(bytes, 1);
    size_t begin = (size_t)(GUARD + shift) * size, end = begin + count * size;
    int st;

    memset(host, 0xA5, bytes);
    scoped(free_device) unsigned char *device = on_device(host, bytes);
    st = wide ? alias_sample64_device(gpu, sampler, 5, first, count, (uint64_t *)(device + begin),
                                      stream)
              : alias_sample32_device(gpu, sampler, 5, first, count, (uint32_t *)(device + begin),
                                      stream);
    ck_assert_msg(st == ALIAS_OK, "%s: %s", alias_strerror(st), alias_gpu_error());
    must_cuda(cudaStreamSynchronize(stream));
    copy_to_host(host, device, bytes);
    for (size_t i = 0; i < bytes; i++) {
        must((i >= begin && i < end) || host[i] == 0xA5, "byte %zu of [%zu, %zu) written", i, begin,
             end);
    }
    memcpy(got, host + begin, count * size);
}

/* The CPU's draws, or for a table on the GPU those that come back to host memory. */
static void expect(const alias_table *table, alias_sampler sampler, uint64_t first, uint64_t count,
                   int wide, void *out)
{
    const int sectioned = sampler != ALIAS_SAMPLER_BASELINE;
    int st = sectioned ? wide ? alias_sample_sections64(table, 5, first, count, out)
                              : alias_sample_sections32(table, 5, first, count, out)
             : wide ? alias_sample64(table, 5, first, count, out)
                       : alias_sample32(table, 5, first, count, out);

    ok(st);
}

static void compare(const void *got, const void *expected, uint64_t count, int wide,
                    const char *what, uint64_t first)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t a = wide ? ((const uint64_t *)got)[i] : ((const uint32_t *)got)[i];
        uint64_t b = wide ? ((const uint64_t *)expected)[i] : ((const uint32_t *)expected)[i];

        must(a == b, "%s, batch %lu + %lu: draw %lu is %lu, not %lu", what, first, count, i, a, b);
    }
}

/* By one sampler, aligned and, where it is `full`, not aligned and in 64 bits. */
static void check_sampler(const pair *p, alias_sampler sampler, uint64_t first, uint64_t count,
                          bool full)
{
    scoped(free) void *expected = must_alloc(count + 1, 8), *got = must_alloc(count + 1, 8);

    for (int wide = 0; wide <= full; wide++) {
        expect(p->cpu, sampler, first, count, wide, expected);
        for (int shift = 0; shift <= full; shift++) {
            draw(p->gpu, sampler, first, count, wide, shift, NULL, got);
            compare(got, expected, count, wide, alias_sampler_name(sampler), first);
        }
    }
}

static void check(const pair *p, uint64_t first, uint64_t count)
{
    for (int s = 0; s < SAMPLERS; s++) {
        check_sampler(p, samplers[s], first, count, true);
    }
}

START_TEST(equal)
{
    static const uint64_t sizes[] = {1, 2, 31, 33, 1000, 4096, 4097, 8193, 100000, 1000001};
    static const uint64_t section_rows[] = {0, 5, 1000};

    if (small_run() && (sizes[_i] > 4097 || _i % 3 == 1)) {
        return;
    }
    for (int shape = 0; shape < 2; shape++) {
        for (int r = small_run() ? 1 : 0; r < 3; r++) {
            scoped(destroy) pair p = create(sizes[_i], 8 << shape, section_rows[r]);

            check(&p, 3, 2);
            check(&p, 0x123456789, 1021);
            if (!small_run()) {
                check(&p, 0, 1);
                check(&p, 4, 50000);
            }
        }
    }
}

/* So many draws that several blocks draw and store next to one another; where the index of the
 * Philox block or of the draw passes 2^32, and at the last draw. */
START_TEST(many_and_far_away)
{
    static const uint64_t firsts[] = {((uint64_t)1 << 32) - 1000, ((uint64_t)1 << 34) - 1003,
                                      ((uint64_t)1 << 40) + 1, UINT64_MAX - 4000};
    scoped(destroy) pair p = create(20000, 8 << _i, 0);

    check(&p, 4, small_run() ? 5003 : 3000001);
    for (int f = 0; f < 4; f++) {
        check(&p, firsts[f], small_run() ? 1009 : 4001);
    }
}

/* Sections so large that one draw in a thousand needs its low word, and too large for shared
 * memory. */
START_TEST(ties)
{
    const uint64_t n = small_run() ? 10001 : 4000037;
    scoped(destroy) pair p = create(n, 8, n);
    uint32_t got;

    for (int s = 1; s < 3; s++) {
        check_sampler(&p, samplers[s], 77, 1000003, false);
    }
    if (!small_run()) {
        gives(ALIAS_ERR_ARG,
              alias_sample32_device(p.gpu, ALIAS_SAMPLER_SHARED, 5, 0, 1, &got, NULL));
        ck_assert_int_ne(alias_best_sampler(p.gpu, (uint64_t)1 << 30), ALIAS_SAMPLER_SHARED);
    }
}

/* More draws than a buffer on the way to host memory holds. */
START_TEST(host_memory)
{
    const uint64_t count = small_run() ? 5001 : ((uint64_t)1 << 22) * 3 + 12345, first = 3;
    scoped(destroy) pair p = create(small_run() ? 5000 : 300000, 8 << _i, 0);
    scoped(free) void *expected = must_alloc(count, 8), *got = must_alloc(count, 8);

    for (int wide = 0; wide < 2; wide++) {
        for (int sectioned = 0; sectioned < 2; sectioned++) {
            expect(p.cpu, samplers[sectioned], first, count, wide, expected);
            memset(got, 0xA5, count * 8);
            expect(p.gpu, samplers[sectioned], first, count, wide, got);
            compare(got, expected, count, wide, sectioned ? "sections" : "baseline", first);
        }
    }
}

typedef struct {
    const pair *p;
    uint64_t number;
} drawer;

/* Many batches on the thread's own stream; the last one is checked. */
static void *draw_often(void *argument)
{
    const drawer *d = argument;
    const alias_sampler sampler = samplers[d->number % SAMPLERS];
    const uint64_t count = small_run() ? 3001 : 1000001, last = small_run() ? 1 : 9;
    scoped(free_device) uint32_t *device = on_device(NULL, count * 4);
    scoped(free) uint32_t *expected = must_alloc(count, 4), *got = must_alloc(count, 4);
    cudaStream_t stream;

    must_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (uint64_t round = 0; round <= last; round++) {
        ok(alias_sample32_device(d->p->gpu, sampler, 5, d->number * round, count, device, stream));
    }
    must_cuda(cudaMemcpyAsync(got, device, count * 4, cudaMemcpyDeviceToHost, stream));
    must_cuda(cudaStreamSynchronize(stream));
    must_cuda(cudaStreamDestroy(stream));
    expect(d->p->cpu, sampler, last * d->number, count, 0, expected);
    compare(got, expected, count, 0, "threads", last * d->number);
    return NULL;
}

START_TEST(streams)
{
    enum { THREADS = 8 };
    scoped(destroy) pair p = create(50000, 8, 0);
    drawer d[THREADS];

    for (uint64_t i = 0; i < THREADS; i++) {
        d[i] = (drawer){&p, i};
    }
    in_threads(THREADS, draw_often, d, sizeof *d);
}

/* AUTO is one of the four samplers, and makes its draws. */
START_TEST(automatic)
{
    static const uint64_t counts[] = {1, 1000, 100000, 3000000};
    scoped(destroy) pair p = create(small_run() ? 3000 : 200000, 8, 0);

    for (int c = 0; c < (small_run() ? 2 : 4); c++) {
        alias_sampler best = alias_best_sampler(p.gpu, counts[c]);
        scoped(free) uint32_t *a = must_alloc(counts[c], 4), *b = must_alloc(counts[c], 4);

        ck_assert(best != ALIAS_SAMPLER_AUTO);
        draw(p.gpu, best, 0, counts[c], 0, 0, NULL, a);
        draw(p.gpu, ALIAS_SAMPLER_AUTO, 0, counts[c], 0, 0, NULL, b);
        compare(b, a, counts[c], 0, "auto", 0);
    }
    ck_assert_int_eq(alias_best_sampler(p.cpu, 1 << 30), ALIAS_SAMPLER_BASELINE);
}

/* A launch that fails is reported, and does not affect the next call. */
START_TEST(failures)
{
    const size_t before = free_device_memory();
    pair p = create(40000, 8, 0);
    uint32_t got[100], *out = on_device(NULL, sizeof(got));
    uint64_t wide[100];

    for (int s = 0; s < SAMPLERS; s++) {
        const int launches = samplers[s] == ALIAS_SAMPLER_BASELINE ? 1 : 2;

        for (int launch = 0; launch < launches; launch++) {
            alias_gpu_fail_launch(launch);
            gives(ALIAS_ERR_CUDA, alias_sample32_device(p.gpu, samplers[s], 5, 0, 100, out, NULL));
            ck_assert_str_ne(alias_gpu_error(), "");
            alias_gpu_fail_launch(launch);
            gives(ALIAS_ERR_CUDA, s == 0 ? alias_sample32(p.gpu, 5, 0, 100, got)
                                         : alias_sample_sections32(p.gpu, 5, 0, 100, got));
            alias_gpu_fail_launch(launch);
            gives(ALIAS_ERR_CUDA, s == 0 ? alias_sample64(p.gpu, 5, 0, 100, wide)
                                         : alias_sample_sections64(p.gpu, 5, 0, 100, wide));
            alias_gpu_fail_launch(-1);
        }
        check_sampler(&p, samplers[s], 0, 100, false);
    }
    must_cuda(cudaFree(out));
    destroy(p);
    check_no_leak(before);
}

START_TEST(refused)
{
    scoped(destroy) pair p = create(100, 8, 0);
    scoped(free_device) uint32_t *out = on_device(NULL, 400);
    int s;

    for (s = 0; s < SAMPLERS; s++) {
        gives(ALIAS_ERR_ARG, alias_sample32_device(NULL, samplers[s], 1, 0, 1, out, NULL));
        gives(ALIAS_ERR_ARG, alias_sample32_device(p.cpu, samplers[s], 1, 0, 1, out, NULL));
        gives(ALIAS_ERR_ARG, alias_sample32_device(p.gpu, samplers[s], 1, 0, 1, NULL, NULL));
        gives(ALIAS_ERR_RANGE,
              alias_sample32_device(p.gpu, samplers[s], 1, UINT64_MAX, 2, out, NULL));
        ok(alias_sample32_device(p.gpu, samplers[s], 1, UINT64_MAX, 1, out, NULL));
        ok(alias_sample32_device(p.gpu, samplers[s], 1, UINT64_MAX, 0, NULL, NULL));
    }
    gives(ALIAS_ERR_ARG, alias_sample32_device(p.gpu, (alias_sampler)5, 1, 0, 1, out, NULL));
    gives(ALIAS_ERR_RANGE, alias_sample_sections32(p.gpu, 1, UINT64_MAX, 2, (uint32_t *)&s));
    gives(ALIAS_ERR_ARG, alias_sample_sections64(p.gpu, 1, 0, 1, NULL));
    ok(alias_sample_sections32(p.gpu, 1, 7, 0, NULL));
    must_cuda(cudaDeviceSynchronize());
}

TEST_CASES(alias_gpu_sample, 0, LOOP(equal, 0, 10), ONCE(ties), LOOP(many_and_far_away, 0, 2),
           LOOP(host_memory, 0, 2), ONCE(streams), ONCE(automatic), ONCE(failures), ONCE(refused))
