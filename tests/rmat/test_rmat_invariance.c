/*
 * One configuration makes one graph: the same edges for every number of threads, instruction set
 * and split of the range, in models in which options meet, and with many concurrent callers; and
 * the state in which vector registers are left.  On a GPU, only concurrent callers.
 * test_rmat_options.c compares widths of ids, test_rmat_golden.c fingerprints.
 */
#include "tests/support/bench.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { MANY = 500009 }; /* prime: no split comes out even */

static option_case cases[OPTION_PAIRS];

/* A range by every instruction set, in one call of some number of threads, which share its pieces,
 * and in calls of many lengths of another one, against short calls of one thread without vectors:
 * of those the other tests know that they are right. */
START_TEST(threads_and_instruction_sets)
{
    static const uint64_t lengths[] = {1, 7, 15, 16, 17, 63, 1024, 1025, 65537, 333333};
    const uint64_t first = (UINT64_C(1) << 33) - MANY / 2; /* base edges cross 2^32 as well */
    scoped(free) uint64_t *ids = must_alloc(4 * MANY, sizeof *ids);
    scoped(free) uint32_t *weights = must_alloc(2 * MANY, sizeof *weights);
    rmat_config c;

    option_pairs(cases);
    c = cases[_i].config;
    for (int run = 0; run <= 2 * RMAT_ISA_NEON; run++) {
        uint64_t *src = ids + (run ? 2 * MANY : 0), *dst = src + MANY, step, calls = 0;
        uint32_t *weight = weights + (run ? MANY : 0);

        c.isa = run ? (rmat_isa)(RMAT_ISA_GENERIC + (run - 1) / 2) : RMAT_ISA_GENERIC;
        c.threads = run ? (int[]){1, 2, 3, 7, 0}[(_i + run) % 5] : 1;
        if (rmat_cpu_has_isa(c.isa)) {
            scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);

            memset(src, 0xA5, 2 * MANY * sizeof *src);
            memset(weight, 0xA5, MANY * sizeof *weight);
            for (uint64_t done = 0; done < MANY; done += step) {
                const rmat_arrays to = {src + done, dst + done, c.weights ? weight + done : NULL,
                                        8};

                step = run == 0 ? 1 + done * 37 % 1500 : run % 2 ? MANY : lengths[calls++ % 10];
                step = step < MANY - done ? step : MANY - done;
                ok(rmat_generate_arrays(gen, first + done, step, &to));
            }
            must(run == 0 || (memcmp(ids, src, 2 * MANY * sizeof *ids) == 0 &&
                              (!c.weights || memcmp(weights, weight, 4 * MANY) == 0)),
                 "%s, %d threads: other edges", rmat_isa_name(c.isa), c.threads);
        }
    }
}

enum { THREADS = 8, TURNS = 20, PART = 50021, ALL = THREADS * TURNS * 1009 + PART };

typedef struct {
    const rmat_gen *gen;
    const char *failed;
    const uint64_t *ids; /* expected, of all threads */
    uint64_t number;
} worker;

/* Edges by way of the memory of a GPU, on a stream of its own. */
static int generate_there(const rmat_gen *gen, uint64_t at, uint64_t n, uint64_t *ids)
{
#ifdef TEST_ON_GPU
    uint64_t *there = NULL;
    cudaStream_t stream = NULL;
    const int failed =
        cudaMalloc((void **)&there, 2 * n * 8) ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
        rmat_generate_arrays_device(gen, at, n, &(rmat_arrays){there, there + n, NULL, 8},
                                    stream) ||
        cudaMemcpyAsync(ids, there, n * 8, cudaMemcpyDeviceToHost, stream) ||
        cudaMemcpyAsync(ids + PART, there + n, n * 8, cudaMemcpyDeviceToHost, stream) ||
        cudaStreamSynchronize(stream);

    cudaFree(there);
    if (stream != NULL) {
        cudaStreamDestroy(stream);
    }
    return failed;
#else
    return rmat_generate(gen, at, n, ids, ids + PART);
#endif
}

static void *work(void *argument)
{
    worker *w = argument;
    scoped(free) uint64_t *ids = malloc(2 * PART * sizeof *ids);

    w->failed = ids == NULL ? "no memory" : NULL;
    for (uint64_t turn = 0; turn < TURNS && w->failed == NULL; turn++) {
        const uint64_t at = (w->number * TURNS + turn) * 1009, n = turn % 3 ? PART : 999;

        if (turn % 2 ? rmat_generate(w->gen, at, n, ids, ids + PART)
                     : generate_there(w->gen, at, n, ids)) {
            w->failed = "no edges";
        } else if (memcmp(ids, w->ids + at, n * 8) != 0 ||
                   memcmp(ids + PART, w->ids + ALL + at, n * 8) != 0) {
            w->failed = "other edges";
        }
    }
    return NULL;
}

/* Calls of many threads at once: on a GPU by turns into its memory and into the host's. */
START_TEST(concurrent_calls)
{
    rmat_config c = square_model(_i ? 29 : 30);
    rmat_matrix levels[RMAT_MAX_SCALE];
    scoped(free) uint64_t *ids = must_alloc(2 * ALL, sizeof *ids);
    worker workers[THREADS];
    scoped(rmat_destroy) rmat_gen *cpu = NULL, *gen = NULL;

    slope(levels);
    c.levels = _i ? levels : NULL;
    c.threads = 1;
    cpu = create_on(RMAT_BACKEND_CPU, c);
    gen = create_on(TESTED, c);
    ok(rmat_generate(cpu, 0, ALL, ids, ids + ALL));
    for (uint64_t t = 0; t < THREADS; t++) {
        workers[t] = (worker){gen, NULL, ids, t};
    }
    in_threads(THREADS, work, workers, sizeof *workers);
    for (int t = 0; t < THREADS; t++) {
        ck_assert_msg(workers[t].failed == NULL, "thread %d: %s", t, workers[t].failed);
    }
}

#if defined(__x86_64__)
enum { UPPER = 100000 };

static bool upper_halves_in_use(void)
{
    unsigned low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return (low & 4) != 0;
}

/* Does the processor have OSXSAVE, AVX and XGETBV with ECX = 1, and tell by it? */
static bool can_tell(void)
{
    unsigned a, b, c, d;
    bool tells = __get_cpuid(1, &a, &b, &c, &d) && (c >> 27 & 3) == 3 &&
                 __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a >> 2 & 1);

    if (tells) {
        __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
        tells = upper_halves_in_use();
        __asm__ volatile("vzeroupper" :::);
    }
    return tells && !upper_halves_in_use();
}
#endif

/* A caller's SSE code is slow while the upper halves of vector registers are in use, so generating
 * edges must leave none in use.  The processor reports this (XGETBV of the components in use). */
START_TEST(upper_halves)
{
#if defined(__x86_64__)
    static const int scales[] = {1, 20, 30, 32, 36, 62};
    static uint64_t src[UPPER + 16], dst[UPPER + 16];

    if (!can_tell()) {
        printf("upper halves left out: this processor does not tell\n");
        return;
    }
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        for (int k = 0; k < 2 * COUNT(scales) && rmat_cpu_has_isa(isa); k++) {
            const int scale = scales[k / 2], bytes = scale <= 32 && k % 2 ? 4 : 8;
            rmat_config c = square_model(scale);

            c.isa = isa;
            c.threads = 1;
            scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
            for (uint64_t n = UPPER - 1; n <= UPPER; n++) { /* into unaligned arrays */
                const rmat_arrays to = {(char *)src + bytes, (char *)dst + bytes, NULL, bytes};
                int status;

                __asm__ volatile("vzeroupper" :::);
                status = rmat_generate_arrays(gen, 5, n, &to);
                must(!upper_halves_in_use(), "%s, scale %d, %d-byte ids, %lu edges",
                     rmat_isa_name(isa), scale, bytes, n);
                ok(status);
                rmat_fingerprint(src, dst, UPPER, 8);
                must(!upper_halves_in_use(), "fingerprint");
            }
        }
    }
#endif
}

/* racecheck loses track of launches that come from threads. */
TEST_CASES(rmat_invariance, 120, LOOP(threads_and_instruction_sets, 0, ON_GPU ? 0 : 12),
           LOOP(concurrent_calls, 0, small_run() > 1 ? 0 : 2), LOOP(upper_halves, 0, !ON_GPU))
