/*
 * encode.c - formats that are a stream of bytes: buffers, the order of pieces, and rounds of
 * several processes.
 */
#include "io/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Buffers: growing sequences of bytes. */

enum { HUGE_PAGE = 1 << 21, COMMENT_LINE = 160 };

/* Large buffers are whole huge pages, so that the disk receives long contiguous pieces. */
static int grow(graphfile_buffer *b, size_t room)
{
    const size_t unit = room < HUGE_PAGE ? GRAPHFILE_PAGE : HUGE_PAGE;
    char *data;

    room = (room + unit - 1) / unit * unit;
    data = aligned_alloc(unit, room);
    if (data == NULL) {
        return -1;
    }
    if (unit == HUGE_PAGE) {
        madvise(data, room, MADV_HUGEPAGE);
    }
    if (b->bytes > 0) {
        memcpy(data, b->data, b->bytes);
    }
    free(b->data);
    b->data = data;
    b->room = room;
    return 0;
}

/* Leaves room for one more page, which graphfile_align() may need. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes)
{
    const size_t room = b->bytes + bytes + GRAPHFILE_PAGE;

    if (room > b->room && grow(b, room + (b->room > 0 ? room / 2 : 0)) != 0) {
        return NULL;
    }
    return b->data + b->bytes;
}

char *graphfile_align(graphfile_buffer *b, uint64_t offset)
{
    const size_t shift = offset % GRAPHFILE_PAGE;

    if (b->bytes == 0) { /* there may be no memory yet */
        return b->data;
    }
    if (shift != 0) {
        memmove(b->data + shift, b->data, b->bytes);
    }
    return b->data + shift;
}

int graphfile_newlines(graphfile_buffer *b, uint64_t count)
{
    char *to = graphfile_reserve(b, (size_t)count);

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    memset(to, '\n', (size_t)count);
    b->bytes += (size_t)count;
    return EDGEFILE_OK;
}

void graphfile_buffer_free(graphfile_buffer *b)
{
    free(b->data);
    *b = (graphfile_buffer){0};
}

int graphfile_print(graphfile_buffer *b, const char *format, ...)
{
    enum { MOST = 512 };
    char *to = graphfile_reserve(b, MOST);
    va_list args;
    int n;

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    va_start(args, format);
    n = vsnprintf(to, MOST, format, args);
    va_end(args);
    b->bytes += n < MOST ? (size_t)n : MOST - 1;
    return EDGEFILE_OK;
}

/* Lines have at most COMMENT_LINE bytes: GAPBS reads a comment beyond 200 bytes as data. */
int graphfile_comment(const graphfile_writer *w, graphfile_buffer *b)
{
    const char *text = w->spec.comment;
    int st = EDGEFILE_OK;

    while (text != NULL && *text != '\0' && st == EDGEFILE_OK) {
        size_t length = strlen(text), from = b->bytes;
        if (length > COMMENT_LINE) {
            length = COMMENT_LINE;
            while (length > 1 && text[length] != ' ') {
                length--;
            }
            length = length > 1 ? length : COMMENT_LINE;
        }
        st = graphfile_print(b, "%% %.*s\n", (int)length, text);
        for (; st == EDGEFILE_OK && from + 1 < b->bytes; from++) { /* except the end of the line */
            if ((unsigned char)b->data[from] < 32) {
                b->data[from] = '?';
            }
        }
        text += length;
        text += *text == ' ';
    }
    return st;
}

graphfile_buffer *graphfile_take_buffer(graphfile_writer *w)
{
    graphfile_buffer *b;

    pthread_mutex_lock(&w->lock);
    b = w->spare;
    if (b != NULL) {
        w->spare = b->next;
    }
    pthread_mutex_unlock(&w->lock);
    return b != NULL ? b : calloc(1, sizeof *b);
}

void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b)
{
    b->bytes = 0;
    pthread_mutex_lock(&w->lock);
    b->next = w->spare;
    w->spare = b;
    pthread_mutex_unlock(&w->lock);
}

/*
 * Streams.
 *
 * A thread encodes its piece, waits for the piece's place in the file, and writes it there.  The
 * place is known when all earlier pieces are encoded, or immediately if every edge has the same
 * number of bytes.  On a pipe, pieces are written in order.
 */

#define AHEAD ((uint64_t)256 << 20) /* bytes of disk space that are allocated ahead */

static int write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b)
{
    return io_file_write(&w->file, offset, graphfile_align(b, offset), b->bytes);
}

/* Writes the buffer at the writer's offset and advances it, unless st is an error.  In a group
 * process 0 writes. */
static int append(graphfile_writer *w, int st, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += b->bytes;
    if (st == EDGEFILE_OK && edgefile_group_leads(w->spec.group) && b->bytes > 0) {
        st = write_buffer(w, offset, b);
    }
    graphfile_buffer_free(b);
    return st;
}

int graphfile_encode_header(graphfile_writer *w)
{
    const graphfile_encode *encode = w->about->encode;
    graphfile_buffer b = {0};

    EDGEFILE_TRY(io_file_reserve(&w->file, encode->edge_bytes * w->spec.graph.edges));
    EDGEFILE_TRY(append(w, encode->header != NULL ? encode->header(w, &b) : EDGEFILE_OK, &b));
    w->start = w->offset;
    return EDGEFILE_OK;
}

int graphfile_encode_trailer(graphfile_writer *w)
{
    const graphfile_encode *encode = w->about->encode;
    graphfile_buffer b = {0};

    return encode->trailer != NULL ? append(w, encode->trailer(w, &b), &b) : EDGEFILE_OK;
}

static int join_piece(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    return w->about->encode->join != NULL ? w->about->encode->join(w, p, b) : EDGEFILE_OK;
}

/* Waits, under the lock, until all earlier pieces have their places.  Then writes the bytes that
 * join this piece to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_ends ends = graphfile_ends_of(w, p);
    graphfile_buffer b = {0};

    while (w->next != p->number && !w->cancelled) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    if (w->cancelled) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    return append(w, join_piece(w, &ends, &b), &b);
}

static int place_piece(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const bool pipe = w->file.name == NULL;
    const unsigned edge_bytes = w->about->encode->edge_bytes;
    uint64_t offset;
    int st;

    if (edge_bytes != 0 && !pipe) {
        return write_buffer(w, w->start + p->first * edge_bytes, b);
    }
    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += b->bytes;
    if (st == EDGEFILE_OK && pipe) {
        st = write_buffer(w, offset, b);
    } else if (st == EDGEFILE_OK && w->offset > w->file.reserved + AHEAD / 4) {
        (void)io_file_reserve(&w->file, w->offset + AHEAD); /* a write will report the error */
    }
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe) {
        st = write_buffer(w, offset, b);
    }
    return st;
}

/*
 * Rounds.
 *
 * The place of a piece depends on the bytes of all pieces before it, including those of other
 * processes.  So several processes write a file in rounds.  In a round each process encodes the
 * pieces of consecutive edges and keeps them.  At its end the processes exchange the numbers of
 * their bytes and the rows of their last edges.  Each then writes its pieces after those of lower
 * ranks.  Formats that know the place of every edge write their pieces immediately.
 */

typedef struct graphfile_kept {
    uint64_t number;
    graphfile_ends ends;
    graphfile_buffer *bytes, join; /* join comes before bytes */
    struct graphfile_kept *next;   /* in the order of numbers */
} graphfile_kept;

static int keep_piece(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    graphfile_kept *made = malloc(sizeof *made), **at = &w->kept;

    if (made == NULL) {
        graphfile_give_buffer(w, b);
        return edgefile_no_memory(NULL);
    }
    *made = (graphfile_kept){.number = p->number, .ends = graphfile_ends_of(w, p), .bytes = b};
    pthread_mutex_lock(&w->lock);
    while (*at != NULL && (*at)->number < p->number) {
        at = &(*at)->next;
    }
    made->next = *at;
    *at = made;
    pthread_mutex_unlock(&w->lock);
    return EDGEFILE_OK;
}

int graphfile_encode_piece(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b = graphfile_take_buffer(w);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(NULL);
    }
    st = w->about->encode->piece(w, p, b);
    if (st == EDGEFILE_OK && w->spec.group != NULL && w->about->encode->edge_bytes == 0) {
        return keep_piece(w, p, b);
    }
    if (st == EDGEFILE_OK) {
        st = place_piece(w, p, b);
    }
    graphfile_give_buffer(w, b);
    return st;
}

void graphfile_drop_kept(graphfile_writer *w)
{
    while (w->kept != NULL) {
        graphfile_kept *first = w->kept;

        w->kept = first->next;
        graphfile_give_buffer(w, first->bytes);
        graphfile_buffer_free(&first->join);
        free(first);
    }
}

/* Finds two rows: that of the last edge before those of this process, and that of the last edge of
 * all processes.  If this round has no such edge, it is the last row of the previous round. */
static int share_rows(const graphfile_writer *w, uint64_t *before, uint64_t *last)
{
    const edgefile_group *group = w->spec.group;
    uint64_t *rows, mine = 0;

    for (const graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        mine = k->ends.count > 0 ? k->ends.last_src + 1 : mine;
    }
    *before = *last = w->row;
    EDGEFILE_TRY(edgefile_group_gather(group, w->file.name, mine, &rows));
    for (int k = 0; k < group->size; k++) {
        if (rows[k] > 0) {
            *before = k < group->rank ? rows[k] - 1 : *before;
            *last = rows[k] - 1;
        }
    }
    free(rows);
    return EDGEFILE_OK;
}

static int place_kept(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    uint64_t last, before, mine = 0, offset = w->offset, *bytes;
    int st = EDGEFILE_OK;

    EDGEFILE_TRY(share_rows(w, &before, &last));
    w->row = before;
    for (graphfile_kept *k = w->kept; k != NULL && st == EDGEFILE_OK; k = k->next) {
        st = join_piece(w, &k->ends, &k->join);
        mine += k->join.bytes + k->bytes->bytes;
    }
    w->row = last;
    EDGEFILE_TRY(edgefile_group_agree(group, st));
    EDGEFILE_TRY(edgefile_group_gather(group, w->file.name, mine, &bytes));
    for (int k = 0; k < group->size; k++) {
        offset += k < group->rank ? bytes[k] : 0;
        w->offset += bytes[k];
    }
    free(bytes);
    for (graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        EDGEFILE_TRY(write_buffer(w, offset, &k->join));
        offset += k->join.bytes;
        EDGEFILE_TRY(write_buffer(w, offset, k->bytes));
        offset += k->bytes->bytes;
    }
    return EDGEFILE_OK;
}

int graphfile_end_round(graphfile_writer *w)
{
    int st = EDGEFILE_OK;

    if (w->spec.group == NULL) {
        return EDGEFILE_OK;
    }
    if (w->about->encode != NULL && w->about->encode->edge_bytes == 0) {
        st = place_kept(w);
        graphfile_drop_kept(w);
    }
    return edgefile_group_agree(w->spec.group, st);
}

/* The ends of all pieces: one process knows each, and the others have zeros. */
static int gather_ends(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    enum { WORDS = sizeof *w->ends / sizeof(uint64_t) };
    uint64_t n = 0, *counts;
    graphfile_ends *ends;
    int st;

    EDGEFILE_TRY(edgefile_group_gather(group, w->file.name, w->n_ends, &counts));
    for (int k = 0; k < group->size; k++) {
        n = counts[k] > n ? counts[k] : n;
    }
    free(counts);
    if (n == 0) {
        return EDGEFILE_OK;
    }
    ends = realloc(w->ends, n * sizeof *ends);
    st = edgefile_group_agree(group, ends == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK);
    if (ends != NULL) {
        memset(ends + w->n_ends, 0, (n - w->n_ends) * sizeof *ends);
        w->ends = ends;
        w->n_ends = n;
    }
    if (st == EDGEFILE_OK) {
        edgefile_group_sum(group, (uint64_t *)(void *)w->ends, n * WORDS);
    }
    return st;
}

int graphfile_gather(graphfile_writer *w)
{
    _Atomic uint64_t *const sums[] = {&w->written, &w->fingerprint, &w->part[0].written,
                                      &w->part[1].written, &w->part[2].written};
    enum { N = sizeof sums / sizeof *sums };
    uint64_t values[N];

    if (w->spec.group == NULL) {
        return EDGEFILE_OK;
    }
    for (int i = 0; i < N; i++) {
        values[i] = atomic_load(sums[i]);
    }
    edgefile_group_sum(w->spec.group, values, N);
    for (int i = 0; i < N; i++) {
        atomic_store(sums[i], values[i]);
    }
    return gather_ends(w);
}
