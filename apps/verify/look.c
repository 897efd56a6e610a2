/* rmat verify: looks at chunks of edges; see look.h. */
#include "apps/verify/look.h"
#include "apps/common/huge_alloc.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/source/edge_source.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The edges that a thread has read, behind the one before them. */
typedef struct look_worker {
    edge_findings findings;
    size_t room; /* edges */
    void *src, *dst, *weight;
    uint64_t *pointers; /* LOOK_POINTERS + 1 */
    struct look_worker *next;
} look_worker;

enum { LOOK_POINTERS = 8192 };

static void note_error(look *x, const char *text, bool damaged)
{
    pthread_mutex_lock(&x->lock);
    if (x->results->error == NULL) {
        snprintf(x->results->text, sizeof x->results->text, "%s", text);
        x->results->error = x->results->text;
        x->results->damaged = damaged;
    }
    pthread_mutex_unlock(&x->lock);
}

void look_fail(look *x, const char *text)
{
    note_error(x, text, false);
}

void look_failed_read(look *x, int status)
{
    note_error(x, edgefile_detail(), !verify_is_failure(status));
}

static void free_memory(look_worker *w)
{
    free(w->src);
    free(w->dst);
    free(w->weight);
    w->src = w->dst = w->weight = NULL;
    w->room = 0;
}

static void free_worker(look_worker *w)
{
    if (w != NULL) {
        free_memory(w);
        free(w->pointers);
        free(w);
    }
}

/* Room for so many edges, and the one before them.  False: memory is exhausted. */
static bool make_room(look_worker *w, uint64_t edges, const edge_file *file)
{
    if (w->room >= edges + 1) {
        return true;
    }
    free_memory(w);
    w->src = huge_alloc((edges + 1) * (uint64_t)file->id_bytes);
    w->dst = huge_alloc((edges + 1) * (uint64_t)file->id_bytes);
    w->weight = file->weights ? huge_alloc((edges + 1) * 4) : NULL;
    w->room = edges + 1;
    return w->src != NULL && w->dst != NULL && (!file->weights || w->weight != NULL);
}

static look_worker *take_worker(look *x)
{
    look_worker *w;

    pthread_mutex_lock(&x->lock);
    w = x->spare;
    if (w != NULL) {
        x->spare = w->next;
    }
    pthread_mutex_unlock(&x->lock);
    if (w == NULL && (w = calloc(1, sizeof *w)) != NULL) {
        w->pointers = malloc((LOOK_POINTERS + 1) * sizeof *w->pointers);
        if (w->pointers == NULL) {
            free_worker(w);
            w = NULL;
        }
    }
    return w;
}

static void give_worker(look *x, look_worker *w)
{
    pthread_mutex_lock(&x->lock);
    w->next = x->spare;
    x->spare = w;
    pthread_mutex_unlock(&x->lock);
}

static void *at_edge(void *array, uint64_t i, int bytes)
{
    return array == NULL ? NULL : (char *)array + i * (uint64_t)bytes;
}

/* Reads edges [first, first + count), behind the one before them if there is one: *before.  *rows:
 * their sources are known. */
static int read_found(look *x, look_worker *w, uint64_t first, uint64_t count, bool *before,
                      bool *rows)
{
    const edge_file *file = x->file;
    const bool csr = file->rows > 0;
    const int width = file->id_bytes;
    const uint64_t skip = first == 0, at = first - (skip == 0), n = count + (skip == 0);
    uint64_t row = atomic_load_explicit(&x->row, memory_order_relaxed);
    int status = edgefile_read(file->reader, at, n, csr ? NULL : at_edge(w->src, skip, width),
                               at_edge(w->dst, skip, width), at_edge(w->weight, skip, 4));

    *before = skip == 0;
    *rows = true;
    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(file->reader, at, n, at_edge(w->src, skip, width), &row);
        *rows = status != EDGEFILE_ERR_RANGE; /* which the check of the pointers reports */
        status = *rows ? status : EDGEFILE_OK;
        atomic_store_explicit(&x->row, *rows ? row : 0, memory_order_relaxed);
    }
    return status;
}

static edge_block part_of(const edge_block *b, uint64_t at, uint64_t count)
{
    return (edge_block){b->first + at,
                        count,
                        at_edge((void *)b->src, at, b->id_bytes),
                        at_edge((void *)b->dst, at, b->id_bytes),
                        at_edge((void *)b->weight, at, 4),
                        b->id_bytes};
}

static void note_end(look *x, struct look_ends *to, uint64_t edge)
{
    pthread_mutex_lock(&x->lock);
    if (to->n == to->room) {
        const size_t room = to->room > 0 ? 2 * to->room : 64;
        uint64_t *list = realloc(to->list, room * sizeof *list);

        if (list != NULL) {
            to->list = list;
            to->room = room;
        }
    }
    if (to->n < to->room) {
        to->list[to->n++] = edge;
    }
    pthread_mutex_unlock(&x->lock);
}

/* All checks of some edges, in parts that fit into the cache.  last: the edge before them, or NULL.
 * made: what they should be, or NULL. */
static void check_found(look *x, look_worker *w, const edge_block *all, const edge_block *last,
                        const edge_block *made)
{
    bool differs = false;
    uint64_t n;

    for (uint64_t at = 0; at < all->count; at += n) {
        edge_block found, expected, before;
        uint64_t fingerprint;

        n = all->count - at < VERIFY_BLOCK ? all->count - at : VERIFY_BLOCK;
        found = part_of(all, at, n);
        fingerprint = rmat_fingerprint(found.src, found.dst, n, found.id_bytes);
        pthread_mutex_lock(&x->lock);
        x->results->fingerprint += fingerprint;
        pthread_mutex_unlock(&x->lock);
        if (x->model != NULL) {
            scan_edges(&w->findings, x->model, &found);
        }
        if (x->sorted && at > 0) {
            before = part_of(all, at - 1, 1);
            scan_order(&w->findings, &found, &before, x->unique);
        } else if (x->sorted) {
            scan_order(&w->findings, &found, last, x->unique);
        }
        if (made != NULL) {
            expected = part_of(made, at, n);
            if (at == 0 && scan_differs(&found, &expected, 0)) {
                note_end(x, &x->begins, found.first);
            }
            differs = scan_differences(&w->findings, &found, &expected, differs);
        }
        if (x->fit_stride > 0 && made != NULL && found.first / VERIFY_BLOCK % x->fit_stride == 0) {
            fit_add(&w->findings.fit, x->gen, x->model, &found);
        }
        w->findings.edges += n;
    }
    if (differs) {
        note_end(x, &x->ends, all->first + all->count);
    }
}

/* What the file has of made edges; others are beyond its end. */
static const char *look_at_edges(look *x, look_worker *w, const pipeline_chunk *c)
{
    const int width = x->file->id_bytes;
    const uint64_t first = c->what.first, edges = x->file->edges;
    const uint64_t end = first + c->what.count < edges ? first + c->what.count : edges;
    const edge_block made = {first, c->what.count, c->src, c->dst, c->weight, width};
    edge_block found, expected, last;
    bool before = false, rows = true;
    int status = EDGEFILE_OK;

    if (!make_room(w, c->what.count, x->file)) {
        look_fail(x, "memory is exhausted");
        return "memory is exhausted";
    }
    if (first < end) {
        status = read_found(x, w, first, end - first, &before, &rows);
    }
    if (status != EDGEFILE_OK) {
        look_failed_read(x, status);
        return edgefile_detail();
    }
    if (first >= end) {
        return NULL;
    }
    expected = part_of(&made, 0, end - first);
    found = (edge_block){first,
                         end - first,
                         rows ? at_edge(w->src, 1, width) : expected.src,
                         at_edge(w->dst, 1, width),
                         at_edge(w->weight, 1, 4),
                         width};
    last = (edge_block){first - 1, 1, w->src, w->dst, w->weight, width};
    check_found(x, w, &found, before && rows ? &last : NULL, &expected);
    return NULL;
}

/* Pointers [first, first + count) as they were found, behind the one before them, if there is one.
 */
static void compare_pointers(look *x, uint64_t first, uint64_t count, const uint64_t *found,
                             const uint64_t *made)
{
    pointer_findings *t = &x->results->pointers;

    pthread_mutex_lock(&x->lock);
    for (uint64_t i = 0; i < count; i++) {
        if (first + i == 0) {
            t->begin = found[i];
        } else if (found[i] < found[(int64_t)i - 1] && (t->descents++ == 0 || first + i < t->row)) {
            t->row = first + i;
        }
        if (found[i] != made[i] && (t->wrong++ == 0 || first + i < t->first)) {
            t->first = first + i;
            t->found = found[i];
            t->expected = made[i];
        }
    }
    if (first + count == x->file->rows + 1) {
        t->end = found[count - 1];
    }
    t->looked_at += count;
    pthread_mutex_unlock(&x->lock);
}

static const char *look_at_pointers(look *x, look_worker *w, const pipeline_chunk *c)
{
    const uint64_t first = c->what.first, count = c->what.count;
    const uint64_t *made = c->dst;
    int status = EDGEFILE_OK;

    for (uint64_t at = 0, n; at < count && status == EDGEFILE_OK; at += n) {
        const uint64_t before = first + at > 0;

        n = count - at < LOOK_POINTERS ? count - at : LOOK_POINTERS;
        status = edgefile_read_pointers(x->file->reader, first + at - before, n + before,
                                        w->pointers + 1 - before);
        if (status == EDGEFILE_OK) {
            compare_pointers(x, first + at, n, w->pointers + 1, made + at);
        }
    }
    if (status != EDGEFILE_OK) {
        look_failed_read(x, status);
        return edgefile_detail();
    }
    return NULL;
}

static const char *look_at_chunk(void *state, const pipeline_chunk *c)
{
    look *x = state;
    look_worker *w = take_worker(x);
    const char *wrong;

    if (w == NULL) {
        look_fail(x, "memory is exhausted");
        return "memory is exhausted";
    }
    wrong = c->what.kind == PIPELINE_EDGES ? look_at_edges(x, w, c) : look_at_pointers(x, w, c);
    give_worker(x, w);
    return wrong;
}

pipeline_sink look_sink(look *x)
{
    return (pipeline_sink){.write = look_at_chunk, .state = x};
}

/* Reads edges of the file into a chunk. */
static int fill_from_file(void *state, const pipeline_span *what, const rmat_arrays *to,
                          uint64_t *fingerprint)
{
    look *x = state;
    const bool csr = x->file->rows > 0;
    uint64_t row;
    int status;

    *fingerprint = 0;
    row = atomic_load_explicit(&x->row, memory_order_relaxed);
    status = edgefile_read(x->file->reader, what->first, what->count, csr ? NULL : to->src, to->dst,
                           to->weight);
    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(x->file->reader, what->first, what->count, to->src, &row);
        atomic_store_explicit(&x->row, row, memory_order_relaxed);
    }
    if (status == EDGEFILE_ERR_RANGE && csr) {
        note_error(x, "dataset 'pointers_to_1' is not in order", true);
    } else if (status != EDGEFILE_OK) {
        look_failed_read(x, status);
    }
    return status == EDGEFILE_OK ? RMAT_OK : RMAT_ERR_SOURCE;
}

/* Edges of the file that were read into a chunk.  The edge before them was in another one, and is
 * read once more. */
static const char *check_chunk(void *state, const pipeline_chunk *c)
{
    look *x = state;
    const edge_block found = {c->what.first, c->what.count, c->src,
                              c->dst,        c->weight,     x->file->id_bytes};
    uint64_t src, dst;
    uint32_t weight;
    const edge_block last = {c->what.first - 1, 1, &src, &dst, &weight, x->file->id_bytes};
    const rmat_arrays to = {&src, &dst, x->file->weights ? &weight : NULL, x->file->id_bytes};
    const bool before = x->sorted && c->what.first > 0;
    look_worker *w = take_worker(x);
    uint64_t fingerprint;

    if (w == NULL) {
        look_fail(x, "memory is exhausted");
        return "memory is exhausted";
    }
    if (before && fill_from_file(x, &(pipeline_span){PIPELINE_EDGES, c->what.first - 1, 1}, &to,
                                 &fingerprint) != RMAT_OK) {
        give_worker(x, w);
        return x->results->error;
    }
    check_found(x, w, &found, before ? &last : NULL, NULL);
    give_worker(x, w);
    return NULL;
}

static int next_span(void *state, pipeline_span *span)
{
    pipeline_span *left = state;

    *span = *left;
    left->count = 0;
    return span->count > 0;
}

int look_at_file(look *x, uint64_t first, uint64_t count, int threads, pipeline_tick tick,
                 void *argument)
{
    const pipeline_filler filler = {.fill = fill_from_file, .state = x};
    pipeline_span all = {PIPELINE_EDGES, first, count};
    const pipeline_source source = {next_span, &all};
    const pipeline_sink sink = {.write = check_chunk, .state = x};
    pipeline_producer producer;
    pipeline_plan plan;
    pipeline_result result;

    if (pipeline_make_plan(&plan, count, x->file->id_bytes, x->file->weights ? 4 : 0, threads, 0,
                           (uint64_t)256 << 20) != 0) {
        look_fail(x, "memory is exhausted");
        return -1;
    }
    pipeline_add_encoders(&plan, pipeline_encoders(threads), (uint64_t)256 << 20);
    producer = pipeline_cpu_filled(&filler, plan.generators);
    if (pipeline_run(&plan, &source, &producer, &sink, tick, argument, &result) == 0) {
        return 0;
    }
    if (!result.stopped) {
        look_fail(x, result.error != NULL ? result.error : "memory is exhausted");
    }
    return -1;
}

static void merge(edge_results *r, const edge_findings *t)
{
    for (int i = 0; i < N_BAD; i++) {
        uint64_t count = r->bad[i].count + t->bad[i].count;

        if (t->bad[i].count > 0 && (r->bad[i].count == 0 || t->bad[i].first < r->bad[i].first)) {
            r->bad[i] = t->bad[i];
        }
        r->bad[i].count = count;
    }
    r->edges += t->edges;
    r->places += t->places;
    r->surplus += t->surplus;
    fit_sum_up(&r->fit, &t->fit);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* A run of edges that differ counts once, though it goes on in the next chunk. */
static uint64_t count_joins(look *x)
{
    uint64_t joins = 0;
    size_t k = 0;

    if (x->begins.n == 0 || x->ends.n == 0) {
        return 0;
    }
    qsort(x->begins.list, x->begins.n, sizeof *x->begins.list, ascending);
    qsort(x->ends.list, x->ends.n, sizeof *x->ends.list, ascending);
    for (size_t i = 0; i < x->begins.n; i++) {
        while (k < x->ends.n && x->ends.list[k] < x->begins.list[i]) {
            k++;
        }
        joins += k < x->ends.n && x->ends.list[k] == x->begins.list[i];
    }
    return joins;
}

void look_begin(look *x, edge_results *results, const edge_file *file)
{
    *x = (look){.file = file, .results = results};
    pthread_mutex_init(&x->lock, NULL);
}

void look_end(look *x)
{
    while (x->spare != NULL) {
        look_worker *w = x->spare;

        x->spare = w->next;
        merge(x->results, &w->findings);
        free_worker(w);
    }
    x->results->places -= count_joins(x);
    free(x->begins.list);
    free(x->ends.list);
    rmat_destroy(x->gen);
    pthread_mutex_destroy(&x->lock);
}
