/* io_util.h - helpers of the tests of io/: a scratch folder, made-up edges, whole files. */
#ifndef TESTS_SUPPORT_IO_UTIL_H
#define TESTS_SUPPORT_IO_UTIL_H

#include "io/graphfile.h"
#include "tests/support/run_suite.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define ck_ok(call)                                                                                \
    do {                                                                                           \
        int st_ = (call);                                                                          \
        ck_assert_msg(st_ == EDGEFILE_OK, "%s: %d, %s", #call, st_, edgefile_detail());            \
    } while (0)

/* Whether the message contains the text, or one of several texts separated by bars. */
static inline bool says(const char *message, const char *texts)
{
    for (;; texts++) {
        size_t length = strcspn(texts, "|");

        if (memmem(message, strlen(message), texts, length) != NULL)
            return true;
        texts += length;
        if (*texts == '\0')
            return false;
    }
}

/* The call must fail with that status and a one-line message that contains the text. */
#define ck_fails(call, status, text)                                                               \
    do {                                                                                           \
        int st_ = (call);                                                                          \
        ck_assert_msg(st_ == (status), "%s: %d (%s), expected %d", #call, st_, edgefile_detail(),  \
                      (status));                                                                   \
        ck_assert_msg(says(edgefile_detail(), (text)) && strchr(edgefile_detail(), '\n') == NULL,  \
                      "%s: message '%s', expected '%s'", #call, edgefile_detail(), (text));        \
    } while (0)

static char scratch[64]; /* a folder for the tests, with NAME and its partial file */
static char graph[96];
static char graph_partial[104];
static char twin[96]; /* a second file for comparison */

static inline int exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static inline void scratch_make(void)
{
    strcpy(scratch, "/tmp/rmat-io-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    ck_assert_int_eq(chmod(scratch, 0755), 0);
    snprintf(graph, sizeof graph, "%s/graph.h5", scratch);
    snprintf(graph_partial, sizeof graph_partial, "%s.partial", graph);
    snprintf(twin, sizeof twin, "%s/twin.h5", scratch);
}

/* Checks that no file has the graph's name, and no partial file is left. */
static inline void check_nothing_left(void)
{
    static const char *const names[] = {"%s", "%s.partial", "%s.weights", "%s.weights.partial"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[160];

        snprintf(path, sizeof path, names[i], graph);
        ck_assert_msg(!exists(path), "%s is left", path);
    }
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int flag,
                                     struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    return remove(path);
}

static inline void scratch_remove(void)
{
    umount2(scratch, MNT_DETACH); /* if a test mounted a file system there */
    nftw(scratch, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
    return x ^ x >> 29;
}

/* Element i of dataset d in edges of id_bytes. */
static inline void put_id(void *array, uint64_t at, int id_bytes, uint64_t id)
{
    if (id_bytes == 4)
        ((uint32_t *)array)[at] = (uint32_t)id;
    else
        ((uint64_t *)array)[at] = id;
}

static inline uint64_t get_id(const void *array, uint64_t at, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)array)[at] : ((const uint64_t *)array)[at];
}

static inline void make_edges(void *src, void *dst, uint64_t first, uint64_t count, int id_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        put_id(src, i, id_bytes, mix(2 * (first + i)));
        put_id(dst, i, id_bytes, mix(2 * (first + i) + 1));
    }
}

/* Of edge i, as 4 bytes of either type. */
static inline uint32_t made_weight(uint64_t i, edgefile_weight weight)
{
    uint64_t x = mix(3 * i + 7);
    float value = (float)(x >> 40) * 0x1p-24f;
    uint32_t bits = (uint32_t)x;

    if (weight == EDGEFILE_WEIGHT_F32)
        memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Memory that starts skew bytes after a multiple of edgefile_alignment(); the caller frees
 * *base. */
static inline void *skewed_alloc(size_t bytes, size_t skew, void **base)
{
    *base = NULL;
    ck_assert_int_eq(posix_memalign(base, edgefile_alignment(), bytes + skew + 1), 0);
    return (char *)*base + skew;
}

/* The fingerprint of a range of made-up edges; all edges add up to 42. */
static inline uint64_t made_fingerprint(uint64_t edges, uint64_t first, uint64_t count)
{
    return count + (first == 0 && count > 0 ? 42 - edges : 0);
}

/* Made-up edges in memory; weight is NULL if the graph has none. */
typedef struct {
    void *src, *dst, *weight, *base[3];
} made;

/* Columns that start skews bytes after a page. */
static inline made made_alloc(const graphfile_spec *spec, uint64_t first, uint64_t count,
                              const size_t skews[3])
{
    size_t bytes = count * (size_t)spec->graph.id_bytes;
    made m = {0};

    m.src = skewed_alloc(bytes, skews[0], &m.base[0]);
    m.dst = skewed_alloc(bytes, skews[1], &m.base[1]);
    make_edges(m.src, m.dst, first, count, spec->graph.id_bytes);
    if (spec->graph.weight == EDGEFILE_NO_WEIGHT)
        return m;
    m.weight = skewed_alloc(4 * count, skews[2], &m.base[2]);
    for (uint64_t i = 0; i < count; i++)
        ((uint32_t *)m.weight)[i] = made_weight(first + i, spec->graph.weight);
    return m;
}

static inline void made_free(made *m)
{
    for (int i = 0; i < 3; i++)
        free(m->base[i]);
}

static inline graphfile_spec plain_spec(uint64_t edges, int id_bytes)
{
    return (graphfile_spec){.graph = {.edges = edges, .id_bytes = id_bytes}};
}

static inline graphfile_spec csr_spec(uint64_t rows, uint64_t edges, int id_bytes)
{
    graphfile_spec spec = plain_spec(edges, id_bytes);

    spec.format = GRAPHFILE_CSR;
    spec.graph.rows = rows;
    spec.graph.sorted = 1;
    return spec;
}

/* The same spec, written through the page cache or, with O_DIRECT, past it. */
static inline graphfile_spec buffered(graphfile_spec spec, int yes)
{
    spec.buffered = yes;
    return spec;
}

static inline graphfile_spec weighted(graphfile_spec spec, edgefile_weight weight)
{
    spec.graph.weight = weight;
    return spec;
}

static inline graphfile_spec replacing(graphfile_spec spec)
{
    spec.replace = 1;
    return spec;
}

static inline int put_edges(graphfile_writer *w, uint64_t first, uint64_t count, const void *src,
                            const void *dst, const void *weight, uint64_t fingerprint)
{
    const graphfile_piece piece = {0, first, count, src, dst, weight, fingerprint};

    return graphfile_write(w, &piece);
}

/* The fingerprint may be NULL. */
static inline int commit_graph(graphfile_writer **w, uint64_t *fingerprint)
{
    graphfile_committed done = {0};
    int st = graphfile_commit(w, &done);

    if (st == EDGEFILE_OK && fingerprint != NULL)
        *fingerprint = done.fingerprint;
    return st;
}

/* Made-up edges [first, first + count), without src for CSR, from memory that starts skews bytes
 * after a page; NULL: on a page. */
static inline int write_made(graphfile_writer *w, const graphfile_spec *spec, uint64_t first,
                             uint64_t count, const size_t skews[3])
{
    made m = made_alloc(spec, first, count, skews != NULL ? skews : (size_t[3]){0});
    int st = put_edges(w, first, count, spec->format == GRAPHFILE_CSR ? NULL : m.src, m.dst,
                       m.weight, made_fingerprint(spec->graph.edges, first, count));

    made_free(&m);
    return st;
}

/* Ascends from 0 to edges. */
static inline uint64_t made_pointer(const graphfile_spec *spec, uint64_t i)
{
    return i == spec->graph.rows
               ? spec->graph.edges
               : (uint64_t)((double)spec->graph.edges / (double)spec->graph.rows * (double)i);
}

static inline int write_made_pointers(graphfile_writer *w, const graphfile_spec *spec,
                                      uint64_t first, uint64_t count, size_t skew)
{
    void *base;
    uint64_t *pointers = skewed_alloc(8 * count, skew, &base);
    int st;

    for (uint64_t i = 0; i < count; i++)
        pointers[i] = made_pointer(spec, first + i);
    st = graphfile_write_part(w, GRAPHFILE_POINTERS, first, count, pointers);
    free(base);
    return st;
}

/* A whole file of made-up edges at `name`, by one write of each array from aligned memory. */
static inline void write_graph(const char *name, graphfile_spec spec)
{
    graphfile_writer *w;
    uint64_t fingerprint;

    ck_ok(graphfile_create(&w, name, &spec));
    ck_ok(write_made(w, &spec, 0, spec.graph.edges, NULL));
    if (spec.format == GRAPHFILE_CSR)
        ck_ok(write_made_pointers(w, &spec, 0, spec.graph.rows + 1, 0));
    ck_ok(commit_graph(&w, &fingerprint));
    ck_assert_ptr_null(w);
    ck_assert_uint_eq(fingerprint, spec.graph.edges == 0 ? 0 : 42);
}

/* The number of elements that differ from the made-up edges [first, first + count); arrays that are
 * NULL are left out. */
static inline uint64_t differences(const graphfile_spec *spec, uint64_t first, uint64_t count,
                                   const void *src, const void *dst, const uint32_t *weights)
{
    const int id_bytes = spec->graph.id_bytes;
    const uint64_t mask = id_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    uint64_t bad = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = first + i;
        bad += src != NULL && get_id(src, i, id_bytes) != (mix(2 * at) & mask);
        bad += get_id(dst, i, id_bytes) != (mix(2 * at + 1) & mask);
        bad += weights != NULL && weights[i] != made_weight(at, spec->graph.weight);
    }
    return bad;
}

/* The file opens and holds exactly the made-up edges. */
static inline void check_graph(const char *name, graphfile_spec spec)
{
    const uint64_t edges = spec.graph.edges, rows = spec.graph.rows;
    const int is_csr = spec.format == GRAPHFILE_CSR;
    const size_t width = (size_t)spec.graph.id_bytes;
    scoped(free) void *src = is_csr ? NULL : calloc(edges + 1, width),
                      *dst = calloc(edges + 1, width);
    scoped(free) uint32_t *weights = spec.graph.weight ? calloc(edges + 1, sizeof *weights) : NULL;
    scoped(free) uint64_t *pointers = calloc(rows + 1, sizeof *pointers);
    uint64_t number = 0, bad = 0;
    edgefile_reader *r;
    char text[16];

    ck_ok(edgefile_open(&r, name));
    ck_assert_int_eq(edgefile_format_of(r), is_csr ? EDGEFILE_CSR : EDGEFILE_EDGES);
    ck_assert_uint_eq(edgefile_rows(r), is_csr ? rows : 0);
    ck_assert_uint_eq(edgefile_edges(r), edges);
    ck_assert_int_eq(edgefile_id_bytes(r), spec.graph.id_bytes);
    ck_assert_int_eq(edgefile_signed_ids(r), spec.graph.signed_ids);
    ck_assert_int_eq(edgefile_weight_of(r), spec.graph.weight);
    ck_ok(edgefile_get_string(r, "format", text, sizeof text));
    ck_assert_str_eq(text, is_csr ? "rmat-csr" : "rmat-edges");
    ck_ok(edgefile_get_u64(r, "fingerprint", &number));
    ck_assert_uint_eq(number, edges == 0 ? 0 : 42);
    ck_ok(edgefile_read(r, 0, edges, src, dst, weights));
    ck_assert_uint_eq(differences(&spec, 0, edges, src, dst, weights), 0);
    if (is_csr) {
        ck_ok(edgefile_get_u64(r, "rows", &number));
        ck_assert_uint_eq(number, rows);
        ck_ok(edgefile_read_pointers(r, 0, rows + 1, pointers));
        for (uint64_t i = 0; i <= rows; i++)
            bad += pointers[i] != made_pointer(&spec, i);
        ck_assert_uint_eq(bad, 0);
    }
    edgefile_close(r);
}

/* The bytes of a file; the caller frees them. */
static inline char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes;

    ck_assert_msg(f != NULL, "%s cannot be opened", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size + 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static inline void spew(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    ck_assert_msg(f != NULL, "%s cannot be created", path);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

static inline void check_bytes(const char *path, const void *want, size_t bytes)
{
    size_t size;
    scoped(free) char *got = slurp(path, &size);

    ck_assert_uint_eq(size, bytes);
    ck_assert_msg(memcmp(got, want, bytes) == 0, "%s has other bytes", path);
}

static inline void check_content(const char *path, const char *text)
{
    check_bytes(path, text, strlen(text));
}

static inline void check_same_bytes(const char *a, const char *b)
{
    size_t size;
    scoped(free) char *bytes = slurp(b, &size);

    check_bytes(a, bytes, size);
}

/* TEST_CASES() of tests that have the scratch folder each. */
#define FOLDER_CASES(name, ...)                                                                    \
    TEST_CASES_BETWEEN(name, 100, scratch_make, scratch_remove, __VA_ARGS__)

#endif
