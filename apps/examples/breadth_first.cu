/*
 * Breadth-first search over a graph that is not stored.  The graph is one of the stream `rows`
 * (rmat/ROWS.md), whose rows can be made one by one.  So only the levels of the vertices need
 * memory: 1 byte each, 16 GiB at scale 34.  The search follows edges from source to destination.
 *
 * rmat_rows_batch_device() makes the rows of a small frontier, and only those.  If the frontier has
 * more than one in RARE vertices, rmat_rows_csr_device() makes all rows in order, which is faster
 * per row, and only those of the frontier are read.
 *
 * usage: example_breadth_first [scale [edge factor [root [check]]]] With `check`, the program also
 * stores the graph in host memory, searches it there, and compares the levels.
 */
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_rows.h"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned long long u64;

enum { NEVER = 255, RARE = 512, BATCH = 1 << 24, LONG = 1 << 16 /* edges of a row */ };
static const uint64_t ROOM = (uint64_t)1 << 28; /* edges at a time; more than one row has */

static void must(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "example_breadth_first: %s: status %d %s\n", what, status,
                rmat_gpu_error());
        exit(1);
    }
}

template <typename T> static T *on_gpu(uint64_t count)
{
    T *memory;

    must(cudaMalloc(&memory, count * sizeof(T)), "memory on the GPU");
    return memory;
}

/* Lists the vertices of a level among [begin, end): their number goes to *n, the first `room` of
 * them to list. */
__global__ void gather(const uint8_t *level, uint64_t begin, uint64_t end, uint8_t depth,
                       uint64_t *list, uint64_t room, u64 *n)
{
    for (uint64_t v = begin + blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; v < end;
         v += (uint64_t)gridDim.x * blockDim.x) {
        if (level[v] == depth) {
            const u64 at = atomicAdd(n, 1);

            if (at < room) {
                list[at] = v;
            }
        }
    }
}

/* Each thread takes every step-th of the edges [from, end); they lead to the next level. */
__device__ void visit(const uint64_t *dst, uint64_t from, uint64_t end, uint64_t step,
                      uint8_t *level, uint8_t depth)
{
    for (uint64_t i = from; i < end; i += step) {
        if (level[dst[i]] == NEVER) {
            level[dst[i]] = depth + 1;
        }
    }
}

/* Follows the edges of `rows` rows, one warp per row.  Without a list, these are rows from `begin`
 * on whose source is at this level.  Rows of more than LONG edges are left to all threads: hubs has
 * their number, followed by the rows. */
__global__ void follow(const uint64_t *list, uint64_t begin, uint64_t rows, const uint64_t *offsets,
                       const uint64_t *dst, uint8_t *level, uint8_t depth, u64 *edges, u64 *hubs)
{
    const uint64_t warps = (uint64_t)gridDim.x * blockDim.x / 32, first = offsets[0];

    for (uint64_t r = (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) / 32; r < rows;
         r += warps) {
        if (list == NULL && level[begin + r] != depth) {
            continue;
        }
        if (threadIdx.x % 32 == 0) {
            atomicAdd(edges, offsets[r + 1] - offsets[r]);
        }
        if (offsets[r + 1] - offsets[r] <= LONG) {
            visit(dst, offsets[r] - first + threadIdx.x % 32, offsets[r + 1] - first, 32, level,
                  depth);
        } else if (threadIdx.x % 32 == 0) {
            hubs[1 + atomicAdd(hubs, 1)] = r;
        }
    }
}

__global__ void follow_hubs(const u64 *hubs, const uint64_t *offsets, const uint64_t *dst,
                            uint8_t *level, uint8_t depth)
{
    for (u64 h = 1; h <= hubs[0]; h++) {
        visit(dst, offsets[hubs[h]] - offsets[0] + blockIdx.x * (uint64_t)blockDim.x + threadIdx.x,
              offsets[hubs[h] + 1] - offsets[0], (uint64_t)gridDim.x * blockDim.x, level, depth);
    }
}

struct search {
    rmat_rows *rows;
    uint64_t vertices;
    uint8_t *level;
    uint64_t *list, *offsets, *dst;
    u64 *count, *edges, *hubs; /* in GPU memory */

    u64 gather_level(int depth)
    {
        u64 n;

        must(cudaMemset(count, 0, sizeof *count), "count");
        gather<<<4096, 256>>>(level, 0, vertices, (uint8_t)depth, list, BATCH, count);
        must(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost), "count");
        return n;
    }

    /* Follows rows that have been made. */
    void follow_rows(const uint64_t *of, uint64_t begin, uint64_t some, int depth)
    {
        must(cudaMemset(hubs, 0, sizeof *hubs), "hubs");
        follow<<<4096, 256>>>(of, begin, some, offsets, dst, level, (uint8_t)depth, edges, hubs);
        follow_hubs<<<1024, 256>>>(hubs, offsets, dst, level, (uint8_t)depth);
    }

    /* Follows the rows of a list of vertices, as many at a time as there is room for. */
    void follow_list(u64 n, int depth)
    {
        for (uint64_t from = 0, some = n; from < n; from += some) {
            int status;

            some = some < n - from ? some : n - from;
            while ((status = rmat_rows_batch_device(rows, some, list + from, offsets, ROOM, dst, 8,
                                                    NULL)) == RMAT_ERR_FULL &&
                   some > 1) {
                some /= 2;
            }
            must(status, "rows");
            follow_rows(list + from, 0, some, depth);
        }
    }

    void follow_all(int depth)
    {
        for (uint64_t from = 0, some = BATCH; from < vertices; from += some, some *= 2) {
            int status;

            some = some < BATCH ? some : (uint64_t)BATCH;
            some = some < vertices - from ? some : vertices - from;
            while ((status = rmat_rows_csr_device(rows, from, from + some, offsets, ROOM, dst, 8,
                                                  NULL)) == RMAT_ERR_FULL &&
                   some > 1) {
                some /= 2;
            }
            must(status, "rows");
            follow_rows(NULL, from, some, depth);
        }
    }
};

/* Compares the levels with those of the stored graph. */
static bool is_right(const rmat_rows *rows, uint64_t vertices, uint64_t edges, uint64_t root,
                     const std::vector<uint8_t> &found)
{
    std::vector<uint64_t> pointers(vertices + 1), dst(edges), queue(1, root);
    std::vector<uint8_t> level(vertices, (uint8_t)NEVER);

    must(rmat_rows_csr(rows, 0, vertices, pointers.data(), edges, dst.data(), NULL, 8), "graph");
    level[root] = 0;
    for (size_t i = 0; i < queue.size(); i++) {
        for (uint64_t e = pointers[queue[i]]; e < pointers[queue[i] + 1]; e++) {
            if (level[dst[e]] == NEVER) {
                level[dst[e]] = (uint8_t)(level[queue[i]] + 1);
                queue.push_back(dst[e]);
            }
        }
    }
    return level == found;
}

int main(int argc, char **argv)
{
    const int scale = argc > 1 ? atoi(argv[1]) : 20, factor = argc > 2 ? atoi(argv[2]) : 16;
    const uint64_t vertices = (uint64_t)1 << (scale & 63), edges = vertices * (uint64_t)factor;
    const uint64_t root = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const bool check = argc > 4 && strcmp(argv[4], "check") == 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    rmat_config config;
    search s = {};
    u64 reached = 0, followed;

    if (argc > 5 || (argc > 4 && !check) || scale < 1 || scale > 36 || factor < 1 ||
        factor > 4096 || root >= vertices) {
        fprintf(stderr, "usage: example_breadth_first [scale, 1 to 36 [edge factor, 1 to 4096 "
                        "[root [check]]]]\n");
        return 2;
    }
    if (rmat_gpu_count() == 0) {
        fprintf(stderr, "example_breadth_first: no GPU\n");
        return 1;
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    must(rmat_rows_create(&s.rows, &config, edges), "graph");
    s.vertices = vertices;
    s.level = on_gpu<uint8_t>(vertices);
    s.list = on_gpu<uint64_t>(BATCH);
    s.offsets = on_gpu<uint64_t>(BATCH + 1);
    s.dst = on_gpu<uint64_t>(ROOM);
    s.count = on_gpu<u64>(2);
    s.edges = s.count + 1;
    s.hubs = on_gpu<u64>(ROOM / LONG + 1);
    must(cudaMemset(s.level, NEVER, vertices), "levels");
    must(cudaMemset(s.level + root, 0, 1), "levels");
    must(cudaMemset(s.edges, 0, sizeof *s.edges), "count");
    for (int depth = 0; depth < NEVER - 1; depth++) {
        const u64 n = s.gather_level(depth);
        const bool few = n <= BATCH && n <= vertices / RARE;

        if (n == 0) {
            break;
        }
        reached += n;
        few ? s.follow_list(n, depth) : s.follow_all(depth);
        must(cudaMemcpy(&followed, s.edges, sizeof followed, cudaMemcpyDeviceToHost), "edges");
        printf("level %d: %llu vertices, %s; %.2f s\n", depth, n,
               few ? "their rows alone" : "all rows in order", seconds());
    }
    printf("%llu of %llu vertices by %llu edges in %.2f s: %.3g edges/s\n", reached, (u64)vertices,
           followed, seconds(), (double)followed / seconds());
    if (check) {
        std::vector<uint8_t> found(vertices);

        must(cudaMemcpy(found.data(), s.level, vertices, cudaMemcpyDeviceToHost), "levels");
        if (!is_right(s.rows, vertices, edges, root, found)) {
            fprintf(stderr,
                    "example_breadth_first: levels differ from those of the stored graph\n");
            return 1;
        }
        printf("levels as in the stored graph\n");
    }
    rmat_rows_destroy(s.rows);
    return 0;
}
