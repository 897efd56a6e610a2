/* One configuration makes one graph: the same ids for every number of threads, instruction set,
 * split of the range and id width, and if called from many threads at once. */
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 1000003 }; /* prime: no split comes out even */

static const int scales[] = {4, 20, 28, 32, 35, 50, 62};

static rmat_gen *create(int scale, rmat_isa isa, int threads)
{
    const rmat_config c = model_of((rmat_config){
        .rows_scale = scale, .cols_scale = scale - 1, .seed = 99, .isa = isa, .threads = threads});

    return create_gen(&c);
}

typedef struct {
    uint64_t *src, *dst;
} edges;

static edges allocate(void)
{
    edges e = {malloc(EDGES * 8), malloc(EDGES * 8)};

    ck_assert(e.src && e.dst);
    memset(e.src, 0xA5, EDGES * 8);
    memset(e.dst, 0xA5, EDGES * 8);
    return e;
}

static void release(edges e)
{
    free(e.src);
    free(e.dst);
}

static const uint64_t first = (UINT64_C(1) << 33) - 500000; /* crosses a multiple of 2^32 */

static edges generate(int scale, rmat_isa isa, int threads)
{
    rmat_gen *gen = create(scale, isa, threads);
    edges e = allocate();

    ck_assert_int_eq(rmat_generate(gen, first, EDGES, e.src, e.dst), RMAT_OK);
    rmat_destroy(gen);
    return e;
}

static void same(edges x, edges y)
{
    ck_assert_mem_eq(x.src, y.src, EDGES * 8);
    ck_assert_mem_eq(x.dst, y.dst, EDGES * 8);
}

START_TEST(threads_and_instruction_sets)
{
    edges expected = generate(scales[_i], RMAT_ISA_GENERIC, 1);

    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        const int threads[] = {1, 2, 3, 7, 0};

        for (int t = 0; t < 5 && rmat_cpu_has_isa(isa); t++) {
            edges e = generate(scales[_i], isa, threads[t]);

            same(e, expected);
            release(e);
        }
    }
    release(expected);
}
END_TEST

START_TEST(splits)
{
    edges expected = generate(scales[_i], RMAT_ISA_GENERIC, 1);

    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        const uint64_t lengths[] = {1, 7, 15, 16, 17, 63, 1024, 1025, 65537, 333333};
        rmat_gen *gen;
        edges e = allocate();
        uint64_t at = 0, step = 0;

        if (!rmat_cpu_has_isa(isa)) {
            release(e);
            continue;
        }
        gen = create(scales[_i], isa, 2);
        while (at < EDGES) {
            uint64_t n = lengths[step++ % 10];

            n = n < EDGES - at ? n : EDGES - at;
            ck_assert_int_eq(rmat_generate(gen, first + at, n, e.src + at, e.dst + at), RMAT_OK);
            at += n;
        }
        same(e, expected);
        rmat_destroy(gen);
        release(e);
    }
    release(expected);
}
END_TEST

START_TEST(id_width)
{
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON && scales[_i] <= 32; isa++) {
        uint32_t *src, *dst;
        rmat_gen *gen;
        edges e;

        if (!rmat_cpu_has_isa(isa)) {
            continue;
        }
        e = generate(scales[_i], isa, 1);
        gen = create(scales[_i], isa, 3);
        src = malloc(EDGES * 4);
        dst = malloc(EDGES * 4);
        ck_assert(src && dst);
        ck_assert_int_eq(rmat_generate32(gen, first, EDGES, src, dst), RMAT_OK);
        for (int i = 0; i < EDGES; i++) {
            if (src[i] != e.src[i] || dst[i] != e.dst[i]) {
                ck_abort_msg("edge %d differs between 32 and 64 bits", i);
            }
        }
        ck_assert_uint_eq(rmat_fingerprint(src, dst, EDGES, 4),
                          rmat_fingerprint(e.src, e.dst, EDGES, 8));
        free(src);
        free(dst);
        rmat_destroy(gen);
        release(e);
    }
}
END_TEST

typedef struct {
    const rmat_gen *gen;
    edges out;
    uint64_t from, to;
} part;

static void *generate_part(void *argument)
{
    const part *p = argument;

    for (uint64_t at = p->from; at < p->to; at += 999) {
        uint64_t n = p->to - at < 999 ? p->to - at : 999;

        if (rmat_generate(p->gen, first + at, n, p->out.src + at, p->out.dst + at)) {
            return "failed";
        }
    }
    return NULL;
}

START_TEST(concurrent_calls)
{
    edges expected = generate(28, RMAT_ISA_AUTO, 1), e = allocate();
    rmat_gen *gen = create(28, RMAT_ISA_AUTO, 1);
    pthread_t threads[8];
    part parts[8];

    for (uint64_t t = 0; t < 8; t++) {
        parts[t] = (part){gen, e, EDGES * t / 8, EDGES * (t + 1) / 8};
        ck_assert_int_eq(pthread_create(&threads[t], NULL, generate_part, &parts[t]), 0);
    }
    for (int t = 0; t < 8; t++) {
        void *failed;

        ck_assert_int_eq(pthread_join(threads[t], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    same(e, expected);
    rmat_destroy(gen);
    release(expected);
    release(e);
}
END_TEST

START_TEST(fingerprint_of_parts)
{
    edges e = generate(20, RMAT_ISA_AUTO, 1);
    uint64_t whole = rmat_fingerprint(e.src, e.dst, EDGES, 8);
    uint64_t half = rmat_fingerprint(e.src, e.dst, 77777, 8) +
                    rmat_fingerprint(e.src + 77777, e.dst + 77777, EDGES - 77777, 8);
    uint64_t s = e.src[5], d = e.dst[5];

    ck_assert_uint_eq(whole, half);
    e.src[5] = e.src[999];
    e.dst[5] = e.dst[999];
    e.src[999] = s;
    e.dst[999] = d;
    ck_assert_uint_eq(rmat_fingerprint(e.src, e.dst, EDGES, 8), whole); /* order does not count */
    e.src[77] ^= 1;
    ck_assert_uint_ne(rmat_fingerprint(e.src, e.dst, EDGES, 8), whole);
    e.src[77] ^= 1;
    s = e.src[78];
    ck_assert_uint_ne(s, e.dst[78]);
    e.src[78] = e.dst[78];
    e.dst[78] = s;
    ck_assert_uint_ne(rmat_fingerprint(e.src, e.dst, EDGES, 8), whole); /* direction does */
    release(e);
}
END_TEST

TEST_CASES(rmat_invariance, 120, LOOP(threads_and_instruction_sets, 0, 7), LOOP(splits, 0, 7),
           LOOP(id_width, 0, 7), ONCE(concurrent_calls), ONCE(fingerprint_of_parts))
