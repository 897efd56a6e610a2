/*
 * gpu.cu - CSR, and ranges of the list, of the stream `rows` (ROWS.md) on a GPU.
 *
 * The host divides nodes of the tree until each has at most a fraction of a *wave*, the edges that
 * are made together.  expand_kernel() divides a wave's nodes of more than SMALL edges, one per
 * thread, level by level, into a list of small ones.  make_kernel() then finishes the small ones. A
 * warp keeps up to STACK nodes on a stack in shared memory, divides the upper 32 together, and
 * refills the stack from the list.  Cells of at most 32 edges go to a queue instead (cells.cuh).
 * Rows that have edges write their ends; a maximum scan gives the other pointers.
 *
 * The law of a bound node (ROWS.md) is computed again from the root on.  Unwanted edges of bound
 * cells are drawn again by the definition.  Other kernels, compiled from the same code, do this.
 *
 * To drop copies of edges, the kernels mark them and count the remaining edges of each row.  The
 * sum of these counts gives the pointers, and the remaining edges move to the front.
 *
 * If rows are only counted, the same walks end at the rows.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/gpu.h"
#include "rmat/rows/kernels.cuh"
#include "rmat/rows/upload.cuh"
#include "rmat/try.h"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>

namespace
{

int fail(cudaError_t error)
{
    return rmat_gpu_status(error);
}

/* Sets the parameters of the kernels. */
int describe_job(job &j, const rmat_rows_part *part, memory &m)
{
    rmat_rows_view v, *view;

    RMAT_OR_RETURN(upload_view(part->view, part->tables, m, &v, &view));
    j.view = view;
    j.fast = v.fast;
    j.tables = part->tables;
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
    j.pointers = part->pointers != NULL ? part->pointers - part->begin : NULL;
    j.dst = (char *)part->dst - part->first * (uint64_t)part->id_bytes;
    j.src = part->src != NULL ? (char *)part->src - part->first * (uint64_t)part->id_bytes : NULL;
    j.narrow = part->id_bytes == 4;
    j.first = part->first;
    j.last = part->last;
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

template <typename Bits, wanted what, bool one_table, bool bound> maker maker_of()
{
    return {expand_kernel<Bits, bound>, make_kernel<Bits, what, one_table, bound>,
            sizeof(small_node<Bits>), warps<Bits> * 32,
            warps<Bits> * sizeof(warp_memory<Bits>) +
                (one_table ? RMAT_ROWS_TABLE * sizeof(uint32_t) : 0)};
}

maker choose_maker(const job &j, bool bound)
{
    if (j.counts != nullptr) {
        return bound      ? maker_of<uint64_t, COUNTS, false, true>()
               : j.narrow ? maker_of<uint32_t, COUNTS, false, false>()
                          : maker_of<uint64_t, COUNTS, false, false>();
    }
    if (bound) {
        return maker_of<uint64_t, LIST, false, true>();
    }
    if (j.pointers != nullptr && j.tables == 1 && (!j.narrow || j.levels <= BLOCK_BITS)) {
        return j.narrow ? maker_of<uint32_t, WHOLE_ROWS, true, false>()
                        : maker_of<uint64_t, WHOLE_ROWS, true, false>();
    }
    return maker_of<uint64_t, LIST, false, false>();
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
    rmat_rows_counts *counts; /* in host memory; or NULL */
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

/* Makes nodes [from, to) of the host, which are consecutive. *full: there was no room. */
int make_wave(work &w, const rmat_rows_node *from, const rmat_rows_node *to, bool *full, memory &m)
{
    const size_t most = (size_t)(to - from);
    const int row_steps = w.counts != NULL ? 0 : w.j.levels - w.j.dst_level;
    node *list = (node *)malloc((most + 1) * sizeof *list);
    uint32_t counters[COUNTERS] = {0}, n = 0;
    uint64_t sum = 0, nodes;
    int st = list != NULL && most < w.room ? RMAT_OK : RMAT_ERR_NOMEM, steps = 0;

    for (const rmat_rows_node *x = from; x < to && st == RMAT_OK; x++) {
        if (x->count == 0 || x->start >= w.j.last || x->start + x->count <= w.j.first) {
            continue;
        }
        const bool row = x->level == w.j.levels;
        const int below = w.j.levels - x->level + row_steps;

        if (row && w.counts != NULL) {
            if (x->start >= w.j.first) {
                rmat_rows_count_one(w.counts, x->count);
            }
            continue;
        }
        if (row && w.j.pointers != NULL && !w.j.unique) {
            const uint64_t end = x->start + x->count;

            st = fail(cudaMemcpyAsync(&w.j.pointers[x->prefix + 1], &end, sizeof end,
                                      cudaMemcpyHostToDevice, m.stream));
        }
        list[n++] = {x->start,
                     x->count,
                     x->prefix,
                     0,
                     (uint32_t)(row ? ROW + w.j.dst_level : x->level),
                     row ? w.j.row_state : 0};
        sum += x->count;
        steps = below > steps ? below : steps;
    }
    counters[LEVEL] = n;
    if (st == RMAT_OK) {
        st = fail(cudaMemcpyAsync(w.counters, counters, sizeof counters, cudaMemcpyHostToDevice,
                                  m.stream));
    }
    if (st == RMAT_OK && n > 0) {
        st = fail(cudaMemcpyAsync(w.in, list, n * sizeof *list, cudaMemcpyHostToDevice, m.stream));
    }
    nodes = n;
    for (int step = 0; step < steps && st == RMAT_OK; step++) {
        uint32_t *here = w.counters + (step % 2 == 0 ? LEVEL : OTHER_LEVEL);
        uint32_t *next = w.counters + (step % 2 == 0 ? OTHER_LEVEL : LEVEL);
        const uint64_t blocks = nodes / EXPANDERS + 1, all = 32 * (uint64_t)w.processors;
        node *other = w.out;

        st = fail(cudaMemsetAsync(next, 0, sizeof *next, m.stream));
        w.kernels.expand<<<(unsigned)(blocks < all ? blocks : all), EXPANDERS, 0, m.stream>>>(
            w.j, w.in, here, w.out, next, w.list, w.counters + SMALL_NODES, w.room, w.list_room,
            w.counters + FULL, from->start);
        w.out = w.in;
        w.in = other;
        nodes = 2 * nodes < sum / SMALL ? 2 * nodes : sum / SMALL;
    }
    if (st == RMAT_OK) {
        st = fail(cudaMemcpyAsync(counters, w.counters, sizeof counters, cudaMemcpyDeviceToHost,
                                  m.stream));
    }
    if (st == RMAT_OK) {
        st = fail(cudaStreamSynchronize(m.stream));
    }
    *full = counters[FULL] != 0;
    if (st == RMAT_OK && !*full && counters[SMALL_NODES] > 0) {
        w.kernels
            .make<<<(unsigned)w.blocks, (unsigned)w.kernels.threads, w.kernels.shared, m.stream>>>(
                w.j, w.list, w.counters + SMALL_NODES, w.counters + TAKEN, from->start);
        st = fail(cudaGetLastError());
    }
    free(list);
    return st;
}

/* The wanted rows of consecutive nodes. */
void rows_of(const rmat_rows_part *part, const rmat_rows_node *from, const rmat_rows_node *last,
             uint64_t *begin, uint64_t *end)
{
    uint64_t row;

    rmat_rows_span(part->view, from->level, from->prefix, begin, &row);
    rmat_rows_span(part->view, last->level, last->prefix, &row, end);
    *begin = *begin > part->begin ? *begin : part->begin;
    *end = *end < part->end ? *end : part->end;
}

/* Returns the end of a wave's nodes from `from` on: as many nodes as have `most` edges.  If rows
 * are only counted: as many as have room for their rows with any number of edges. */
size_t end_of_wave(const work &w, const rmat_rows_part *part, const rmat_rows_nodes *nodes,
                   size_t from, uint64_t most)
{
    const uint64_t start = nodes->list[from].start;
    size_t to = from + 1;

    for (; to < nodes->n; to++) {
        const uint64_t edges = nodes->list[to].start + nodes->list[to].count - start;
        uint64_t begin, end;

        rows_of(part, &nodes->list[from], &nodes->list[to], &begin, &end);
        if (edges > most && (w.counts == NULL || edges > UINT32_MAX || end - begin > w.room / 2)) {
            break;
        }
    }
    return to;
}

/* Makes the waves in order.  A wave without room starts again with half of its edges, and with
 * nothing counted.  There is always room for a single node, unless it is a row with more edges than
 * a 64th of a wave. */
int make_waves(const job &j, bool bound, const rmat_rows_part *part, const rmat_rows_nodes *nodes,
               uint64_t most, memory &m)
{
    work w{};
    rmat_rows_counts *before;

    w.j = j;
    w.counts = part->counts;
    RMAT_OR_RETURN(set_up_work(w, m, most, bound));
    RMAT_OR_RETURN(m.get(&before, 1));
    for (size_t from = 0, to; from < nodes->n; from = to) {
        const rmat_rows_counts counted = w.counts != NULL ? *w.counts : rmat_rows_counts{};
        bool full;

        if (nodes->list[from].count > UINT32_MAX &&
            w.counts == NULL) { /* small nodes count from the wave's first edge */
            return RMAT_ERR_RANGE;
        }
        if (w.counts != NULL) {
            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(before, j.counts, sizeof *before,
                                                cudaMemcpyDeviceToDevice, m.stream));
        }
        to = end_of_wave(w, part, nodes, from, most);
        RMAT_OR_RETURN(make_wave(w, nodes->list + from, nodes->list + to, &full, m));
        if (!full) {
            continue;
        }
        if (to == from + 1) {
            return RMAT_ERR_NOMEM;
        }
        if (w.counts != NULL) {
            *w.counts = counted;
            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(j.counts, before, sizeof *before,
                                                cudaMemcpyDeviceToDevice, m.stream));
        }
        if (j.unique) {
            uint64_t begin, end;

            rows_of(part, &nodes->list[from], &nodes->list[to - 1], &begin, &end);
            RMAT_CUDA_OR_RETURN(cudaMemsetAsync(j.pointers + begin + 1, 0,
                                                (end - begin) * sizeof *j.pointers, m.stream));
        }
        most /= 2;
        to = from;
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
int complete_pointers(const rmat_rows_part *part, memory &m)
{
    const uint64_t n = part->end - part->begin + 1;
    uint64_t *const p = part->pointers;
    const auto scan = [&](void *scratch, size_t *bytes) {
        return part->left != NULL ? rmat_rows_sum(scratch, bytes, p, n, m.stream)
                                  : cub::DeviceScan::InclusiveScan(scratch, *bytes, p, p,
                                                                   cuda::maximum<>{}, n, m.stream);
    };
    size_t bytes = 0;
    char *scratch;

    RMAT_CUDA_OR_RETURN(scan(NULL, &bytes));
    RMAT_OR_RETURN(m.get(&scratch, bytes));
    RMAT_CUDA_OR_RETURN(scan(scratch, &bytes));
    if (part->base != 0 && part->left == NULL) {
        subtract_kernel<<<(unsigned)(n / 256 < 4096 ? n / 256 + 1 : 4096), 256, 0, m.stream>>>(
            p, n, part->base);
    }
    return fail(cudaGetLastError());
}

template <typename Id> struct is_left {
    __device__ bool operator()(Id dst) const
    {
        return dst != ~(Id)0;
    }
};

/* Moves the remaining edges to the front. */
template <typename Id> int close_gaps(const rmat_rows_part *part, memory &m)
{
    Id *const dst = (Id *)part->dst;
    const int64_t n = (int64_t)(part->last - part->first);
    uint64_t *left;
    char *scratch;
    size_t bytes = 0;

    RMAT_OR_RETURN(m.get(&left, 1));
    RMAT_CUDA_OR_RETURN(cub::DeviceSelect::If(NULL, bytes, dst, left, n, is_left<Id>{}, m.stream));
    RMAT_OR_RETURN(m.get(&scratch, bytes));
    RMAT_CUDA_OR_RETURN(
        cub::DeviceSelect::If(scratch, bytes, dst, left, n, is_left<Id>{}, m.stream));
    return fail(cudaMemcpyAsync(part->left, left, sizeof *left, cudaMemcpyDeviceToHost, m.stream));
}

/* Adds the counts of a GPU, and the values that follow from them. */
int add_counts(const job &j, rmat_rows_counts *to, memory &m)
{
    rmat_rows_counts more;

    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(&more, j.counts, sizeof more, cudaMemcpyDeviceToHost, m.stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(m.stream));
    to->rows += more.rows;
    to->edges += more.edges;
    to->largest = more.largest > to->largest ? more.largest : to->largest;
    for (uint64_t i = 0; i < RMAT_ROWS_FEW; i++) {
        to->few[i] += more.few[i];
        to->rows += more.few[i];
        to->edges += i * more.few[i];
        to->largest = more.few[i] > 0 && i > to->largest ? i : to->largest;
    }
    for (int i = 0; i < 64; i++) {
        to->many[i] += more.many[i];
    }
    return RMAT_OK;
}

int make_part(const rmat_rows_part *part, rmat_rows_nodes *nodes, memory &m)
{
    const bool bound = !rmat_rows_all_plain(part->view);
    const uint64_t zero = 0, edges = part->last - part->first;
    const uint64_t most = edges < WAVE ? edges : (uint64_t)WAVE; /* of a wave */
    job j;

    RMAT_OR_RETURN(describe_job(j, part, m));
    j.counts = NULL;
    if (part->counts != NULL) {
        RMAT_OR_RETURN(m.get(&j.counts, 1));
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(j.counts, 0, sizeof *j.counts, m.stream));
    }
    RMAT_OR_RETURN(rmat_rows_cut(part->view, part->begin, part->end,
                                 most / (part->counts != NULL ? 8 : 64) + 4096, nodes));
    if (part->pointers != NULL) {
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(
            part->pointers, 0, (part->end - part->begin + 1) * sizeof(uint64_t), m.stream));
        RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(part->pointers, j.unique ? &zero : &part->first,
                                            sizeof part->first, cudaMemcpyHostToDevice, m.stream));
    }
    RMAT_OR_RETURN(make_waves(j, bound, part, nodes, most, m));
    if (part->counts != NULL) {
        return add_counts(j, part->counts, m);
    }
    if (part->pointers != NULL) {
        RMAT_OR_RETURN(complete_pointers(part, m));
    }
    return part->left == NULL ? RMAT_OK
           : j.narrow         ? close_gaps<uint32_t>(part, m)
                              : close_gaps<uint64_t>(part, m);
}

} // namespace

cudaError_t rmat_rows_sum(void *scratch, size_t *bytes, uint64_t *x, uint64_t n,
                          cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(scratch, *bytes, x, x, n, stream);
}

extern "C" int rmat_gpu_rows_part(const rmat_rows_part *part, void *stream)
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
