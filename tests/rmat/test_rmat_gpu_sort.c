/* Sorting keys on the GPU, and keeping each once: any number of bits; keys that are almost all
 * different, in order, or equal; and the unused places that an interval fills. */
#include "rmat/sorted/gpu/interval.h"
#include "tests/support/gpu_util.h"
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

START_TEST(keys)
{
    const uint64_t n = small_run() ? FEW : KEYS;
    uint64_t *host = malloc(n * sizeof *host), *expected = malloc(n * sizeof *expected);
    uint64_t *both[2], kept = n, wanted = 0;
    unsigned long long *result;
    void *scratch;
    size_t bytes, before;

    ck_assert(host != NULL && expected != NULL);
    must_cuda(cudaFree(NULL));
    before = free_device_memory();
    ok(rmat_gpu_sort_scratch(n, &bytes));
    must_cuda(cudaMalloc((void **)&both[0], n * sizeof *host));
    must_cuda(cudaMalloc((void **)&both[1], n * sizeof *host));
    must_cuda(cudaMalloc(&scratch, bytes));
    must_cuda(cudaMalloc((void **)&result, sizeof *result));
    for (uint64_t i = 0; i < n; i++) {
        expected[i] = kinds[_i].key(i) >> (64 - kinds[_i].bits);
    }
    must_cuda(cudaMemcpy(both[0], expected, n * sizeof *host, cudaMemcpyHostToDevice));
    qsort(expected, n, sizeof *expected, compare);
    ok(rmat_gpu_sort(both, n, kinds[_i].bits, scratch, bytes, NULL));
    must_cuda(cudaMemcpy(host, both[0], n * sizeof *host, cudaMemcpyDeviceToHost));
    must(memcmp(host, expected, n * sizeof *host) == 0, "%s: sorted", kinds[_i].name);
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || expected[i] != expected[i - 1]) {
            expected[wanted++] = expected[i];
        }
    }
    ok(rmat_gpu_unique(both, &kept, scratch, bytes, result, NULL));
    ck_assert_uint_eq(kept, wanted);
    must_cuda(cudaMemcpy(host, both[0], kept * sizeof *host, cudaMemcpyDeviceToHost));
    must(memcmp(host, expected, kept * sizeof *host) == 0, "%s: unique", kinds[_i].name);
    must_cuda(cudaFree(both[0]));
    must_cuda(cudaFree(both[1]));
    must_cuda(cudaFree(scratch));
    must_cuda(cudaFree(result));
    check_no_leak(before);
    free(host);
    free(expected);
}

TEST_CASES(rmat_gpu_sort, 120, LOOP(keys, 0, KINDS))
