/* Sorting keys on the GPU, and keeping each once: any number of bits; keys that are almost all
 * different, in order, or equal; and the unused places that an interval fills. */
#include "rmat/sorted/gpu/interval.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

enum { KEYS = (1 << 22) + 12345, FEW = 12345 };

static uint64_t mixed(uint64_t x)
{
    return next_random(&x);
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

static uint64_t ascending(uint64_t i)
{
    return i << 41;
}

static uint64_t few_different(uint64_t i)
{
    return mixed(mixed(i) % 1000);
}

static uint64_t equal(uint64_t i)
{
    return i ? UINT64_MAX : 5;
}

static const struct {
    const char *name;
    uint64_t (*key)(uint64_t i);
    int bits;
} kinds[] = {
    {"of 64 bits", mixed, 64},
    {"of 41 bits", mixed, 41},
    {"of 8 bits", mixed, 8},
    {"skewed", skewed, 56},
    {"with holes", with_holes, 57},
    {"ascending", ascending, 64},
    {"few different", few_different, 64},
    {"all but one equal", equal, 60},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void check_keys(int kind)
{
    const uint64_t n = small_run() ? FEW : KEYS;
    const size_t size = n * sizeof(uint64_t);
    const char *name = kinds[kind].name;
    scoped(free) uint64_t *host = must_alloc(n, sizeof *host), *expected = must_alloc(n, 8);
    scoped(free_device) unsigned long long *result = on_device(NULL, sizeof *result);
    scoped(free_device) void *scratch = NULL;
    uint64_t *both[2], kept = n, wanted = 0;
    size_t bytes;

    ok(rmat_gpu_sort_scratch(n, &bytes));
    scratch = on_device(NULL, bytes);
    for (uint64_t i = 0; i < n; i++) {
        expected[i] = kinds[kind].key(i) >> (64 - kinds[kind].bits);
    }
    both[0] = on_device(expected, size);
    both[1] = on_device(NULL, size);
    qsort(expected, n, sizeof *expected, compare);
    ok(rmat_gpu_sort(both, n, kinds[kind].bits, scratch, bytes, NULL));
    must_cuda(cudaMemcpy(host, both[0], size, cudaMemcpyDeviceToHost));
    must(memcmp(host, expected, size) == 0, "%s: sorted", name);
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || expected[i] != expected[i - 1]) {
            expected[wanted++] = expected[i];
        }
    }
    ok(rmat_gpu_unique(both, &kept, scratch, bytes, result, NULL));
    ck_assert_uint_eq(kept, wanted);
    must_cuda(cudaMemcpy(host, both[0], kept * sizeof *host, cudaMemcpyDeviceToHost));
    must(memcmp(host, expected, kept * sizeof *host) == 0, "%s: unique", name);
    free_device(both[0]);
    free_device(both[1]);
}

START_TEST(keys)
{
    size_t before;

    must_cuda(cudaFree(NULL));
    before = free_device_memory();
    check_keys(_i);
    check_no_leak(before);
}

TEST_CASES(rmat_gpu_sort, 120, LOOP(keys, 0, KINDS))
