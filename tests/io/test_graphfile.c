/*
 * test_graphfile.c - all formats except h5 and csr: the exact bytes of one small graph, in pieces
 * of any size, and numbers of all lengths against printf.  cli/test_formats.py tests that files of
 * every format hold the edges of larger graphs, for all chunks and numbers of threads.
 */
#include "tests/support/io_util.h"

#include <inttypes.h>
#include <math.h>

enum { EDGES = 5003, VERTICES = 1000 };

#define HIGHEST (((uint64_t)1 << 62) - 1)

static graphfile_spec spec_of(graphfile_format format, int id_bytes, edgefile_weight weight)
{
    return (graphfile_spec){.format = format,
                            .comment = "made",
                            .replace = 1,
                            .graph = {.rows = VERTICES,
                                      .cols = VERTICES,
                                      .edges = EDGES,
                                      .id_bytes = id_bytes,
                                      .weight = weight,
                                      .sorted = 1,
                                      .unique = 1,
                                      .pairs = 1,
                                      .no_loops = 1}};
}

static const char *weights_of(const char *name)
{
    static char text[128];

    snprintf(text, sizeof text, "%s.weights", name);
    return text;
}

/* --- one small graph --- */

#define U4(x)    x "\0\0\0"
#define U8(x)    x "\0\0\0\0\0\0\0"
#define BYTES(x) .text = x, .bytes = sizeof(x) - 1

/* Directed or not: a path of three vertices, both directions of its edges; edges 0 1, 0 2, 2 1 and
 * 2 2 of 3 source and 4 destination vertices.  Their weights are 5, 5, 1000, 1000, or 0.5, 0.5, 3,
 * 3. */
static const struct {
    graphfile_format format;
    int id_bytes, directed;
    edgefile_weight weight;
    const char *text;
    size_t bytes;
    size_t blanks; /* blanks fill the file up to this byte, behind which lies the rest */
    const char *rest;
    size_t rest_bytes;
} small[] = {
    {GRAPHFILE_EL, 8, 0, EDGEFILE_NO_WEIGHT, BYTES("0 1\n1 0\n1 2\n2 1\n")},
    {GRAPHFILE_EL, 4, 0, EDGEFILE_NO_WEIGHT, BYTES("0 1\n1 0\n1 2\n2 1\n")},
    {GRAPHFILE_WEL, 4, 0, EDGEFILE_WEIGHT_I32, BYTES("0 1 5\n1 0 5\n1 2 1000\n2 1 1000\n")},
    {GRAPHFILE_TSV, 8, 1, EDGEFILE_WEIGHT_F32, BYTES("0\t1\t0.5\n0\t2\t0.5\n2\t1\t3\n2\t2\t3\n")},
    {GRAPHFILE_TSV, 4, 0, EDGEFILE_NO_WEIGHT, BYTES("0\t1\n1\t0\n1\t2\n2\t1\n")},
    {GRAPHFILE_CSV, 4, 0, EDGEFILE_NO_WEIGHT, BYTES("src,dst\n0,1\n1,0\n1,2\n2,1\n")},
    {GRAPHFILE_CSV, 4, 1, EDGEFILE_WEIGHT_I32,
     BYTES("src,dst,weight\n0,1,5\n0,2,5\n2,1,1000\n2,2,1000\n")},
    {GRAPHFILE_MTX, 4, 1, EDGEFILE_NO_WEIGHT,
     BYTES(
         "%%MatrixMarket matrix coordinate pattern general\n% made\n3 4 4\n1 2\n1 3\n3 2\n3 3\n")},
    {GRAPHFILE_MTX, 4, 0, EDGEFILE_WEIGHT_F32,
     BYTES("%%MatrixMarket matrix coordinate real general\n% made\n3 3 4\n1 2 0.5\n2 1 0.5\n2 3 3\n"
           "3 2 3\n")},
    {GRAPHFILE_MTX, 8, 0, EDGEFILE_WEIGHT_I32,
     BYTES("%%MatrixMarket matrix coordinate integer general\n% made\n3 3 4\n1 2 5\n2 1 5\n"
           "2 3 1000\n3 2 1000\n")},
    {GRAPHFILE_METIS, 4, 0, EDGEFILE_NO_WEIGHT, BYTES("% made\n3 2\n2 \n1 3 \n2 \n")},
    {GRAPHFILE_METIS, 8, 0, EDGEFILE_WEIGHT_I32,
     BYTES("% made\n3 2 1\n2 5 \n1 5 3 1000 \n2 1000 \n")},
    {GRAPHFILE_BIN32, 8, 0, EDGEFILE_NO_WEIGHT,
     BYTES(U4("\0") U4("\1") U4("\1") U4("\0") U4("\1") U4("\2") U4("\2") U4("\1"))},
    {GRAPHFILE_BIN64, 4, 0, EDGEFILE_NO_WEIGHT,
     BYTES(U8("\0") U8("\1") U8("\1") U8("\0") U8("\1") U8("\2") U8("\2") U8("\1"))},
    {GRAPHFILE_GRAPH500, 8, 0, EDGEFILE_NO_WEIGHT,
     BYTES(U4("\0") U8("\1") U4("\1") U8("\0") U4("\1") U8("\2") U4("\2") U8("\1"))},
    {GRAPHFILE_GRAPH500, 4, 0, EDGEFILE_WEIGHT_I32,
     BYTES(U4("\0") U8("\1") U4("\1") U8("\0") U4("\1") U8("\2") U4("\2") U8("\1"))},
    {GRAPHFILE_NPY, 4, 0, EDGEFILE_NO_WEIGHT,
     BYTES("\x93NUMPY\1\0\xf6\x0f{'descr': '<u4', 'fortran_order': False, 'shape': (2, 4), }"),
     .blanks = 4095,
     .rest = "\n" U4("\0") U4("\1") U4("\1") U4("\2") U4("\1") U4("\0") U4("\2") U4("\1"),
     .rest_bytes = 33},
    {GRAPHFILE_ADJACENCY, 4, 1, EDGEFILE_NO_WEIGHT,
     BYTES("AdjacencyGraph\n4\n4\n0\n2\n2\n4\n1\n2\n1\n2\n")},
    {GRAPHFILE_ADJACENCY, 8, 0, EDGEFILE_WEIGHT_I32,
     BYTES("WeightedAdjacencyGraph\n3\n4\n0\n1\n3\n1\n0\n2\n1\n          5\n          5\n"
           "       1000\n       1000\n")},
    /* offsets are those of bytes */
    {GRAPHFILE_PARHIP, 4, 0, EDGEFILE_NO_WEIGHT,
     BYTES(U8("\3") U8("\3") U8("\4") U8("\x38") U8("\x40") U8("\x50") U8("\x58") U8("\1") U8("\0")
               U8("\2") U8("\1"))},
    {GRAPHFILE_SG, 8, 0, EDGEFILE_NO_WEIGHT,
     BYTES("\0" U8("\4") U8("\3") U8("\0") U8("\1") U8("\3") U8("\4") U4("\1") U4("\0") U4("\2")
               U4("\1"))},
    {GRAPHFILE_SG, 4, 1, EDGEFILE_NO_WEIGHT,
     BYTES("\1" U8("\4") U8("\4") U8("\0") U8("\2") U8("\2") U8("\4") U8("\4") U4("\1") U4("\2")
               U4("\1") U4("\2") U8("\0") U8("\0") U8("\2") U8("\4") U8("\4") U4("\0") U4("\2")
                   U4("\0") U4("\2"))},
    {GRAPHFILE_WSG, 4, 0, EDGEFILE_WEIGHT_I32,
     BYTES("\0" U8("\4") U8("\3") U8("\0") U8("\1") U8("\3") U8("\4") U4("\1") U4("\5") U4("\0")
               U4("\5") U4("\2") "\xe8\3\0\0" U4("\1") "\xe8\3\0\0")},
};

typedef struct {
    graphfile_writer *w;
    graphfile_piece piece;
} job;

static void *write_piece(void *arg)
{
    job *j = arg;

    ck_ok(graphfile_write(j->w, &j->piece));
    return NULL;
}

/* The four edges in pieces of so many, each by a thread of its own; the last one begins first. */
static void write_pieces(graphfile_writer *w, uint64_t most, int id_bytes, const uint64_t *src,
                         const uint64_t *dst, const uint32_t *weight)
{
    const uint64_t pieces = (3 + most) / most;
    job jobs[4];

    for (uint64_t k = 0; k < pieces; k++) {
        const uint64_t first = k * most, at = first * (uint64_t)id_bytes;

        jobs[k] = (job){w,
                        {k, first, 4 - first < most ? 4 - first : most, (const char *)src + at,
                         (const char *)dst + at, weight != NULL ? weight + first : NULL, 0}};
    }
    in_threads((int)pieces, write_piece, jobs, sizeof *jobs);
}

START_TEST(exact_bytes)
{
    static const uint64_t ends[2][2][4] = {{{0, 1, 1, 2}, {1, 0, 2, 1}},
                                           {{0, 0, 2, 2}, {1, 2, 1, 2}}},
                          in_pointers[] = {0, 0, 2, 4, 4};
    static const uint32_t in_neighbors[] = {0, 2, 0, 2};
    static const int32_t ints[] = {5, 5, 1000, 1000};
    static const float floats[] = {0.5f, 0.5f, 3, 3}, of_ints[] = {5, 5, 1000, 1000};
    const int directed = small[_i].directed, id_bytes = small[_i].id_bytes;
    const size_t length = small[_i].blanks ? 4095 + small[_i].rest_bytes : small[_i].bytes;
    graphfile_spec spec = spec_of(small[_i].format, id_bytes, small[_i].weight);
    uint64_t src[4], dst[4];
    graphfile_committed done;
    const void *weight[] = {NULL, floats, ints};
    char want[4200];
    graphfile_writer *w;
    int apart;

    spec.graph.rows = 3;
    spec.graph.cols = directed ? 4 : 3;
    spec.graph.edges = 4;
    spec.graph.pairs = spec.graph.no_loops = !directed;
    for (uint64_t i = 0; i < 4; i++) {
        put_id(src, i, id_bytes, ends[directed][0][i]);
        put_id(dst, i, id_bytes, ends[directed][1][i]);
    }
    memset(want, ' ', sizeof want);
    memcpy(want, small[_i].text, small[_i].bytes);
    if (small[_i].blanks > 0)
        memcpy(want + small[_i].blanks, small[_i].rest, small[_i].rest_bytes);
    apart = spec.format == GRAPHFILE_GRAPH500 && spec.graph.weight != EDGEFILE_NO_WEIGHT;
    for (uint64_t most = 4; most > 0; most--) {
        ck_ok(graphfile_create(&w, graph, &spec));
        write_pieces(w, most, id_bytes, src, dst, weight[spec.graph.weight]);
        if (graphfile_in_bytes(w) > 0) {
            ck_ok(graphfile_write_part(w, GRAPHFILE_IN_POINTERS, 3, 2, in_pointers + 3));
            ck_ok(graphfile_write_part(w, GRAPHFILE_IN_POINTERS, 0, 3, in_pointers));
            ck_ok(graphfile_write_part(w, GRAPHFILE_IN_NEIGHBORS, 0, 4, in_neighbors));
        }
        ck_ok(graphfile_commit(&w, &done));
        ck_assert_ptr_null(w);
        ck_assert(!exists(graph_partial));
        check_bytes(graph, want, length);
        ck_assert_uint_eq(done.bytes, length + (apart ? sizeof of_ints : 0));
        if (apart)
            check_bytes(weights_of(graph), of_ints, sizeof of_ints);
        else
            ck_assert(!exists(weights_of(graph)));
    }
}

/* --- numbers --- */

/* All lengths of numbers, and the ends of each length. */
static uint64_t some_id(uint64_t i)
{
    uint64_t power = 1;

    for (uint64_t k = mix(i) % 19; k > 0; k--)
        power *= 10;
    power = i % 5 == 0 ? power : i % 5 == 1 ? power - 1 : mix(i + 1) % power;
    return i % 97 == 0 || power > HIGHEST ? HIGHEST : power;
}

/* Floats of 2^24 or more are such that fewer digits do not lie just half way to the next one. */
static uint32_t some_weight(uint64_t i, edgefile_weight kind)
{
    static const int32_t ints[] = {0, 1, -1, INT32_MAX, INT32_MIN, 10, -10, 99999999, 100000000};
    static const float floats[] = {0.0f,      -0.0f, 1.0f,      -1.0f,   1e-38f,   1e-45f,
                                   3.4e38f,   1e-4f, 9.99e-5f,  0.1f,    1e8f,     99999992.0f,
                                   16777216., 0.5f,  123456.7f, -1e-30f, 1.0f / 3, 9.9999999e7f};
    float value = floats[i % 18];
    uint32_t bits = (uint32_t)mix(i);

    if (kind == EDGEFILE_WEIGHT_I32)
        return i % 2 ? bits : (uint32_t)ints[i / 2 % 9];
    if (i % 2 == 0)
        value = (float)(mix(i) >> 40) * 0x1p-24f;
    else if (i % 3 == 0)
        value = ldexpf((float)(mix(i) >> 40), (int)(mix(i) % 50) - 50);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The fewest digits that give the same float; without an exponent where it is neither large nor
 * small. */
static void print_float(FILE *f, float x)
{
    char text[64];
    int digits = 0, places;

    do
        snprintf(text, sizeof text, "%.*e", digits++, (double)x);
    while (digits < 9 && strtof(text, NULL) != x);
    places = digits - 1 - (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (x == 0 || (fabsf(x) >= 1e-4f && fabsf(x) < 1e8f))
        fprintf(f, "%.*f\n", places > 0 ? places : 0, strtod(text, NULL));
    else
        fprintf(f, "%.*g\n", digits, (double)x);
}

START_TEST(numbers)
{
    const int id_bytes = _i % 2 ? 8 : 4;
    graphfile_spec spec =
        spec_of(GRAPHFILE_WEL, id_bytes, _i / 2 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32);
    static uint64_t src[EDGES], dst[EDGES]; /* as many bytes of each as the spec says */
    static uint32_t weights[EDGES];         /* bits */
    graphfile_writer *w;
    scoped(free) char *want = NULL;
    size_t size;
    float weight;
    FILE *f = open_memstream(&want, &size);

    spec.graph.rows = spec.graph.cols = id_bytes == 4 ? (uint64_t)1 << 32 : HIGHEST + 1;
    for (uint64_t i = 0; i < EDGES; i++) {
        put_id(src, i, id_bytes, some_id(2 * i));
        put_id(dst, i, id_bytes, some_id(2 * i + 1));
        weights[i] = some_weight(i, spec.graph.weight);
        memcpy(&weight, &weights[i], sizeof weight);
        fprintf(f, "%" PRIu64 " %" PRIu64 " ", get_id(src, i, id_bytes), get_id(dst, i, id_bytes));
        if (_i / 2)
            print_float(f, weight);
        else
            fprintf(f, "%" PRId32 "\n", (int32_t)weights[i]);
    }
    fclose(f);
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, EDGES, src, dst, weights, 0));
    ck_ok(graphfile_commit(&w, NULL));
    check_bytes(graph, want, size);
}

/* --- sizes --- */

/* Edges far from each other: all lines between them are in the file. */
START_TEST(metis_with_few_edges)
{
    static const uint32_t src[] = {5, 10000000, 19999998}, dst[] = {1, 2, 3};
    graphfile_spec spec = spec_of(GRAPHFILE_METIS, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    graphfile_committed done;
    char text[8] = "";
    int fd;

    spec.graph.edges = 3;
    spec.graph.rows = spec.graph.cols = 20000000;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, 3, src, dst, NULL, 0));
    ck_ok(graphfile_commit(&w, &done));
    ck_assert_uint_eq(done.bytes, 20000000 + strlen("% made\n20000000 1\n2 3 4 "));
    fd = open(graph, O_RDONLY);
    ck_assert_int_eq(pread(fd, text, 6, (off_t)(strlen("% made\n20000000 1\n2 ") + 9999998)), 6);
    ck_assert_str_eq(text, "\n\n3 \n\n");
    close(fd);
}

/* GAPBS skips 200 bytes of a comment. */
START_TEST(comments_are_short)
{
    char comment[2000], line[512];
    graphfile_spec spec = spec_of(GRAPHFILE_MTX, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    size_t letters = 0;
    FILE *f;

    for (size_t i = 0; i < sizeof comment - 1; i++)
        comment[i] = i < 900 && i % 11 == 10 ? ' ' : i == 20 ? '\n' : 'x';
    comment[sizeof comment - 1] = '\0';
    spec.comment = comment;
    spec.graph.edges = 0;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(graphfile_commit(&w, NULL));
    f = fopen(graph, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f) != NULL && line[0] == '%') {
        ck_assert(strlen(line) < 200 && strncmp(line, "% ", 2) == 0);
        for (const char *c = line; *c != '\0'; c++)
            letters += *c == 'x' || *c == '?';
    }
    fclose(f);
    ck_assert_uint_eq(letters, sizeof comment - 1 - 81);
}

FOLDER_CASES(graphfile, LOOP(exact_bytes, 0, COUNT(small)), LOOP(numbers, 0, 4),
             ONCE(metis_with_few_edges), ONCE(comments_are_short))
