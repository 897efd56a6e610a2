/*
 * The CPU kernels against rmat_edge_at(), edge by edge: random models with all options, over ranges
 * of several batches at random places, on every instruction set, with both id widths and arrays
 * that begin anywhere in a cache line.  The redraws of a range are the sum of those of its parts.
 */
#include "rmat/model/generator.h"
#include "rmat/model/weight.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <string.h>

enum { MODELS = 120, MOST = 9500, LINE = 64 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 20) % n;
}

static rmat_config random_model(uint64_t number)
{
    static const int scales[] = {1, 2, 5, 6, 10, 18, 20, 24, 27, 30, 31, 32, 33, 36, 42, 55, 62};
    static const rmat_matrix matrices[] = {
        {0.57, 0.19, 0.19, 0.05}, {0.25, 0.25, 0.25, 0.25}, {0.1, 0.2, 0.3, 0.4}};
    rmat_config c;

    state = number;
    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = scales[below(sizeof scales / sizeof *scales)];
    c.matrix = matrices[below(3)];
    c.noise = below(2) ? 0.05 : 0;
    c.permute = below(3) != 0;
    c.seed = number;
    if (below(3) == 0) {
        c.cols_scale = scales[below(sizeof scales / sizeof *scales)];
    }
    for (int side = 0; side < 2; side++) {
        const int scale = side == 0 ? c.rows_scale : c.cols_scale;
        const uint64_t half = UINT64_C(1) << (scale - 1);
        const uint64_t counts[] = {0, half + 1, 2 * half - 1, half + 1 + below(half)};

        *(side == 0 ? &c.rows : &c.cols) = scale > 1 ? counts[below(4)] : 0;
    }
    if (c.rows_scale == c.cols_scale) {
        c.cols = c.rows;
        c.no_self_loops = (int)below(2);
        c.symmetrize = (int)below(2);
        c.direction = (rmat_direction)below(3);
    }
    c.weights = (rmat_weights)below(4);
    c.weight_min = below(2) ? INT32_MIN : -7;
    c.weight_max = below(2) ? INT32_MAX : 11;
    c.weight_low = -3.5F;
    c.weight_high = below(2) ? 1e38F : 0.1F;
    return c;
}

static struct {
    uint64_t src[MOST], dst[MOST], redraws;
    uint32_t weight[MOST];
} expected;

static void expect(const rmat_gen *gen, uint64_t first)
{
    const rmat_config *c = &gen->config;

    expected.redraws = 0;
    for (uint64_t i = 0; i < MOST; i++) {
        uint64_t redraws = rmat_edge_at(&gen->view, first + i, &expected.src[i], &expected.dst[i]);
        uint64_t bits = rmat_weight_bits(gen->weight_key, expected.src[i], expected.dst[i]);
        float uniform =
            c->weights == RMAT_WEIGHTS_UNIFORM
                ? rmat_weight_uniform(bits)
                : rmat_weight_float(bits, c->weight_low, rmat_weight_span(c), c->weight_high);
        int32_t integer = rmat_weight_int(bits, c->weight_min, rmat_weight_range(c));

        expected.redraws += c->symmetrize && (first + i) % 2 ? 0 : redraws;
        memcpy(&expected.weight[i], c->weights != RMAT_WEIGHTS_INT ? (void *)&uniform : &integer,
               sizeof integer);
    }
}

/* All of it in a few calls, into arrays that begin `skew` ids into a cache line. */
static void compare(const rmat_gen *gen, uint64_t number, uint64_t first, int id_bytes,
                    uint64_t skew)
{
    static _Alignas(LINE) unsigned char src[8 * (MOST + LINE)], dst[8 * (MOST + LINE)];
    static uint32_t weight[MOST];
    uint64_t redraws, at = 0;

    memset(src, 0xA5, sizeof src);
    memset(dst, 0xA5, sizeof dst);
    while (at < MOST) {
        const uint64_t count = below(3) ? MOST - at : 1 + below(MOST - at);
        const uint64_t offset = (skew + at) * (uint64_t)id_bytes;
        const rmat_arrays to = {src + offset, dst + offset,
                                gen->config.weights ? weight + at : NULL, id_bytes};

        ck_assert_int_eq(rmat_generate_arrays(gen, first + at, count, &to), RMAT_OK);
        at += count;
    }
    for (uint64_t i = 0; i < MOST; i++) {
        uint64_t s = 0, d = 0;

        memcpy(&s, src + (skew + i) * (uint64_t)id_bytes, (size_t)id_bytes); /* little-endian */
        memcpy(&d, dst + (skew + i) * (uint64_t)id_bytes, (size_t)id_bytes);
        must(s == expected.src[i] && d == expected.dst[i],
             "model %llu, %s, %d bytes: edge %llu is (%llu, %llu), not (%llu, %llu)",
             (unsigned long long)number, rmat_isa_name(gen->isa), id_bytes,
             (unsigned long long)(first + i), (unsigned long long)s, (unsigned long long)d,
             (unsigned long long)expected.src[i], (unsigned long long)expected.dst[i]);
        must(!gen->config.weights || weight[i] == expected.weight[i],
             "model %llu, %s, %d bytes: edge %llu weighs %x, not %x", (unsigned long long)number,
             rmat_isa_name(gen->isa), id_bytes, (unsigned long long)(first + i), weight[i],
             expected.weight[i]);
    }
    must(src[(skew + MOST) * (uint64_t)id_bytes] == 0xA5 &&
             dst[(skew + MOST) * (uint64_t)id_bytes] == 0xA5,
         "model %llu: ids written behind", (unsigned long long)number);
    ck_assert_int_eq(rmat_redraws(gen, &redraws), RMAT_OK);
    must(redraws == expected.redraws, "model %llu, %s, %d bytes: %llu redraws, not %llu",
         (unsigned long long)number, rmat_isa_name(gen->isa), id_bytes, (unsigned long long)redraws,
         (unsigned long long)expected.redraws);
}

START_TEST(random_models)
{
    const uint64_t number = (uint64_t)_i;
    rmat_config c = random_model(number);
    const int narrow = c.rows_scale <= 32 && c.cols_scale <= 32;
    const uint64_t firsts[] = {below(1000), (UINT64_C(1) << 32) - below(MOST),
                               (UINT64_C(1) << 33) - below(MOST), below(RMAT_MAX_EDGES - MOST)};
    const uint64_t first = firsts[below(4)];

    for (int isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        for (int id_bytes = narrow ? 4 : 8; id_bytes <= 8 && rmat_cpu_has_isa(isa); id_bytes += 4) {
            rmat_gen *gen;
            int st;

            c.isa = (rmat_isa)isa;
            st = rmat_create(&gen, &c);
            if (st == RMAT_ERR_REDRAW) {
                return; /* a scale of 1 with loops alone */
            }
            ck_assert_int_eq(st, RMAT_OK);
            if (isa == RMAT_ISA_GENERIC && (id_bytes == 4 || !narrow)) {
                expect(gen, first);
            }
            compare(gen, number, first, id_bytes, below(LINE / (uint64_t)id_bytes));
            rmat_destroy(gen);
        }
    }
}
END_TEST

TEST_CASES(rmat_transforms, 120, LOOP(random_models, 0, MODELS))
