/*
 * Partial p-ary search finds what std::lower_bound finds: for every block size and number of lanes;
 * in arrays with and without repetitions; for queries close together, far apart, equal, and beyond
 * both ends; and for a predicate that is not an array.
 */
#include "alias/gpu/pary_search.cuh"
#include "tests/support/device_array.cuh"

#include <algorithm>

enum { LARGEST = 1 << 20, MOST_QUERIES = 4096 };

/* One query for every LANES threads; blocks beyond the last query repeat it. */
template <int THREADS, int LANES, typename T>
static __global__ void search_array(const T *values, uint64_t n, const uint64_t *x, uint32_t count,
                                    uint64_t *out)
{
    using search = alias_pary_search<THREADS, LANES>;
    __shared__ typename search::storage storage;
    const uint32_t q = blockIdx.x * search::QUERIES + threadIdx.x / LANES;
    const uint64_t at = search::lower_bound(storage, values, n, x[min(q, count - 1)]);

    if (q < count) {
        out[q] = at;
    }
}

/* The square root, rounded up, computed twice with the same storage: in the range 5 to 2^32, and in
 * a different range for each query; the predicate must not be called outside of it. */
static __global__ void search_roots(const uint64_t *x, uint32_t count, uint64_t *out)
{
    using search = alias_pary_search<64, 2>;
    __shared__ search::storage storage;
    __shared__ bool outside;
    const uint32_t q = blockIdx.x * search::QUERIES + threadIdx.x / 2;
    const uint64_t square = x[min(q, count - 1)];
    const uint64_t root = search::search(storage, 5, 1ull << 32, square,
                                         [](uint64_t p, uint64_t of) { return p * p >= of; });

    outside = false;
    __syncthreads();
    const uint64_t again =
        search::search(storage, root / 2, root + 1000, square, [](uint64_t p, uint64_t of) {
            const double exact = sqrt((double)of);

            if ((double)p < exact / 2 - 2 || (double)p > exact + 1002) {
                outside = true;
            }
            return p * p >= of;
        });

    __syncthreads();
    if (q < count) {
        out[q] = again == root && !outside ? root : 0;
    }
}

template <int THREADS, int LANES, typename T>
static void check_shape(const char *what, const device_array<T> &array,
                        const device_array<uint64_t> &queries,
                        const std::vector<uint64_t> &expected)
{
    const uint32_t count = (uint32_t)expected.size();
    device_array<uint64_t> found(count);
    char name[100];

    must_cuda(cudaMemset(found.data, 0xff, count * sizeof(uint64_t)));
    search_array<THREADS, LANES><<<(count * LANES + THREADS - 1) / THREADS, THREADS>>>(
        array.data, array.size, queries.data, count, found.data);
    snprintf(name, sizeof(name), "%s, %d threads, %d lanes, %zu values of %zu bytes", what, THREADS,
             LANES, array.size, sizeof(T));
    check_array(name, found, expected);
}

template <typename T>
static void check_queries(const char *what, const std::vector<uint64_t> &values,
                          std::vector<uint64_t> x)
{
    std::vector<uint64_t> expected;

    std::sort(x.begin(), x.end());
    for (uint64_t query : x) {
        expected.push_back(
            (uint64_t)(std::lower_bound(values.begin(), values.end(), query) - values.begin()));
    }
    const device_array<T> array(std::vector<T>(values.begin(), values.end()));
    const device_array<uint64_t> queries(x);
    check_shape<32, 1>(what, array, queries, expected);
    check_shape<32, 32>(what, array, queries, expected);
    check_shape<64, 2>(what, array, queries, expected);
    check_shape<96, 4>(what, array, queries, expected);
    check_shape<256, 1>(what, array, queries, expected);
    check_shape<256, 8>(what, array, queries, expected);
    check_shape<512, 16>(what, array, queries, expected);
    check_shape<1024, 1>(what, array, queries, expected);
    check_shape<1024, 32>(what, array, queries, expected);
}

/* Values of either width. */
template <typename T> static void check_arrays(void)
{
    static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 1000, 65537, LARGEST};
    static const uint64_t widest[] = {1u << 31, 1000, 1}; /* of the values, the more equal ones */
    uint64_t state = 1;

    for (size_t n : sizes) {
        if (small_run() > 1 && n != 33 && n != 1000) {
            continue;
        }
        for (uint64_t wide : widest) {
            std::vector<uint64_t> values(n), far(MOST_QUERIES), near(777), same(100), one(1);

            for (uint64_t &v : values) {
                v = next_random(&state) % wide + 7;
            }
            std::sort(values.begin(), values.end());
            for (uint64_t &x : far) {
                x = next_random(&state) % (wide + 14);
            }
            for (uint64_t &x : near) {
                x = wide / 3 + next_random(&state) % (wide / 500 + 2);
            }
            std::fill(same.begin(), same.end(), n > 0 ? values[n / 2] : 5);
            one[0] = wide / 2;
            check_queries<T>("far", values, far);
            check_queries<T>("near", values, near);
            check_queries<T>("same", values, same);
            check_queries<T>("one", values, one);
            check_queries<T>("below", values, {0, 1, 2, 3});
            check_queries<T>("above", values, {~0ull - 1, ~0ull});
        }
    }
}

START_TEST(arrays)
{
    check_arrays<uint32_t>();
    check_arrays<uint64_t>();
}

START_TEST(roots)
{
    std::vector<uint64_t> x(1000), expected(1000);
    uint64_t state = 2;

    for (size_t i = 0; i < x.size(); i++) {
        uint64_t root = i < 500 ? 5 + i : next_random(&state) >> 32;

        root = std::max<uint64_t>(root, 5);
        expected[i] = root;
    }
    std::sort(expected.begin(), expected.end());
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = expected[i] * expected[i] - (i % 2) * 2;
    }
    const device_array<uint64_t> queries(x), found(x.size());
    search_roots<<<(1000 + 31) / 32, 64>>>(queries.data, 1000, found.data);
    check_array("roots", found, expected);
}

TEST_CASES(alias_gpu_pary, 0, ONCE(arrays), ONCE(roots))
