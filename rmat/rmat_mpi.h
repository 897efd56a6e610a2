/*
 * rmat_mpi.h - the ranks of an MPI communicator as rmat_exchange.h wants them.
 *
 * Everything here is compiled into the program that includes it: the library does not depend on an
 * MPI.  Link with the program's own (mpicc).
 *
 *     rmat_mpi_ranks *mpi;
 *     rmat_csr rows;
 *
 *     rmat_mpi_ranks_create(&mpi, MPI_COMM_WORLD);
 *     rmat_csr_rank(gen, &mpi->ranks, &spec, RMAT_EXCHANGE_AUTO, &rows);
 *     rmat_mpi_ranks_destroy(mpi);
 *
 * The communicator is duplicated, so that no message is taken for one of the program's.  A failed
 * call of MPI calls the communicator's error handler, which by default ends the program.
 */
#ifndef RMAT_RMAT_MPI_H
#define RMAT_RMAT_MPI_H

#include "rmat/rmat_exchange.h"

#include <mpi.h>
#include <stdlib.h>
#if defined OPEN_MPI && OPEN_MPI
#include <mpi-ext.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { RMAT_MPI_PIECE = 1 << 30 }; /* bytes of a message, since MPI's counts are ints */

typedef struct {
    rmat_ranks ranks; /* for the functions of rmat_exchange.h */
    MPI_Comm comm;
    MPI_Request *requests; /* under way */
    size_t n, room;
} rmat_mpi_ranks;

static inline int rmat_mpi_reserve(rmat_mpi_ranks *r, size_t more)
{
    if (r->n + more > r->room) {
        MPI_Request *larger =
            (MPI_Request *)realloc(r->requests, 2 * (r->n + more) * sizeof *larger);

        if (larger == NULL) {
            return MPI_ERR_NO_MEM;
        }
        r->requests = larger;
        r->room = 2 * (r->n + more);
    }
    return MPI_SUCCESS;
}

/* Begins to send or to receive so many bytes, piece by piece. */
static inline int rmat_mpi_begin(rmat_mpi_ranks *r, int sends, void *data, uint64_t bytes, int rank)
{
    int error = rmat_mpi_reserve(r, (size_t)(bytes / RMAT_MPI_PIECE + 1));

    for (uint64_t at = 0; at < bytes && error == MPI_SUCCESS; at += RMAT_MPI_PIECE) {
        char *piece = (char *)data + at;
        const int n = bytes - at < RMAT_MPI_PIECE ? (int)(bytes - at) : RMAT_MPI_PIECE;

        error = sends ? MPI_Isend(piece, n, MPI_BYTE, rank, 0, r->comm, &r->requests[r->n])
                      : MPI_Irecv(piece, n, MPI_BYTE, rank, 0, r->comm, &r->requests[r->n]);
        r->n += error == MPI_SUCCESS;
    }
    return error;
}

/* Rank r begins with rank r + 1, so that not all send to the same one first. */
static inline int rmat_mpi_start(void *state, void *const *send, const uint64_t *send_bytes,
                                 void *const *receive, const uint64_t *receive_bytes)
{
    rmat_mpi_ranks *r = (rmat_mpi_ranks *)state;
    const int size = r->ranks.size, rank = r->ranks.rank;
    int error = MPI_SUCCESS;

    r->n = 0;
    for (int i = 1; i < size && error == MPI_SUCCESS; i++) {
        const int k = (rank + size - i) % size;

        error = rmat_mpi_begin(r, 0, receive[k], receive_bytes[k], k);
    }
    for (int i = 1; i < size && error == MPI_SUCCESS; i++) {
        const int k = (rank + i) % size;

        error = rmat_mpi_begin(r, 1, send[k], send_bytes[k], k);
    }
    return error;
}

static inline int rmat_mpi_wait(void *state)
{
    rmat_mpi_ranks *r = (rmat_mpi_ranks *)state;

    return MPI_Waitall((int)r->n, r->requests, MPI_STATUSES_IGNORE);
}

/* Collective.  On success *out is to be freed with rmat_mpi_ranks_destroy(), before MPI_Finalize().
 * Returns 0 or an error of MPI.  ranks.device is set where the MPI library says that it can send
 * from the memory of GPUs. */
static inline int rmat_mpi_ranks_create(rmat_mpi_ranks **out, MPI_Comm comm)
{
    rmat_mpi_ranks *r = (rmat_mpi_ranks *)calloc(1, sizeof *r);
    int error = r != NULL ? MPI_Comm_dup(comm, &r->comm) : MPI_ERR_NO_MEM;

    *out = NULL;
    if (error != MPI_SUCCESS) {
        free(r);
        return error;
    }
    MPI_Comm_rank(r->comm, &r->ranks.rank);
    MPI_Comm_size(r->comm, &r->ranks.size);
#if defined MPIX_CUDA_AWARE_SUPPORT && MPIX_CUDA_AWARE_SUPPORT
    r->ranks.device = MPIX_Query_cuda_support();
#endif
    r->ranks.state = r;
    r->ranks.start = rmat_mpi_start;
    r->ranks.wait = rmat_mpi_wait;
    *out = r;
    return MPI_SUCCESS;
}

/* Collective; NULL is allowed. */
static inline void rmat_mpi_ranks_destroy(rmat_mpi_ranks *r)
{
    if (r != NULL) {
        MPI_Comm_free(&r->comm);
        free(r->requests);
        free(r);
    }
}

#ifdef __cplusplus
}
#endif

#endif
