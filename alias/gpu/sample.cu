/*
 * alias/gpu/sample.cu - draws from a table on a GPU: the numbers of draws of the sections, the
 * choice of a sampler, and draws into device and host memory.
 *
 * At 1e9 rows and one draw per row the sectioned sampler is as fast as memory: it reads 8 GB and
 * writes 4 GB in 3.08 ms on an H200.  Kernels that only copy as much take 3.01 to 3.06 ms.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu/rejection.cuh"
#include "alias/gpu/state.h"

/*
 * The number of draws of each section in a sectioned batch: the tree of alias/core/sections.h,
 * expanded in stages of up to nine levels.
 *
 * In each stage, a block expands one subtree level by level.  A group of threads tries the attempts
 * at each node's binomial variate together, because a level takes as long as its slowest variate.
 * Nodes are stored as the borders between their ranges of draws, so no prefix sum is needed.
 */
enum {
    STAGE_LEVELS = 9,
    STAGE_LEAVES = 1 << STAGE_LEVELS,
    GROUP = 4, /* threads for each variate */
    THREADS = 256
};

/* Expands node blockIdx.x of level from into the nodes of level to.  A node's draws begin at the
 * offset of its first section, which is how one stage passes its result to the next. */
static __global__ void __launch_bounds__(THREADS)
    expand_kernel(alias_sections layout, uint64_t seed, uint64_t first, uint64_t count, int from,
                  int to, uint64_t *offsets)
{
    __shared__ uint64_t borders[2][STAGE_LEAVES + 1];
    const uint64_t node = blockIdx.x;
    const uint32_t parallel = blockDim.x / GROUP, leader = threadIdx.x % GROUP == 0;
    const uint64_t *now = borders[0];
    uint64_t *next;

    alias_follow();
    if (threadIdx.x == 0) {
        const uint64_t begin = node << (layout.levels - from);
        const uint64_t end = (node + 1) << (layout.levels - from);

        borders[0][0] = from == 0 ? 0 : offsets[begin];
        borders[0][1] = end >= layout.sections ? count : offsets[end];
    }
    for (int level = from; level < to; level++) {
        const uint32_t nodes = 1u << (level - from);

        next = borders[(level - from + 1) & 1];
        __syncthreads();
        /* Warps without a node leave. */
        for (uint32_t base = 0; base + threadIdx.x / 32 * (32 / GROUP) < nodes; base += parallel) {
            const uint32_t i = base + threadIdx.x / GROUP;
            const bool exists = i < nodes;
            alias_section_node split = {0, 0, 0};
            uint64_t total = 0, left;
            bool random;

            if (exists) {
                split = alias_section_split(&layout, level, node * nodes + i);
                total = now[i + 1] - now[i];
            }
            random = total != 0 && split.left != split.all;
            left = alias_binomial_group<GROUP>(~0u, seed, first, split.node, total,
                                               random ? split.left : 0, random ? split.all : 1,
                                               random);
            if (exists && leader) {
                next[2 * i] = now[i];
                next[2 * i + 1] = now[i] + (random ? left : total);
                if (i + 1 == nodes) {
                    next[2 * nodes] = now[nodes];
                }
            }
        }
        now = next;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 1u << (to - from); i += blockDim.x) {
        const uint64_t s = ((node << (to - from)) + i) << (layout.levels - to);

        if (s < layout.sections && (i != 0 || from == 0)) {
            offsets[s] = now[i];
        }
    }
    if (from == 0 && threadIdx.x == 0) {
        offsets[layout.sections] = count;
    }
}

/* Starts the stages. */
static int expand_tree(const alias_sections *layout, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *offsets, cudaStream_t stream)
{
    const int levels = layout->levels, stages = levels / STAGE_LEVELS + 1;

    for (int stage = 0; stage < stages; stage++) {
        const int from = levels * stage / stages, to = levels * (stage + 1) / stages;
        const uint64_t blocks = (layout->sections - 1 >> (levels - from)) + 1;
        int threads = 32;

        while (threads < THREADS && threads < GROUP << (to - from) >> 1) {
            threads *= 2;
        }
        ALIAS_OR_RETURN(alias_launch(true, expand_kernel, (unsigned)blocks, threads, 0, stream,
                                     *layout, seed, first, count, from, to, offsets));
    }
    return ALIAS_OK;
}

static const alias_gpu_state *state_of(const alias_table *table)
{
    return (const alias_gpu_state *)table->gpu;
}

int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets)
{
    uint64_t *memory = NULL;
    int st;

    *layout = alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    st = alias_gpu_status(cudaMallocFromPoolAsync(
        (void **)&memory, (layout->sections + 1) * sizeof(*memory), state_of(table)->pool, stream));
    if (st == ALIAS_OK) {
        st = expand_tree(layout, seed, first, count, memory, stream);
        if (st != ALIAS_OK) {
            (void)cudaFreeAsync(memory, stream);
            memory = NULL;
        }
    }
    *offsets = memory;
    return st;
}

int alias_sections_end(uint64_t *offsets, cudaStream_t stream)
{
    return alias_gpu_status(cudaFreeAsync(offsets, stream));
}

static alias_sampler best_sections(const alias_table *table)
{
    alias_sections layout =
        alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    int shared = 0;

    (void)cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 state_of(table)->device);
    return alias_section_room(&layout) * (uint64_t)table->row_bytes <= (uint64_t)shared
               ? ALIAS_SAMPLER_SHARED
               : ALIAS_SAMPLER_LIMITED;
}

/*
 * The choice follows times measured on one H200, with 10^3 to 10^9 rows of 8 bytes and 10^4 to 10^9
 * draws.  The baseline takes at most 1/40 ns per draw and starts immediately.  The others first
 * compute the sections' numbers of draws (0.01 to 0.05 ms), and those in shared memory copy the
 * whole table once.  They break even at 7 million draws if the first-level cache holds the table,
 * at 3 million up to 10^7 rows, and at one draw per 12 rows beyond (22 with 10^9 rows).  Up to one
 * draw per 9 rows, and while draws are few, sections read through the cache are faster than copies
 * of them.
 *
 * The limit of the baseline never moves, because it decides which draws are made.  Another limit
 * would gain a fifth of the time at 3 million draws from 3 million rows.
 */
alias_sampler alias_gpu_best_sampler(const alias_table *table, uint64_t count)
{
    const uint64_t eights = table->n * ((uint64_t)table->row_bytes / 8);
    const uint64_t least = eights <= 32768 ? 7000000 : 3000000;

    if (count < least || count < eights / 22) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 12 && eights < 500000000) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 9) {
        return ALIAS_SAMPLER_CACHED;
    }
    return count < 5000000 ? ALIAS_SAMPLER_LIMITED : best_sections(table);
}

/* Draws into device memory: the samplers of alias/alias_device.cuh with an alias_store. */
template <typename T>
static int draw(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t first,
                uint64_t count, T *out, cudaStream_t stream)
{
    return alias_with_store(out, first, [&](auto store) {
        return alias_for_each_draw(table, sampler, seed, first, count, store, stream);
    });
}

int alias_gpu_sample_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                            uint64_t first, uint64_t count, void *out, bool wide, void *stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = wide ? draw(table, sampler, seed, first, count, (uint64_t *)out, on)
              : draw(table, sampler, seed, first, count, (uint32_t *)out, on);
    alias_gpu_leave(before);
    return st;
}

/*
 * Draws into host memory.
 *
 * The draws are made in batches that fit two buffers in device memory: one batch is drawn while the
 * previous one is copied back.  Each call has its own streams, so that calls from several threads
 * do not wait for one another.
 */
enum { BUFFER_BYTES = 1 << 24 };

struct host_draws {
    const alias_table *table;
    uint64_t seed, first, count;
    bool sectioned;
    alias_sections layout; /* of a sectioned batch, as offsets */
    uint64_t *offsets;
    cudaStream_t stream[2];
    void *buffer[2];
};

/* Starts positions [begin, last], both inclusive, of the call's draws. */
template <typename T>
static int draw_batch(const host_draws &j, uint64_t begin, uint64_t last, int slot)
{
    T *out = (T *)j.buffer[slot];
    alias_view view;

    if (!j.sectioned) {
        return draw(j.table, ALIAS_SAMPLER_BASELINE, j.seed, j.first + begin, last - begin + 1, out,
                    j.stream[slot]);
    }
    ALIAS_OR_RETURN(alias_get_view(j.table, &view));
    return alias_with_store(out, j.first + begin, [&](auto store) {
        using C = decltype(store);
        auto launch =
            view.row_bytes == 16 ? alias_launch_sections<true, C> : alias_launch_sections<false, C>;

        return launch(view, j.layout, j.offsets, best_sections(j.table), j.seed, j.first, begin,
                      last, store, j.stream[slot]);
    });
}

template <typename T> static int draw_and_copy(const host_draws &j, T *out)
{
    const uint64_t batch = BUFFER_BYTES / sizeof(T);
    uint64_t begin = 0;
    int slot, st = ALIAS_OK;

    for (slot = 0; begin < j.count; slot ^= 1) {
        uint64_t now = min(j.count - begin, batch);

        /* Waits for the copy out of this buffer.  A copy to pageable memory is complete when its
         * call returns; a copy to pinned memory is not. */
        ALIAS_GPU_TRY(cudaStreamSynchronize(j.stream[slot]));
        ALIAS_TRY(draw_batch<T>(j, begin, begin + (now - 1), slot));
        ALIAS_GPU_TRY(cudaMemcpyAsync(out + begin, j.buffer[slot], now * sizeof(T),
                                      cudaMemcpyDeviceToHost, j.stream[slot]));
        begin += now;
    }
done:
    for (slot = 0; slot < 2; slot++) {
        int end = alias_gpu_status(cudaStreamSynchronize(j.stream[slot]));

        st = st != ALIAS_OK ? st : end;
    }
    return st;
}

static int prepare_buffers(host_draws &j, uint64_t bytes)
{
    for (int slot = 0; slot < 2; slot++) {
        ALIAS_GPU_OR_RETURN(cudaStreamCreateWithFlags(&j.stream[slot], cudaStreamNonBlocking));
        ALIAS_GPU_OR_RETURN(cudaMallocFromPoolAsync(&j.buffer[slot], bytes, state_of(j.table)->pool,
                                                    j.stream[slot]));
    }
    if (j.sectioned) {
        ALIAS_OR_RETURN(alias_sections_begin(j.table, j.seed, j.first, j.count, j.stream[0],
                                             &j.layout, &j.offsets));
        ALIAS_GPU_OR_RETURN(cudaStreamSynchronize(j.stream[0]));
    }
    return ALIAS_OK;
}

static int sample_to_host(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                          void *out, bool wide, bool sectioned)
{
    const uint64_t size = wide ? 8 : 4;
    host_draws j = {table, seed, first, count, sectioned, {}, NULL, {}, {}};
    int before, slot, st = ALIAS_OK;

    if (count == 0) {
        return st;
    }
    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    ALIAS_TRY(prepare_buffers(j, min(count, BUFFER_BYTES / size) * size));
    ALIAS_TRY(wide ? draw_and_copy(j, (uint64_t *)out) : draw_and_copy(j, (uint32_t *)out));
done:
    if (j.offsets != NULL) {
        (void)alias_sections_end(j.offsets, j.stream[0]);
    }
    for (slot = 0; slot < 2; slot++) {
        if (j.buffer[slot] != NULL) {
            (void)cudaFreeAsync(j.buffer[slot], j.stream[slot]);
        }
        if (j.stream[slot] != NULL) {
            (void)cudaStreamDestroy(j.stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

int alias_gpu_sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                     void *out, bool wide)
{
    return sample_to_host(table, seed, first, count, out, wide, false);
}

int alias_gpu_sections(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       void *out, bool wide)
{
    return sample_to_host(table, seed, first, count, out, wide, true);
}
