/*
 * compare.c - rmat verify: makes a graph again and compares it with the file.
 *
 * Chunks come in any order and from several threads.  The sources of a CSR file follow from its
 * pointers, which are compared separately.  The file's fingerprint is computed with the generated
 * sources.
 */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "apps/verify/edges.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3 }; /* src, dst, weight */

/* The data that a thread has read. */
typedef struct memory {
    struct memory *next;
    uint64_t room; /* elements of 8 bytes in each column */
    void *column[COLUMNS];
} memory;

typedef struct {
    edge_results *r;
    progress bar;
    pthread_mutex_t lock; /* guards r and the following members */
    memory *spare;
} comparison;

static void free_memory(memory *m)
{
    for (int i = 0; m != NULL && i < COLUMNS; i++) {
        free(m->column[i]);
    }
    free(m);
}

/* NULL: memory is exhausted. */
static memory *take_memory(comparison *x, uint64_t elements)
{
    memory *m;

    pthread_mutex_lock(&x->lock);
    m = x->spare;
    if (m != NULL) {
        x->spare = m->next;
    }
    pthread_mutex_unlock(&x->lock);
    if (m != NULL && m->room >= elements) {
        return m;
    }
    free_memory(m);
    m = calloc(1, sizeof *m);
    for (int i = 0; m != NULL && i < COLUMNS; i++) {
        m->column[i] = huge_alloc(elements * 8);
        if (m->column[i] == NULL) {
            free_memory(m);
            return NULL;
        }
    }
    if (m != NULL) {
        m->room = elements;
    }
    return m;
}

static void give_memory(comparison *x, memory *m)
{
    pthread_mutex_lock(&x->lock);
    m->next = x->spare;
    x->spare = m;
    pthread_mutex_unlock(&x->lock);
}

static const char *fail(comparison *x, const char *text, bool damaged)
{
    pthread_mutex_lock(&x->lock);
    if (!x->r->failed) {
        x->r->failed = true;
        x->r->damaged = damaged;
        snprintf(x->r->text, sizeof x->r->text, "%s", text);
    }
    pthread_mutex_unlock(&x->lock);
    return x->r->text;
}

static const char *failed_read(comparison *x, int status)
{
    return fail(x, edgefile_detail(), !verify_is_failure(status));
}

static uint64_t element(const void *column, uint64_t i, int bytes)
{
    return bytes == 4 ? ((const uint32_t *)column)[i] : ((const uint64_t *)column)[i];
}

static void show(char text[32], uint64_t bits, edgefile_weight weight)
{
    const uint32_t low = (uint32_t)bits;
    float number;

    memcpy(&number, &low, sizeof number);
    if (weight == EDGEFILE_WEIGHT_F32) {
        snprintf(text, 32, "%.9g", (double)number);
    } else if (weight == EDGEFILE_WEIGHT_I32) {
        snprintf(text, 32, "%" PRId32, (int32_t)low);
    } else {
        snprintf(text, 32, "%" PRIu64, bits);
    }
}

void note_wrong(element_findings *f, uint64_t first, uint64_t wrong, const char *what,
                const char *found, const char *expected)
{
    if (f->wrong == 0 || first < f->first) {
        f->first = first;
        f->what = what;
        snprintf(f->found, sizeof f->found, "%s", found);
        snprintf(f->expected, sizeof f->expected, "%s", expected);
    }
    f->wrong += wrong;
}

/* Compares edges [first, first + count) of the file: column i is found[i], and must equal made[i]
 * unless that is NULL. */
static void compare(comparison *x, uint64_t first, uint64_t count, void *const found[COLUMNS],
                    const void *const made[COLUMNS])
{
    static const char *const names[COLUMNS] = {"src", "dst", "weight"};
    const int bytes[COLUMNS] = {x->r->id_bytes, x->r->id_bytes, 4};
    uint64_t wrong = 0, at = count;
    char is[32] = "", expected[32] = "";
    int which = 0;

    for (uint64_t i = 0; i < count; i++) {
        bool differs = false;

        for (int c = COLUMNS - 1; c >= 0; c--) {
            if (made[c] != NULL &&
                element(found[c], i, bytes[c]) != element(made[c], i, bytes[c])) {
                differs = true;
                which = at == count ? c : which;
            }
        }
        at = differs && at == count ? i : at;
        wrong += differs;
    }
    if (wrong > 0) {
        const edgefile_weight weight = which == 2 ? x->r->weights : EDGEFILE_NO_WEIGHT;

        show(is, element(found[which], at, bytes[which]), weight);
        show(expected, element(made[which], at, bytes[which]), weight);
        pthread_mutex_lock(&x->lock);
        note_wrong(&x->r->found_edges, first + at, wrong, names[which], is, expected);
        pthread_mutex_unlock(&x->lock);
    }
}

/* The file may have fewer edges than were made. */
static const char *compare_edges_of(comparison *x, memory *m, const pipeline_chunk *c)
{
    edge_results *r = x->r;
    const bool csr = r->rows > 0, weights = r->weights != EDGEFILE_NO_WEIGHT;
    const uint64_t first = c->what.first, left = first < r->edges ? r->edges - first : 0;
    const uint64_t count = c->what.count < left ? c->what.count : left;
    const void *const made[COLUMNS] = {csr ? NULL : c->src, c->dst, weights ? c->weight : NULL};
    const size_t id = (size_t)r->id_bytes;
    uint64_t fingerprint;
    int status;

    if (count == 0) {
        return NULL;
    }
    status = edgefile_read(r->reader, first, count, csr ? NULL : m->column[0], m->column[1],
                           weights ? m->column[2] : NULL);
    if (status != EDGEFILE_OK) {
        return failed_read(x, status);
    }
    fingerprint = rmat_fingerprint(csr ? c->src : m->column[0], m->column[1], count, r->id_bytes);
    if ((!csr && memcmp(m->column[0], c->src, count * id) != 0) ||
        memcmp(m->column[1], c->dst, count * id) != 0 ||
        (weights && memcmp(m->column[2], c->weight, count * 4) != 0)) {
        compare(x, first, count, m->column, made);
    }
    pthread_mutex_lock(&x->lock);
    r->fingerprint += fingerprint;
    r->found_edges.looked_at += count;
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

static const char *compare_pointers(comparison *x, memory *m, const pipeline_chunk *c)
{
    const uint64_t *made = c->dst, *found = m->column[0];
    element_findings *f = &x->r->pointers;
    const int status =
        edgefile_read_pointers(x->r->reader, c->what.first, c->what.count, m->column[0]);

    if (status != EDGEFILE_OK) {
        return failed_read(x, status);
    }
    pthread_mutex_lock(&x->lock);
    f->looked_at += c->what.count;
    for (uint64_t i = 0; i < c->what.count; i++) {
        char is[32], expected[32];

        if (found[i] != made[i]) {
            show(is, found[i], EDGEFILE_NO_WEIGHT);
            show(expected, made[i], EDGEFILE_NO_WEIGHT);
            note_wrong(f, c->what.first + i, 1, "pointers_to_1", is, expected);
        }
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* A pipeline_sink. */
static const char *compare_chunk(void *state, const pipeline_chunk *c)
{
    comparison *x = state;
    memory *m = take_memory(x, c->what.count);
    const char *wrong;

    if (m == NULL) {
        return fail(x, "memory is exhausted", false);
    }
    wrong = c->what.kind == PIPELINE_EDGES ? compare_edges_of(x, m, c) : compare_pointers(x, m, c);
    give_memory(x, m);
    return wrong;
}

static int show_made(void *state, const engine_progress *now)
{
    progress_show(&((comparison *)state)->bar, now->phase, now->share, now->done);
    return interrupt_signal();
}

static engine_job job_of(comparison *x, const verify_options *o, const file_model *m)
{
    edgefile_reader *file = x->r->reader;
    engine_job job;

    engine_job_default(&job);
    job.model = m->drawn;
    job.model.backend = o->backend == RMAT_BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    job.model.device = o->device;
    job.edges = model_base_edges(file, m);
    job.format = m->order.csr ? GRAPHFILE_CSR : GRAPHFILE_H5;
    job.sorted = m->order.sorted;
    job.unique = m->order.unique && !m->order.dedup;
    job.dedup = m->order.dedup;
    job.id_bytes = edgefile_id_bytes(file);
    job.id_sign = edgefile_signed_ids(file) ? ENGINE_SIGNED : ENGINE_UNSIGNED;
    job.output = o->file;
    job.threads = o->threads;
    job.memory = m->order.sorted ? o->memory : 0;
    job.watch = (engine_watch){.tick = show_made, .state = x};
    return job;
}

void compare_edges(edge_results *r, const verify_options *options, const file_model *model,
                   const pipeline_span *spans, size_t n)
{
    comparison x = {.r = r};
    const engine_job job = job_of(&x, options, model);
    const engine_sink sink = {{.write = compare_chunk, .state = &x}, spans, n};
    engine_result made;
    int status;

    pthread_mutex_init(&x.lock, NULL);
    progress_start(&x.bar, r->edges,
                   (r->rows > 0 ? 1 : 2) * r->id_bytes + (r->weights != EDGEFILE_NO_WEIGHT ? 4 : 0),
                   options->quiet);
    status = engine_run(&job, &sink, &made);
    progress_end(&x.bar);
    if (status == ENGINE_OK) {
        r->made = made.edges;
        r->stream_edges = made.stream_edges;
    } else if (status != ENGINE_STOPPED) {
        const bool scarce = strcmp(engine_field(), "memory") == 0;
        char text[sizeof r->text];

        snprintf(text, sizeof text, "%s%s", scarce ? "--memory: " : "", engine_detail());
        fail(&x, text, status == ENGINE_ERR_JOB && !scarce);
    }
    while (x.spare != NULL) {
        memory *next = x.spare->next;

        free_memory(x.spare);
        x.spare = next;
    }
    pthread_mutex_destroy(&x.lock);
}
