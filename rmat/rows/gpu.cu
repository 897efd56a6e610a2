/*
 * gpu.cu - the stream `rows` (ROWS.md) on a GPU: CSR, ranges of the list, and batches of rows.
 *
 * The host divides nodes of the tree until each has at most a fraction of a *wave*, the edges that
 * are made together.  expand_kernel() divides a wave's nodes of more than SMALL edges, one per
 * thread, level by level, into a list of small ones.  make_kernel() then finishes the small ones. A
 * warp keeps up to STACK nodes on a stack in shared memory, divides the upper 32 together, and
 * refills the stack from the list.  Cells of at most 32 edges go to a queue instead (kernels.cuh).
 * Rows that have edges write their ends; a maximum scan gives the other pointers.
 *
 * The law of a bound node (ROWS.md) is computed again from the root on.  Unwanted edges of bound
 * cells are drawn again by the definition.  Other kernels, compiled from the same code, do this.
 *
 * To drop copies of edges, the kernels mark them and count the remaining edges of each row.  The
 * sum of these counts gives the pointers, and the remaining edges move to the front.
 *
 * A batch of rows of any vertices has kernels of its own: a thread walks down the tree to each
 * vertex's row.  A scan of the rows' edges gives each row its place.  Then cells, at first the
 * rows, are divided level by level.  A warp takes 32 cells.  Each lane divides its own unless it is
 * a leaf, and puts the halves into the next level's list.  The whole warp makes the leaves one by
 * one: a lane draws an edge, and its place is the number of smaller ones.  All steps use the
 * functions of tree.h, so bound nodes need no other code.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/gpu.h"
#include "rmat/rows/kernels.cuh"
#include "rmat/try.h"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>

#include <memory>
#include <new>
#include <utility>

namespace
{

/* Memory allocated in stream order from a pool (NULL: the current GPU's), and freed at the end.  A
 * pool that gives back freed memory can cost more than a part of the graph: 27 ms per call if the
 * caller frees arrays in between, on a machine with two GPUs. */
struct memory {
    cudaStream_t stream;
    cudaMemPool_t pool;
    void *blocks[12];
    int n;

    explicit memory(cudaStream_t s, cudaMemPool_t p = NULL) : stream(s), pool(p), blocks{}, n(0)
    {
    }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory()
    {
        while (n > 0) {
            cudaFreeAsync(blocks[--n], stream);
        }
    }
    template <typename T> int get(T **to, size_t count)
    {
        const size_t bytes = count * sizeof(T) + 1;

        RMAT_CUDA_OR_RETURN(pool != NULL ? cudaMallocFromPoolAsync(&blocks[n], bytes, pool, stream)
                                         : cudaMallocAsync(&blocks[n], bytes, stream));
        *to = (T *)blocks[n++];
        return RMAT_OK;
    }
};

/* Copies the view and its tables, which are in host memory. *v is the copy, *on_gpu its place. */
int upload_view(const rmat_rows_view *view, memory &m, rmat_rows_view *v, rmat_rows_view **on_gpu)
{
    const size_t rows = (size_t)view->tables * RMAT_ROWS_TABLE;
    uint32_t *fast;
    uint64_t *full;

    RMAT_OR_RETURN(m.get(&fast, rows));
    RMAT_OR_RETURN(m.get(&full, rows));
    RMAT_OR_RETURN(m.get(on_gpu, 1));
    *v = *view;
    v->fast = fast;
    v->full = full;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(fast, view->fast, rows * sizeof *fast, cudaMemcpyHostToDevice, m.stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(full, view->full, rows * sizeof *full, cudaMemcpyHostToDevice, m.stream));
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(*on_gpu, v, sizeof *v, cudaMemcpyHostToDevice, m.stream));
    return rmat_gpu_status(cudaStreamSynchronize(m.stream)); /* *v may change from here on */
}

/* Calls a function of CUB with the scratch memory that it needs. */
template <typename Call> int with_scratch(memory &m, const Call &call)
{
    size_t bytes = 0;
    char *scratch;

    RMAT_CUDA_OR_RETURN(call((void *)NULL, bytes));
    RMAT_OR_RETURN(m.get(&scratch, bytes));
    return rmat_gpu_status(call((void *)scratch, bytes));
}

/* Replaces each of n elements x[i] by the sum of x[0 ... i]. */
int sum_up(uint64_t *x, uint64_t n, memory &m)
{
    return with_scratch(m, [&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, x, x, n, m.stream);
    });
}

/* --- Ranges --- */

/* Sets the parameters of the kernels. */
int describe_job(job &j, const rmat_rows_target *part, memory &m)
{
    rmat_rows_view v, *view;

    RMAT_OR_RETURN(upload_view(part->view, m, &v, &view));
    j.view = view;
    j.fast = v.fast;
    j.tables = v.tables;
    j.seed = v.seed;
    j.cols = v.cols;
    j.row_state = (uint32_t)v.state;
    j.levels = v.levels;
    j.src_level = rmat_rows_src_level(&v);
    j.dst_level = rmat_rows_dst_level(&v);
    for (int g = 0; g < RMAT_ROWS_GROUPS; g++) {
        j.table_of[g] = v.table_of[g];
    }
    for (int l = 0; l < v.levels; l++) {
        j.src_chance[l] = v.level[l].src;
        j.dst_chance[l][0] = v.level[l].dst[0];
        j.dst_chance[l][1] = v.level[l].dst[1];
    }
    j.first = part->range.first;
    j.last = part->range.end;
    j.pointers = part->pointers != NULL ? part->pointers - part->range.row_begin : NULL;
    j.dst = (char *)part->dst - j.first * (uint64_t)part->id_bytes;
    j.src = part->src != NULL ? (char *)part->src - j.first * (uint64_t)part->id_bytes : NULL;
    j.narrow = part->id_bytes == 4;
    j.unique = part->left != NULL;
    return RMAT_OK;
}

using expand_function = void (*)(job, const node *, const uint32_t *, node *, uint32_t *, void *,
                                 uint32_t *, uint32_t, uint32_t, uint32_t *, uint64_t);
using make_function = void (*)(job, const void *, const uint32_t *, uint32_t *, uint64_t);

/* The kernels that divide nodes and that make small ones; the shared memory and the block shape of
 * the latter. */
struct maker {
    expand_function expand;
    make_function make;
    size_t node_bytes;
    int threads;
    size_t shared;
};

template <typename Bits, bool whole, bool one_table, bool bound> maker maker_of()
{
    return {expand_kernel<Bits, bound>, make_kernel<Bits, whole, one_table, bound>,
            sizeof(small_node<Bits>), warps<Bits> * 32,
            warps<Bits> * sizeof(warp_memory<Bits>) +
                (one_table ? RMAT_ROWS_TABLE * sizeof(uint32_t) : 0)};
}

maker choose_maker(const job &j, bool bound)
{
    if (bound) {
        return maker_of<uint64_t, false, false, true>();
    }
    if (j.pointers != nullptr && j.tables == 1 && (!j.narrow || j.levels <= BLOCK_BITS)) {
        return j.narrow ? maker_of<uint32_t, true, true, false>()
                        : maker_of<uint64_t, true, true, false>();
    }
    return maker_of<uint64_t, false, false, false>();
}

/* The memory and the kernels of waves. */
struct work {
    job j;
    node *in, *out;
    char *list;
    uint32_t
        *counters; /* nodes of two levels, small nodes, small nodes taken, and a flag: no room */
    uint32_t room, list_room;
    int processors, blocks;
    maker kernels;
};

enum { LEVEL, OTHER_LEVEL, SMALL_NODES, TAKEN, FULL, COUNTERS };

int set_up_work(work &w, memory &m, uint64_t edges, bool bound)
{
    int device;

    /* Enough if the nodes of a level have 2 * SMALL edges on average, and for 0.02 small nodes per
     * edge.  A model has 0.014 by default. */
    w.room = (uint32_t)(edges / (2 * SMALL) + 4096);
    w.list_room = (uint32_t)(edges / 48 + 4096);
    w.kernels = choose_maker(w.j, bound);
    RMAT_OR_RETURN(m.get(&w.in, w.room));
    RMAT_OR_RETURN(m.get(&w.out, w.room));
    RMAT_OR_RETURN(m.get(&w.list, w.list_room * w.kernels.node_bytes));
    RMAT_OR_RETURN(m.get(&w.counters, COUNTERS));
    RMAT_CUDA_OR_RETURN(cudaGetDevice(&device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&w.processors, cudaDevAttrMultiProcessorCount, device));
    RMAT_CUDA_OR_RETURN(cudaFuncSetAttribute(
        w.kernels.make, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)w.kernels.shared));
    RMAT_CUDA_OR_RETURN(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &w.blocks, w.kernels.make, w.kernels.threads, w.kernels.shared));
    w.blocks = (w.blocks > 0 ? w.blocks : 1) * w.processors;
    return RMAT_OK;
}

/* The nodes of a wave in the GPU's form, except for those without a wanted edge.  Returns the most
 * levels below one of them, or a negative status.  Rows of the host write their pointers here. */
int list_nodes(const job &j, const rmat_rows_node *from, const rmat_rows_node *to, node *list,
               uint32_t *n, memory &m)
{
    int steps = 0;

    for (const rmat_rows_node *x = from; x < to; x++) {
        const bool row = x->level == j.levels;
        const int below = j.levels - x->level + j.levels - j.dst_level;
        const uint64_t end = x->start + x->count;

        if (x->count == 0 || x->start >= j.last || end <= j.first) {
            continue;
        }
        if (row && j.pointers != NULL && !j.unique) {
            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(&j.pointers[x->prefix + 1], &end, sizeof end,
                                                cudaMemcpyHostToDevice, m.stream));
        }
        list[(*n)++] = {x->start,
                        x->count,
                        x->prefix,
                        0,
                        (uint32_t)(row ? ROW + j.dst_level : x->level),
                        row ? j.row_state : 0};
        steps = below > steps ? below : steps;
    }
    return steps;
}

/* Makes nodes [from, to) of the host, which are consecutive. *full: there was no room. */
int make_wave(work &w, const rmat_rows_node *from, const rmat_rows_node *to, bool *full, memory &m)
{
    const size_t most = (size_t)(to - from);
    std::unique_ptr<node[]> list(new (std::nothrow) node[most]);
    uint32_t counters[COUNTERS] = {0}, *n = &counters[LEVEL];
    const uint64_t edges = to[-1].start + to[-1].count - from->start;
    uint64_t nodes;
    int steps;

    if (list == nullptr || most >= w.room) {
        return RMAT_ERR_NOMEM;
    }
    steps = list_nodes(w.j, from, to, list.get(), n, m);
    if (steps < 0) {
        return steps;
    }
    nodes = *n;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(w.counters, counters, sizeof counters, cudaMemcpyHostToDevice, m.stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(w.in, list.get(), nodes * sizeof(node), cudaMemcpyHostToDevice, m.stream));
    for (int step = 0; step < steps; step++) {
        uint32_t *here = w.counters + (step % 2 == 0 ? LEVEL : OTHER_LEVEL);
        uint32_t *next = w.counters + (step % 2 == 0 ? OTHER_LEVEL : LEVEL);
        const uint64_t blocks = nodes / EXPANDERS + 1, all = 32 * (uint64_t)w.processors;

        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(next, 0, sizeof *next, m.stream));
        w.kernels.expand<<<(unsigned)(blocks < all ? blocks : all), EXPANDERS, 0, m.stream>>>(
            w.j, w.in, here, w.out, next, w.list, w.counters + SMALL_NODES, w.room, w.list_room,
            w.counters + FULL, from->start);
        std::swap(w.in, w.out);
        nodes = 2 * nodes < edges / SMALL ? 2 * nodes : edges / SMALL;
    }
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(counters, w.counters, sizeof counters, cudaMemcpyDeviceToHost, m.stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(m.stream));
    *full = counters[FULL] != 0;
    if (!*full && counters[SMALL_NODES] > 0) {
        w.kernels
            .make<<<(unsigned)w.blocks, (unsigned)w.kernels.threads, w.kernels.shared, m.stream>>>(
                w.j, w.list, w.counters + SMALL_NODES, w.counters + TAKEN, from->start);
    }
    return rmat_gpu_status(cudaGetLastError());
}

/* Makes the waves in order: as many nodes as have `most` edges.  A wave without room starts again
 * with half of its edges.  There is always room for a single node, unless it is a row with more
 * edges than a 64th of a wave. */
int make_waves(const job &j, bool bound, const rmat_rows_target *part, const rmat_rows_nodes *nodes,
               uint64_t most, memory &m)
{
    work w{};

    w.j = j;
    RMAT_OR_RETURN(set_up_work(w, m, most, bound));
    for (size_t from = 0, to; from < nodes->n; from = to) {
        const rmat_rows_node *first = nodes->list + from;
        bool full;

        if (first->count > UINT32_MAX) { /* small nodes count from the wave's first edge */
            return RMAT_ERR_RANGE;
        }
        for (to = from + 1; to < nodes->n; to++) {
            if (nodes->list[to].start + nodes->list[to].count - first->start > most) {
                break;
            }
        }
        RMAT_OR_RETURN(make_wave(w, first, nodes->list + to, &full, m));
        if (full && to == from + 1) {
            return RMAT_ERR_NOMEM;
        }
        if (full && j.unique) { /* the rows of the wave have been counted in part */
            const rmat_rows_range *r = &part->range;
            const rmat_rows_node *last = &nodes->list[to - 1];
            uint64_t begin, end, row;

            rmat_rows_span(part->view, first->level, first->prefix, &begin, &row);
            rmat_rows_span(part->view, last->level, last->prefix, &row, &end);
            begin = begin > r->row_begin ? begin : r->row_begin;
            end = end < r->row_end ? end : r->row_end;
            RMAT_CUDA_OR_RETURN(cudaMemsetAsync(j.pointers + begin + 1, 0,
                                                (end - begin) * sizeof *j.pointers, m.stream));
        }
        if (full) {
            most /= 2;
            to = from;
        }
    }
    return RMAT_OK;
}

__global__ void subtract_kernel(uint64_t *x, uint64_t n, uint64_t y)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (uint64_t)blockDim.x) {
        x[i] -= y;
    }
}

/* Completes the pointers.  Input: the end of each row with edges, and 0 elsewhere; rows without
 * edges end where the previous row ends.  With the number of remaining edges of each row as input,
 * the pointers are their sums. */
int complete_pointers(const rmat_rows_target *part, memory &m)
{
    const uint64_t n = part->range.row_end - part->range.row_begin + 1;
    uint64_t *const p = part->pointers;

    if (part->left != NULL) {
        return sum_up(p, n, m);
    }
    RMAT_OR_RETURN(with_scratch(m, [&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(scratch, bytes, p, p, cuda::maximum<>{}, n, m.stream);
    }));
    if (part->base != 0) {
        subtract_kernel<<<(unsigned)(n / 256 < 4096 ? n / 256 + 1 : 4096), 256, 0, m.stream>>>(
            p, n, part->base);
    }
    return rmat_gpu_status(cudaGetLastError());
}

template <typename Id> struct is_left {
    __device__ bool operator()(Id dst) const
    {
        return dst != ~(Id)0;
    }
};

/* Moves the remaining edges to the front. */
template <typename Id> int close_gaps(const rmat_rows_target *part, memory &m)
{
    Id *const dst = (Id *)part->dst;
    const int64_t n = (int64_t)(part->range.end - part->range.first);
    uint64_t *left;

    RMAT_OR_RETURN(m.get(&left, 1));
    RMAT_OR_RETURN(with_scratch(m, [&](void *scratch, size_t &bytes) {
        return cub::DeviceSelect::If(scratch, bytes, dst, left, n, is_left<Id>{}, m.stream);
    }));
    return rmat_gpu_status(
        cudaMemcpyAsync(part->left, left, sizeof *left, cudaMemcpyDeviceToHost, m.stream));
}

int make_part(const rmat_rows_target *part, rmat_rows_nodes *nodes, memory &m)
{
    const rmat_rows_range *r = &part->range;
    const uint64_t zero = 0, edges = r->end - r->first;
    const uint64_t most = edges < WAVE ? edges : (uint64_t)WAVE; /* of a wave */
    job j;

    RMAT_OR_RETURN(describe_job(j, part, m));
    RMAT_OR_RETURN(rmat_rows_cut(part->view, r, most / 64 + 4096, nodes));
    if (part->pointers != NULL) {
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(
            part->pointers, 0, (r->row_end - r->row_begin + 1) * sizeof(uint64_t), m.stream));
        RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(part->pointers, j.unique ? &zero : &r->first,
                                            sizeof zero, cudaMemcpyHostToDevice, m.stream));
    }
    RMAT_OR_RETURN(make_waves(j, !rmat_rows_all_plain(part->view), part, nodes, most, m));
    if (part->pointers != NULL) {
        RMAT_OR_RETURN(complete_pointers(part, m));
    }
    return part->left == NULL ? RMAT_OK
           : j.narrow         ? close_gaps<uint32_t>(part, m)
                              : close_gaps<uint64_t>(part, m);
}

/* --- Batches --- */

/* A cell with its place in the array. */
struct placed_cell {
    uint64_t start, prefix, src, at;
    uint64_t count_level_state; /* count << 16 | level << 8 | state */
};

__device__ placed_cell place_cell(const rmat_rows_cell &c, uint64_t src, uint64_t at)
{
    return {c.start, c.prefix, src, at, c.count << 16 | (uint32_t)c.level << 8 | (uint32_t)c.state};
}

__device__ rmat_rows_cell take_cell(const placed_cell &c)
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
        rmat_rows_node found = {};

        if (row < v->rows) {
            found = rmat_rows_find(v, row);
        }
        cells[i] = place_cell(rmat_rows_row_cell(v, &found), row, 0);
        offsets[i + 1] = found.count;
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
__device__ void make_placed(const rmat_rows_view *v, const placed_cell &placed, Id *dst)
{
    const rmat_rows_cell cell = take_cell(placed);
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
        cell = take_cell(own);
        divided = cell.level < v->levels &&
                  !rmat_rows_is_leaf(v, own.src, cell.count, cell.level, cell.state);
        for (uint32_t left = __ballot_sync(~0u, cell.count > 0 && !divided); left != 0;
             left &= left - 1) {
            make_placed(v, in[i - lane + (uint32_t)__ffs((int)left) - 1], dst);
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

/* The most cells of a level's list, after the rows.  Most divided cells have more than
 * RMAT_ROWS_LEAF edges, so there is a half for each 16 edges.  Where wanted destinations may be
 * rare, a row has at most two bound cells on each level, which can be divided with fewer edges. */
uint64_t most_halves(const rmat_rows_batch *b, uint64_t edges)
{
    unsigned rare = 0;

    for (int l = 0; l < b->view->levels; l++) {
        rare |= b->view->state != 0 ? b->view->level[l].rare : 0;
    }
    return edges / 16 + 2 + (rare != 0 ? 4 * b->count : 0);
}

template <typename Id>
int make_batch_cells(const rmat_rows_view *view, placed_cell *rows, const rmat_rows_batch *b,
                     uint64_t edges, memory &m)
{
    const uint64_t halves = most_halves(b, edges), most = halves > b->count ? halves : b->count;
    const unsigned blocks = (unsigned)(most / 256 < 4096 ? most / 256 + 1 : 4096);
    const uint32_t numbers[2] = {(uint32_t)b->count, 0};
    placed_cell *cells[2] = {rows, NULL};
    uint32_t *n; /* cells in either list */

    RMAT_OR_RETURN(m.get(&n, 2));
    RMAT_OR_RETURN(m.get(&cells[1], halves));
    if (halves > b->count) { /* the second level's halves go to the rows' memory */
        RMAT_OR_RETURN(m.get(&cells[0], halves));
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

    if (b->count == 0) {
        return rmat_gpu_status(cudaMemsetAsync(b->offsets, 0, sizeof *b->offsets, m.stream));
    }
    RMAT_OR_RETURN(upload_view(b->view, m, &v, &view));
    RMAT_OR_RETURN(m.get(&rows, b->count));
    find_kernel<<<blocks, 256, 0, m.stream>>>(view, b->vertices, (uint32_t)b->count, rows,
                                              b->offsets);
    RMAT_OR_RETURN(sum_up(b->offsets, b->count + 1, m));
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(&edges, b->offsets + b->count, sizeof edges,
                                        cudaMemcpyDeviceToHost, m.stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(m.stream));
    if (edges > b->room) {
        return RMAT_ERR_FULL;
    }
    if (edges >> 35 != 0) { /* cells are numbered by 32 bits */
        return RMAT_ERR_RANGE;
    }
    return (b->id_bytes == 4 ? make_batch_cells<uint32_t>
                             : make_batch_cells<uint64_t>)(view, rows, b, edges, m);
}

} // namespace

extern "C" int rmat_gpu_rows_part(const rmat_rows_target *part, void *stream)
{
    rmat_rows_nodes nodes = {NULL, 0, 0};
    int device = part->gen != NULL ? rmat_used_device(part->gen) : -1, before, made, ended;

    RMAT_OR_RETURN(rmat_alias_status(alias_gpu_choose(&device)));
    RMAT_OR_RETURN(rmat_alias_status(alias_gpu_enter(device, &before)));
    {
        memory m((cudaStream_t)stream, part->gen != NULL ? rmat_gpu_pool(part->gen) : NULL);

        made = make_part(part, &nodes, m);
        ended = rmat_gpu_status(cudaStreamSynchronize(m.stream));
    }
    alias_gpu_leave(before);
    free(nodes.list);
    return made != RMAT_OK ? made : ended;
}

extern "C" int rmat_gpu_rows_batch(const rmat_rows_batch *batch, void *stream)
{
    memory m((cudaStream_t)stream);
    const int made = make_batch(batch, m), ended = rmat_gpu_status(cudaStreamSynchronize(m.stream));

    return made != RMAT_OK ? made : ended;
}
