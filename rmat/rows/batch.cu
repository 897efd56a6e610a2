/*
 * batch.cu - rows of any vertices of the stream `rows` (ROWS.md) on a GPU.
 *
 * A thread walks down the tree to each vertex's row.  A scan of the rows' edges gives each row its
 * place.  Then cells, at first the rows, are divided level by level.  A warp takes 32 cells.  Each
 * lane divides its own if it has more than RMAT_ROWS_LEAF edges, and puts the halves into the next
 * level's list.  The whole warp makes the other cells one by one: a lane draws an edge, and its
 * place is the number of smaller ones.  Divided cells have more than RMAT_ROWS_LEAF edges each, so
 * a list never has more than a cell for each vertex, or one for each 16 edges.  All steps use the
 * functions of rows.h, so bound nodes need no other code.
 */
#include "rmat/model/gpu.h"
#include "rmat/rows/upload.cuh"

#include <cuda_runtime.h>

namespace
{

/* A cell with its place in the array. */
struct placed_cell {
    uint64_t start, prefix, src, at;
    uint64_t count_level_state; /* count << 16 | level << 8 | state */
};

__device__ placed_cell place_cell(const rmat_rows_cell &c, uint64_t src, uint64_t at)
{
    return {c.start, c.prefix, src, at, c.count << 16 | (uint32_t)c.level << 8 | (uint32_t)c.state};
}

__device__ rmat_rows_cell cell_of(const placed_cell &c)
{
    return {c.start, c.count_level_state >> 16, c.prefix, (int)(c.count_level_state >> 8 & 255),
            (int)(c.count_level_state & 255)};
}

__device__ uint64_t thread_number()
{
    return blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
}

/* The rows of vertices, as cells without a place; their numbers of edges go to offsets + 1. */
__global__ void find_kernel(const rmat_rows_view *v, const uint64_t *vertices, uint32_t count,
                            placed_cell *cells, uint64_t *offsets)
{
    for (uint64_t i = thread_number(); i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t row = vertices[i];
        rmat_rows_node node = rmat_rows_root(v);

        node.count = row < v->rows ? node.count : 0;
        while (node.level < v->levels && node.count > 0) {
            rmat_rows_node children[2];

            rmat_rows_divide(v, &node, children);
            node = children[node.level >= rmat_rows_src_level(v) &&
                            rmat_rows_bit(row, v->levels, node.level)];
        }
        cells[i] =
            place_cell({node.start, node.count, 0, rmat_rows_dst_level(v), v->state}, row, 0);
        offsets[i + 1] = node.count;
        if (i == 0) {
            offsets[0] = 0;
        }
    }
}

__global__ void place_kernel(placed_cell *cells, const uint64_t *offsets, uint32_t count)
{
    for (uint64_t i = thread_number(); i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        cells[i].at = offsets[i];
    }
}

/* Makes a cell of at most 32 edges, or of copies of one edge, by a whole warp. */
template <typename Id>
__device__ void make_cell(const rmat_rows_view *v, const placed_cell &placed, Id *dst)
{
    const rmat_rows_cell cell = cell_of(placed);
    const uint32_t lane = threadIdx.x % 32;
    uint32_t place = 0;
    uint64_t mine = 0;

    if (cell.level == v->levels) {
        for (uint64_t i = lane; i < cell.count; i += 32) {
            dst[placed.at + i] = (Id)cell.prefix;
        }
        return;
    }
    if (lane < cell.count) {
        mine = rmat_rows_destination(v, placed.src, &cell, cell.start + lane);
    }
    __syncwarp();
    for (uint32_t i = 0; i < cell.count; i++) {
        const uint64_t other = __shfl_sync(~0u, mine, i);

        place += other < mine || (other == mine && i < lane);
    }
    if (lane < cell.count) {
        dst[placed.at + place] = (Id)mine;
    }
}

/* A level's cells: halves of divided cells go to out. *n_out is 0 before. */
template <typename Id>
__global__ void __launch_bounds__(256)
    cells_kernel(const rmat_rows_view *v, const placed_cell *in, const uint32_t *n_in,
                 placed_cell *out, uint32_t *n_out, Id *dst)
{
    const uint32_t n = *n_in, lane = threadIdx.x % 32;

    /* Keeps whole warps together. */
    for (uint64_t i = thread_number(); i - lane < n; i += (uint64_t)gridDim.x * blockDim.x) {
        placed_cell own = {0, 0, 0, 0, 0};
        rmat_rows_cell cell;
        bool divided;

        if (i < n) {
            own = in[i];
        }
        cell = cell_of(own);
        divided = cell.count > RMAT_ROWS_LEAF && cell.level < v->levels;
        for (uint32_t left = __ballot_sync(~0u, cell.count > 0 && !divided); left != 0;
             left &= left - 1) {
            const int from = __ffs((int)left) - 1;
            const placed_cell c = {__shfl_sync(~0u, own.start, from),
                                   __shfl_sync(~0u, own.prefix, from),
                                   __shfl_sync(~0u, own.src, from), __shfl_sync(~0u, own.at, from),
                                   __shfl_sync(~0u, own.count_level_state, from)};

            make_cell(v, c, dst);
        }
        if (divided) {
            rmat_rows_cell children[2];

            rmat_rows_divide_cell(v, own.src, &cell, children);
            for (int d = 0; d < 2; d++) {
                if (children[d].count > 0) {
                    out[atomicAdd(n_out, 1)] =
                        place_cell(children[d], own.src, own.at + (d == 0 ? 0 : children[0].count));
                }
            }
        }
        __syncwarp();
    }
}

template <typename Id>
int make_cells(const rmat_rows_view *view, placed_cell *rows, const rmat_rows_batch *b,
               uint64_t edges, memory &m)
{
    const uint64_t most = edges / 16 > b->count ? edges / 16 : b->count;
    const unsigned blocks = (unsigned)(most / 256 < 4096 ? most / 256 + 1 : 4096);
    const uint32_t numbers[2] = {(uint32_t)b->count, 0};
    placed_cell *cells[2] = {rows, NULL};
    uint32_t *n; /* cells in either list */

    RMAT_OR_RETURN(m.get(&n, 2));
    RMAT_OR_RETURN(m.get(&cells[1], edges / 16 + 2));
    if (edges / 16 > b->count) { /* the second level's halves go to the rows' memory */
        RMAT_OR_RETURN(m.get(&cells[0], edges / 16 + 2));
        RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(cells[0], rows, b->count * sizeof *rows,
                                            cudaMemcpyDeviceToDevice, m.stream));
    }
    place_kernel<<<blocks, 256, 0, m.stream>>>(cells[0], b->offsets, (uint32_t)b->count);
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(n, numbers, sizeof numbers, cudaMemcpyHostToDevice, m.stream));
    for (int step = 0; step <= b->view->cols_scale; step++) {
        const int from = step % 2;

        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(n + !from, 0, sizeof *n, m.stream));
        cells_kernel<<<blocks, 256, 0, m.stream>>>(view, cells[from], n + from, cells[!from],
                                                   n + !from, (Id *)b->dst);
    }
    RMAT_CUDA_OR_RETURN(cudaGetLastError());
    return RMAT_OK;
}

int make_batch(const rmat_rows_batch *b, memory &m)
{
    const unsigned blocks = (unsigned)(b->count / 256 + 1);
    rmat_rows_view v, *view;
    placed_cell *rows;
    uint64_t edges = 0;
    size_t bytes = 0;
    char *scratch;

    if (b->count == 0) {
        return rmat_gpu_status(cudaMemsetAsync(b->offsets, 0, sizeof *b->offsets, m.stream));
    }
    RMAT_OR_RETURN(upload_view(b->view, b->tables, m, &v, &view));
    RMAT_OR_RETURN(m.get(&rows, b->count));
    find_kernel<<<blocks, 256, 0, m.stream>>>(view, b->vertices, (uint32_t)b->count, rows,
                                              b->offsets);
    RMAT_CUDA_OR_RETURN(rmat_rows_sum(NULL, &bytes, b->offsets, b->count + 1, m.stream));
    RMAT_OR_RETURN(m.get(&scratch, bytes));
    RMAT_CUDA_OR_RETURN(rmat_rows_sum(scratch, &bytes, b->offsets, b->count + 1, m.stream));
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(&edges, b->offsets + b->count, sizeof edges,
                                        cudaMemcpyDeviceToHost, m.stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(m.stream));
    if (edges > b->room) {
        return RMAT_ERR_FULL;
    }
    if (edges >> 35 != 0) { /* cells are numbered by 32 bits */
        return RMAT_ERR_RANGE;
    }
    return (b->id_bytes == 4 ? make_cells<uint32_t> : make_cells<uint64_t>)(view, rows, b, edges,
                                                                            m);
}

} // namespace

extern "C" int rmat_gpu_rows_batch(const rmat_rows_batch *batch, void *stream)
{
    memory m((cudaStream_t)stream);
    const int made = make_batch(batch, m), ended = rmat_gpu_status(cudaStreamSynchronize(m.stream));

    return made != RMAT_OK ? made : ended;
}
