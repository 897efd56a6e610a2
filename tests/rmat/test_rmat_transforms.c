/*
 * The kernels of the CPU and of a GPU against rmat_edge_at(), edge by edge: random models with all
 * options, over ranges of several batches at random places, on every instruction set, with both id
 * widths and arrays that begin anywhere in a cache line.  The redraws of a range are the sum of
 * those of its parts.
 */
#include "rmat/model/generator.h"
#include "rmat/model/weight.h"
#include "tests/support/backend.h"
#include "tests/support/bench.h"
#include "tests/support/run_suite.h"

#include <stdio.h>
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

/* As rmat_edge_at() says, edge by edge. */
static void expect(bench *b, uint64_t first)
{
    const rmat_gen *gen = b->cpu;
    const rmat_config *c = &gen->config;

    b->redraws = 0;
    for (uint64_t i = 0; i < MOST; i++) {
        uint64_t redraws = rmat_edge_at(&gen->view, first + i, &b->src[i], &b->dst[i]);
        uint64_t bits = rmat_weight_bits(gen->weight_key, b->src[i], b->dst[i]);
        float uniform =
            c->weights == RMAT_WEIGHTS_UNIFORM
                ? rmat_weight_uniform(bits)
                : rmat_weight_float(bits, c->weight_low, rmat_weight_span(c), c->weight_high);
        int32_t integer = rmat_weight_int(bits, c->weight_min, rmat_weight_range(c));

        b->redraws += c->symmetrize && (first + i) % 2 ? 0 : redraws;
        memcpy(&b->weight[i], c->weights != RMAT_WEIGHTS_INT ? (void *)&uniform : &integer,
               sizeof integer);
    }
}

/* All of it in a few calls, into arrays that begin anywhere in a cache line. */
static void compare(const bench *b, uint64_t first, int id_bytes)
{
    const uint64_t before = redraws_of(b->gen);
    const int ids = LINE / id_bytes;
    uint64_t at = 0;

    while (at < MOST) {
        const uint64_t count = below(3) ? MOST - at : 1 + below(MOST - at);
        const placing p = {.first = first + at,
                           .count = count,
                           .skip = at,
                           .id_bytes = id_bytes,
                           .src_at = (int)below((uint64_t)ids),
                           .dst_at = (int)below((uint64_t)ids),
                           .weights = b->config.weights != RMAT_NO_WEIGHTS};

        check_same(b, &p);
        at += count;
    }
    must(redraws_of(b->gen) - before == b->redraws, "%s: other redraws", b->name);
}

START_TEST(random_models)
{
    const uint64_t number = (uint64_t)_i;
    rmat_config c = random_model(number);
    const uint64_t firsts[] = {below(1000), (UINT64_C(1) << 32) - below(MOST),
                               (UINT64_C(1) << 33) - below(MOST), below(RMAT_MAX_EDGES - MOST)};
    const uint64_t first = firsts[below(4)];
    scoped(rmat_destroy) rmat_gen *gen = NULL;
    char name[32];
    scoped(bench_destroy) bench b;

    if (rmat_create(&gen, &c) == RMAT_ERR_REDRAW) {
        return; /* a scale of 1 with loops alone */
    }
    snprintf(name, sizeof name, "model %d", _i);
    c.isa = RMAT_ISA_GENERIC;
    b = bench_create(&c, name, MOST);
    expect(&b, first);
    for (int isa = RMAT_ISA_GENERIC; isa <= (ON_GPU ? RMAT_ISA_GENERIC : RMAT_ISA_NEON); isa++) {
        if (!rmat_cpu_has_isa((rmat_isa)isa)) {
            continue;
        }
        rmat_destroy(b.gen);
        c.isa = (rmat_isa)isa;
        b.gen = create_on(TESTED, c);
        for (int id_bytes = is_narrow(&c) ? 4 : 8; id_bytes <= 8; id_bytes += 4) {
            compare(&b, first, id_bytes);
        }
    }
}
END_TEST

TEST_CASES(rmat_transforms, 120, LOOP(random_models, 0, small_run() ? 9 : MODELS))
