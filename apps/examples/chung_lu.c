/*
 * chung_lu.c - a generator on alias tables and the library of edge files: random graphs with
 * prescribed expected degrees, in HDF5.
 *
 *     chung_lu OUT.h5 --degrees FILE [SEED]
 *     chung_lu OUT.h5 --power-law EXPONENT VERTICES AVERAGE_DEGREE [SEED]
 *
 * Line v + 1 of the text FILE is the expected degree of vertex v.  With --power-law the number of
 * vertices of degree d falls as d^-EXPONENT.
 *
 * The model is that of F. Chung and L. Lu, "The average distances in random graphs with given
 * expected degrees", PNAS 99(25), 2002: vertices u and v are adjacent with a probability
 * proportional to w_u w_v, where w_v is the expected degree of v. Instead of trying all pairs, the
 * "fast" variant of J. Pfeiffer, T. La Fond, S. Moreno and J. Neville, "Fast generation of large
 * scale social networks while incorporating transitive closures", 2012, draws M = W/2 edges one by
 * one, where W is the sum of all w_v.  Either end of an edge is vertex v with the probability w_v /
 * W, independently of the other end.  So v is an end w_v times on average, and edge (u, v) is
 * expected M w_u w_v / W^2 times.  Self-loops and copies of edges occur.
 *
 * One alias table over the vertices, with the weights w_v, serves both ends.  A draw takes constant
 * time, and is a pure function of the table, a seed and its number.  Edge t consists of draw t of
 * one seed, its source, and draw t of another, its destination.  So any range of edges can be made
 * without those before it.  This program makes chunk after chunk, in memory that does not depend on
 * M. Table and draws are made on a GPU if there is one, else by OMP_NUM_THREADS threads; the file
 * is the same, byte for byte.
 *
 * A pitfall: alias_sample_sections32() draws faster from large tables, but in the order of the
 * table.  Never pair two such sequences.  Both begin at the first vertices and end at the last, so
 * that most edges would join neighbors in the table.  A sectioned sequence may be paired with one
 * of alias_sample32(), whose draws are independent of their places.  This program uses
 * alias_sample32() for both.
 *
 * To compile: cc -fopenmp chung_lu.c $(pkg-config --cflags --libs rmat-alias rmat-io) -lm
 */
#include "alias/alias.h"
#include "alias/alias_gpu.h"
#include "io/graphfile.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 1, WRONG_USE = 2 }; /* exit statuses */
enum { CHUNK = 1 << 20 };           /* edges in memory at a time */

typedef struct {
    uint64_t vertices, edges, seed;
    double sum;      /* of the expected degrees */
    double *weights; /* the expected degrees, or values in proportion to them; freed with free() */
    char command[256]; /* the command that makes the graph, for the file */
} graph;

/* Prints one line, with ? for control characters in quoted text.  Returns the status. */
static int fail(int status, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0'; c++) {
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    }
    fprintf(stderr, "chung_lu: %s\n", text);
    return status;
}

static bool parse_integer(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && *value >= least &&
           *value <= most;
}

static bool parse_number(const char *text, double least, double most, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= least && *value <= most;
}

static int reserve_weights(graph *g, uint64_t n)
{
    double *weights = realloc(g->weights, n * sizeof *weights);

    if (weights == NULL) {
        return fail(FAILED, "memory is exhausted: %" PRIu64 " vertices", n);
    }
    g->weights = weights;
    return 0;
}

static int read_degrees(graph *g, const char *name)
{
    FILE *file = fopen(name, "r");
    char *line = NULL;
    size_t size = 0;
    uint64_t room = 0;
    int status = 0;

    if (file == NULL) {
        return fail(WRONG_USE, "--degrees: '%s' cannot be read: %s", name, strerror(errno));
    }
    for (; status == 0 && getline(&line, &size, file) > 0; g->vertices++) {
        if (g->vertices == room) {
            room = 2 * room + 1024;
            status = reserve_weights(g, room);
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (status == 0 && !parse_number(line, 0, 1e15, &g->weights[g->vertices])) {
            status = fail(WRONG_USE,
                          "--degrees: %s, line %" PRIu64 ": '%.40s', allowed: a number 0 to 1e15",
                          name, g->vertices + 1, line);
        }
        g->sum += status == 0 ? g->weights[g->vertices] : 0;
    }
    if (status == 0 && !feof(file)) {
        status = fail(FAILED, "--degrees: '%s' cannot be read: %s", name, strerror(errno));
    } else if (status == 0 && !(g->sum > 0)) {
        status = fail(WRONG_USE, "--degrees: '%s', allowed: a file with a degree above 0", name);
    }
    free(line);
    fclose(file);
    snprintf(g->command, sizeof g->command, "chung_lu OUT.h5 --degrees FILE %" PRIu64, g->seed);
    return status;
}

/* Sets w_v = (v + 1)^(-1 / (EXPONENT - 1)): about w^(1 - EXPONENT) of them are above w. (If all
 * machines must agree on the last bit, alias/core/binomial.h has functions to replace pow().) */
static int make_power_law(graph *g, char **words)
{
    double exponent, average;

    if (!parse_number(words[0], 1.001, 1000, &exponent)) {
        return fail(WRONG_USE, "EXPONENT: '%s', allowed: 1.001 to 1000", words[0]);
    }
    if (!parse_integer(words[1], 1, (uint64_t)1 << 31, &g->vertices)) {
        return fail(WRONG_USE, "VERTICES: '%s', allowed: 1 to 2147483648 (2^31)", words[1]);
    }
    if (!parse_number(words[2], 0, 1e15, &average)) {
        return fail(WRONG_USE, "AVERAGE_DEGREE: '%s', allowed: 0 to 1e15", words[2]);
    }
    if (reserve_weights(g, g->vertices) != 0) {
        return FAILED;
    }
#pragma omp parallel for
    for (uint64_t v = 0; v < g->vertices; v++) {
        g->weights[v] = pow((double)(v + 1), -1 / (exponent - 1));
    }
    g->sum = (double)g->vertices * average;
    snprintf(g->command, sizeof g->command, "chung_lu OUT.h5 --power-law %s %s %s %" PRIu64,
             words[0], words[1], words[2], g->seed);
    return 0;
}

static int read_command_line(graph *g, int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[2] : "";
    const bool law = strcmp(kind, "--power-law") == 0;
    const int words = law ? 6 : 4; /* before SEED */
    int status;

    if ((!law && strcmp(kind, "--degrees") != 0) || argc < words || argc > words + 1) {
        fprintf(stderr, "usage: chung_lu OUT.h5 --degrees FILE [SEED]\n       chung_lu OUT.h5 "
                        "--power-law EXPONENT VERTICES AVERAGE_DEGREE [SEED]\n");
        return WRONG_USE;
    }
    if (!parse_integer(argc > words ? argv[words] : "1", 0, INT64_MAX, &g->seed)) {
        return fail(WRONG_USE, "SEED: '%s', allowed: 0 to 2^63 - 1", argv[words]);
    }
    status = law ? make_power_law(g, argv + 3) : read_degrees(g, argv[3]);
    if (status == 0 && g->sum > 0x1p62) {
        status = fail(WRONG_USE, "the degrees add up to %g, allowed: 0 to 2^62", g->sum);
    }
    g->edges = status == 0 ? (uint64_t)llround(g->sum / 2) : 0;
    return status;
}

/* The sum of a hash of each edge (rmat/STREAM.md).  `rmat verify` detects changed edges with it. */
static uint64_t fingerprint(const uint32_t *src, const uint32_t *dst, uint64_t count)
{
    uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = src[i] * UINT64_C(0x9E3779B97F4A7C15) + dst[i] * UINT64_C(0xC2B2AE3D27D4EB4F);

        x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
        sum += x ^ x >> 32;
    }
    return sum;
}

/* Returns a status of alias.h or of edgefile.h, which are different numbers. */
static int write_file(const graph *g, const alias_table *table, const char *name)
{
    const uint64_t scale = (uint64_t)ceil(log2((double)g->vertices));
    /* The attributes that `rmat info` and others read in files that are not R-MAT. */
    const edgefile_attr attrs[] = {
        {"generator", EDGEFILE_STRING, 1, "chung_lu"}, {"model", EDGEFILE_STRING, 1, "chung-lu"},
        {"num_rows", EDGEFILE_U64, 1, &g->vertices},   {"num_cols", EDGEFILE_U64, 1, &g->vertices},
        {"rows_scale", EDGEFILE_U64, 1, &scale},       {"cols_scale", EDGEFILE_U64, 1, &scale},
        {"seed", EDGEFILE_U64, 1, &g->seed},           {"command", EDGEFILE_STRING, 1, g->command}};
    const graphfile_spec spec = {
        .format = GRAPHFILE_H5,
        .graph = {.rows = g->vertices, .cols = g->vertices, .edges = g->edges, .id_bytes = 4},
        .attrs = attrs,
        .n_attrs = sizeof attrs / sizeof *attrs};
    static _Alignas(4096) uint32_t src[CHUNK], dst[CHUNK]; /* see graphfile_write() */
    graphfile_piece piece = {.src = src, .dst = dst};
    graphfile_writer *writer;
    int status = graphfile_create(&writer, name, &spec);

    for (; piece.first < g->edges && status == 0; piece.first += piece.count) {
        piece.count = g->edges - piece.first < CHUNK ? g->edges - piece.first : CHUNK;
        status = alias_sample32(table, 2 * g->seed, piece.first, piece.count, src);
        if (status == 0) {
            status = alias_sample32(table, 2 * g->seed + 1, piece.first, piece.count, dst);
        }
        if (status == 0) {
            piece.fingerprint = fingerprint(src, dst, piece.count);
            status = graphfile_write(writer, &piece);
        }
    }
    if (status == 0) {
        status = graphfile_commit(&writer, NULL);
    }
    graphfile_abort(&writer); /* if it was not completed */
    return status;
}

static int make_graph(const graph *g, const char *name)
{
    alias_config config;
    alias_table *table = NULL;
    int status;

    alias_config_default(&config);
    /* Builder and row width are named, because rows and therefore edges depend on them. */
    config.builder = ALIAS_BUILDER_PSA_PLUS;
    config.row_bytes = 8;
    config.threads = omp_get_max_threads();
    status = alias_create(&table, &config, g->weights, g->vertices, NULL);
    if (status == 0) {
        status = write_file(g, table, name);
    }
    if (status == 0) {
        printf("%s: %" PRIu64 " vertices, %" PRIu64 " edges by %s\n", name, g->vertices, g->edges,
               alias_row_array(table) == NULL ? "a GPU" : "the CPU");
    } else {
        fail(FAILED, "%s%s", status == ALIAS_ERR_CUDA ? "CUDA: " : "",
             status <= EDGEFILE_ERR_ARG ? edgefile_detail()
             : status == ALIAS_ERR_CUDA ? alias_gpu_error()
                                        : alias_strerror(status));
    }
    alias_destroy(table);
    return status == 0 ? 0 : FAILED;
}

int main(int argc, char **argv)
{
    graph g = {0};
    int status;

    signal(SIGXFSZ, SIG_IGN);   /* a file that becomes too large is an error, not the end */
    edgefile_no_exit_handler(); /* of HDF5, which could crash after an error */
    status = read_command_line(&g, argc, argv);
    if (status == 0) {
        status = make_graph(&g, argv[1]);
    }
    free(g.weights);
    return status;
}
