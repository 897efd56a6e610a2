/*
 * rmat.h - R-MAT edges as a pure function of (model, seed, edge index).
 *
 * An R-MAT graph (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM
 * 2004) draws each edge by descending a 2^r x 2^c adjacency matrix, one 2x2 probability matrix per
 * level.  Here the levels are taken six at a time from an alias table over their 4^6 paths
 * (Huebschle-Schneider, Sanders, "Linear work generation of R-MAT graphs", Network Science 2020).
 * STREAM.md fixes every bit of the result; RMAT_STREAM_VERSION changes if a single edge does.
 *
 * Functions return 0 or a negative rmat_status; they never print and never exit.
 */
#ifndef RMAT_RMAT_H
#define RMAT_RMAT_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_VERSION        "0.1.0" /* of the library; CMakeLists.txt reads it here */
#define RMAT_STREAM_VERSION 1
#define RMAT_MAX_SCALE      62
#define RMAT_MAX_EDGES      ((uint64_t)1 << 62)
#define RMAT_MAX_REDRAW     512

enum rmat_status {
    RMAT_OK = 0,
    RMAT_ERR_ARG = -101,    /* NULL pointer or a value outside its enum or range */
    RMAT_ERR_SCALE = -102,  /* a scale outside 1..62 */
    RMAT_ERR_MATRIX = -103, /* a level's matrix has an entry outside [0, 1] or does not sum to 1 */
    RMAT_ERR_RANGE = -104,  /* first + count above RMAT_MAX_EDGES */
    RMAT_ERR_ID_WIDTH = -105,   /* 32-bit ids asked for with a side of more than 2^32 vertices */
    RMAT_ERR_NOMEM = -106,      /* memory is exhausted */
    RMAT_ERR_NO_BACKEND = -107, /* no GPU can be used; rmat_strerror() says why */
    RMAT_ERR_NO_ISA = -108,     /* this processor lacks the instruction set asked for */
    RMAT_ERR_DEVICE = -109,     /* there is no GPU of that number */
    RMAT_ERR_CUDA = -110,       /* the GPU failed: rmat_gpu_error() in rmat_gpu.h says how */
    RMAT_ERR_VERTICES = -111,   /* a vertex count that its scale is not the smallest one for */
    RMAT_ERR_NOISE = -112,      /* noise below 0 or above rmat_noise_limit() */
    RMAT_ERR_SQUARE = -113,     /* loops, direction and reverse edges need rows == cols */
    RMAT_ERR_REDRAW = -114,     /* of all draws less than one in RMAT_MAX_REDRAW would be kept */
    RMAT_ERR_WEIGHTS = -115,    /* weight_min above weight_max, or weights where there are none */
    RMAT_ERR_FULL = -116,       /* more edges than the memory given has room for */
    RMAT_ERR_DRAWS = -117       /* the graph cannot have so many distinct edges, or hardly ever */
};

/* All give the same edges; AUTO is the CPU. */
typedef enum { RMAT_BACKEND_AUTO, RMAT_BACKEND_CPU, RMAT_BACKEND_GPU } rmat_backend;

/* Instruction sets of the CPU backend.  All give the same edges; AUTO takes the fastest there is.
 */
typedef enum { RMAT_ISA_AUTO, RMAT_ISA_GENERIC, RMAT_ISA_AVX2, RMAT_ISA_AVX512 } rmat_isa;

/* Edges of an undirected graph, of which the file has one direction: LOWER, the one with src >=
 * dst, UPPER, the one with src <= dst ("clip and flip"). */
typedef enum { RMAT_DIRECTED, RMAT_LOWER, RMAT_UPPER } rmat_direction;

/* UNIFORM: float in [0, 1), a multiple of 2^-24.  INT: int32_t in [weight_min, weight_max]. */
typedef enum { RMAT_NO_WEIGHTS, RMAT_WEIGHTS_UNIFORM, RMAT_WEIGHTS_INT } rmat_weights;

/* Quadrant probabilities of one level: a = (src bit 0, dst bit 0), b = (0, 1), c = (1, 0),
 * d = (1, 1).  Each in [0, 1]; the sum within 1e-9 of 1. */
typedef struct {
    double a, b, c, d;
} rmat_matrix;

/*
 * What an edge goes through, in this order (STREAM.md):
 *   - it is drawn, and drawn again while an end point is not below rows or cols, or while it is a
 *     loop and there shall be none: the model conditioned on the edges that are wanted;
 *   - its end points are permuted, those of rows and of columns apart unless rows == cols;
 *   - it is turned into the wanted direction;
 *   - symmetrize: it becomes the edges 2 i, as it is, and 2 i + 1, reversed;
 *   - its weight is a hash of its unordered end points and the seed, so all copies and the reverse
 *     of an edge have the same.
 * no_self_loops, direction and symmetrize need a square graph (RMAT_ERR_SQUARE).
 */
typedef struct {
    int rows_scale;            /* 2^rows_scale source vertices, 1..62 */
    int cols_scale;            /* 2^cols_scale destination vertices, 1..62 */
    uint64_t rows, cols;       /* if not 0: so many vertices only, more than half of 2^scale */
    rmat_matrix matrix;        /* of every level, unless: */
    const rmat_matrix *levels; /* NULL, or max(rows_scale, cols_scale) matrices, the most
                                  significant level first; borrowed during the call only */
    double noise;              /* mu of every level is drawn from [-noise, noise): rmat_levels() */
    int permute, no_self_loops, symmetrize; /* 0 or 1 */
    rmat_direction direction;
    rmat_weights weights;
    int32_t weight_min, weight_max; /* of INT */
    uint64_t seed;
    rmat_backend backend;
    rmat_isa isa;
    int threads; /* CPU threads of one rmat_generate() call; 0: all that the process may use */
    int device;  /* of the GPU backend, as in cudaSetDevice(); -1: the current one */
} rmat_config;

typedef struct rmat_gen rmat_gen;

/* Graph500: scale 20, a 0.57, b 0.19, c 0.19, d 0.05, seed 1; backend, ISA, threads and device
 * automatic. */
void rmat_config_default(rmat_config *config);

/* Build the path tables.  On success *out owns the generator: free it with rmat_destroy(). */
int rmat_create(rmat_gen **out, const rmat_config *config);

/* NULL is allowed. */
void rmat_destroy(rmat_gen *gen);

/*
 * Edges [first, first + count) into src[0..count) and dst[0..count) (host memory).  Edge i depends
 * on the model, the seed and i alone.  Any number of threads may call this on one generator.  On
 * error the arrays are undefined.
 */
int rmat_generate(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                  uint64_t *dst);
int rmat_generate32(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                    uint32_t *dst);

/* The same with a choice of what is made, all of count elements: src and dst of id_bytes (4 or 8),
 * weight of 4 bytes (float or int32_t), or NULL. */
typedef struct {
    void *src, *dst, *weight;
    int id_bytes;
} rmat_arrays;

int rmat_generate_arrays(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const rmat_arrays *arrays);

/* The weights of any edges, on the calling thread.  RMAT_ERR_WEIGHTS if the model has none. */
int rmat_weights_of(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight);

/* How many draws were thrown away and made again, for all edges that this generator has made
 * (with symmetrize: for the even ones).  On a GPU: of the work that is done. */
int rmat_redraws(const rmat_gen *gen, uint64_t *redraws);

/* The permutation and its inverse, in place; without config.permute they do nothing.
 * RMAT_ERR_RANGE, with nothing changed, for an id that is not below rows (or cols). */
typedef enum { RMAT_ROWS, RMAT_COLS } rmat_side;
int rmat_permute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids);
int rmat_unpermute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids);

/* The matrices that edges are drawn from, max(rows_scale, cols_scale) of them, the most significant
 * level first: noisy SKG (Seshadhri, Pinar, Kolda, "An in-depth analysis of stochastic Kronecker
 * graphs", J. ACM 60(2), 2013), if config->noise is not 0.  Used as config.levels with noise 0
 * they give the same edges. */
int rmat_levels(const rmat_config *config, rmat_matrix *levels);

/* The most noise for which no entry can fall below 0: min((a + d) / 2, b, c), of all levels. */
double rmat_noise_limit(const rmat_config *config);

/* What the model makes one expect of edges before they are permuted and turned round. */
typedef struct {
    double kept;                         /* the share of draws that are kept */
    double loops;                        /* the share of loops among the kept; 0 if not square */
    double quadrants[RMAT_MAX_SCALE][4]; /* the shares of a, b, c, d among the kept, by level */
} rmat_expectation;

/* Errors as of rmat_create(), but for RMAT_ERR_REDRAW. */
int rmat_expect(const rmat_config *config, rmat_expectation *expectation);

/*
 * Order-independent fingerprint of a multiset of edges: the sum modulo 2^64 of a hash of each
 * (src, dst); fingerprints of parts add up to that of the whole.  STREAM.md gives the hash.
 * id_bytes is 4 or 8 (element size of src and dst).  Equal for both widths.
 */
uint64_t rmat_fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes);

int rmat_cpu_has_isa(rmat_isa isa);          /* can this processor and build run it? */
rmat_isa rmat_used_isa(const rmat_gen *gen); /* what AUTO came to */
rmat_backend rmat_used_backend(const rmat_gen *gen);
const char *rmat_isa_name(rmat_isa isa);
const char *rmat_strerror(int status); /* as alias_strerror(): an English sentence fragment */
const char *rmat_version(void);        /* of the library, "major.minor.patch" */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
