/* A sorted interval compared with a pass over the stream that knows nothing of intervals. */
#include "apps/bench/gpu_kernels.h"
#include "rmat/model/fingerprint.h"
#include "rmat/rmat_device.cuh"

enum { THREADS = 256, BLOCKS = 4096 };

struct sums {
    unsigned long long edges, fingerprint, missing, unsorted;
};

static __device__ __forceinline__ bool is_below(uint64_t s, uint64_t d, uint64_t t, uint64_t e)
{
    return s < t || (s == t && d < e);
}

/* Of the edges of the interval: how many, their fingerprint; unique: each one once, found in the
 * arrays, where it is marked. */
struct interval_check {
    struct state {
        uint64_t edges, fingerprint, missing;
    };
    rmat_cell low, high; /* of the interval */
    const uint64_t *src, *dst;
    uint64_t n;
    uint32_t *marks; /* NULL: not unique */
    sums *total;

    __device__ __forceinline__ void begin(state &s) const
    {
        s.edges = s.fingerprint = s.missing = 0;
    }
    __device__ __forceinline__ void operator()(state &s, uint64_t, uint64_t u, uint64_t v) const
    {
        if (is_below(u, v, low.src, low.dst) || !is_below(u, v, high.src, high.dst)) {
            return;
        }
        if (marks != NULL) {
            uint64_t from = 0, to = n;

            while (from < to) {
                const uint64_t middle = from + (to - from) / 2;

                if (is_below(src[middle], dst[middle], u, v)) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            if (from == n || src[from] != u || dst[from] != v) {
                s.missing++;
                return;
            }
            if (atomicOr(&marks[from / 32], 1u << from % 32) >> from % 32 & 1) {
                return;
            }
        }
        s.edges++;
        s.fingerprint += rmat_edge_hash(u, v);
    }
    __device__ __forceinline__ void add_up(unsigned long long *to, uint64_t value) const
    {
        for (int lane = 16; lane > 0; lane /= 2) {
            value += __shfl_down_sync(0xffffffffu, value, lane);
        }
        if (threadIdx.x % 32 == 0 && value != 0) {
            atomicAdd(to, (unsigned long long)value);
        }
    }
    __device__ __forceinline__ void end(state &s) const
    {
        add_up(&total->edges, s.edges);
        add_up(&total->fingerprint, s.fingerprint);
        add_up(&total->missing, s.missing);
    }
};

/* Edges that do not lie behind the one before (unique), or lie before it, or outside. */
static __global__ void __launch_bounds__(THREADS)
    order_kernel(const uint64_t *src, const uint64_t *dst, uint64_t n, rmat_cell first,
                 rmat_cell end, bool unique, sums *total)
{
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) {
        const uint64_t u = src[i], v = dst[i];
        bool wrong = is_below(u, v, first.src, first.dst) || !is_below(u, v, end.src, end.dst);

        if (i > 0) {
            wrong |= unique ? !is_below(src[i - 1], dst[i - 1], u, v)
                            : is_below(u, v, src[i - 1], dst[i - 1]);
        }
        if (wrong) {
            atomicAdd(&total->unsorted, 1ull);
        }
    }
}

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static int compare(const rmat_gen *gen, const rmat_interval *b, const interval_check &check,
                   uint64_t *src, uint64_t *dst, uint64_t stream, bool *right)
{
    const rmat_arrays to = {src, dst, NULL, 8};
    unsigned long long *fingerprint = (unsigned long long *)(check.total + 1);
    struct {
        sums total;
        unsigned long long fingerprint;
    } found;
    int st = rmat_interval_read_device(b, 0, check.n, &to, NULL);

    if (st == RMAT_OK) {
        order_kernel<<<BLOCKS, THREADS>>>(src, dst, check.n, check.low, check.high,
                                          check.marks != NULL, check.total);
        st = rmat_gpu_launched();
    }
    if (st == RMAT_OK) {
        st = rmat_fingerprint_device(src, dst, check.n, 8, (uint64_t *)fingerprint, NULL);
    }
    if (st == RMAT_OK) {
        st = rmat_for_each_edge(gen, 0, stream, check, 0);
    }
    if (st == RMAT_OK) {
        st = cuda(cudaMemcpy(&found, check.total, sizeof found, cudaMemcpyDeviceToHost));
    }
    *right = st == RMAT_OK && found.total.edges == check.n &&
             found.total.fingerprint == found.fingerprint && found.total.missing == 0 &&
             found.total.unsorted == 0;
    return st;
}

extern "C" int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
                          const rmat_cell *end, uint64_t stream, bool unique, bool *right)
{
    const uint64_t n = rmat_interval_edges(b);
    uint64_t *ids = NULL;
    uint32_t *marks = NULL;
    sums *total = NULL;
    int st = cuda(cudaMalloc(&ids, (2 * n + 1) * sizeof *ids));

    if (st == RMAT_OK) {
        st = cuda(cudaMalloc(&total, 2 * sizeof *total));
    }
    if (st == RMAT_OK) {
        st = cuda(cudaMemset(total, 0, 2 * sizeof *total));
    }
    if (st == RMAT_OK && unique) {
        st = cuda(cudaMalloc(&marks, (n / 32 + 1) * sizeof *marks));
    }
    if (st == RMAT_OK && unique) {
        st = cuda(cudaMemset(marks, 0, (n / 32 + 1) * sizeof *marks));
    }
    if (st == RMAT_OK) {
        st = compare(gen, b, {*first, *end, ids, ids + n, n, marks, total}, ids, ids + n, stream,
                     right);
    }
    (void)cudaFree(ids);
    (void)cudaFree(marks);
    (void)cudaFree(total);
    return st;
}
