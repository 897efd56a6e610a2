/* Edges in guarded memory, and their comparison with the expected edges (bench.h). */
#include "tests/support/bench.h"
#include "rmat/rmat_gpu.h"
#include "tests/support/models.h"

#include <inttypes.h>

enum { GUARD = 64, FURTHEST = 16 /* elements behind a border */, FILL = 0xA5 };

bench bench_create(const rmat_config *config, const char *name, uint64_t most_edges)
{
    bench b = {
        .name = name, .config = *config, .bytes = 20 * most_edges + 6 * GUARD + 3 * 8 * FURTHEST};

    b.cpu = create_on(RMAT_BACKEND_CPU, *config);
    b.gen = create_on(TESTED, *config);
    b.src = must_alloc(most_edges + 1, 8);
    b.dst = must_alloc(most_edges + 1, 8);
    b.weight = must_alloc(most_edges + 1, 4);
    b.got = must_alloc(b.bytes, 1);
    b.untouched = must_alloc(b.bytes, 1);
    memset(b.untouched, FILL, b.bytes);
    b.room = on_device(NULL, b.bytes);
    return b;
}

void bench_destroy(bench b)
{
    free_device(b.room);
    free(b.untouched);
    free(b.got);
    free(b.src);
    free(b.dst);
    free(b.weight);
    rmat_destroy(b.cpu);
    rmat_destroy(b.gen);
}

void bench_expect(bench *b, uint64_t first, uint64_t count)
{
    const rmat_arrays to = {b->src, b->dst, b->config.weights ? b->weight : NULL, 8};

    ok(rmat_generate_arrays(b->cpu, first, count, &to));
}

/* Fails the test if a byte of [from, to) is written. */
static void check_guard(const bench *b, const placing *p, size_t from, size_t to)
{
    if (memcmp(b->got + from, b->untouched + from, to - from) != 0) {
        while (b->got[from] == FILL) {
            from++;
        }
        ck_abort_msg("%s, %" PRIu64
                     " %d-byte arrays at %d and %d: byte %zu of %zu written, outside",
                     b->name, p->count, p->id_bytes, p->src_at, p->dst_at, from, b->bytes);
    }
}

uint64_t differences(const bench *b, const placing *p, uint64_t *which)
{
    const size_t size = (size_t)p->id_bytes;
    const size_t array = (size_t)p->count * size;
    const size_t next = (GUARD + FURTHEST * size + array + GUARD) / 16 * 16;
    const size_t src = GUARD + (size_t)p->src_at * size;
    const size_t dst = next + (size_t)p->dst_at * size;
    const size_t ids_end = dst + array;
    const size_t weight = 2 * next + 4 * (size_t)p->weight_at;
    const size_t end = p->weights ? weight + 4 * (size_t)p->count : ids_end;
    const uint64_t *expected_src = b->src + p->skip, *expected_dst = b->dst + p->skip;
    const rmat_arrays to = {b->room + src, b->room + dst, p->weights ? b->room + weight : NULL,
                            p->id_bytes};
    uint64_t wrong = 0;
    int st;

    must(end <= b->bytes && p->src_at <= FURTHEST && p->dst_at <= FURTHEST,
         "no room for %" PRIu64 " edges", p->count);
    copy_to_device(b->room, b->untouched, b->bytes);
    st = ON_GPU ? rmat_generate_arrays_device(b->gen, p->first, p->count, &to, NULL)
                : rmat_generate_arrays(b->gen, p->first, p->count, &to);
    must(st == RMAT_OK, "%s: %s", b->name, rmat_strerror(st));
    copy_to_host(b->got, b->room, b->bytes);
    for (uint64_t i = p->count; i-- > 0;) {
        if (id_of(b->got + src, i, p->id_bytes) != expected_src[i] ||
            id_of(b->got + dst, i, p->id_bytes) != expected_dst[i] ||
            (p->weights && id_of(b->got + weight, i, 4) != b->weight[p->skip + i])) {
            *which = i;
            wrong++;
        }
    }
    check_guard(b, p, 0, src);
    check_guard(b, p, src + array, dst);
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
         "%s, %s, %d-byte arrays at %d and %d%s, edges from %#" PRIx64 ": %" PRIu64 " of %" PRIu64
         " differ, first edge %" PRIu64 ", which should be (%#" PRIx64 ", %#" PRIx64 ")",
         b->name, ON_GPU ? "GPU" : rmat_isa_name(rmat_used_isa(b->gen)), p->id_bytes, p->src_at,
         p->dst_at, p->weights ? ", weights" : "", p->first, wrong, p->count, i,
         b->src[p->skip + i], b->dst[p->skip + i]);
}

void check_all_ways(const bench *b, uint64_t first, uint64_t count)
{
    static const int places[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3},
                                    {0, 1, 0}, {2, 3, 1}, {0, 0, 1}};

    for (int bytes = is_narrow(&b->config) ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int weights = 0; weights <= (b->config.weights != 0); weights++) {
            for (int at = 0; at < COUNT(places); at++) {
                const placing p = {.first = first,
                                   .count = count,
                                   .id_bytes = bytes,
                                   .src_at = places[at][0],
                                   .dst_at = places[at][1],
                                   .weights = weights,
                                   .weight_at = places[at][2]};

                check_same(b, &p);
            }
        }
    }
}
