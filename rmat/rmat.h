/*
 * rmat.h - the edges of an R-MAT graph, as a pure function of (model, seed, edge index).
 *
 * An R-MAT graph (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM
 * 2004) draws each edge by descending a 2^r x 2^c adjacency matrix, one 2x2 probability matrix per
 * level.  This library decides six levels with one draw from an alias table over the 4^6 paths
 * through them (Huebschle-Schneider, Sanders, "Linear work generation of R-MAT graphs", Network
 * Science 2020).
 *
 * The *stream* is the sequence of all edges of a model and a seed, numbered from 0. STREAM.md
 * defines every bit of it.  RMAT_STREAM_VERSION changes if a single edge changes.
 *
 * Functions that return int return 0 (RMAT_OK) or a negative rmat_status, unless stated otherwise.
 * They never print and never exit.  A generator never changes after its creation, so any number of
 * threads may use one at the same time.  No thread may use it while another destroys it.
 *
 * The other headers: rmat_gpu.h (edges in GPU memory), rmat_device.cuh (edges inside CUDA kernels),
 * rmat_interval.h (sorted intervals), rmat_csr.h (rows in CSR form), rmat_rows.h (graphs made row
 * by row), rmat_source.h (edges of another origin; the benchmarks' own streams).
 */
#ifndef RMAT_RMAT_H
#define RMAT_RMAT_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_VERSION        "0.2.0" /* of the library; CMakeLists.txt reads it here */
#define RMAT_STREAM_VERSION 3       /* of the edge stream; see STREAM.md */
#define RMAT_MAX_SCALE      62
#define RMAT_MAX_EDGES      ((uint64_t)1 << 62) /* edges in a stream */
#define RMAT_MAX_REDRAW     512 /* a model that keeps fewer than 1 of 512 draws is refused */

enum rmat_status {
    RMAT_OK = 0,
    RMAT_ERR_ARG = -101,        /* a NULL pointer, or a value outside its enumeration or range */
    RMAT_ERR_SCALE = -102,      /* a scale outside 1..62 */
    RMAT_ERR_MATRIX = -103,     /* a matrix has an entry outside [0, 1] or does not sum to 1 */
    RMAT_ERR_RANGE = -104,      /* edges beyond the end of the stream: RMAT_MAX_EDGES */
    RMAT_ERR_ID_WIDTH = -105,   /* 32-bit ids requested for a side of more than 2^32 vertices */
    RMAT_ERR_NOMEM = -106,      /* out of memory */
    RMAT_ERR_NO_BACKEND = -107, /* no GPU can be used; rmat_strerror() says why */
    RMAT_ERR_NO_ISA = -108,     /* this processor or build lacks the requested instruction set */
    RMAT_ERR_DEVICE = -109,     /* there is no GPU with the requested number */
    RMAT_ERR_CUDA = -110,       /* the GPU failed: rmat_gpu_error() in rmat_gpu.h says how */
    RMAT_ERR_VERTICES =
        -111, /* too many vertices for the scale, or so few that a smaller one would do */
    RMAT_ERR_NOISE = -112,   /* noise below 0 or above rmat_noise_limit() */
    RMAT_ERR_SQUARE = -113,  /* no_self_loops, direction or symmetrize with rows != cols */
    RMAT_ERR_REDRAW = -114,  /* fewer than one draw in RMAT_MAX_REDRAW would be kept */
    RMAT_ERR_WEIGHTS = -115, /* weight bounds in the wrong order or too far out, or weights
                                requested from a model that has none */
    RMAT_ERR_FULL = -116,    /* the edges do not fit into the memory given */
    RMAT_ERR_DRAWS = -117,   /* the model has fewer distinct edges than requested, or needs an
                                impractical number of draws to reach them */
    RMAT_ERR_ROWS = -118, /* rows that the graph does not have, or the last row before the first */
    RMAT_ERR_VERTEX = -119,   /* a vertex number that the graph does not have */
    RMAT_ERR_EDGES = -120,    /* more edges than a sorted interval holds */
    RMAT_ERR_SOURCE = -121,   /* an edge source failed: rmat_source.h */
    RMAT_ERR_STREAM = -122,   /* the stream does not support the request: an official stream has one
                                 model and no expectations, a GAPBS seed is at most 2^32 - 1, and
                                 the stream ROWS has no slices */
    RMAT_ERR_STOPPED = -123,  /* rmat_config.stop requested it */
    RMAT_ERR_GPU_SCALE = -124 /* a GPU sorts graphs of up to 2^32 rows and columns */
};

/*
 * The stream that edges come from.
 *
 * RMAT: this library's own stream (STREAM.md), for any model.  ROWS: also for any model, but a list
 * of a fixed length that is generated in sorted order (ROWS.md, rmat_rows.h).
 *
 * GRAPH500 and GAPBS are the official streams: the edges of two benchmark programs, bit for bit.
 * GRAPH500 is the reference generator of Graph500 and GAPBS makes the Kronecker
 * graphs of the GAP Benchmark Suite (rmat_source.h).  Both have one model, the one of
 * rmat_config_default().
 */
typedef enum {
    RMAT_STREAM_RMAT,
    RMAT_STREAM_GRAPH500,
    RMAT_STREAM_GAPBS,
    RMAT_STREAM_ROWS
} rmat_stream;
enum { RMAT_STREAMS = RMAT_STREAM_ROWS + 1 };

/* Where edges are made.  All backends give the same edges; AUTO is the CPU. */
typedef enum { RMAT_BACKEND_AUTO, RMAT_BACKEND_CPU, RMAT_BACKEND_GPU } rmat_backend;

/* Instruction sets of the CPU backend.  All give the same edges.  AUTO is the fastest one that the
 * processor has. */
typedef enum {
    RMAT_ISA_AUTO,
    RMAT_ISA_GENERIC,
    RMAT_ISA_AVX2,
    RMAT_ISA_AVX512,
    RMAT_ISA_NEON
} rmat_isa;

/* The direction of each edge that the graph holds.  DIRECTED keeps the direction drawn.  LOWER
 * turns each edge so that source >= destination, UPPER so that source <= destination.  The last two
 * describe undirected graphs that store one direction ("clip and flip"). */
typedef enum { RMAT_DIRECTED, RMAT_LOWER, RMAT_UPPER } rmat_direction;

/* UNIFORM: float in [0, 1), a multiple of 2^-24.  INT: int32_t in [weight_min, weight_max].  FLOAT:
 * float in [weight_low, weight_high], in up to 2^24 equal steps. */
typedef enum {
    RMAT_NO_WEIGHTS,
    RMAT_WEIGHTS_UNIFORM,
    RMAT_WEIGHTS_INT,
    RMAT_WEIGHTS_FLOAT
} rmat_weights;

/* Quadrant probabilities of one level: a = (source bit 0, destination bit 0), b = (0, 1),
 * c = (1, 0), d = (1, 1).  Each lies in [0, 1]; their sum is within 1e-9 of 1. */
typedef struct {
    double a, b, c, d;
} rmat_matrix;

/*
 * A model: everything that decides the edges, and where they are made.  Each edge passes through
 * these steps, in this order (STREAM.md):
 *   1. draw: both ends are drawn.  The draw is repeated while an end is not below rows or cols, or
 *      while the ends are equal and no_self_loops is set.  So edges follow the model under the
 *      condition that they are kept.
 *   2. permute: a random permutation renumbers the ends.  Rows and columns share one if rows ==
 *      cols, else each side has its own.
 *   3. direction: the ends are swapped if they are in the other order.
 *   4. symmetrize: base edge i becomes edge 2 i, unchanged, and edge 2 i + 1, reversed.
 *   5. weights: the weight is a hash of the unordered ends and the seed.  So all copies of an edge
 *      and of its reverse have the same weight.
 * no_self_loops, direction and symmetrize require rows == cols (else RMAT_ERR_SQUARE).
 *
 * An official stream has 2^scale rows and as many columns, the default matrix, no levels and no
 * noise (else RMAT_ERR_STREAM).  It never repeats a draw, so no_self_loops only leaves loops out of
 * sorted intervals.  The benchmark's own weights depend on the edge's index
 * (rmat_has_own_weights()).  All other weights are hashes as in step 5.
 *
 * The stream ROWS applies steps 2 to 5 in the same way.  Without steps 2 to 4 the list is sorted,
 * and a sorted interval (rmat_interval.h) costs only the edges that it holds.
 */
typedef struct {
    rmat_stream stream;
    int rows_scale;            /* 2^rows_scale source vertices, 1..62 */
    int cols_scale;            /* 2^cols_scale destination vertices, 1..62 */
    uint64_t rows, cols;       /* vertex counts, more than half of 2^scale; 0: 2^scale */
    rmat_matrix matrix;        /* of every level; ignored if levels is not NULL */
    const rmat_matrix *levels; /* NULL, or max(rows_scale, cols_scale) matrices, the most
                                  significant level first; borrowed during the call only */
    double noise;              /* rmat_levels() draws each level's mu from [-noise, noise) */
    int permute, no_self_loops, symmetrize; /* 0 or 1 */
    rmat_direction direction;
    rmat_weights weights;
    int32_t weight_min, weight_max; /* of RMAT_WEIGHTS_INT */
    float weight_low, weight_high;  /* of RMAT_WEIGHTS_FLOAT, from -1e38 to 1e38 */
    uint64_t seed;
    uint64_t seed2; /* second seed, of RMAT_STREAM_GRAPH500 only */
    uint64_t first; /* a slice: edge 0 of the generator is base edge `first` of the stream, and the
                       end of the stream does not move.  At most RMAT_MAX_EDGES, or half of it with
                       symmetrize.  The functions for CUDA kernels (rmat_device.cuh) still count
                       from edge 0 of the stream. */
    uint64_t edges; /* RMAT_STREAM_ROWS only: base edges of the whole graph, which has no slices.
                       At most RMAT_MAX_EDGES, or half of it with symmetrize. */
    rmat_backend backend;
    rmat_isa isa;
    int threads; /* CPU threads of one call; 0: the number that OpenMP would use */
    int device;  /* of the GPU backend, as in cudaSetDevice(); -1: the current one */

    /* Called with stop_state many times a second during a call on the CPU, in the thread that made
     * the call; may be NULL.  A nonzero result ends that call with RMAT_ERR_STOPPED. */
    int (*stop)(void *state);
    void *stop_state;
} rmat_config;

/* A generator: a model with its tables, ready to make edges. */
typedef struct rmat_gen rmat_gen;

/* The model of Graph500 in this library's own stream: scale 20, a 0.57, b 0.19, c 0.19, d 0.05,
 * seed 1, no options; backend, instruction set and threads automatic, device the current one. */
void rmat_config_default(rmat_config *config);

/* Creates a generator and builds its tables.  On success the caller owns *out and frees it with
 * rmat_destroy(). On failure *out is NULL.  Returns the status of the first invalid value of
 * *config, or RMAT_ERR_NOMEM, RMAT_ERR_NO_BACKEND, RMAT_ERR_DEVICE, RMAT_ERR_CUDA. */
int rmat_create(rmat_gen **out, const rmat_config *config);

/* Frees a generator; NULL is allowed. */
void rmat_destroy(rmat_gen *gen);

/*
 * Writes edges [first, first + count) of the stream to src[0..count) and dst[0..count), in host
 * memory for every backend.  Edge i depends only on the model, the seed and i. On error the
 * contents of the arrays are undefined.  RMAT_ERR_RANGE: first + count is above RMAT_MAX_EDGES.
 */
int rmat_generate(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                  uint64_t *dst);

/* Arrays that receive edges, one element per edge.  src and dst have id_bytes (4 or 8) bytes per
 * element.  weight has 4 bytes per element, float or int32_t by the model; NULL: no weights. */
typedef struct {
    void *src, *dst, *weight;
    int id_bytes;
} rmat_arrays;

/* Like rmat_generate(), for ids of either width, with weights on request.  RMAT_ERR_ID_WIDTH:
 * id_bytes is 4 and a scale is above 32.  RMAT_ERR_WEIGHTS: weights are requested and the model has
 * none. */
int rmat_generate_arrays(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const rmat_arrays *arrays);

/* Computes the weights of count given edges, on the calling thread; all arrays are in host memory.
 * The edges need not be in the stream.  RMAT_ERR_WEIGHTS: the model has none. */
int rmat_weights_of(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight);

/* The sides of the adjacency matrix: rows are sources, columns are destinations. */
typedef enum { RMAT_ROWS, RMAT_COLS } rmat_side;

/* Apply the permutation of a side's vertices, or its inverse, in place to count ids in host memory.
 * Without config.permute the ids do not change.  RMAT_ERR_VERTEX: an id is not below rows (or
 * cols), and nothing has changed. */
int rmat_permute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids);
int rmat_unpermute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids);

/* Returns 1 if the configuration asks for the weights of its official stream: uniform weights of
 * RMAT_STREAM_GRAPH500, or integers from 1 to 255 of RMAT_STREAM_GAPBS.  Else 0. */
int rmat_has_own_weights(const rmat_config *config);

/* Facts about a stream.  Its name: "rmat", "graph500", "gapbs" or "rows".  The version of its
 * definition: RMAT_STREAM_VERSION for "rmat", 2 for "rows", 1 for the others.  Whether it is an
 * official stream. */
const char *rmat_stream_name(rmat_stream stream);
int rmat_stream_version(rmat_stream stream);
int rmat_is_official(rmat_stream stream);

/* rmat_is_as_drawn() returns 1 if edges stay as they are drawn: no permutation, no direction, no
 * reverse edges.  rmat_as_drawn() returns the configuration with the same draws and without these
 * steps. */
int rmat_is_as_drawn(const rmat_config *config);
rmat_config rmat_as_drawn(const rmat_config *config);

/* Writes the matrices that edges are drawn from, max(rows_scale, cols_scale) of them, the most
 * significant level first.  If config->noise is not 0 they are noisy (noisy SKG: Seshadhri, Pinar,
 * Kolda, "An in-depth analysis of stochastic Kronecker graphs", J. ACM 60(2), 2013).  As
 * config.levels, with noise 0, they give the same edges.  Errors as for rmat_expect_kept(). */
int rmat_levels(const rmat_config *config, rmat_matrix *levels);

/* Returns the largest noise for which no entry can fall below 0: the minimum over all levels of
 * min((a + d) / 2, b, c).  The configuration's scales must be valid. */
double rmat_noise_limit(const rmat_config *config);

/* Computes the fraction of all draws that a model keeps, exactly up to rounding.  It needs no
 * generator and no GPU.  Errors as for rmat_create() with an invalid configuration, except
 * RMAT_ERR_REDRAW. */
int rmat_expect_kept(const rmat_config *config, double *kept);

/*
 * Returns the fingerprint of a multiset of edges in host memory: the sum modulo 2^64 of a hash of
 * each (src, dst) (STREAM.md, "Fingerprint").  It does not depend on the order of the edges.  The
 * fingerprints of parts add up to the fingerprint of the whole.  src and dst have count elements of
 * id_bytes (4 or 8) bytes; both widths give the same value.  Runs on the calling thread.
 */
uint64_t rmat_fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes);

/* A cell of the adjacency matrix, which is also a place in the order of sorted edges: by source,
 * then by destination. */
typedef struct {
    uint64_t src, dst;
} rmat_cell;

int rmat_cpu_has_isa(rmat_isa isa);          /* 1 if this processor and build can run it, else 0 */
rmat_isa rmat_used_isa(const rmat_gen *gen); /* never RMAT_ISA_AUTO */
rmat_backend rmat_used_backend(const rmat_gen *gen); /* never RMAT_BACKEND_AUTO */
const char *rmat_isa_name(rmat_isa isa);             /* "generic", "avx2", ...; static */
const char *rmat_strerror(int status);               /* like alias_strerror(): an English phrase */
const char *rmat_version(void); /* of the library, "major.minor.patch"; static */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
