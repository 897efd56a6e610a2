/*
 * parquet.c - Apache Parquet: columns src, dst and, if there are any, weight.
 *
 * Pages begin at fixed edges.  A piece that has all edges of a page is encoded as it is; edges of
 * other pages are copied together until the page is complete.
 */
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/read.h"

#include <stdlib.h>
#include <string.h>

/* A page that has not all its edges yet. */
typedef struct partial {
    uint64_t page;
    _Atomic uint64_t waiting; /* edges that are missing */
    char *column[PARQUET_COLUMNS];
    struct partial *next;
} partial;

typedef struct {
    parquet_column column[PARQUET_COLUMNS];
    int n_columns;
    parquet_groups *groups;
    pthread_mutex_t lock; /* guards: */
    partial *partials;
} parquet;

int parquet_columns(parquet_column column[PARQUET_COLUMNS], const graphfile_graph *g, bool compress)
{
    const uint64_t most = (uint64_t)1 << 31; /* vertices that int32 can number */
    const parquet_type id =
        g->id_bytes == 4 && g->rows <= most && g->cols <= most ? PARQUET_INT32 : PARQUET_INT64;
    const parquet_encoding plain = compress ? PARQUET_SPLIT : PARQUET_PLAIN;
    const parquet_encoding ids = g->sorted ? PARQUET_DELTA : plain;

    column[0] = (parquet_column){.type = id, .encoding = ids};
    column[1] = (parquet_column){.type = id, .encoding = ids};
    if (g->weight == EDGEFILE_WEIGHT_I32) {
        column[2] = (parquet_column){.type = PARQUET_INT32, .encoding = PARQUET_DELTA};
    } else {
        column[2] = (parquet_column){.type = PARQUET_FLOAT, .encoding = plain};
    }
    for (int i = 0; i < PARQUET_COLUMNS; i++) {
        column[i].codec = compress ? PARQUET_ZSTD : PARQUET_NO_CODEC;
    }
    return g->weight == EDGEFILE_NO_WEIGHT ? 2 : 3;
}

static int open_parquet(graphfile_writer *w)
{
    char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME];
    parquet *q = calloc(1, sizeof *q);

    w->state = q;
    if (q == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    pthread_mutex_init(&q->lock, NULL);
    q->n_columns = parquet_columns(q->column, &w->spec.graph, w->spec.compress != 0);
    graphfile_column_names(name, &w->spec);
    for (int i = 0; i < q->n_columns; i++) {
        memcpy(q->column[i].name, name[i], sizeof name[i]);
    }
    q->groups = parquet_groups_new(w, q->column, q->n_columns);
    if (q->groups == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    return graphfile_plain_write(&w->file, 0, PARQUET_MAGIC, 4);
}

static size_t width_of(const graphfile_writer *w, int column)
{
    return column < 2 ? (size_t)w->spec.graph.id_bytes : 4;
}

static uint64_t edges_of_page(const graphfile_writer *w, uint64_t page)
{
    const uint64_t left = w->spec.graph.edges - page * PARQUET_PAGE;

    return left < PARQUET_PAGE ? left : PARQUET_PAGE;
}

static void free_partial(partial *of)
{
    for (int i = 0; of != NULL && i < PARQUET_COLUMNS; i++) {
        free(of->column[i]);
    }
    free(of);
}

static partial *new_partial(const graphfile_writer *w, uint64_t page)
{
    const parquet *q = w->state;
    partial *made = calloc(1, sizeof *made);

    for (int i = 0; made != NULL && i < q->n_columns; i++) {
        made->column[i] = malloc(edges_of_page(w, page) * width_of(w, i));
        if (made->column[i] == NULL) {
            free_partial(made);
            return NULL;
        }
    }
    if (made != NULL) {
        made->page = page;
        atomic_init(&made->waiting, edges_of_page(w, page));
    }
    return made;
}

/* The page, which is begun if nobody has. */
static partial *find(const graphfile_writer *w, uint64_t page)
{
    parquet *q = w->state;
    partial *found;

    pthread_mutex_lock(&q->lock);
    found = q->partials;
    while (found != NULL && found->page != page) {
        found = found->next;
    }
    if (found == NULL && (found = new_partial(w, page)) != NULL) {
        found->next = q->partials;
        q->partials = found;
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void unlink_partial(parquet *q, const partial *gone)
{
    partial **link = &q->partials;

    pthread_mutex_lock(&q->lock);
    while (*link != gone) {
        link = &(*link)->next;
    }
    *link = gone->next;
    pthread_mutex_unlock(&q->lock);
}

/* Edges from `at` of the page on, count of them. */
static int add_some(graphfile_writer *w, uint64_t page, uint64_t at, uint64_t count,
                    const void *const from[PARQUET_COLUMNS])
{
    parquet *q = w->state;
    partial *of = find(w, page);
    int st;

    if (of == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (int i = 0; i < q->n_columns; i++) {
        memcpy(of->column[i] + at * width_of(w, i), from[i], count * width_of(w, i));
    }
    if (atomic_fetch_sub(&of->waiting, count) > count) {
        return EDGEFILE_OK;
    }
    unlink_partial(q, of);
    st = parquet_groups_add(q->groups, page,
                            (const void *[]){of->column[0], of->column[1], of->column[2]});
    free_partial(of);
    return st;
}

static int write_parquet(graphfile_writer *w, const graphfile_piece *p)
{
    const parquet *q = w->state;
    const char *const column[PARQUET_COLUMNS] = {p->src, p->dst, p->weight};

    for (uint64_t done = 0, count; done < p->count; done += count) {
        const uint64_t page = (p->first + done) / PARQUET_PAGE,
                       at = (p->first + done) % PARQUET_PAGE;
        const uint64_t room = edges_of_page(w, page) - at;
        const void *from[PARQUET_COLUMNS] = {NULL};

        count = p->count - done < room ? p->count - done : room;
        for (int i = 0; i < q->n_columns; i++) {
            from[i] = column[i] + done * width_of(w, i);
        }
        EDGEFILE_TRY(count == edges_of_page(w, page) ? parquet_groups_add(q->groups, page, from)
                                                     : add_some(w, page, at, count, from));
    }
    return EDGEFILE_OK;
}

static int end_round(graphfile_writer *w)
{
    const parquet *q = w->state;

    return parquet_groups_end_round(q->groups);
}

static int finish_parquet(graphfile_writer *w)
{
    const parquet *q = w->state;
    const bool complete = q->partials == NULL && parquet_groups_complete(q->groups);
    graphfile_buffer footer = {0};
    uint64_t end;
    int st = complete ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_RANGE, "a page is not complete");

    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    end = parquet_groups_gather(q->groups);
    if (!graphfile_is_first(w)) {
        return EDGEFILE_OK;
    }
    st = parquet_footer(&footer, w, q->column, q->n_columns, parquet_groups_chunks(q->groups));

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->file, end, footer.data, footer.bytes);
    }
    graphfile_buffer_free(&footer);
    return st;
}

static void close_parquet(graphfile_writer *w)
{
    parquet *q = w->state;

    if (q == NULL) {
        return;
    }
    parquet_groups_free(q->groups);
    while (q->partials != NULL) {
        partial *first = q->partials;

        q->partials = first->next;
        free_partial(first);
    }
    pthread_mutex_destroy(&q->lock);
    free(q);
}

/* Where edges are sorted, a destination takes about as many bits as the mean gap between two of
 * them, and one more. */
static uint64_t length(const graphfile_graph *g)
{
    parquet_column column[PARQUET_COLUMNS];
    const int n = parquet_columns(column, g, false);
    const unsigned __int128 cells = (unsigned __int128)g->rows * g->cols;
    double bits = 0;

    if (!g->sorted) {
        bits = 16.0 * (double)parquet_width(column[0].type);
    } else {
        for (unsigned __int128 gap = cells / (g->edges + 1); gap > 0; gap >>= 1) {
            bits++;
        }
        bits += 1;
    }
    bits += n == 2 ? 0 : column[2].type == PARQUET_FLOAT ? 32 : 10;
    return (uint64_t)(bits / 8 * (double)g->edges) + 1024;
}

static bool is_parquet(const void *start, size_t count)
{
    return count >= 4 && memcmp(start, PARQUET_MAGIC, 4) == 0;
}

static const graphfile_write_ops write_ops = {.open = open_parquet,
                                              .write = write_parquet,
                                              .end_round = end_round,
                                              .finish = finish_parquet,
                                              .close = close_parquet};

const graphfile_descriptor graphfile_parquet_format = {
    .facts = {"parquet", ".parquet", "Apache Parquet, columns src, dst, weight",
              GRAPHFILE_READ_BACK | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_SIGNED_IDS | GRAPHFILE_HAS_COLUMNS | GRAPHFILE_COMPRESSES},
    .write = &write_ops,
    .edge_bytes = 1,
    .round = PARQUET_GROUP,
    .length = length,
    .length_is_estimate = true,
    .read = &parquet_read_ops,
    .recognise = is_parquet,
};
