/*
 * Declarations shared by the files of `rmat bench`.
 *
 * A case makes something (edges, a file, CSR) on a backend, at a scale and with ids of a width.
 * Cases of the same part, backend, scale and width are a group.  They are measured in turns, so
 * that a drift of the machine's speed favors none of them.  A case may name another case of its
 * group as its limit, such as plain writes to the same memory.
 */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "rmat/rmat.h"
#include "rmat/rmat_interval.h"
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_RUNS = 100, BENCH_CASES = 16, BENCH_EDGE_FACTOR = 16 };

/* In the order of their names in the option table. */
typedef enum { PART_ALL, PART_MEMORY, PART_MODELS, PART_FILE, PART_CSR, PART_RANKS } bench_part;

/* The values of the option table. */
typedef struct {
    uint64_t runs, threads, size;
    int part, backend, id_type, rows; /* rows: 1 for that stream */
    option_list scales;
    bool unique, json, help;
    const char *dir;
} bench_options;

typedef struct bench_group bench_group;
typedef struct bench_case bench_case;

struct bench_case {
    const char *name;
    /* Does the work once, or for a while, and adds to *work (edges or bytes) and *seconds.  Returns
     * an exit code, after a kept message. */
    int (*measure)(bench_group *g, const bench_case *c, double *work, double *seconds);
    int kind;    /* of memory.c: what is stored */
    int threads; /* 0: does not apply */
    int limit;   /* the case of the group that is this one's limit; -1: none */
    int model;   /* of memory.c; 0: the plain one */
    rmat_isa isa;
    bool alone;    /* rank 0 alone, times the number of ranks */
    rmat_gen *gen; /* destroyed with the group */
    double rates[BENCH_MAX_RUNS], seconds[BENCH_MAX_RUNS]; /* rates: work per second */
};

struct bench_group {
    const bench_options *o;
    int threads, device; /* the most threads to use; the number of the GPU */
    bench_part part;
    bool gpu;
    int scale, id_bytes;
    int n_cases;
    bench_case cases[BENCH_CASES];

    /* memory.c: arrays of `capacity` edges, in GPU memory for a GPU; and pinned ones of the host.
     * CSR: row pointers in src, and column numbers in dst. */
    void *src, *dst, *weight, *host_src, *host_dst;
    uint64_t capacity, at, next; /* at: the next place; next: the next edge of the stream */
    rmat_interval *interval;     /* of CSR: as few as fit into memory */
    rmat_parts parts;

    /* file.c */
    uint64_t bytes; /* of a file */
    void *data;     /* `chunk` random bytes, so that compression in the disk gains nothing */
    uint64_t chunk;
    int writers;
};

/* Each adds the cases of a group, and allocates what they need.  Returns an exit code, after a kept
 * message.  The caller releases the group in any case. */
int bench_open_memory(bench_group *g); /* memory, models, ranks */
int bench_open_csr(bench_group *g);
int bench_open_file(bench_group *g);
void bench_release(bench_group *g); /* memory.c */

/* Adds a case without a limit. */
bench_case *bench_add(bench_group *g, const char *name, int threads,
                      int (*measure)(bench_group *, const bench_case *, double *, double *));

/* Sets the configuration of a case's generator: its model, backend and instruction set. */
void bench_config(const bench_group *g, const bench_case *c, rmat_config *config);

/* Returns EXIT_OK for RMAT_OK, else EXIT_RUNTIME after a message about the rmat_status. */
int bench_failed(int status);

#endif
