/*
 * parquet.c - Apache Parquet: columns src, dst and, if there are any, weight.
 *
 * Values go to their final places immediately (layout.c).  The piece with the first edge of a page
 * also writes the page's header.  Only the ranges of the columns depend on all edges of a row
 * group; they are in the metadata at the end (footer.c).
 */
#include "io/formats/parquet/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Readers accept a footer of 2 GiB at most. */
#define MOST_GROUPS ((uint64_t)1 << 21)

_Static_assert(GRAPHFILE_ROUND % PARQUET_GROUP == 0, "a row group is one process's");

typedef struct {
    parquet_layout layout;
    pthread_mutex_t lock; /* guards: */
    parquet_range *range; /* of the column chunks of all groups */
} parquet;

static int check(const graphfile_graph *g)
{
    const uint64_t most = MOST_GROUPS * PARQUET_GROUP;

    return g->edges <= most
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_ARG,
                               "parquet needs at most %" PRIu64 " edges, the graph has %" PRIu64,
                               most, g->edges);
}

static int open_parquet(graphfile_writer *w)
{
    parquet *q = calloc(1, sizeof *q);

    w->state = q;
    if (q == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    pthread_mutex_init(&q->lock, NULL);
    q->layout = parquet_layout_of(&w->spec.graph);
    q->range = calloc(q->layout.groups * (uint64_t)q->layout.n_columns + 1, sizeof *q->range);
    if (q->range == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    EDGEFILE_TRY(io_file_reserve(&w->file, parquet_end(&q->layout)));
    return io_file_write(&w->file, 0, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
}

/* Ids are below 2^63, so signed integers have the same order. */
static parquet_range range_of_ids(const void *ids, int id_bytes, size_t count)
{
    uint64_t least = UINT64_MAX, greatest = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = graphfile_id(id_bytes, ids, i);

        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
    }
    return (parquet_range){least, greatest, 1};
}

static parquet_range range_of_integers(const int32_t *x, size_t count)
{
    int32_t least = INT32_MAX, greatest = INT32_MIN;

    for (size_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){(uint64_t)least, (uint64_t)greatest, 1};
}

/* NaN is left out: it has no place in their order. */
static parquet_range range_of_floats(const float *x, size_t count)
{
    float least = INFINITY, greatest = -INFINITY;
    parquet_range range = {.known = 0};

    for (size_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    range.known = least <= greatest;
    memcpy(&range.least, &least, sizeof least);
    memcpy(&range.greatest, &greatest, sizeof greatest);
    return range;
}

static float float_of(uint64_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Compares two values of this type by their bits. */
static bool is_below(uint64_t a, uint64_t b, parquet_type type)
{
    return type == PARQUET_FLOAT ? float_of(a) < float_of(b) : (int64_t)a < (int64_t)b;
}

static void add_range(parquet *q, uint64_t group, int column, const parquet_range *more)
{
    parquet_range *all = &q->range[group * (uint64_t)q->layout.n_columns + (uint64_t)column];
    const parquet_type type = q->layout.column[column].type;

    if (!more->known) {
        return;
    }
    pthread_mutex_lock(&q->lock);
    if (!all->known || is_below(more->least, all->least, type)) {
        all->least = more->least;
    }
    if (!all->known || is_below(all->greatest, more->greatest, type)) {
        all->greatest = more->greatest;
    }
    all->known = 1;
    pthread_mutex_unlock(&q->lock);
}

/* Bytes of an element of a column in the writer's input. */
static uint64_t given_bytes(const graphfile_graph *g, int column)
{
    return column < 2 ? (uint64_t)g->id_bytes : 4;
}

/* Puts values of a column, with ids of 8 bytes if int32 is too narrow.  `to` need not be
 * aligned. */
static void put_values(const graphfile_graph *g, const parquet_column *c, const void *from,
                       uint64_t count, char *to)
{
    if (c->type != PARQUET_INT64 || g->id_bytes == 8) {
        memcpy(to, from, count * c->width);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t id = ((const uint32_t *)from)[i];

        memcpy(to + 8 * i, &id, sizeof id);
    }
}

/* Writes edges of one row group: the values of a column with the headers of the pages that begin
 * there.  The bytes start where graphfile_align() would move them to. */
static int write_stretch(graphfile_writer *w, int i, uint64_t first, uint64_t count,
                         const char *from)
{
    const graphfile_graph *g = &w->spec.graph;
    parquet *q = w->state;
    const parquet_layout *x = &q->layout;
    const parquet_column *c = &x->column[i];
    const uint64_t end = parquet_value_at(x, i, first + count - 1) + c->width;
    const uint64_t header = first % PARQUET_PAGE == 0 ? parquet_header_of(x, i, first)->bytes : 0;
    const uint64_t at = parquet_value_at(x, i, first) - header;
    const parquet_range range = i < 2 ? range_of_ids(from, g->id_bytes, count)
                                : c->type == PARQUET_FLOAT
                                    ? range_of_floats((const void *)from, count)
                                    : range_of_integers((const void *)from, count);
    graphfile_buffer *b;
    char *memory = graphfile_open_chunk(w, &b, end - at), *to;
    int st;

    if (memory == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    to = memory += at % GRAPHFILE_PAGE;
    for (uint64_t done = 0, some; done < count; done += some) {
        const uint64_t edge = first + done, room = PARQUET_PAGE - edge % PARQUET_PAGE;

        some = count - done < room ? count - done : room;
        if (room == PARQUET_PAGE) {
            const parquet_header *h = parquet_header_of(x, i, edge);

            memcpy(to, h->text, h->bytes);
            to += h->bytes;
        }
        put_values(g, c, from + done * given_bytes(g, i), some, to);
        to += some * c->width;
    }
    st = graphfile_write_sharing(w, &w->file, at, memory, end - at);
    graphfile_give_buffer(w, b);
    add_range(q, first / PARQUET_GROUP, i, &range);
    return st;
}

static int write_parquet(graphfile_writer *w, const graphfile_piece *p)
{
    const char *const column[PARQUET_COLUMNS] = {p->src, p->dst, p->weight};
    const parquet *q = w->state;

    for (uint64_t done = 0, some; done < p->count; done += some) {
        const uint64_t first = p->first + done, room = PARQUET_GROUP - first % PARQUET_GROUP;

        some = p->count - done < room ? p->count - done : room;
        for (int i = 0; i < q->layout.n_columns; i++) {
            EDGEFILE_TRY(write_stretch(w, i, first, some,
                                       column[i] + done * given_bytes(&w->spec.graph, i)));
        }
    }
    return EDGEFILE_OK;
}

static uint64_t footer_bytes(const graphfile_spec *s, const parquet_layout *x)
{
    thrift_writer t = {.to = NULL};

    parquet_footer(&t, s, x, NULL);
    return t.bytes;
}

/* Combines the ranges of all processes: one process knows each, and the others have zeros. */
static int finish(graphfile_writer *w)
{
    const parquet *q = w->state;
    const parquet_layout *x = &q->layout;
    thrift_writer t = {.to = NULL};
    int st;

    edgefile_group_sum(w->spec.group, (uint64_t *)(void *)q->range,
                       x->groups * (uint64_t)x->n_columns * (sizeof *q->range / sizeof(uint64_t)));
    if (!edgefile_group_leads(w->spec.group)) {
        return EDGEFILE_OK;
    }
    t.to = malloc(footer_bytes(&w->spec, x));
    if (t.to == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    parquet_footer(&t, &w->spec, x, q->range);
    st = io_file_write(&w->file, parquet_end(x), t.to, t.bytes);
    free(t.to);
    return st;
}

static void close_parquet(graphfile_writer *w)
{
    parquet *q = w->state;

    if (q == NULL) {
        return;
    }
    pthread_mutex_destroy(&q->lock);
    free(q->range);
    free(q);
}

static uint64_t most_bytes(const graphfile_spec *s, int *exact)
{
    const parquet_layout x = parquet_layout_of(&s->graph);

    if (exact != NULL) {
        *exact = 1;
    }
    return parquet_end(&x) + footer_bytes(s, &x);
}

static const graphfile_place place_parquet = {
    .open = open_parquet, .piece = write_parquet, .finish = finish, .close = close_parquet};

const graphfile_descriptor graphfile_parquet_format = {
    .facts = {"parquet", ".parquet", "Apache Parquet, columns src, dst, weight",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIGNED_IDS},
    .place = &place_parquet,
    .check = check,
    .most = most_bytes,
};
