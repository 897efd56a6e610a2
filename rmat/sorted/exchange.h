/*
 * exchange.h - private to rmat/: the partition of a range of the stream by owner, as exchange.c
 * uses it and the backends provide it.
 *
 * An edge travels as a key: the difference between the codes of its cell and of the first cell of
 * its owner's interval, the code of a cell being its source above the bits of its destination; and,
 * if edges bring weights, rmat_weight_order() of the weight minus the least one below that.  It is
 * a little-endian number of rmat_key_bytes() bytes, the same on CPU and GPU.
 */
#ifndef RMAT_SORTED_EXCHANGE_H
#define RMAT_SORTED_EXCHANGE_H

#include "rmat/sorted/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Owner k has the cells with codes from cuts[2k] on and before cuts[2k + 1], counted from that of
 * `first`; cuts never fall.  Keys are handed out in batches, of each owner's at most `quota`.
 */
typedef struct rmat_partition {
    const rmat_gen *gen;
    const struct rmat_partition_ops *ops;
    void *state; /* the backend's */
    uint64_t quota;
    int owners, self, key_bytes;
    rmat_cell first, end; /* of all owners */
    unsigned __int128 *cuts;
    _Atomic uint64_t *made; /* edges of the stream, in all: the backend adds to it */
} rmat_partition;

/* Where memory of buffers lies: host memory that a GPU copies from and to at full speed, or that of
 * the generator's GPU, if it has one. */
typedef enum { RMAT_MEMORY_HOST, RMAT_MEMORY_DEVICE } rmat_memory;

/* Memory of a GPU, as another process of the same host, or another thread of this one, finds it. */
typedef struct {
    char host[40];      /* of the running system */
    uint64_t process;   /* a random number; 0: there is no such memory */
    uint64_t address;   /* within the process */
    uint64_t handle[8]; /* for others */
} rmat_peer_memory;

typedef struct rmat_partition_ops {
    int (*create)(rmat_partition *p); /* the state; destroy() is called after a failure too */
    void (*destroy)(rmat_partition *p);
    void *(*allocate)(const rmat_gen *gen, size_t bytes, rmat_memory where); /* NULL: no memory */
    void (*release)(const rmat_gen *gen, void *memory, rmat_memory where);   /* NULL is allowed */

    /* Begins with edges [first, first + count) of the stream, numbered as backends do. */
    int (*begin)(rmat_partition *p, uint64_t first, uint64_t count);

    /* Writes the next counts[k] keys of each owner k to to[k], in no order, and sets *more to
     * whether there may be others. */
    int (*batch)(rmat_partition *p, void *const *to, uint64_t *counts, bool *more);

    /* The rest is NULL without a GPU.  offer: describes memory from allocate(), on the GPU; process
     * stays 0 where that cannot be done.  open: where another rank's lies for this one's GPU; NULL:
     * it cannot be reached.  close: it is not read any more, before its owner releases it. */
    void (*offer)(const rmat_gen *gen, void *memory, rmat_peer_memory *p);
    void *(*open)(const rmat_gen *gen, const rmat_peer_memory *p);
    void (*close)(const rmat_gen *gen, const rmat_peer_memory *p, void *memory);
} rmat_partition_ops;

const rmat_partition_ops *rmat_cpu_partition_ops(void);

/* Every rank tells each rank k numbers[k], which become what rank k has told.  Returns the status
 * where that is not 0; else RMAT_ERR_RANKS where another rank's is not.  Collective. */
struct rmat_exchange;
int rmat_exchange_tell(struct rmat_exchange *x, uint64_t *numbers, int status);

/* The seconds of the rank with the most become those of all.  Collective. */
int rmat_exchange_slowest(struct rmat_exchange *x, double *seconds);
double rmat_seconds(void); /* of a clock that goes on evenly */

/* For tests: whether ranks may read each other's GPUs, as they do by default. */
void rmat_exchange_set_reading(bool allowed);

#ifdef __cplusplus
}
#endif

#endif
