/* Sorting many keys on the GPU: those of intervals, and those that a sample sort finds hard. */
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/gpu/sample_sort.h"
#include "tests/support/gpu_util.h"
#include "tests/support/run_suite.h"

#include <stdbool.h>
#include <stdlib.h>

enum { KEYS = (1 << 24) + 12345, FEW = (1 << 20) + 12345 }; /* few: for racecheck */

static uint64_t mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

static uint64_t uniform(uint64_t i)
{
    return mixed(i);
}

/* Three of four bits are 0, as most are of an R-MAT graph's keys. */
static uint64_t skewed(uint64_t i)
{
    return mixed(i) & mixed(~i);
}

/* As unused places of an interval are filled. */
static uint64_t with_holes(uint64_t i)
{
    return i % 4 ? skewed(i) : UINT64_MAX;
}

static uint64_t only_holes(uint64_t i)
{
    return i ? UINT64_MAX : 5;
}

static uint64_t ascending(uint64_t i)
{
    return i << 39;
}

static uint64_t few_different(uint64_t i)
{
    return mixed(mixed(i) % 1000);
}

/* Too few copies in the sample to leave all keys to CUB, too many for a tile. */
static uint64_t one_often(uint64_t i)
{
    return mixed(i) % 20 ? uniform(i) : (uint64_t)1 << 60;
}

/* Keys so close to one another that 32 bits cannot tell them apart. */
static uint64_t in_clumps(uint64_t i)
{
    return (mixed(i) % 20) << 59 | mixed(~i) % (1 << 20);
}

static const struct {
    const char *name;
    uint64_t (*key)(uint64_t i);
    int bits;
    int sampled; /* 1: the sample sort sorts them; 0: it leaves them to CUB */
} kinds[] = {
    {"uniform", uniform, 64, 1},       {"of 41 bits", uniform, 41, 1},
    {"skewed", skewed, 56, 1},         {"with holes", with_holes, 56, 1},
    {"only holes", only_holes, 60, 1}, {"ascending", ascending, 64, 0},
    {"one often", one_often, 64, 1},   {"few different", few_different, 64, 0},
    {"in clumps", in_clumps, 64, 1},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* What does not depend on the order of the keys. */
static uint64_t content(const uint64_t *keys, uint64_t n)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        sum += mixed(keys[i]);
    }
    return sum;
}

static void check(const uint64_t *sorted, uint64_t n, uint64_t expected, const char *what)
{
    for (uint64_t i = 1; i < n; i++) {
        must(sorted[i - 1] <= sorted[i], "%s: key %llu is less than the one before", what,
             (unsigned long long)i);
    }
    must(content(sorted, n) == expected, "%s: other keys", what);
}

START_TEST(keys)
{
    const gpu_interval_sorter *sorter = rmat_gpu_sorter8();
    const int bits = kinds[_i].bits;
    const bool few = small_run() == 2;
    const uint64_t lengths[] = {few ? FEW : KEYS, 1 << 24, (1 << 24) - 1};
    uint64_t *host = malloc(KEYS * sizeof *host);
    void *both[2], *scratch;
    size_t bytes, before;
    int shared;

    ck_assert_ptr_nonnull(host);
    must_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    must_cuda(cudaFree(NULL));
    before = free_device_memory();
    ck_assert_int_eq(sorter->scratch(KEYS, &bytes), RMAT_OK);
    must_cuda(cudaMalloc(&both[0], sizeof *host * KEYS));
    must_cuda(cudaMalloc(&both[1], sizeof *host * KEYS));
    must_cuda(cudaMalloc(&scratch, bytes));
    for (int l = 0; l < (small_run() ? 1 : 3); l++) {
        const uint64_t n = lengths[l];
        uint64_t expected;
        int sorted = -1;

        for (uint64_t i = 0; i < n; i++) {
            host[i] = kinds[_i].key(i) >> (64 - bits);
        }
        expected = content(host, n);
        must_cuda(cudaMemcpy(both[0], host, n * sizeof *host, cudaMemcpyHostToDevice));
        if (few || rmat_sample_sort_pays(n, bits)) {
            ck_assert_int_eq(
                rmat_sample_sort((uint64_t *const *)both, n, bits, scratch, bytes, NULL, &sorted),
                RMAT_OK);
            must(sorted == (kinds[_i].sampled && shared >= 139 << 10), "%s: sorted %d",
                 kinds[_i].name, sorted);
            must_cuda(cudaMemcpy(host, both[0], n * sizeof *host, cudaMemcpyDeviceToHost));
            must(content(host, n) == expected, "%s: other keys", kinds[_i].name);
            if (sorted) {
                check(host, n, expected, kinds[_i].name);
            }
            for (uint64_t i = 0; i < n; i++) {
                host[i] = kinds[_i].key(i) >> (64 - bits);
            }
            must_cuda(cudaMemcpy(both[0], host, n * sizeof *host, cudaMemcpyHostToDevice));
        }
        ck_assert_int_eq(sorter->sort(both, n, bits, scratch, bytes, NULL), RMAT_OK);
        must_cuda(cudaMemcpy(host, both[0], n * sizeof *host, cudaMemcpyDeviceToHost));
        check(host, n, expected, kinds[_i].name);
    }
    must_cuda(cudaFree(both[0]));
    must_cuda(cudaFree(both[1]));
    must_cuda(cudaFree(scratch));
    check_no_leak(before);
    free(host);
}
END_TEST

TEST_CASES(rmat_gpu_sort, 120, LOOP(keys, 0, KINDS))
