/*
 * open.c - reading: a file is opened, scanned piece by piece, then read piece by piece.
 *
 * The file is read, not mapped, so that a file which becomes shorter meanwhile is an error and not
 * a signal.
 */
#include "io/formats/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int graphfile_pread_file(const char *name, int fd, uint64_t offset, void *to, size_t bytes)
{
    if (edgefile_get(fd, offset, bytes, to) == bytes) {
        return EDGEFILE_OK;
    }
    return errno == 0 ? edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", name)
                      : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
}

int graphfile_pread(const graphfile_reader *r, uint64_t offset, void *to, size_t bytes)
{
    return graphfile_pread_file(r->name, r->fd, offset, to, bytes);
}

static int find_bytes(graphfile_reader *r)
{
    struct stat st;

    if (fstat(r->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", r->name);
    }
    if (!S_ISREG(st.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is %s, expected a regular file", r->name,
                             edgefile_kind(st.st_mode));
    }
    r->bytes = (uint64_t)st.st_size;
    return EDGEFILE_OK;
}

void graphfile_cut(graphfile_reader *r)
{
    r->pieces = (r->bytes - r->start + r->piece - 1) / r->piece;
}

/* Text of other programs may begin with the mark of UTF-8, which is no part of its first line. */
static int skip_mark(graphfile_reader *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    char start[sizeof mark] = "";

    if (r->bytes < sizeof mark - 1) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(graphfile_pread(r, 0, start, sizeof mark - 1));
    r->start = strcmp(start, mark) == 0 ? sizeof mark - 1 : 0;
    return EDGEFILE_OK;
}

static int begin_format(graphfile_reader *r)
{
    const graphfile_read_ops *ops = r->about->read;

    if (ops == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: graphfile_open() cannot read the format %s",
                             r->name, r->about->facts.name);
    }
    EDGEFILE_TRY(find_bytes(r));
    if (r->about->facts.traits & GRAPHFILE_TEXT) {
        EDGEFILE_TRY(skip_mark(r));
    }
    graphfile_cut(r);
    if (ops->open != NULL) {
        EDGEFILE_TRY(ops->open(r));
    }
    if (!ops->own_pieces) {
        graphfile_cut(r); /* it may have changed where pieces begin, or their length */
    }
    r->parts = calloc(r->pieces + 1, sizeof *r->parts);
    return r->parts != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name);
}

static int open_reader(graphfile_reader **out, int fd, const char *name, graphfile_format format,
                       uint64_t piece, bool by_name, const char *datasets)
{
    graphfile_reader *r = calloc(1, sizeof *r);
    int st;

    *out = NULL;
    if (r == NULL || (r->name = strdup(name)) == NULL) {
        free(r);
        close(fd);
        return edgefile_no_memory(name);
    }
    r->fd = fd;
    r->about = graphfile_descriptors[format];
    r->piece = piece;
    r->path = by_name ? r->name : NULL;
    r->datasets = datasets;
    r->separator = ' ';
    r->longest = GRAPHFILE_LINE;
    r->names[0] = "src";
    r->names[1] = "dst";
    r->highest[0] = r->highest[1] = GRAPHFILE_HIGHEST;
    st = begin_format(r);
    if (st != EDGEFILE_OK) {
        graphfile_close(r);
        return st;
    }
    *out = r;
    return EDGEFILE_OK;
}

int graphfile_open_cut(graphfile_reader **out, int fd, const char *name, graphfile_format format,
                       uint64_t piece, const char *columns)
{
    return open_reader(out, fd, name, format, piece, false, columns);
}

int graphfile_open_fd(graphfile_reader **out, int fd, const char *name, graphfile_format format)
{
    return graphfile_open_cut(out, fd, name, format, GRAPHFILE_PIECE, NULL);
}

static int open_name(graphfile_reader **out, const char *name, graphfile_format format,
                     const char *datasets)
{
    /* O_NONBLOCK: opening a FIFO must not wait for its writer. */
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *out = NULL;
    if (fd < 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", name);
    }
    return open_reader(out, fd, name, format, GRAPHFILE_PIECE, true, datasets);
}

int graphfile_open(graphfile_reader **out, const char *name, graphfile_format format)
{
    return open_name(out, name, format, NULL);
}

int graphfile_open_datasets(graphfile_reader **out, const char *name, const char *datasets)
{
    *out = NULL;
    EDGEFILE_TRY(graphfile_check_datasets(datasets));
    return open_name(out, name, GRAPHFILE_H5, datasets);
}

int graphfile_open_columns(graphfile_reader **out, int fd, const char *name,
                           graphfile_format format, const char *columns)
{
    int st = graphfile_check_datasets(columns);

    *out = NULL;
    if (st == EDGEFILE_OK && !(graphfile_table[format]->traits & GRAPHFILE_HAS_COLUMNS)) {
        st = edgefile_fail(EDGEFILE_ERR_ARG, "%s: the columns of %s have no names", name,
                           graphfile_names[format]);
    }
    if (st != EDGEFILE_OK) {
        close(fd);
        return st;
    }
    return graphfile_open_cut(out, fd, name, format, GRAPHFILE_PIECE, columns);
}

void graphfile_close(graphfile_reader *r)
{
    if (r == NULL) {
        return;
    }
    if (r->about->read != NULL && r->about->read->close != NULL) {
        r->about->read->close(r);
    }
    close(r->fd);
    free(r->parts);
    free(r->name);
    free(r);
}

uint64_t graphfile_pieces(const graphfile_reader *r)
{
    return r->pieces;
}

uint64_t graphfile_most(const graphfile_reader *r)
{
    return r->most;
}

static uint64_t highest(const uint64_t *ids, size_t n, uint64_t so_far)
{
    for (size_t i = 0; i < n; i++) {
        so_far = ids[i] > so_far ? ids[i] : so_far;
    }
    return so_far;
}

static int look_at_beginning(graphfile_batch *b)
{
    b->highest_src = highest(b->src, b->n, b->highest_src);
    b->highest_dst = highest(b->dst, b->n, b->highest_dst);
    b->edges += b->n;
    b->n = 0;
    return EDGEFILE_OK;
}

static void raise_to(_Atomic uint64_t *value, uint64_t least)
{
    uint64_t now = atomic_load(value);

    while (now < least && !atomic_compare_exchange_weak(value, &now, least)) {
    }
}

static int check_told(const graphfile_traits *about, unsigned base, edgefile_weight weight)
{
    const bool good = base == 0 || about->traits & GRAPHFILE_HAS_BASE;
    char list[64];

    if (good && (weight == EDGEFILE_NO_WEIGHT || about->traits & GRAPHFILE_BARE_WEIGHTS)) {
        return EDGEFILE_OK;
    }
    graphfile_list(good ? GRAPHFILE_BARE_WEIGHTS : GRAPHFILE_HAS_BASE, list, sizeof list);
    return edgefile_fail(EDGEFILE_ERR_ARG, "given for %s, allowed: for %s", about->name, list);
}

int graphfile_check_told(graphfile_format format, unsigned base, edgefile_weight weight)
{
    return check_told(graphfile_table[format], base, weight);
}

int graphfile_tell(graphfile_reader *r, unsigned base, edgefile_weight weight)
{
    EDGEFILE_TRY(check_told(&r->about->facts, base, weight));
    if (base > 0) {
        r->base = base;
    }
    if (weight != EDGEFILE_NO_WEIGHT && r->untold) {
        ((graphfile_csr *)r->state)->weight.is_float = r->reals = weight == EDGEFILE_WEIGHT_F32;
        r->untold = false;
    }
    return EDGEFILE_OK;
}

int graphfile_scan(graphfile_reader *r, uint64_t piece)
{
    graphfile_batch *b = malloc(sizeof *b);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(r->name);
    }
    if (r->untold) {
        free(b);
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: %s does not say whether weights are int32 or float32; give their "
                             "type by the option weight-type",
                             r->name, r->about->facts.name);
    }
    b->take = look_at_beginning;
    b->reader = r;
    b->n = 0;
    b->floats = false;
    b->inexact = b->entries = b->edges = b->highest_src = b->highest_dst = 0;
    st = r->about->read->parse(r, piece, b);
    if (st == EDGEFILE_OK) {
        st = look_at_beginning(b);
    }
    r->parts[piece].edges = b->edges;
    raise_to(&r->highest_src, b->highest_src);
    raise_to(&r->highest_dst, b->highest_dst);
    atomic_fetch_add(&r->found, b->entries);
    atomic_fetch_add(&r->inexact, b->inexact);
    if (b->floats) {
        atomic_store(&r->floats, true);
    }
    free(b);
    return st;
}

/* Sets *vertices to what the caller asked for, which must be at least `least`; or to `fallback`. */
static int choose(const graphfile_reader *r, const char *what, uint64_t asked, uint64_t least,
                  uint64_t fallback, uint64_t *vertices)
{
    if (asked > 0 && asked < least) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s: has %" PRIu64 " %s, more than the %" PRIu64 " asked for", r->name,
                             least, what, asked);
    }
    *vertices = asked > 0 ? asked : fallback;
    return EDGEFILE_OK;
}

static int choose_vertices(graphfile_reader *r, uint64_t rows, uint64_t cols)
{
    graphfile_graph *g = &r->graph;
    const uint64_t any = g->edges > 0, src = atomic_load(&r->highest_src) + any,
                   dst = atomic_load(&r->highest_dst) + any, highest = src > dst ? src : dst,
                   both = highest > r->rows ? highest : r->rows; /* rows: of graphalytics */

    EDGEFILE_TRY(
        choose(r, "rows", rows, r->told ? r->rows : src, r->told ? r->rows : both, &g->rows));
    return choose(r, "columns", cols, r->told ? r->cols : dst, r->told ? r->cols : both, &g->cols);
}

int graphfile_scanned(graphfile_reader *r, uint64_t rows, uint64_t cols, graphfile_graph *graph)
{
    const uint64_t narrow = (uint64_t)1 << 32;
    graphfile_graph *g = &r->graph;
    int st;

    if (r->about->read->check != NULL) {
        EDGEFILE_TRY(r->about->read->check(r));
    }
    *g = (graphfile_graph){0};
    for (uint64_t i = 0; i < r->pieces; i++) {
        r->parts[i].first = g->edges;
        g->edges += r->parts[i].edges;
        r->most = r->parts[i].edges > r->most ? r->parts[i].edges : r->most;
    }
    st = choose_vertices(r, rows, cols);
    g->id_bytes = r->least_id_bytes == 8 || g->rows > narrow || g->cols > narrow ? 8 : 4;
    if (r->weights) {
        g->weight = r->reals || atomic_load(&r->floats) ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32;
    }
    *graph = *g;
    return st;
}

static void store_ids(const graphfile_reader *r, void *to, uint64_t at, const uint64_t *ids,
                      size_t n)
{
    if (r->graph.id_bytes == 8) {
        memcpy((uint64_t *)to + at, ids, n * sizeof *ids);
    } else {
        for (size_t i = 0; i < n; i++) {
            ((uint32_t *)to)[at + i] = (uint32_t)ids[i];
        }
    }
}

static int store(graphfile_batch *b)
{
    const graphfile_reader *r = b->reader;
    const uint64_t at = b->edges;

    if (b->n > b->room - at || (b->floats && r->graph.weight == EDGEFILE_WEIGHT_I32) ||
        highest(b->src, b->n, 0) > atomic_load(&r->highest_src) ||
        highest(b->dst, b->n, 0) > atomic_load(&r->highest_dst)) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", r->name);
    }
    store_ids(r, b->to_src, at, b->src, b->n);
    store_ids(r, b->to_dst, at, b->dst, b->n);
    for (size_t i = 0; i < b->n && b->to_weight != NULL; i++) {
        if (r->graph.weight == EDGEFILE_WEIGHT_I32) {
            ((int32_t *)b->to_weight)[at + i] = (int32_t)b->weight[i];
        } else {
            ((float *)b->to_weight)[at + i] = (float)b->weight[i];
        }
    }
    b->edges += b->n;
    b->n = 0;
    return EDGEFILE_OK;
}

uint64_t graphfile_inexact(const graphfile_reader *r)
{
    return atomic_load(&r->inexact);
}

uint64_t graphfile_first(const graphfile_reader *r, uint64_t piece)
{
    return piece < r->pieces ? r->parts[piece].first : r->graph.edges;
}

int graphfile_read(graphfile_reader *r, uint64_t piece, uint64_t *first, uint64_t *count, void *src,
                   void *dst, void *weight)
{
    graphfile_batch *b = malloc(sizeof *b);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(r->name);
    }
    b->take = store;
    b->reader = r;
    b->n = 0;
    b->floats = false;
    b->inexact = b->entries = b->edges = 0;
    b->to_src = src;
    b->to_dst = dst;
    b->to_weight = weight;
    b->room = r->parts[piece].edges;
    st = r->about->read->parse(r, piece, b);
    if (st == EDGEFILE_OK) {
        st = store(b);
    }
    if (st == EDGEFILE_OK && b->edges != b->room) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", r->name);
    }
    *first = r->parts[piece].first;
    *count = b->edges;
    free(b);
    return st;
}
