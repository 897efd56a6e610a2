/*
 * dist_exchange.c - data that every rank sends to every other (dist_exchange_start() in dist.h):
 * the agent's part, which alone calls MPI.
 *
 * All messages are begun at once, in pieces, since MPI's counts are ints; each turn of the agent
 * tests whether they are through.  What two ranks send each other comes in order, so that a rank
 * may begin with the next exchange while others are at this one.
 */
#include "mpi/dist_mpi.h"

#include <stdlib.h>

static struct {
    MPI_Request *requests;
    int n, room;
    bool under_way;
} sending;

void dist_exchange_free(void)
{
    free(sending.requests);
    sending.requests = NULL;
    sending.room = 0;
}

static int pieces_of(uint64_t bytes)
{
    return (int)((bytes + dist_mpi_piece - 1) / dist_mpi_piece);
}

/* Memory for the requests of all pieces. */
static bool reserve(const dist_exchange *x)
{
    int pieces = 0;

    for (int k = 0; k < dist_job.size; k++) {
        pieces += pieces_of(x->send_bytes[k]) + pieces_of(x->receive_bytes[k]);
    }
    if (pieces > sending.room) {
        dist_exchange_free();
        sending.requests = malloc((size_t)pieces * sizeof *sending.requests);
        sending.room = sending.requests != NULL ? pieces : 0;
    }
    return pieces <= sending.room;
}

static void begin_pieces(bool sends, void *data, uint64_t bytes, int rank)
{
    for (uint64_t at = 0; at < bytes; at += dist_mpi_piece) {
        char *piece = (char *)data + at;
        const int n = (int)(bytes - at < dist_mpi_piece ? bytes - at : dist_mpi_piece);
        MPI_Request *request = &sending.requests[sending.n++];

        if (sends) {
            MPI_Isend(piece, n, MPI_BYTE, rank, 0, dist_mpi.exchanges, request);
        } else {
            MPI_Irecv(piece, n, MPI_BYTE, rank, 0, dist_mpi.exchanges, request);
        }
    }
}

/* Rank r sends to rank r + 1 first, so that not all send to the same one. */
static void begin_exchange(const dist_exchange *x)
{
    const int size = dist_job.size, rank = dist_job.rank;

    sending.n = 0;
    if (!reserve(x)) {
        dist_lose("rank %d: memory is exhausted", rank);
    }
    for (int i = 1; i < size; i++) {
        const int k = (rank + size - i) % size;

        begin_pieces(false, x->receive[k], x->receive_bytes[k], k);
    }
    for (int i = 1; i < size; i++) {
        const int k = (rank + i) % size;

        begin_pieces(true, x->send[k], x->send_bytes[k], k);
    }
}

bool dist_exchange_turn(bool *awaited)
{
    int complete;

    if (!sending.under_way) {
        pthread_mutex_lock(&dist_job.lock);
        sending.under_way = dist_job.exchange.posted;
        dist_job.exchange.posted = false;
        pthread_mutex_unlock(&dist_job.lock);
        if (!sending.under_way) {
            return false;
        }
        begin_exchange(&dist_job.exchange);
    }
    pthread_mutex_lock(&dist_job.lock);
    *awaited = dist_job.exchange.awaited;
    pthread_mutex_unlock(&dist_job.lock);
    MPI_Testall(sending.n, sending.requests, &complete, MPI_STATUSES_IGNORE);
    if (complete) {
        sending.under_way = false;
        pthread_mutex_lock(&dist_job.lock);
        dist_job.exchange.done = true;
        pthread_cond_broadcast(&dist_job.to_body);
        pthread_mutex_unlock(&dist_job.lock);
    }
    return true;
}
