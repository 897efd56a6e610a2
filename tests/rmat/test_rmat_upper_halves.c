/* A caller's SSE code is slow while the upper halves of vector registers are in use: generating
 * edges must leave none in use.  The processor itself tells (XGETBV of the components in use). */
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

START_TEST(test_nothing_in_use_afterwards)
{
    static const int scales[] = {1, 20, 30, 32, 36, 62};

    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        for (int s = 0; s < COUNT(scales) && rmat_cpu_has_isa(isa); s++) {
            for (int width = scales[s] <= 32 ? 4 : 8; width <= 8; width += 4) {
                for (uint64_t count = EDGES - 1; count <= EDGES; count++) {
                    rmat_config config = square_model(scales[s]);
                    scoped(rmat_destroy) rmat_gen *gen = NULL;
                    int status;

                    config.isa = isa;
                    config.threads = 1;
                    gen = create_on(RMAT_BACKEND_CPU, config);
                    clean();
                    status = width == 4 ? rmat_generate32(gen, 5, count, (uint32_t *)src + 1,
                                                          (uint32_t *)dst + 1)
                                        : rmat_generate(gen, 5, count, src + 1, dst + 1);
                    ck_assert_msg(!upper_halves_in_use(), "%s, scale %d, %d-byte ids, %d edges",
                                  rmat_isa_name(isa), scales[s], width, (int)count);
                    ok(status);
                    rmat_fingerprint(src, dst, EDGES, 8);
                    ck_assert(!upper_halves_in_use());
                }
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
    const test_case cases[] = {ONCE(test_nothing_in_use_afterwards)};

    return skipped() ? 77 : run_cases("rmat_upper_halves", 0, cases, 1);
}
#else
TEST_MAIN(rmat_upper_halves)
{
    printf("skipped: not an x86-64 processor\n");
    return 77;
}
#endif
