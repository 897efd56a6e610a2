/*
 * rmat_exchange.h - sorted intervals and CSR that several processes ("ranks") make together: each
 * makes its share of the stream once, and sends every edge to the rank in whose interval it lies.
 *
 * The library does not know MPI: it sends and receives through the functions of an rmat_ranks.
 * rmat_mpi.h has those of an MPI communicator, and mpi4py's are as good.  SORTED.md tells when
 * sending is faster than generating the stream again for each interval.
 *
 * Functions return 0 or a negative rmat_status (rmat.h).  All of them but those that destroy are
 * collective: every rank calls them in the same order, with generators of the same model, whatever
 * their backends, and with the same arguments where it does not say otherwise.  One thread at a
 * time may use an rmat_exchange or an rmat_ranks.
 */
#ifndef RMAT_RMAT_EXCHANGE_H
#define RMAT_RMAT_EXCHANGE_H

#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * How a rank reaches the others.  start() begins to send send_bytes[k] bytes at send[k] to rank k
 * and to receive receive_bytes[k] bytes at receive[k] from it, for every k but the own rank, and
 * returns; wait() returns when all has been sent and received.  They are called in turn, by one
 * thread.  Sizes may be 0, and above 2^31; what one rank sends another it expects, in that order.
 * The arrays of pointers and of sizes have `size` elements, and like the memory they stay until
 * wait() has returned.  Both return 0, or another value after a failure.
 *
 * device: nonzero if the memory may be that of a GPU; the generator's must then be the current one
 * of the thread that calls the functions below.
 */
typedef struct {
    int rank, size; /* 0 .. size - 1; how many */
    int device;
    void *state; /* passed to the functions */
    int (*start)(void *state, void *const *send, const uint64_t *send_bytes, void *const *receive,
                 const uint64_t *receive_bytes);
    int (*wait)(void *state);
} rmat_ranks;

typedef struct rmat_exchange rmat_exchange;

/*
 * Prepares exchanges of the edges of a generator, which must outlive it.  bytes: of memory for all
 * buffers, the same on all ranks; at least rmat_exchange_least() of it.  They are taken when edges
 * are first exchanged, in host memory; for a generator on a GPU as many bytes of its memory are
 * taken besides.  If all ranks have GPUs of one host that reach each other (CUDA IPC), edges go
 * from GPU to GPU, and no host memory is taken.  *ranks is copied.  On success *out is to be freed
 * with rmat_exchange_destroy(); on failure it is NULL.  Not collective.
 */
int rmat_exchange_create(rmat_exchange **out, const rmat_gen *gen, const rmat_ranks *ranks,
                         uint64_t bytes);
uint64_t rmat_exchange_least(const rmat_gen *gen, int ranks); /* not collective */
int rmat_exchange_key_bytes(const rmat_gen *gen); /* likewise: of an edge that is sent, 8 or 16 */
void rmat_exchange_destroy(rmat_exchange *x);     /* NULL is allowed */

/*
 * Does on all ranks together what rmat_interval_add(b, 0, edges) does on each: afterwards b, which
 * has been begun and nothing added to, has all edges of its interval, ready to be sorted.  b is the
 * rank's own, of the exchange's generator, or NULL: the rank has no interval, but makes its share
 * of the stream as well.  The intervals of the ranks must follow each other in the order, but need
 * not be adjacent.
 *
 * RMAT_ERR_FULL, on this rank alone, if the edges do not fit, as of rmat_interval_add(); the others
 * have theirs.  After any other failure on any rank, also if one calls with `failed` set, this ends
 * on all ranks: with RMAT_ERR_RANKS where it was another's.  RMAT_ERR_ARG if the stream is in order
 * (rmat_stream_in_order()), and there is nothing to exchange.
 */
int rmat_exchange_add(rmat_exchange *x, rmat_interval *b, uint64_t edges, int failed);

/* How many edges of the stream this rank has made so far, in all calls; any thread may ask. */
uint64_t rmat_exchange_made(const rmat_exchange *x);

/* Sets *seconds, the same on all ranks, to what the slowest takes to exchange the stream's first
 * `edges` edges, made and received in memory for twice a rank's share of them.  [*first, *end): as
 * of rmat_interval_begin(), of this rank.  Errors as of rmat_exchange_add(), but that it may not
 * overflow. */
int rmat_exchange_measure(rmat_exchange *x, const rmat_cell *first, const rmat_cell *end,
                          int unique, uint64_t edges, double *seconds);

/*
 * Builds the graph with its rows shared out among the ranks: rank r gets the r-th range of rows
 * (csr->first_row, csr->rows) with all of their edges, in the form of rmat_csr.h.  Ranges follow
 * each other, cover all rows and have about as many edges each, as far as whole rows can; of the
 * stream `rows`, each row counts as two edges besides.  Some may be empty.  The ranges depend on
 * the number of ranks and on their GPUs, the graph does not.
 *
 * rmat_csr_rank() leaves the arrays in host memory, rmat_csr_rank_device() in that of the
 * generator's GPU (RMAT_ERR_ARG for a CPU generator), to be freed by rmat_csr_free() and
 * rmat_csr_free_device(); on failure there is nothing to free.
 *
 * how: RMAT_EXCHANGE_NONE: each rank makes the whole stream and nothing is sent but counts;
 * RMAT_EXCHANGE_ALL: each makes its share once and sends; RMAT_EXCHANGE_AUTO: what is expected to
 * take less time, by an exchange of some of the edges.  Working memory is that of rmat_csr_rows(),
 * and the buffers: 256 MiB or a sixteenth of the rank's keys, whichever is less.  Errors as of
 * rmat_csr_rows(), and RMAT_ERR_RANKS on the other ranks.
 */
typedef enum { RMAT_EXCHANGE_AUTO, RMAT_EXCHANGE_NONE, RMAT_EXCHANGE_ALL } rmat_exchange_way;
int rmat_csr_rank(const rmat_gen *gen, const rmat_ranks *ranks, const rmat_csr_spec *spec,
                  rmat_exchange_way how, rmat_csr *out);
int rmat_csr_rank_device(const rmat_gen *gen, const rmat_ranks *ranks, const rmat_csr_spec *spec,
                         rmat_exchange_way how, rmat_csr *out);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
