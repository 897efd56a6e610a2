/*
 * blocks.c - edges in blocks of a fixed number, in whatever pieces they come, so that the bytes of
 * a file do not depend on the pieces.
 *
 * A block of which a piece has all edges is taken as it is; edges of other blocks are copied
 * together until the block is complete.
 */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>

/* A block that has not all its edges yet. */
typedef struct partial {
    uint64_t number;
    _Atomic uint64_t waiting; /* edges that are missing */
    char *column[GRAPHFILE_COLUMNS];
    struct partial *next;
} partial;

struct graphfile_blocks {
    uint64_t size; /* edges of each but the last */
    int n_columns;
    graphfile_take_block *take;
    pthread_mutex_t lock; /* guards: */
    partial *partials;
};

graphfile_blocks *graphfile_blocks_new(uint64_t size, int n_columns, graphfile_take_block *take)
{
    graphfile_blocks *b = calloc(1, sizeof *b);

    if (b != NULL) {
        b->size = size;
        b->n_columns = n_columns;
        b->take = take;
        pthread_mutex_init(&b->lock, NULL);
    }
    return b;
}

static size_t width_of(const graphfile_writer *w, int column)
{
    return (size_t)graphfile_width(&w->spec.graph, column);
}

static uint64_t edges_of(const graphfile_writer *w, const graphfile_blocks *b, uint64_t number)
{
    const uint64_t left = w->spec.graph.edges - number * b->size;

    return left < b->size ? left : b->size;
}

static void free_partial(partial *of)
{
    for (int i = 0; of != NULL && i < GRAPHFILE_COLUMNS; i++) {
        free(of->column[i]);
    }
    free(of);
}

static partial *new_partial(const graphfile_writer *w, const graphfile_blocks *b, uint64_t number)
{
    partial *made = calloc(1, sizeof *made);

    for (int i = 0; made != NULL && i < b->n_columns; i++) {
        made->column[i] = malloc(edges_of(w, b, number) * width_of(w, i));
        if (made->column[i] == NULL) {
            free_partial(made);
            return NULL;
        }
    }
    if (made != NULL) {
        made->number = number;
        atomic_init(&made->waiting, edges_of(w, b, number));
    }
    return made;
}

/* The block, which is begun if nobody has. */
static partial *find_partial(const graphfile_writer *w, graphfile_blocks *b, uint64_t number)
{
    partial *found;

    pthread_mutex_lock(&b->lock);
    found = b->partials;
    while (found != NULL && found->number != number) {
        found = found->next;
    }
    if (found == NULL && (found = new_partial(w, b, number)) != NULL) {
        found->next = b->partials;
        b->partials = found;
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

static void unlink_partial(graphfile_blocks *b, const partial *gone)
{
    partial **link = &b->partials;

    pthread_mutex_lock(&b->lock);
    while (*link != gone) {
        link = &(*link)->next;
    }
    *link = gone->next;
    pthread_mutex_unlock(&b->lock);
}

/* Edges from `at` of the block on, count of them. */
static int add_some(graphfile_writer *w, graphfile_blocks *b, uint64_t number, uint64_t at,
                    uint64_t count, const void *const from[GRAPHFILE_COLUMNS])
{
    partial *of = find_partial(w, b, number);
    int st;

    if (of == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (int i = 0; i < b->n_columns; i++) {
        memcpy(of->column[i] + at * width_of(w, i), from[i], count * width_of(w, i));
    }
    if (atomic_fetch_sub(&of->waiting, count) > count) {
        return EDGEFILE_OK;
    }
    unlink_partial(b, of);
    st = b->take(w, number, edges_of(w, b, number),
                 (const void *[]){of->column[0], of->column[1], of->column[2]});
    free_partial(of);
    return st;
}

int graphfile_blocks_add(graphfile_writer *w, graphfile_blocks *b, const graphfile_piece *p)
{
    const char *const column[GRAPHFILE_COLUMNS] = {p->src, p->dst, p->weight};

    for (uint64_t done = 0, count; done < p->count; done += count) {
        const uint64_t number = (p->first + done) / b->size, at = (p->first + done) % b->size;
        const uint64_t all = edges_of(w, b, number), room = all - at;
        const void *from[GRAPHFILE_COLUMNS] = {NULL};

        count = p->count - done < room ? p->count - done : room;
        for (int i = 0; i < b->n_columns; i++) {
            from[i] = column[i] + done * width_of(w, i);
        }
        EDGEFILE_TRY(count == all ? b->take(w, number, all, from)
                                  : add_some(w, b, number, at, count, from));
    }
    return EDGEFILE_OK;
}

bool graphfile_blocks_complete(const graphfile_blocks *b)
{
    return b->partials == NULL;
}

void graphfile_blocks_free(graphfile_blocks *b)
{
    if (b == NULL) {
        return;
    }
    while (b->partials != NULL) {
        partial *first = b->partials;

        b->partials = first->next;
        free_partial(first);
    }
    pthread_mutex_destroy(&b->lock);
    free(b);
}
