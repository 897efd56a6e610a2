/* GAPBS's edges on a GPU against those on the CPU: every scale up to 20, both widths of ids, ranges
 * that begin and end anywhere, weights with a rejected number, and no memory lost. */
#include "rmat/model/mt19937.h"
#include "rmat/rmat_gapbs.h"
#include "tests/support/gpu_util.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 600000 };

typedef struct {
    void *src, *dst;
    uint32_t *weight;
} edges;

static edges make(const rmat_source *source, rmat_backend backend, int symmetrize, uint64_t first,
                  uint64_t count, int id_bytes)
{
    edges e = {must_alloc(count, 8), must_alloc(count, 8), must_alloc(count, 4)};
    rmat_config config;
    rmat_gen *gen;
    int status;

    rmat_config_default(&config);
    config.backend = backend;
    config.symmetrize = symmetrize;
    status = rmat_create_from(&gen, source, &config);
    must(status == RMAT_OK, "rmat_create_from(): %s", rmat_strerror(status));
    status =
        rmat_generate_arrays(gen, first, count, &(rmat_arrays){e.src, e.dst, e.weight, id_bytes});
    must(status == RMAT_OK, "rmat_generate_arrays(): %s", rmat_strerror(status));
    rmat_destroy(gen);
    return e;
}

static void release(edges e)
{
    free(e.src);
    free(e.dst);
    free(e.weight);
}

static void compare(int scale, int symmetrize, uint64_t first, uint64_t count, int id_bytes)
{
    const size_t bytes = count * (size_t)id_bytes;
    rmat_source source;
    rmat_gapbs *g;
    edges cpu, gpu;

    must(!rmat_gapbs_create(&g, scale, RMAT_GAPBS_SEED, RMAT_ISA_AUTO), "create");
    source = rmat_gapbs_source(g, RMAT_MAX_EDGES / 2, 1);
    cpu = make(&source, RMAT_BACKEND_CPU, symmetrize, first, count, id_bytes);
    gpu = make(&source, RMAT_BACKEND_GPU, symmetrize, first, count, id_bytes);
    must(!memcmp(cpu.src, gpu.src, bytes) && !memcmp(cpu.dst, gpu.dst, bytes),
         "scale %d, edges [%lu, +%lu): ends of %d bytes", scale, first, count, id_bytes);
    must(!memcmp(cpu.weight, gpu.weight, count * 4), "scale %d, edges [%lu, +%lu): weights", scale,
         first, count);
    release(cpu);
    release(gpu);
    rmat_gapbs_destroy(g);
}

START_TEST(every_scale)
{
    const uint64_t scale = (uint64_t)_i;

    if (small_run() && _i % 9 != 1) {
        return;
    }
    compare(_i, 0, scale * 1001, small_run() ? 3000 : MOST, 4);
    compare(_i, 0, 7 * GAPBS_BLOCK - scale, 2 * scale, 8);
    compare(_i, 1, 6 * GAPBS_BLOCK - 501, 1001, 4 + _i % 2 * 4);
}
END_TEST

START_TEST(rejected_weights)
{
    compare(1, 0, 16571 * GAPBS_BLOCK + 198000, 100, 4);
    compare(2, 0, 16571 * GAPBS_BLOCK + 198026, GAPBS_BLOCK, 4);
    compare(3, 0, 17131 * GAPBS_BLOCK + 73043, 1, 8);
}
END_TEST

START_TEST(memory)
{
    const size_t before = free_device_memory();

    compare(20, 0, 0, 1000, 4);
    check_no_leak(before);
}
END_TEST

TEST_CASES(rmat_gpu_gapbs, 0, LOOP(every_scale, 1, 21), ONCE(rejected_weights), ONCE(memory))
