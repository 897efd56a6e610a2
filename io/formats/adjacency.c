/*
 * adjacency.c - adjacency: the text of Ligra and GBBS.  The word AdjacencyGraph, or with weights
 * WeightedAdjacencyGraph; the numbers of vertices and of edges; for each vertex the number of its
 * first edge; the destinations; the weights.  Each stands on a line.
 *
 * The numbers of one kind are as wide as the longest one could be, with blanks in front, which the
 * readers skip: so the place of each is known before the numbers in front of it are.
 *
 * Files of other programs have any blanks and ends of lines between their numbers.  To read them,
 * one pass counts the words that begin in each block of BLOCK bytes; from there on a number is
 * looked for in the block where it begins.
 */
#include "io/formats/digits.h"
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the longest header, of the line of a weight, of a block, and of the longest word. */
enum { HEADER = 80, WEIGHT = 12, BLOCK = 1 << 16, WORD = 64 };

typedef struct {
    char header[HEADER];
    size_t rows, row_width, id_width, destinations, weights, end; /* offsets, and widths of lines */
} layout;

static layout lay_out(const graphfile_graph *g)
{
    const bool weighted = g->weight != EDGEFILE_NO_WEIGHT;
    const uint64_t vertices = graphfile_vertices(g);
    layout x = {.row_width = graphfile_n_digits(g->edges) + 1,
                .id_width = graphfile_n_digits(vertices) + 1};

    x.rows = (size_t)snprintf(x.header, HEADER, "%sAdjacencyGraph\n%" PRIu64 "\n%" PRIu64 "\n",
                              weighted ? "Weighted" : "", vertices, g->edges);
    x.destinations = x.rows + x.row_width * vertices;
    x.weights = x.destinations + x.id_width * g->edges;
    x.end = x.weights + (weighted ? WEIGHT * g->edges : 0);
    return x;
}

static uint64_t length(const graphfile_graph *g)
{
    return lay_out(g).end;
}

static int open_adjacency(graphfile_writer *w)
{
    const uint64_t vertices = graphfile_vertices(&w->spec.graph);
    const layout x = lay_out(&w->spec.graph);

    w->rows = (graphfile_pointers){.file = &w->file,
                                   .first = vertices == 0, /* then there are none */
                                   .last = vertices - (vertices > 0),
                                   .offset = x.rows,
                                   .scale = 1,
                                   .width = (int)x.row_width,
                                   .text = true};
    graphfile_plain_reserve(&w->file, x.end);
    return graphfile_plain_write(&w->file, 0, x.header, x.rows);
}

static int write_adjacency(graphfile_writer *w, const graphfile_piece *p)
{
    const layout x = lay_out(&w->spec.graph);
    graphfile_buffer *b;
    char *to;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    to = graphfile_open_chunk(w, &b, x.id_width * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t id = graphfile_id(w->spec.graph.id_bytes, p->dst, i);

        graphfile_put_field(to + x.id_width * i, (int64_t)id, x.id_width);
    }
    EDGEFILE_TRY(
        graphfile_close_chunk(w, &w->file, x.destinations + x.id_width * p->first, b, EDGEFILE_OK));
    if (w->spec.graph.weight == EDGEFILE_NO_WEIGHT) {
        return EDGEFILE_OK;
    }
    to = graphfile_open_chunk(w, &b, WEIGHT * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        graphfile_put_field(to + WEIGHT * i, ((const int32_t *)p->weight)[i], WEIGHT);
    }
    return graphfile_close_chunk(w, &w->file, x.weights + WEIGHT * p->first, b, EDGEFILE_OK);
}

static const graphfile_write_ops write_ops = {
    .open = open_adjacency, .write = write_adjacency, .finish = graphfile_finish_rows};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A block with the byte before it (a blank before the first one), up to WORD bytes of what follows
 * and a blank at the end.  *n: the bytes of the block, which begins at text + 1. */
static int load_block(const graphfile_reader *r, uint64_t block, char text[BLOCK + WORD + 2],
                      size_t *n)
{
    const uint64_t at = block * BLOCK, left = r->bytes - at;
    const size_t more = left < BLOCK + WORD ? (size_t)left : BLOCK + WORD;

    *n = left < BLOCK ? (size_t)left : BLOCK;
    text[0] = ' ';
    EDGEFILE_TRY(graphfile_pread(r, at - (at > 0), text + (at == 0), more + (at > 0)));
    text[more + 1] = ' ';
    return EDGEFILE_OK;
}

/* Word number `word` and what follows: `count` integers, which may be negative.  Words are counted
 * from 0 on. */
static int get_words(const graphfile_reader *r, uint64_t word, uint64_t count, uint64_t *to)
{
    const uint64_t *before = ((const graphfile_csr *)r->state)->index;
    uint64_t low = 0, high = (r->bytes + BLOCK - 1) / BLOCK, done = 0;
    char *text = malloc(BLOCK + WORD + 2);
    int st = text != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name);

    while (high - low > 1) { /* the last block that at most `word` words come before */
        const uint64_t middle = low + (high - low) / 2;

        *(before[middle] <= word ? &low : &high) = middle;
    }
    for (uint64_t seen = before[low]; done < count && st == EDGEFILE_OK; low++) {
        size_t n = 0;

        st = low * BLOCK < r->bytes
                 ? load_block(r, low, text, &n)
                 : edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", r->name);
        for (size_t i = 1; i <= n && done < count && st == EDGEFILE_OK; i++) {
            if (is_space(text[i]) || !is_space(text[i - 1]) || seen++ < word) {
                continue;
            }
            const bool minus = text[i] == '-';
            uint64_t value;
            const char *start = text + i + minus, *end = graphfile_digits(start, &value);

            if (end == start || end - start > 20 || !is_space(*end) || value > INT64_MAX) {
                char excerpt[WORD / 2];

                graphfile_printable(excerpt, sizeof excerpt, text + i,
                                    strcspn(text + i, " \t\r\n"));
                st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                                   "%s: byte %" PRIu64 ": '%s', expected an integer", r->name,
                                   low * BLOCK + i - 1, excerpt);
            }
            to[done++] = minus ? 0 - value : value;
        }
    }
    free(text);
    return st;
}

/* How many words come before each block, and in all. */
static int count_words(const graphfile_reader *r, uint64_t *before, uint64_t *all)
{
    char *text = malloc(BLOCK + WORD + 2);
    int st = text != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name);

    *all = 0;
    for (uint64_t block = 0; block * BLOCK < r->bytes && st == EDGEFILE_OK; block++) {
        size_t n;

        before[block] = *all;
        st = load_block(r, block, text, &n);
        for (size_t i = 1; i <= n && st == EDGEFILE_OK; i++) {
            *all += (unsigned)!is_space(text[i]) & (unsigned)is_space(text[i - 1]);
        }
    }
    free(text);
    return st;
}

static int open_to_read(graphfile_reader *r)
{
    static const char first_word[] = "WeightedAdjacencyGraph";
    char start[sizeof first_word] = "";
    uint64_t words, sizes[2] = {0};
    bool weighted;
    graphfile_csr *x;

    EDGEFILE_TRY(graphfile_csr_begin(r, &x));
    EDGEFILE_TRY(
        graphfile_pread(r, 0, start, r->bytes < sizeof start ? (size_t)r->bytes : sizeof start));
    weighted = start[0] == 'W';
    words = strlen(first_word + (weighted ? 0 : 8));
    if (strncmp(start, first_word + (weighted ? 0 : 8), words) != 0 || !is_space(start[words])) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: does not begin with AdjacencyGraph or WeightedAdjacencyGraph",
                             r->name);
    }
    x->index = calloc(r->bytes / BLOCK + 1, sizeof(uint64_t));
    if (x->index == NULL) {
        return edgefile_no_memory(r->name);
    }
    EDGEFILE_TRY(count_words(r, x->index, &words));
    x->get = get_words;
    if (words >= 3) {
        EDGEFILE_TRY(get_words(r, 1, 2, sizes));
    }
    const uint64_t vertices = sizes[0], edges = sizes[1];

    if (words < 3 || vertices > words || edges > words ||
        3 + vertices + edges * (weighted ? 2 : 1) != words) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " numbers, which are not the %" PRId64
                             " vertices and %" PRId64 " edges that its header says",
                             r->name, words - 1, (int64_t)vertices, (int64_t)edges);
    }
    x->no_last = true;
    x->pointers = (graphfile_array){.at = 3, .type = {8, true}};
    x->dst = (graphfile_array){.at = 3 + vertices, .type = {8, true}};
    x->weight = (graphfile_array){.at = 3 + vertices + edges, .type = {weighted ? 8 : 0, true}};
    return graphfile_csr_open(r, vertices, vertices, edges);
}

static const graphfile_read_ops read_ops = GRAPHFILE_CSR_READ(open_to_read);

static bool is_adjacency(const void *start, size_t count)
{
    return (count >= 14 && memcmp(start, "AdjacencyGraph", 14) == 0) ||
           (count >= 16 && memcmp(start, "WeightedAdjacenc", 16) == 0);
}

const graphfile_descriptor graphfile_adjacency_format = {
    .facts = {"adjacency", ".adj", "Ligra's and GBBS's AdjacencyGraph, or WeightedAdjacencyGraph",
              GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .write = &write_ops,
    .read = &read_ops,
    .recognise = is_adjacency,
    .edge_bytes = 2, /* at least */
    .length = length,
};
