/* The fingerprint of edges in device memory equals that of the CPU, and is added to the value that
 * is there. */
#include "tests/support/rmat_gpu_util.h"

#include <stdlib.h>

START_TEST(fingerprints)
{
    const uint64_t most = small_run() ? 5000 : 3000001;
    const uint64_t counts[] = {0, 1, 2, 31, 32, 33, 1000, most};
    bench b = bench_create(graph_named("32"), 1);
    uint64_t *src = must_alloc(most, 8), *dst = must_alloc(most, 8), *sum, *wide_src, *wide_dst;
    uint32_t *src32 = must_alloc(most, 4), *dst32 = must_alloc(most, 4), *low_src, *low_dst;

    ck_assert_int_eq(rmat_generate(b.cpu, 9, most, src, dst), RMAT_OK);
    ck_assert_int_eq(rmat_generate32(b.cpu, 9, most, src32, dst32), RMAT_OK);
    wide_src = on_device(src, 8 * most);
    wide_dst = on_device(dst, 8 * most);
    low_src = on_device(src32, 4 * most);
    low_dst = on_device(dst32, 4 * most);
    sum = on_device(NULL, 8);
    for (int c = 0; c < 8; c++) {
        const uint64_t start = 1000, n = counts[c], skip = n == most ? 1 : 0;
        const uint64_t once = rmat_fingerprint(src + skip, dst + skip, n - skip, 8);
        uint64_t got;

        must_cuda(cudaMemcpy(sum, &start, 8, cudaMemcpyHostToDevice));
        ck_assert_int_eq(
            rmat_fingerprint_device(wide_src + skip, wide_dst + skip, n - skip, 8, sum, NULL),
            RMAT_OK);
        ck_assert_int_eq(
            rmat_fingerprint_device(low_src + skip, low_dst + skip, n - skip, 4, sum, NULL),
            RMAT_OK);
        must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
        ck_assert_uint_eq(got, start + 2 * once);
    }
    ck_assert_int_eq(rmat_fingerprint_device(wide_src, wide_dst, 1, 5, sum, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_fingerprint_device(wide_src, wide_dst, 1, 8, NULL, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_fingerprint_device(NULL, wide_dst, 1, 8, sum, NULL), RMAT_ERR_ARG);
    must_cuda(cudaFree(wide_src));
    must_cuda(cudaFree(wide_dst));
    must_cuda(cudaFree(low_src));
    must_cuda(cudaFree(low_dst));
    must_cuda(cudaFree(sum));
    free(src);
    free(dst);
    free(src32);
    free(dst32);
    bench_destroy(b);
}
END_TEST

TEST_CASES(rmat_gpu_fingerprint, 0, ONCE(fingerprints))
