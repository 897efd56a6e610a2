/*
 * unique.cu - drops the copies of edges from CSR in the memory of a GPU, whose rows are sorted.
 *
 * An edge is kept if it is the first of its row or differs from the one before it.  A bit for each
 * edge says so, and the number of kept ones before each part of PART edges is known: so the new
 * place of an edge, or of a row's first one, is this number plus the ones of at most PART bits.
 * Edges move to lower places, segment by segment through a buffer, for a segment's places may
 * be read until all of it is in the buffer.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/gpu.h"
#include "rmat/try.h"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

namespace
{

enum {
    PART = 1024, /* edges: 32 words of bits, a line of the cache */
    WORDS = PART / 32,
    THREADS = 256,
    SEGMENT = 1 << 26 /* edges */
};

unsigned blocks_for(uint64_t items)
{
    const uint64_t blocks = (items + THREADS - 1) / THREADS;

    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

/* Sets the bit of each row's first edge. */
__global__ void mark_kernel(const uint64_t *pointers, uint64_t rows, uint32_t *bits)
{
    for (uint64_t r = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; r < rows;
         r += gridDim.x * (uint64_t)blockDim.x) {
        const uint64_t first = pointers[r];

        if (first < pointers[r + 1]) {
            atomicOr(&bits[first / 32], 1u << first % 32);
        }
    }
}

/* Adds the bits of edges that differ from the one before; a warp counts a part's kept ones. */
template <typename Id>
__global__ void keep_kernel(const Id *dst, uint64_t edges, uint32_t *bits, uint64_t *kept)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t warps = gridDim.x * (uint64_t)blockDim.x / 32, parts = (edges + PART - 1) / PART;

    for (uint64_t p = (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) / 32; p < parts;
         p += warps) {
        uint32_t mine = bits[p * WORDS + lane];

        for (int w = 0; w < WORDS; w++) {
            const uint64_t i = p * PART + (uint64_t)w * 32 + lane;
            const uint32_t differ = __ballot_sync(~0u, i < edges && i > 0 && dst[i] != dst[i - 1]);

            mine |= lane == (uint32_t)w ? differ : 0;
        }
        bits[p * WORDS + lane] = mine;
        const uint32_t sum = __reduce_add_sync(~0u, (uint32_t)__popc(mine));

        if (lane == 0) {
            kept[p] = sum;
        }
    }
}

/* How many edges are kept before this one. */
__device__ uint64_t place_of(const uint32_t *bits, const uint64_t *before, uint64_t edge)
{
    const uint64_t part = edge / PART, word = edge / 32;
    uint64_t place = before[part];

    for (uint64_t w = part * WORDS; w < word; w++) {
        place += (uint64_t)__popc(bits[w]);
    }
    return place + (uint64_t)__popc(bits[word] & ((1u << edge % 32) - 1));
}

__global__ void pointers_kernel(uint64_t *pointers, uint64_t n, uint64_t edges,
                                const uint32_t *bits, const uint64_t *before, uint64_t all)
{
    for (uint64_t r = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; r < n;
         r += gridDim.x * (uint64_t)blockDim.x) {
        pointers[r] = pointers[r] < edges ? place_of(bits, before, pointers[r]) : all;
    }
}

/* Edges [first, end), where first begins a part, into the buffer, without the copies. */
template <typename Id>
__global__ void collect_kernel(const Id *dst, uint64_t first, uint64_t end, const uint32_t *bits,
                               const uint64_t *before, Id *buffer)
{
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    const uint64_t warps = gridDim.x * (uint64_t)blockDim.x / 32, start = before[first / PART];

    for (uint64_t p = first / PART + (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) / 32;
         p * PART < end; p += warps) {
        uint64_t at = before[p] - start;

        for (int w = 0; w < WORDS; w++) {
            const uint64_t i = p * PART + (uint64_t)w * 32 + lane;
            const uint32_t word = bits[p * WORDS + (uint64_t)w];

            if (i < end && (word >> lane & 1) != 0) {
                buffer[at + (uint64_t)__popc(word & below)] = dst[i];
            }
            at += (uint64_t)__popc(word);
        }
    }
}

/* What is taken for a call, and given back. */
struct scratch {
    cudaStream_t stream;
    uint32_t *bits;
    uint64_t *kept, *before;
    void *buffer, *scan;
};

template <typename T> int get(scratch &s, T **to, size_t bytes)
{
    return rmat_gpu_status(cudaMallocAsync((void **)to, bytes, s.stream));
}

template <typename Id>
int drop_copies(scratch &s, uint64_t rows, uint64_t *pointers, Id *dst, uint64_t edges,
                uint64_t *left)
{
    const uint64_t parts = (edges + PART - 1) / PART;
    const uint64_t segment = edges < SEGMENT ? edges : (uint64_t)SEGMENT;
    size_t scan_bytes = 0;

    RMAT_OR_RETURN(get(s, &s.bits, parts * WORDS * sizeof *s.bits));
    RMAT_OR_RETURN(get(s, &s.kept, (parts + 1) * sizeof *s.kept));
    RMAT_OR_RETURN(get(s, &s.before, (parts + 1) * sizeof *s.before));
    RMAT_OR_RETURN(get(s, &s.buffer, segment * sizeof(Id)));
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s.bits, 0, parts * WORDS * sizeof *s.bits, s.stream));
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s.kept, 0, (parts + 1) * sizeof *s.kept, s.stream));
    mark_kernel<<<blocks_for(rows), THREADS, 0, s.stream>>>(pointers, rows, s.bits);
    keep_kernel<<<blocks_for(parts * 32), THREADS, 0, s.stream>>>(dst, edges, s.bits, s.kept);
    RMAT_CUDA_OR_RETURN(
        cub::DeviceScan::ExclusiveSum(NULL, scan_bytes, s.kept, s.before, parts + 1, s.stream));
    RMAT_OR_RETURN(get(s, &s.scan, scan_bytes));
    RMAT_CUDA_OR_RETURN(
        cub::DeviceScan::ExclusiveSum(s.scan, scan_bytes, s.kept, s.before, parts + 1, s.stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(left, s.before + parts, sizeof *left, cudaMemcpyDeviceToHost, s.stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s.stream));
    for (uint64_t first = 0; first < edges; first += segment) {
        const uint64_t end = edges - first < segment ? edges : first + segment;
        uint64_t place[2];

        for (int i = 0; i < 2; i++) {
            const uint64_t part = ((i == 0 ? first : end) + PART - 1) / PART;

            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(&place[i], s.before + part, sizeof place[i],
                                                cudaMemcpyDeviceToHost, s.stream));
        }
        RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s.stream));
        collect_kernel<<<blocks_for((end - first + 31) / 32), THREADS, 0, s.stream>>>(
            dst, first, end, s.bits, s.before, (Id *)s.buffer);
        RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(dst + place[0], s.buffer,
                                            (place[1] - place[0]) * sizeof(Id),
                                            cudaMemcpyDeviceToDevice, s.stream));
    }
    pointers_kernel<<<blocks_for(rows + 1), THREADS, 0, s.stream>>>(pointers, rows + 1, edges,
                                                                    s.bits, s.before, *left);
    return rmat_gpu_status(cudaGetLastError());
}

} // namespace

extern "C" int rmat_gpu_rows_unique(int device, uint64_t rows, uint64_t *pointers, void *dst,
                                    int id_bytes, uint64_t *edges)
{
    scratch s = {NULL, NULL, NULL, NULL, NULL, NULL};
    const uint64_t all = *edges;
    int before, made, ended;

    if (all == 0) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(rmat_alias_status(alias_gpu_enter(device, &before)));
    made = id_bytes == 4 ? drop_copies(s, rows, pointers, (uint32_t *)dst, all, edges)
                         : drop_copies(s, rows, pointers, (uint64_t *)dst, all, edges);
    ended = rmat_gpu_status(cudaStreamSynchronize(s.stream));
    for (void *block : {(void *)s.bits, (void *)s.kept, (void *)s.before, s.buffer, s.scan}) {
        if (block != NULL) {
            cudaFreeAsync(block, s.stream);
        }
    }
    alias_gpu_leave(before);
    return made != RMAT_OK ? made : ended;
}
