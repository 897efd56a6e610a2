/* The same interval on CPU and GPU, compared (gpu_interval_util.h). */
#include "tests/support/gpu_interval_util.h"
#include "rmat/model/generator.h"
#include "tests/support/interval_bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

both both_create(const rmat_config *config, const char *name, uint64_t edges)
{
    both made = {.name = name}, *b = &made;

    for (int k = 0; k < BACKENDS; k++) {
        rmat_config c = *config;

        c.backend = k == GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
        c.threads = 2;
        must_ok(rmat_create(&b->gen[k], &c));
        must_ok(rmat_interval_create(&b->interval[k], b->gen[k], interval_bytes(b->gen[k], edges)));
    }
    return made;
}

void both_destroy(both *b)
{
    for (int k = 0; k < BACKENDS; k++) {
        rmat_interval_destroy(b->interval[k]);
        rmat_destroy(b->gen[k]);
    }
}

/* In three calls, the last part first. */
int fill_interval(rmat_interval *interval, const rmat_cell *first, const rmat_cell *end, int unique,
                  uint64_t from, uint64_t count)
{
    const uint64_t third = count / 3;
    int st = rmat_interval_begin(interval, first, end, unique);

    st = st ? st : rmat_interval_add(interval, from + 2 * third, count - 2 * third);
    st = st ? st : rmat_interval_add(interval, from, third);
    st = st ? st : rmat_interval_add(interval, from + third, third);
    return st ? st : rmat_interval_sort(interval);
}

static void check_counts(const both *b)
{
    uint64_t edges[BACKENDS], lower[BACKENDS];

    for (int k = 0; k < BACKENDS; k++) {
        edges[k] = rmat_interval_edges(b->interval[k]);
        must_ok(rmat_interval_lower(b->interval[k], &lower[k]));
    }
    must(edges[CPU] == edges[GPU], "%s: %" PRIu64 " edges, not %" PRIu64, b->name, edges[GPU],
         edges[CPU]);
    must(lower[CPU] == lower[GPU], "%s: lower: %" PRIu64 ", not %" PRIu64, b->name, lower[GPU],
         lower[CPU]);
}

/* Edges [first, first + n) in every choice and width, and from the device, from two streams. */
static void check_edges(const both *b, uint64_t first, uint64_t n)
{
    const rmat_config *c = &b->gen[CPU]->config;
    const int narrow = c->rows_scale <= 32 && c->cols_scale <= 32;
    char *host[BACKENDS] = {must_alloc(n + 1, 24), must_alloc(n + 1, 24)};
    char *device = on_device(NULL, 24 * n + 24);
    cudaStream_t streams[2];

    must_cuda(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    must_cuda(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (int bytes = narrow ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int choice = 1; choice < (c->weights ? 8 : 4); choice++) {
            const uint64_t half = n / 2;

            for (int way = 0; way < 3; way++) {
                char *base = way == 2 ? device : host[way], *src = base, *dst = src + 8 * n;
                char *weight = dst + 8 * n;
                const rmat_arrays to = {choice & 1 ? src : NULL, choice & 2 ? dst : NULL,
                                        choice & 4 ? weight : NULL, bytes};
                const rmat_arrays rest = {choice & 1 ? src + (size_t)bytes * half : NULL,
                                          choice & 2 ? dst + (size_t)bytes * half : NULL,
                                          choice & 4 ? weight + 4 * half : NULL, bytes};

                if (way < 2) {
                    memset(base, 0x5A, 24 * n + 1);
                    must_ok(rmat_interval_read(b->interval[way], first, n, &to));
                } else {
                    must_cuda(cudaMemset(device, 0x5A, 24 * n + 1));
                    must_cuda(cudaDeviceSynchronize());
                    must_ok(
                        rmat_interval_read_device(b->interval[GPU], first, half, &to, streams[0]));
                    must_ok(rmat_interval_read_device(b->interval[GPU], first + half, n - half,
                                                      &rest, streams[1]));
                    must_cuda(cudaDeviceSynchronize());
                    must_cuda(cudaMemcpy(host[GPU], device, 24 * n + 1, cudaMemcpyDeviceToHost));
                }
                must(way == 0 || memcmp(host[CPU], host[GPU], 24 * n + 1) == 0,
                     "%s: %" PRIu64 " edges from %" PRIu64 ", %d bytes, choice %d, way %d", b->name,
                     n, first, bytes, choice, way);
            }
        }
    }
    must_cuda(cudaStreamDestroy(streams[0]));
    must_cuda(cudaStreamDestroy(streams[1]));
    must_cuda(cudaFree(device));
    free(host[CPU]);
    free(host[GPU]);
}

static void check_pointers(const both *b, uint64_t first, uint64_t n)
{
    uint64_t *host[BACKENDS] = {must_alloc(n + 1, 8), must_alloc(n + 1, 8)};
    uint64_t *device = on_device(NULL, 8 * n + 8);

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_interval_pointers(b->interval[k], first, n, 1000, host[k]));
    }
    must(memcmp(host[CPU], host[GPU], 8 * n) == 0, "%s: %" PRIu64 " pointers from %" PRIu64,
         b->name, n, first);
    must_ok(rmat_interval_pointers_device(b->interval[GPU], first, n, 1000, device, NULL));
    must_cuda(cudaMemcpy(host[GPU], device, 8 * n, cudaMemcpyDeviceToHost));
    must(memcmp(host[CPU], host[GPU], 8 * n) == 0, "%s: %" PRIu64 " pointers from %" PRIu64,
         b->name, n, first);
    must_cuda(cudaFree(device));
    free(host[CPU]);
    free(host[GPU]);
}

static void check_before(const both *b, const rmat_cell *cells, uint64_t n)
{
    uint64_t *counts[BACKENDS] = {must_alloc(n, 8), must_alloc(n, 8)};

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_interval_before(b->interval[k], n, cells, counts[k]));
    }
    must(memcmp(counts[CPU], counts[GPU], 8 * n) == 0, "%s: before", b->name);
    free(counts[CPU]);
    free(counts[GPU]);
}

/* Some cells of the graph, most of them of edges of the stream, with the first and the last one. */
void some_cells(const both *b, rmat_cell *cells)
{
    const rmat_view *v = &b->gen[CPU]->view;
    uint64_t src[CELLS], dst[CELLS];

    must_ok(rmat_generate(b->gen[CPU], 0, CELLS, src, dst));
    for (int i = 0; i < CELLS; i++) {
        cells[i] = i % 5 ? (rmat_cell){src[i], dst[i]}
                         : (rmat_cell){src[i] - (src[i] > 0), dst[CELLS - 1 - i]};
    }
    cells[0] = (rmat_cell){0, 0};
    cells[1] = (rmat_cell){v->rows, 0};
    cells[2] = (rmat_cell){v->rows - 1, v->cols - 1};
}

/* All that can be asked of two intervals. */
void check_intervals(const both *b)
{
    const uint64_t rows = b->gen[CPU]->view.rows, n = rmat_interval_edges(b->interval[CPU]);
    rmat_cell cells[CELLS], c;

    some_cells(b, cells);
    check_counts(b);
    check_before(b, cells, CELLS);
    check_edges(b, 0, n);
    check_edges(b, n / 3, n / 2);
    check_pointers(b, 0, rows < 5000 ? rows + 1 : 5000);
    check_pointers(b, rows < 3000 ? 0 : rows - 2999, rows < 3000 ? rows : 3000);
    if (n) {
        const rmat_arrays to = {&c.src, &c.dst, NULL, 8};

        must_ok(rmat_interval_read(b->interval[CPU], n / 2, 1, &to));
        check_pointers(b, c.src - (c.src ? 1 : 0), rows - c.src < 4000 ? rows - c.src : 4000);
    }
}

int compare_cells(const void *x, const void *y)
{
    const rmat_cell *a = x, *b = y;

    return a->src != b->src ? (a->src < b->src ? -1 : 1) : a->dst < b->dst ? -1 : a->dst > b->dst;
}

rmat_cell cell_behind(const both *b, rmat_cell c)
{
    c.dst++;
    return c.dst < b->gen[CPU]->view.cols ? c : (rmat_cell){c.src + 1, 0};
}

rmat_config square_graph(int scale, int permute)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = scale;
    c.permute = permute;
    return c;
}
