/* A caller's SSE code is slow while the upper halves of vector registers are in use, so generating
 * edges must leave none in use.  The processor reports this (XGETBV of the components in use). */
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum { EDGES = 100000, UPPER_HALVES = 4 };

static uint64_t src[EDGES + 16], dst[EDGES + 16];

/* Does the processor have OSXSAVE, AVX and XGETBV with ECX = 1? */
static int can_tell(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 27 & 3) == 3 &&
           __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a >> 2 & 1);
}

static int upper_halves_in_use(void)
{
    unsigned low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return (low & UPPER_HALVES) != 0;
}

static void dirty(void)
{
    __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
}

static void clean(void)
{
    __asm__ volatile("vzeroupper" :::);
}

/* Edges of an instruction set, into unaligned arrays. */
static void check_clean(rmat_isa isa, int scale, int id_bytes, uint64_t count)
{
    rmat_config config = square_model(scale);
    int status;

    config.isa = isa;
    config.threads = 1;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&config);
    clean();
    status = rmat_generate_arrays(
        gen, 5, count,
        &(rmat_arrays){(char *)src + id_bytes, (char *)dst + id_bytes, NULL, id_bytes});
    ck_assert_msg(!upper_halves_in_use(), "%s, scale %d, %d-byte ids, %lu edges",
                  rmat_isa_name(isa), scale, id_bytes, count);
    ok(status);
    rmat_fingerprint(src, dst, EDGES, 8);
    ck_assert(!upper_halves_in_use());
}

START_TEST(nothing_in_use_afterwards)
{
    static const int scales[] = {1, 20, 30, 32, 36, 62};

    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        for (int s = 0; s < COUNT(scales) && rmat_cpu_has_isa(isa); s++) {
            for (int id_bytes = scales[s] <= 32 ? 4 : 8; id_bytes <= 8; id_bytes += 4) {
                check_clean(isa, scales[s], id_bytes, EDGES - 1);
                check_clean(isa, scales[s], id_bytes, EDGES);
            }
        }
    }
}

static int skipped(void)
{
    int tells = can_tell();

    if (tells) {
        dirty();
        tells = upper_halves_in_use();
        clean();
    }
    if (!tells || upper_halves_in_use()) {
        printf("skipped: this processor does not tell\n");
        return 1;
    }
    return 0;
}

TEST_MAIN(rmat_upper_halves)
{
    const test_case cases[] = {ONCE(nothing_in_use_afterwards)};

    return skipped() ? 77 : run_cases("rmat_upper_halves", 0, cases, 1);
}
#else
TEST_MAIN(rmat_upper_halves)
{
    printf("skipped: not an x86-64 processor\n");
    return 77;
}
#endif
