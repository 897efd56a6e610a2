/* The edges of a file in pieces, which several threads take one after the other; all, or a sample.
 */
#ifndef APPS_VERIFY_PIECES_H
#define APPS_VERIFY_PIECES_H

#include "apps/verify/edges.h"
#include "apps/verify/rows.h"
#include <pthread.h>

/* A piece and the memory for it. */
typedef struct {
    edge_block edges;
    int part;           /* of the parts */
    bool has_before;    /* the edge before was in another piece: */
    uint64_t before[3]; /* its src, dst, weight: of as many bytes as a column has */
    void *src, *dst, *weight;
} edge_piece;

typedef struct {
    verify_part *parts;
    const char *whole; /* of CSR: the file whose rows have the edges of all parts; else NULL */
    int id_bytes;
    bool weights;
    uint64_t sample, sample_seed; /* chunks; 0: all */
    uint64_t most;                /* edges of a piece */
    uint64_t begin, chunks, end;  /* of the graph */

    pthread_mutex_t lock;      /* guards these: */
    uint64_t chunk, at, until; /* the next chunk; what is left of the last one */
    int part;
    edgefile_reader *reader; /* of that part, or NULL */
    uint64_t last[3];        /* src, dst, weight of the edge before: */
    uint64_t last_end;
    verify_rows rows; /* of CSR, else rows.rows is 0 */
} piece_source;

/* The rest of *source is zero but for parts, id_bytes, weights, rows.rows and the sample. */
void pieces_begin(piece_source *source, int n_parts, int threads);
void pieces_end(piece_source *source);

/* Restrict the source to the edges [first, end). */
void pieces_range(piece_source *source, uint64_t first, uint64_t end);

/* Where chunk k of the sample begins and ends. */
void pieces_sampled(const piece_source *source, uint64_t k, uint64_t *first, uint64_t *end);

/* The number of edges of all pieces; of a sample, at most that many. */
uint64_t pieces_edges(const piece_source *source);

bool piece_allocate(edge_piece *piece, const piece_source *source);
void piece_free(edge_piece *piece);

/* The next piece, which no thread has had yet; without edges: there are no more.  Returns an
 * edgefile_status, of an error with edgefile_detail(). */
int piece_next(piece_source *source, edge_piece *piece);

#endif
