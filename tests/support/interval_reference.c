/* Sorted intervals by qsort() of all edges (interval_reference.h): an edge belongs to an interval
 * if its cell lies between the bounds. */
#include "tests/support/interval_reference.h"
#include "rmat/model/generator.h"
#include "tests/support/models.h"

rmat_interval *interval_of(const rmat_gen *gen, uint64_t edges)
{
    rmat_interval *b;
    const int st = rmat_interval_create(&b, gen, interval_bytes(gen, edges));

    must(!st, "rmat_interval_create(): %s", rmat_strerror(st));
    return b;
}

int cell_below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

static int compare(const void *a, const void *b)
{
    return cell_below(b, a) - cell_below(a, b);
}

uint64_t reference_interval(const rmat_gen *gen, uint64_t first, uint64_t count,
                            const rmat_cell *from, const rmat_cell *end, int unique,
                            rmat_cell **cells)
{
    scoped(free) uint64_t *ids = must_alloc(2 * count + 1, sizeof *ids);
    uint64_t n = 0, kept = 0;
    rmat_cell *list = must_alloc(count + 1, sizeof *list);

    must(rmat_generate(gen, first, count, ids, ids + count) == RMAT_OK, "rmat_generate() failed");
    for (uint64_t i = 0; i < count; i++) {
        const rmat_cell c = {ids[i], ids[count + i]};

        if (!cell_below(&c, from) && cell_below(&c, end)) {
            list[n++] = c;
        }
    }
    qsort(list, n, sizeof *list, compare);
    for (uint64_t i = 0; i < n; i++) {
        if (!unique || i == 0 || compare(&list[i], &list[i - 1])) {
            list[kept++] = list[i];
        }
    }
    *cells = list;
    return kept;
}

rmat_cell *sorted_edges(const rmat_gen *gen, uint64_t *n, int unique)
{
    const rmat_cell begin = {0, 0}, end = {rows_of(&gen->config), 0};
    rmat_cell *list;

    *n = reference_interval(gen, 0, *n, &begin, &end, unique, &list);
    return list;
}

rmat_cell next_cell(const rmat_gen *gen, const rmat_cell *c, int64_t by)
{
    const unsigned __int128 cols = gen->view.cols, cells = cols * gen->view.rows;
    const unsigned __int128 at = cols * c->src + c->dst;
    unsigned __int128 to =
        by < 0 ? (at > (uint64_t)-by ? at - (uint64_t)-by : 0) : at + (uint64_t)by;

    to = to < cells ? to : cells;
    return (rmat_cell){(uint64_t)(to / cols), (uint64_t)(to % cols)};
}

enum { GUARD = 0x5A };

/* Reads edges into arrays of the host; on a GPU into copies of them there, from two streams. */
static int read_edges(const rmat_interval *b, uint64_t first, uint64_t n, uint64_t bytes,
                      const rmat_arrays *to, bool to_device)
{
#ifdef TEST_ON_GPU
    if (to_device) {
        void *const host[3] = {to->src, to->dst, to->weight};
        char *device[3] = {NULL};
        const uint64_t half = n / 2;
        cudaStream_t streams[2];
        int st = RMAT_OK;

        for (int k = 0; k < 3; k++) {
            device[k] = host[k] ? on_device(host[k], bytes) : NULL;
        }
        for (uint64_t part = 0; part < 2; part++) {
            const uint64_t at = part * half, ids = at * (uint64_t)to->id_bytes;
            const rmat_arrays place = {device[0] ? device[0] + ids : NULL,
                                       device[1] ? device[1] + ids : NULL,
                                       device[2] ? device[2] + 4 * at : NULL, to->id_bytes};

            must_cuda(cudaStreamCreateWithFlags(&streams[part], cudaStreamNonBlocking));
            st = st ? st
                    : rmat_interval_read_device(b, first + at, part ? n - half : half, &place,
                                                streams[part]);
        }
        must_cuda(cudaDeviceSynchronize());
        for (int k = 0; k < 3; k++) {
            if (host[k]) {
                copy_to_host(host[k], device[k], bytes);
                free_device(device[k]);
            }
        }
        must_cuda(cudaStreamDestroy(streams[0]));
        must_cuda(cudaStreamDestroy(streams[1]));
        return st;
    }
#endif
    (void)bytes, (void)to_device;
    return rmat_interval_read(b, first, n, to);
}

/* Some of the edges, into as many of the arrays as `which` has bits for. */
static void compare_read(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *cells,
                         uint64_t first, uint64_t n, int id_bytes, int which, bool on_device,
                         const char *name)
{
    const uint64_t bytes = 8 * n + 8;
    unsigned char *arrays[3] = {must_alloc(bytes, 1), must_alloc(bytes, 1), must_alloc(bytes, 1)};
    rmat_arrays to = {which & 1 ? arrays[0] : NULL, which & 2 ? arrays[1] : NULL,
                      which & 4 ? arrays[2] : NULL, id_bytes};

    for (int k = 0; k < 3; k++) {
        memset(arrays[k], GUARD, bytes);
    }
    must(read_edges(b, first, n, bytes, &to, on_device) == RMAT_OK, "%s: read", name);
    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell c = cells[first + i];

        must(!to.src || id_of(to.src, i, id_bytes) == c.src, "%s: src of edge %lu", name,
             first + i);
        must(!to.dst || id_of(to.dst, i, id_bytes) == c.dst, "%s: dst of edge %lu", name,
             first + i);
        if (to.weight) {
            uint32_t weight;

            must(!rmat_weights_of(gen, 1, &c.src, &c.dst, 8, &weight), "rmat_weights_of()");
            must(id_of(to.weight, i, 4) == weight, "%s: weight of edge %lu", name, first + i);
        }
    }
    for (int k = 0; k < 3; k++) {
        const uint64_t used = which >> k & 1 ? n * (k == 2 ? 4 : (uint64_t)id_bytes) : 0;

        must(arrays[k][used] == GUARD, "%s: array %d written behind its end", name, k);
        free(arrays[k]);
    }
}

static void compare_pointers(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *cells,
                             uint64_t n, uint64_t first_row, const char *name)
{
    enum { MOST = ON_GPU ? 5000 : 300, ADD = 1000 };
    const uint64_t left = gen->view.rows + 1 - first_row, count = left < MOST ? left : MOST;
    uint64_t to[MOST + 1] = {0};

    to[count] = GUARD;
    for (int on_gpu = 0; on_gpu <= ON_GPU; on_gpu++) {
        if (on_gpu) {
            scoped(free_device) uint64_t *device = on_device(to, sizeof to);

            must(!rmat_interval_pointers_device(b, first_row, count, ADD, device, NULL),
                 "%s: pointers", name);
            copy_to_host(to, device, sizeof to);
        } else {
            must(!rmat_interval_pointers(b, first_row, count, ADD, to), "%s: pointers", name);
        }
        must(to[count] == GUARD, "%s: pointers written behind their end", name);
        for (uint64_t i = 0, k = 0; i < count; i++) {
            while (k < n && cells[k].src < first_row + i) {
                k++;
            }
            must(to[i] == ADD + k, "%s: pointer of row %lu is %lu, not %lu", name, first_row + i,
                 to[i], ADD + k);
        }
    }
}

void compare_interval(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *cells,
                      uint64_t n, const char *name)
{
    const bool narrow = is_narrow(&gen->config);
    const int weights = gen->config.weights != RMAT_NO_WEIGHTS;
    uint64_t lower = 0, expected = 0;

    must(rmat_interval_edges(b) == n, "%s: %lu edges, not %lu", name, rmat_interval_edges(b), n);
    for (int on_device = 0; on_device <= ON_GPU; on_device++) {
        compare_read(gen, b, cells, 0, n, 8, 3, on_device, name);
        for (int which = 0; which < (weights ? 8 : 4); which++) {
            compare_read(gen, b, cells, n / 3, n / 7, narrow ? 4 : 8, which, on_device, name);
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        expected += cells[i].src >= cells[i].dst;
    }
    must(b->counted || (!b->ops->lower(b, &lower) && lower == expected), "%s: lower", name);
    for (uint64_t k = 0; k < 12 && n; k++) {
        compare_pointers(gen, b, cells, n, cells[n * k / 12].src, name);
    }
    compare_pointers(gen, b, cells, n, 0, name);
    compare_pointers(gen, b, cells, n, gen->view.rows / 2, name);
    compare_pointers(gen, b, cells, n, gen->view.rows - (gen->view.rows > 9 ? 9 : 0), name);
}

tested_interval tested_create(const rmat_config *config, const char *name, uint64_t edges)
{
    tested_interval t = {.name = name,
                         .cpu = create_on(RMAT_BACKEND_CPU, *config),
                         .gen = create_on(TESTED, *config)};

    t.interval = interval_of(t.gen, edges);
    t.end.src = t.cpu->view.rows;
    return t;
}

void tested_destroy(tested_interval t)
{
    rmat_interval_destroy(t.interval);
    rmat_destroy(t.gen);
    rmat_destroy(t.cpu);
}

int tested_fill(const tested_interval *t, const rmat_cell *from, const rmat_cell *end, int unique,
                uint64_t first, uint64_t count)
{
    const uint64_t cuts[] = {0, count / 3, count / 7 * 5, count};
    int st = rmat_interval_begin(t->interval, from, end, unique);

    for (int k = 2; k >= 0 && st == RMAT_OK; k--) {
        st = rmat_interval_add(t->interval, first + cuts[k], cuts[k + 1] - cuts[k]);
    }
    return st ? st : rmat_interval_sort(t->interval);
}

void tested_check(const tested_interval *t, const rmat_cell *from, const rmat_cell *end, int unique,
                  uint64_t first, uint64_t count)
{
    scoped(free) rmat_cell *cells = NULL;
    const uint64_t n = reference_interval(t->cpu, first, count, from, end, unique, &cells);
    const int st = tested_fill(t, from, end, unique, first, count);

    must(st == RMAT_OK, "%s: %s", t->name, rmat_strerror(st));
    compare_interval(t->cpu, t->interval, cells, n, t->name);
}

static int by_cell(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;
    const int below = cell_below(&x->cell, &y->cell), above = cell_below(&y->cell, &x->cell);

    return above != below ? above - below : (x->index > y->index) - (x->index < y->index);
}

/* The edges of the interval among [0, high) whose first occurrence is at `low` or after it. */
static uint64_t reference_unseen(const rmat_gen *gen, uint64_t low, uint64_t high,
                                 const rmat_cell *from, const rmat_cell *end,
                                 rmat_first_seen **unseen)
{
    scoped(free) uint64_t *ids = must_alloc(2 * high, sizeof *ids);
    scoped(free) rmat_first_seen *list = must_alloc(high, sizeof *list);
    rmat_first_seen *rest = must_alloc(high, sizeof *rest);
    uint64_t n = 0, kept = 0;

    must(!rmat_generate(gen, 0, high, ids, ids + high), "edges");
    for (uint64_t i = 0; i < high; i++) {
        const rmat_cell c = {ids[i], ids[high + i]};

        if (!cell_below(&c, from) && cell_below(&c, end)) {
            list[n++] = (rmat_first_seen){c, i};
        }
    }
    qsort(list, n, sizeof *list, by_cell);
    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *c = &list[i].cell;

        if ((i == 0 || cell_below(&list[i - 1].cell, c)) && list[i].index >= low) {
            rest[kept++] = list[i];
        }
    }
    *unseen = rest;
    return kept;
}

uint64_t compare_unseen(const tested_interval *t, uint64_t low, uint64_t high,
                        const rmat_cell *from, const rmat_cell *end)
{
    rmat_interval *b = t->interval;
    const char *name = t->name;
    scoped(free) rmat_first_seen *expected = NULL;
    uint64_t wanted = reference_unseen(t->cpu, low, high, from, end, &expected), edges;
    rmat_first_list list = {NULL, 0, wanted}, few = {NULL, 0, wanted - 1}, none = {NULL, 0, 0};
    scoped(free) rmat_cell *cells = NULL;

    must(!tested_fill(t, from, end, 1, 0, low), "%s: interval", name);
    must(!rmat_interval_unseen(b, low, high - low, &list), "%s: unseen", name);
    must(list.n == wanted, "%s: %lu unseen, not %lu", name, list.n, wanted);
    for (uint64_t i = 0; i < wanted; i++) {
        must(!memcmp(&list.edges[i], &expected[i], sizeof *expected), "%s: new edge %lu", name, i);
    }
    must(!wanted || rmat_interval_unseen(b, low, high - low, &few) == RMAT_ERR_FULL,
         "%s: one too many", name);
    free(few.edges);
    /* In two parts, in any order. */
    must(!rmat_interval_insert(b, wanted - wanted / 3, list.edges + wanted / 3), "%s: insert",
         name);
    must(!rmat_interval_insert(b, wanted / 3, list.edges), "%s: insert", name);
    free(list.edges);
    edges = reference_interval(t->cpu, 0, high, from, end, 1, &cells);
    compare_interval(t->cpu, b, cells, edges, name);
    if (edges) {
        must(!rmat_interval_unseen(b, 0, high, &none) && none.n == 0, "%s: still new", name);
        free(none.edges);
    }
    return wanted;
}

void compare_counts(const tested_interval *t, uint64_t first, uint64_t count, uint64_t n,
                    int inside)
{
    const char *name = t->name;
    scoped(free) rmat_cell *edges = NULL, *cells = must_alloc(n, sizeof *cells);
    uint64_t all = reference_interval(t->cpu, first, count, &t->begin, &t->end, 0, &edges), k = 0;
    scoped(free) uint64_t *counts = must_alloc(n, sizeof *counts);

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *e = &edges[(all - 1) * (i + (inside && n < 9)) / (n + 8 * (inside != 0))];

        cells[i] = i % 3 == 2 ? next_cell(t->cpu, e, (int64_t)(i % 5)) : *e;
        if (i && cell_below(&cells[i], &cells[i - 1])) {
            cells[i] = cells[i - 1];
        }
    }
    if (!inside) {
        cells[0] = t->begin;
        cells[n - 1] = t->end;
    }
    counts[n - 1] = 77;
    must(!rmat_count_cells(t->gen, first, count, n, cells, counts), "%s: count", name);
    must(counts[n - 1] == 77, "%s: counts behind the end", name);
    while (k < all && cell_below(&edges[k], &cells[0])) {
        k++;
    }
    for (uint64_t i = 0; i + 1 < n; i++) {
        uint64_t expected = k;

        while (k < all && cell_below(&edges[k], &cells[i + 1])) {
            k++;
        }
        must(counts[i] == k - expected, "%s: part %lu of %lu: %lu, not %lu", name, i, n, counts[i],
             k - expected);
    }
}

enum { SLICE = 1 << 16 };

new_cells draw_new_cells(const rmat_config *c, uint64_t edges, uint64_t draws)
{
    rmat_config base = *c;
    scoped(free) uint64_t *ends = must_alloc(2 * SLICE, sizeof *ends);
    scoped(free) unsigned char *seen =
        must_alloc(UINT64_C(1) << (c->rows_scale + c->cols_scale), 1);
    new_cells g = {must_alloc(edges + SLICE, sizeof *g.unseen), 0};
    scoped(rmat_destroy) rmat_gen *gen = NULL;

    base.symmetrize = 0;
    gen = create_gen(&base);
    for (uint64_t at = 0; g.n < edges || at < draws; at += SLICE) {
        ok(rmat_generate(gen, at, SLICE, ends, ends + SLICE));
        for (uint64_t i = 0; i < SLICE; i++) {
            const uint64_t u = ends[i], v = ends[SLICE + i], low = u < v ? u : v;
            unsigned char *cell = &seen[c->symmetrize ? (u ^ v ^ low) << c->cols_scale | low
                                                      : u << c->cols_scale | v];

            if (!*cell && g.n < edges + SLICE) {
                *cell = 1;
                g.unseen[g.n++] = at + i;
            }
        }
    }
    return g;
}
