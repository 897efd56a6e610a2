/*
 * Edges as an Arrow stream of record batches: a struct array with the columns src, dst and weight;
 * and the destructors of Python's capsules.
 *
 * A batch is made when it is asked for, into memory of its own, which belongs to its consumer from
 * then on; the stream holds nothing but the generator and the number of the next edge.
 */
#include "apps/binding/arrow.h"
#include "apps/binding/graph.h"
#include "apps/binding/private.h"
#include "apps/binding/python.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COLUMNS = 3 };

typedef struct {
    rmat_graph *graph;
    rmat_gen *gen;
    rmat_interval *interval;
    uint64_t next, end, batch;
    int id_bytes, columns;
    int floats; /* weights are float32, else int32 */
    char error[512];
} edges;

/* One allocation each for what a schema or an array points to; children are released with their
 * parent. */
typedef struct {
    arrow_schema child[COLUMNS], *children[COLUMNS];
} schema_parts;

typedef struct {
    arrow_array child[COLUMNS], *children[COLUMNS];
    const void *buffers[1], *column[COLUMNS][2]; /* validity: none, and values */
} array_parts;

static void release_child_schema(arrow_schema *self)
{
    self->release = NULL;
}

static void release_schema(arrow_schema *self)
{
    free(self->private_data);
    self->release = NULL;
}

static void free_values(arrow_array *self)
{
    free(self->private_data);
    self->release = NULL;
}

/* A consumer may have moved a child out, which has set its release to NULL. */
static void release_array(arrow_array *self)
{
    for (int64_t i = 0; i < self->n_children; i++) {
        if (self->children[i]->release != NULL) {
            self->children[i]->release(self->children[i]);
        }
    }
    free(self->private_data);
    self->release = NULL;
}

static int get_schema(arrow_stream *self, arrow_schema *out)
{
    static const char *const names[COLUMNS] = {"src", "dst", "weight"};
    const edges *e = self->private_data;
    const char *id = e->id_bytes == 4 ? "i" : "l";
    const char *const formats[COLUMNS] = {id, id, e->floats ? "f" : "i"};
    schema_parts *parts = calloc(1, sizeof *parts);

    if (parts == NULL) {
        return ENOMEM;
    }
    for (int i = 0; i < e->columns; i++) {
        parts->child[i] =
            (arrow_schema){.format = formats[i], .name = names[i], .release = release_child_schema};
        parts->children[i] = &parts->child[i];
    }
    *out = (arrow_schema){.format = "+s",
                          .name = "",
                          .n_children = e->columns,
                          .children = parts->children,
                          .release = release_schema,
                          .private_data = parts};
    return 0;
}

/* Allocates the columns of a batch of n edges and fills them.  Returns an errno. */
static int make_columns(edges *e, uint64_t n, void *values[COLUMNS])
{
    const size_t bytes[COLUMNS] = {(size_t)e->id_bytes, (size_t)e->id_bytes, 4};
    rmat_arrays to = {.id_bytes = e->id_bytes};
    int status;

    for (int i = 0; i < e->columns; i++) {
        values[i] = malloc(n * bytes[i]);
        if (values[i] == NULL) {
            return ENOMEM;
        }
    }
    to.src = values[0];
    to.dst = values[1];
    to.weight = values[2];
    status = e->interval != NULL ? rmat_interval_read(e->interval, e->next, n, &to)
                                 : rmat_generate_arrays(e->gen, e->next, n, &to);
    if (status == RMAT_OK) {
        return 0;
    }
    snprintf(e->error, sizeof e->error, "%s",
             status == RMAT_ERR_SOURCE ? rmat_graph_error(e->graph) : binding_error(status));
    return EIO;
}

/* Signals, python.h. */

static int (*hold_interpreter)(void);
static void (*release_interpreter)(int state);
static int (*interrupt_occurred)(void);
static void (*interrupt_again)(void);

void binding_use_signals(int (*ensure)(void), void (*release)(int), int (*occurred)(void),
                         void (*again)(void))
{
    hold_interpreter = ensure;
    release_interpreter = release;
    interrupt_occurred = occurred;
    interrupt_again = again;
}

/* Only the main thread sees signals.  Others must not wait for the interpreter here, as whoever
 * holds it may be waiting for them. */
static bool is_interrupted(void)
{
    int state;
    bool found;

    if (hold_interpreter == NULL || syscall(SYS_gettid) != getpid()) {
        return false;
    }
    state = hold_interpreter();
    found = interrupt_occurred() != 0;
    if (found) {
        interrupt_again();
    }
    release_interpreter(state);
    return found;
}

static int get_next(arrow_stream *self, arrow_array *out)
{
    edges *e = self->private_data;
    const uint64_t left = e->end - e->next, n = left < e->batch ? left : e->batch;
    array_parts *parts;
    void *values[COLUMNS] = {NULL};
    int error;

    memset(out, 0, sizeof *out);
    if (n == 0) {
        return 0; /* an array without release: the end */
    }
    if (is_interrupted()) {
        snprintf(e->error, sizeof e->error, "interrupted");
        return EINTR;
    }
    parts = calloc(1, sizeof *parts);
    error = parts == NULL ? ENOMEM : make_columns(e, n, values);
    if (error != 0) {
        for (int i = 0; i < COLUMNS; i++) {
            free(values[i]);
        }
        free(parts);
        return error;
    }
    for (int i = 0; i < e->columns; i++) {
        parts->column[i][1] = values[i];
        parts->child[i] = (arrow_array){.length = (int64_t)n,
                                        .n_buffers = 2,
                                        .buffers = parts->column[i],
                                        .release = free_values,
                                        .private_data = values[i]};
        parts->children[i] = &parts->child[i];
    }
    *out = (arrow_array){.length = (int64_t)n,
                         .n_buffers = 1,
                         .n_children = e->columns,
                         .buffers = parts->buffers,
                         .children = parts->children,
                         .release = release_array,
                         .private_data = parts};
    e->next += n;
    return 0;
}

static const char *get_last_error(arrow_stream *self)
{
    const edges *e = self->private_data;

    return e->error[0] != '\0' ? e->error : NULL;
}

static void free_edges(edges *e)
{
    rmat_interval_destroy(e->interval);
    rmat_destroy(e->gen);
    rmat_graph_close(e->graph);
    free(e);
}

static void release_stream(arrow_stream *self)
{
    free_edges(self->private_data);
    self->release = NULL;
}

void *binding_arrow_stream(rmat_graph *graph, rmat_gen *gen, rmat_interval *interval,
                           uint64_t first, uint64_t end, uint64_t batch, int id_bytes, int weights)
{
    edges *e = calloc(1, sizeof *e);
    arrow_stream *stream = malloc(sizeof *stream);

    if (e == NULL || stream == NULL) {
        free(stream);
        free(e);
        rmat_interval_destroy(interval);
        rmat_destroy(gen);
        return NULL;
    }
    rmat_graph_retain(graph);
    *e = (edges){.graph = graph,
                 .gen = gen,
                 .interval = interval,
                 .next = first,
                 .end = end,
                 .batch = batch,
                 .id_bytes = id_bytes,
                 .columns = weights != RMAT_NO_WEIGHTS ? 3 : 2,
                 .floats = weights != RMAT_WEIGHTS_INT};
    *stream = (arrow_stream){.get_schema = get_schema,
                             .get_next = get_next,
                             .get_last_error = get_last_error,
                             .release = release_stream,
                             .private_data = e};
    return stream;
}

/* Capsules. */

static void *(*get_pointer)(void *capsule, const char *name);
static int (*is_valid)(void *capsule, const char *name);

void binding_use_capsules(void *(*get)(void *capsule, const char *name),
                          int (*valid)(void *capsule, const char *name))
{
    get_pointer = get;
    is_valid = valid;
}

/* A consumer renames the capsule whose tensor it takes over. */
void binding_free_dlpack(void *capsule)
{
    static const char *const names[] = {"dltensor", "dltensor_versioned"};

    for (int i = 0; i < 2; i++) {
        if (is_valid(capsule, names[i])) {
            binding_dlpack_delete(get_pointer(capsule, names[i]));
        }
    }
}

void binding_free_arrow_stream(void *capsule)
{
    if (is_valid(capsule, "arrow_array_stream")) {
        arrow_stream *stream = get_pointer(capsule, "arrow_array_stream");

        if (stream->release != NULL) { /* else it has been moved out */
            stream->release(stream);
        }
        free(stream);
    }
}
