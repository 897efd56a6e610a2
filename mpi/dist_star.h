/*
 * dist_star.h - ranks keep in touch in a star around rank 0.  Private to MPI's files in mpi/.
 *
 * A rank sends a beat to rank 0, every interval seconds and whenever it has something to say, and
 * rank 0 replies to each: so either side hears of the other.  A rank has one beat under way at
 * most, and rank 0 hence one reply to it.  When its body has returned, a rank's beats are held by
 * rank 0 for an interval, or until all bodies have: that reply says `over`, and ends the run there.
 *
 * A rank that knows so may begin the next run before rank 0 has told all others.  Messages of one
 * run and of the next hence have different tags: what is early waits.
 */
#ifndef MPI_DIST_STAR_H
#define MPI_DIST_STAR_H

#include "mpi/dist_job.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t done;
    int32_t wants; /* a span */
    int32_t stop;  /* the reason that this rank asks for, or 0 */
    int32_t ended; /* the body has returned */
} dist_beat;

typedef struct {
    uint64_t first, count;
    int32_t work; /* as dist_table_take() returns */
    int32_t stop; /* the job's reason, or 0 */
    int32_t over;
} dist_reply;

enum { DIST_HOST_TEXT = 64 };

/* The job's MPI.  Each use has a communicator of its own. */
struct dist_mpi {
    MPI_Comm star, collectives, others;
    int tag;                       /* of this run's messages in the star: 0 and 1 in turn */
    bool multiple;                 /* others may be used from other threads */
    char host[DIST_HOST_TEXT];     /* rank 0's */
    char (*hosts)[DIST_HOST_TEXT]; /* of all ranks, on rank 0 */
};
extern struct dist_mpi dist_mpi;

void dist_mpi_stop(void); /* dist_mpi.c */

extern const dist_transport dist_agent; /* dist_agent.c */

/* --- dist_agent.c, for hub and spoke --- */
double dist_interval(void);
double dist_timeout(void);
bool dist_ended(void);                                    /* this rank's body has returned */
int dist_receive(void *message, size_t size, int source); /* its rank, or -1: none has come */
/* Calls lost() with the text; dist_lose() then aborts the job. */
void dist_say_lost(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dist_lose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- dist_hub.c: rank 0 --- */
int dist_hub_create(int ranks); /* 0, or -1: no memory */
void dist_hub_destroy(void);
void dist_hub_begin(double now);
/* What has come and what is due.  `now` stands still while this process does.  Returns whether
 * anything happened; *over: the run has ended. */
bool dist_hub_turn(double now, bool *over);

/* --- dist_spoke.c: the others, alike --- */
void dist_spoke_begin(double now);
bool dist_spoke_turn(double now, bool *over);

/* --- dist_mpi_op.c: one collective operation at a time, without waiting --- */
void dist_mpi_op_begin(dist_op *op);
bool dist_mpi_op_turn(void); /* it is complete */

extern size_t dist_mpi_piece; /* bytes per call; for tests */

#endif
