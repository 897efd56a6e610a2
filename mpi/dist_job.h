/*
 * dist_job.h - what the parts of mpi/ share.  Private to mpi/.
 *
 * Within dist_run() there are two sides: the body's threads, and the transport, which for several
 * ranks is a loop over MPI in the main thread (dist_agent.c).  They meet in dist_job, under its
 * lock.  One process needs no transport.
 */
#ifndef MPI_DIST_JOB_H
#define MPI_DIST_JOB_H

#include "mpi/dist_table.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dist_op_kind { DIST_BROADCAST, DIST_SUM, DIST_MIN, DIST_GATHER };

/* A collective operation.  count: bytes, but for DIST_SUM and DIST_MIN elements of uint64_t. */
typedef struct {
    enum dist_op_kind kind;
    void *data;
    const void *mine; /* of DIST_GATHER */
    size_t count;
    int root; /* of DIST_BROADCAST */
    bool done;
} dist_op;

/* What is there for several ranks, in a build with MPI (dist_mpi.c, dist_agent.c). */
typedef struct {
    int (*start)(void); /* where a launcher started several ranks: sets what is before the lock */
    void (*stop)(void);
    int (*run)(int (*body)(void *), void *argument, double timeout_seconds,
               void (*lost)(const char *));
    void (*collective)(dist_op *op); /* from the body; returns when it is done */
    void (*settle)(void);         /* tells rank 0 how things are here; returns when it has heard */
    void (*wake)(void);           /* something in dist_job is new to the transport */
    const char *(*library)(void); /* dist_library() */
} dist_transport;

/* What a rank has to do for a beat (dist_agent.c) and gets back, and rank 0's table. */
struct dist_job {
    int rank, size, local_rank, local_size, hosts, processors;
    const dist_transport *transport; /* NULL: this process is alone */
    dist_table *table;               /* rank 0 */

    pthread_mutex_t lock;
    pthread_cond_t to_body; /* signalled where the body may wait */
    bool sharing;           /* between dist_work_begin() and dist_work_end() */
    bool have, no_more;     /* a span was given to this rank; none will be */
    uint64_t first, count;
    uint64_t tickets; /* beats that the body waits for, and */
    uint64_t settled; /* how many of them rank 0 has answered */

    atomic_int asked, stop; /* reasons: of this rank, of the job */
    _Atomic uint64_t done;
};

extern struct dist_job dist_job;

double dist_now(void);                                 /* seconds */
void dist_create_condition(pthread_cond_t *condition); /* for waits by dist_now() */
/* For so many seconds, with the lock held. */
void dist_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds);

void dist_collective(dist_op op);

/* Did a launcher start this process?  If so, its rank and the number of ranks; else 0 and 1. */
int dist_launched(int *rank, int *size);

/* Which processors this process may use, a bit for each; *bytes is the mask's size.  NULL: no
 * memory, or not known. */
unsigned char *dist_processor_mask(size_t *bytes);

/* masks: those of `ranks` ranks of a host, of `bytes` bytes each.  The share of rank `mine`: each
 * processor that it may use counts 1 / (ranks that may use it); rounded, at least 1. */
int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine);
int dist_processors_alone(void);

#endif
