/* Graphs, and the comparison of the GPU's edges with the CPU's (rmat_gpu_util.h). */
#include "tests/support/rmat_gpu_util.h"
#include "rmat/model/generator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH500                                                                                   \
    {                                                                                              \
        0.57, 0.19, 0.19, 0.05                                                                     \
    }
#define BY_LEVEL                                                                                   \
    {                                                                                              \
        -1, 0, 0, 0                                                                                \
    }

const graph graphs[GRAPHS] = {
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

const graph *graph_named(const char *name)
{
    for (int g = 0; g < GRAPHS; g++) {
        if (strcmp(graphs[g].name, name) == 0) {
            return &graphs[g];
        }
    }
    ck_abort_msg("no graph %s", name);
}

int narrow(const graph *g)
{
    return g->rows_scale <= 32 && g->cols_scale <= 32;
}

static rmat_gen *create(const graph *g, const rmat_config *config, rmat_backend backend)
{
    rmat_config c = *config;
    rmat_gen *gen;
    int st;

    c.backend = backend;
    st = rmat_create(&gen, &c);
    ck_assert_msg(st == RMAT_OK, "%s: %s (%s)", g->name, rmat_strerror(st), rmat_gpu_error());
    return gen;
}

enum { GUARD = 64, FILL = 0xA5 };

bench bench_create_model(const graph *g, const rmat_config *config, uint64_t most_edges)
{
    bench b = {.graph = g, .bytes = 20 * most_edges + 6 * GUARD};

    b.cpu = create(g, config, RMAT_BACKEND_CPU);
    b.gpu = create(g, config, RMAT_BACKEND_GPU);
    b.src = must_alloc(most_edges + 1, 8);
    b.dst = must_alloc(most_edges + 1, 8);
    b.weight = must_alloc(most_edges + 1, 4);
    b.got = must_alloc(b.bytes, 1);
    b.untouched = must_alloc(b.bytes, 1);
    memset(b.untouched, FILL, b.bytes);
    b.room = on_device(NULL, b.bytes);
    return b;
}

bench bench_create(const graph *g, uint64_t most_edges)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config config;

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = (rmat_matrix){0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
    rmat_config_default(&config);
    config.rows_scale = g->rows_scale;
    config.cols_scale = g->cols_scale;
    config.matrix = g->matrix;
    config.levels = g->matrix.a < 0 ? levels : NULL;
    config.seed = UINT64_C(0xFEDCBA9876543210);
    return bench_create_model(g, &config, most_edges);
}

void bench_destroy(bench b)
{
    must_cuda(cudaFree(b.room));
    free(b.untouched);
    free(b.got);
    free(b.src);
    free(b.dst);
    free(b.weight);
    rmat_destroy(b.cpu);
    rmat_destroy(b.gpu);
}

void bench_expect(const bench *b, uint64_t first, uint64_t count)
{
    const rmat_arrays to = {b->src, b->dst, b->cpu->config.weights ? b->weight : NULL, 8};

    ck_assert_int_eq(rmat_generate_arrays(b->cpu, first, count, &to), RMAT_OK);
}

static int start(const rmat_gen *gen, const placing *p, unsigned char *src, unsigned char *dst,
                 unsigned char *weight)
{
    const rmat_arrays to = {src, dst, weight, p->id_bytes};

    if (p->weights) {
        return rmat_generate_arrays_device(gen, p->first, p->count, &to, NULL);
    }
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

static uint64_t id_at(const unsigned char *array, uint64_t i, int id_bytes)
{
    uint32_t low;
    uint64_t x;

    if (id_bytes == 4) {
        memcpy(&low, array + 4 * i, 4);
        return low;
    }
    memcpy(&x, array + 8 * i, 8);
    return x;
}

/* Fails the test if a byte of [from, to) is written. */
static void check_guard(const bench *b, const placing *p, size_t from, size_t to)
{
    if (memcmp(b->got + from, b->untouched + from, to - from) != 0) {
        while (b->got[from] == FILL) {
            from++;
        }
        ck_abort_msg("%s, %" PRIu64 " %d-byte %s at %d and %d: byte %zu of %zu written, outside",
                     b->graph->name, p->count, p->id_bytes, p->pairs ? "pairs" : "arrays",
                     p->src_at, p->dst_at, from, b->bytes);
    }
}

uint64_t differences(const bench *b, const placing *p, uint64_t *which)
{
    const size_t size = (size_t)p->id_bytes, step = p->pairs ? 2 : 1;
    const size_t array = (size_t)p->count * step * size;
    const size_t next = (GUARD + 3 * size + array + GUARD) / 16 * 16;
    const size_t src = GUARD + (size_t)p->src_at * size;
    const size_t dst = p->pairs ? src + size : next + (size_t)p->dst_at * size;
    const size_t ids_end = p->pairs ? src + array : dst + array;
    const size_t weight = 2 * next + 4 * (size_t)p->weight_at;
    const size_t end = p->weights ? weight + 4 * (size_t)p->count : ids_end;
    uint64_t wrong = 0;
    int st;

    must(end <= b->bytes, "no room for %" PRIu64 " edges", p->count);
    must_cuda(cudaMemset(b->room, FILL, b->bytes));
    st = start(b->gpu, p, b->room + src, b->room + dst, b->room + weight);
    must(st == RMAT_OK, "%s: %s (%s)", b->graph->name, rmat_strerror(st), rmat_gpu_error());
    must_cuda(cudaMemcpy(b->got, b->room, b->bytes, cudaMemcpyDeviceToHost));
    for (uint64_t i = p->count; i-- > 0;) {
        if (id_at(b->got + src, i * step, p->id_bytes) != b->src[i] ||
            id_at(b->got + dst, i * step, p->id_bytes) != b->dst[i] ||
            (p->weights && id_at(b->got + weight, i, 4) != b->weight[i])) {
            *which = i;
            wrong++;
        }
    }
    check_guard(b, p, 0, src);
    if (!p->pairs) {
        check_guard(b, p, src + array, dst);
    }
    if (p->weights) {
        check_guard(b, p, ids_end, weight);
    }
    check_guard(b, p, end, b->bytes);
    return wrong;
}

void check_same(const bench *b, const placing *p)
{
    uint64_t i = 0, wrong = differences(b, p, &i);

    must(wrong == 0,
         "%s, %d-byte %s at %d and %d%s, edges from %#" PRIx64 ": %" PRIu64 " of %" PRIu64
         " differ, first edge %" PRIu64 ", which should be (%#" PRIx64 ", %#" PRIx64 ")",
         b->graph->name, p->id_bytes, p->pairs ? "pairs" : "arrays", p->src_at, p->dst_at,
         p->weights ? ", weights" : "", p->first, wrong, p->count, i, b->src[i], b->dst[i]);
}

void check_all_ways(const bench *b, uint64_t first, uint64_t count)
{
    static const int places[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {2, 3}};

    for (int bytes = narrow(b->graph) ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int pairs = 0; pairs < 2; pairs++) {
            for (int at = 0; at < (pairs ? 3 : 6); at++) {
                placing p = {.first = first,
                             .count = count,
                             .id_bytes = bytes,
                             .pairs = pairs,
                             .src_at = places[at][0],
                             .dst_at = places[at][1]};

                check_same(b, &p);
            }
        }
    }
}
