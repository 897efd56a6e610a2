/*
 * test_io_flips.c - opening and reading a file with flipped bytes returns: any status, no crash, no
 * hang; and what that does not notice, edgefile_check_gaps() does, but for edges.  A child process
 * does the work and leaves its position in shared memory; where it dies, the next child goes on
 * behind.
 */
#include "io/graphfile.h"
#include "tests/support/io_csr.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define EDGES 64
#define ROWS  40

typedef struct {
    uint64_t at;           /* the variant in work */
    uint64_t opened, same; /* variants that open, and that then give the edges written */
    uint64_t missed;       /* the latter without a complaint of edgefile_check_gaps() */
    uint64_t wrong;        /* variants that give other edges than those written */
    uint64_t blamed;       /* the others with one: they are whole but for their edges */
} progress;

static void write_small(void)
{
    static const double levels[] = {0.57, 0.19, 0.19, 0.05};
    graphfile_spec spec = weighted(plain_spec(EDGES, 8), EDGEFILE_WEIGHT_I32);

    spec.attrs = (edgefile_attr[]){{"levels", EDGEFILE_F64, 4, levels},
                                   {"command", EDGEFILE_STRING, 1, "rmat generate --scale 4"}};
    spec.n_attrs = 2;
    write_graph(graph, spec);
}

/* A damaged length must not take the machine's memory; ASan cannot live with the limit. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

static void try_file(const char *path, progress *p)
{
    static const graphfile_spec csr = {.format = GRAPHFILE_CSR,
                                       .graph = {.rows = ROWS, .edges = EDGES, .sorted = 1}};
    static uint64_t src[EDGES + 1], dst[EDGES + 1], pointers[ROWS + 1];
    static uint32_t weights[EDGES + 1];
    double values[4];
    char text[16];
    uint64_t count, good = 0;
    edgefile_weight weight;
    edgefile_reader *r;
    int whole, is_csr, read;

    if (edgefile_open(&r, path) != EDGEFILE_OK)
        return;
    p->opened++;
    count = edgefile_edges(r) < EDGES ? edgefile_edges(r) : EDGES;
    weight = edgefile_weight_of(r);
    is_csr = edgefile_format_of(r) == EDGEFILE_CSR;
    read = edgefile_read(r, 0, count, is_csr ? NULL : src, dst, weight ? weights : NULL) ==
           EDGEFILE_OK;
    if (read && edgefile_id_bytes(r) == 8)
        for (uint64_t i = 0; i < count; i++)
            good += (is_csr || src[i] == mix(2 * i)) && dst[i] == mix(2 * i + 1) &&
                    (!weight || weights[i] == made_weight(i, weight));
    if (is_csr && edgefile_rows(r) >= ROWS) {
        read = read && edgefile_read_pointers(r, 0, ROWS + 1, pointers) == EDGEFILE_OK;
        for (uint64_t i = 0; i <= ROWS; i++)
            good -= read && pointers[i] != made_pointer(&csr, i);
    }
    good = read ? good : 0;
    p->same += good == EDGES;
    p->wrong += good != EDGES && read;
    whole = edgefile_check_gaps(r) == EDGEFILE_OK;
    p->missed += good == EDGES && whole;
    p->blamed += good != EDGES && !whole;
    edgefile_get_f64s(r, "levels", values, 4, &count);
    edgefile_get_string(r, "command", text, sizeof text);
    edgefile_close(r);
}

/* Variant v of the file: damage(bytes, size, v) and look, in children, until all n are done.
 * Returns how many crashed or hung. */
static int sweep(const char *bytes, size_t size, uint64_t n,
                 void (*damage)(char *, size_t, uint64_t), progress *p)
{
    char *copy = malloc(size);
    char path[128];
    int deaths = 0, fd;

    snprintf(path, sizeof path, "%s/damaged.h5", scratch);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    *p = (progress){0};
    while (p->at < n) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            limit_memory();
            for (; p->at < n; p->at++) {
                memcpy(copy, bytes, size);
                damage(copy, size, p->at);
                if (pwrite(fd, copy, size, 0) != (ssize_t)size)
                    _exit(1);
                alarm(10);
                try_file(path, p);
            }
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (status != 0) {
            printf("variant %llu: %s, status %#x\n", (unsigned long long)p->at,
                   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit", (unsigned)status);
            deaths++;
            p->at++;
        }
    }
    close(fd);
    free(copy);
    return deaths;
}

static void flip_byte(char *bytes, size_t size, uint64_t v)
{
    static const char masks[] = {1, (char)0x80, (char)0xff};
    (void)size;
    bytes[v / 3] ^= masks[v % 3];
}

/* The sanitizer takes ten times as long, and compressed files are larger and slower to
 * open.  Of those every fourth variant is tried, three bytes of four; no multiple of 3, which would
 * be the same mask each time. */
#ifdef __SANITIZE_ADDRESS__
enum { THIN = 22, THIN_LARGE = 88 };
#else
enum { THIN = 1, THIN_LARGE = 4 };
#endif

static void flip_thinned(char *bytes, size_t size, uint64_t v)
{
    flip_byte(bytes, size, THIN * v);
}

static void flip_large(char *bytes, size_t size, uint64_t v)
{
    flip_byte(bytes, size, THIN_LARGE * v);
}

static void flip_many(char *bytes, size_t size, uint64_t v)
{
    uint64_t x = mix(v + 1);
    for (uint64_t k = 0; k < 2 + v % 15; k++, x = mix(x + k))
        bytes[x % size] ^= (char)(x >> 40 | 1);
}

/* A stretch of zeros, ones or noise. */
static void overwrite(char *bytes, size_t size, uint64_t v)
{
    uint64_t x = mix(v + 99), at = x % size, length = 1 + (x >> 32) % 64;
    for (uint64_t k = at; k < size && k < at + length; k++)
        bytes[k] = (char)(v % 3 == 0 ? 0 : v % 3 == 1 ? 0xff : mix(x + k));
}

static progress *shared_progress(void)
{
    progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

START_TEST(our_files)
{
    progress *p = shared_progress();
    size_t size;
    char *bytes;

    write_small();
    bytes = slurp(graph, &size);
    ck_assert_int_eq(sweep(bytes, size, 3 * size, flip_byte, p), 0);
    /* every byte but the edges' own is checksummed or unused: only those may open and differ */
    ck_assert_uint_gt(p->opened, 3 * 20 * EDGES - 1);
    ck_assert_uint_eq(p->opened - p->same, 3 * 20 * EDGES);
    ck_assert_uint_eq(p->missed + p->blamed, 0);
    ck_assert_int_eq(sweep(bytes, size, 4000, flip_many, p), 0);
    ck_assert_int_eq(sweep(bytes, size, 4000, overwrite, p), 0);
    free(bytes);
}
END_TEST

/* Without weights: the one byte of `values` is checked too. */
START_TEST(our_csr)
{
    progress *p = shared_progress();
    graphfile_spec spec = csr_spec(ROWS, EDGES, 8);
    size_t size;
    char *bytes;

    write_csr(graph, &spec);
    bytes = slurp(graph, &size);
    ck_assert_int_eq(sweep(bytes, size, 3 * size / THIN, flip_thinned, p), 0);
    if (THIN == 1)
        ck_assert_uint_eq(p->opened - p->same, 3 * 8 * (EDGES + ROWS + 1));
    ck_assert_uint_eq(p->missed + p->blamed, 0);
    ck_assert_int_eq(sweep(bytes, size, 1000 / THIN, flip_many, p), 0);
    ck_assert_int_eq(sweep(bytes, size, 1000 / THIN, overwrite, p), 0);
    free(bytes);
}
END_TEST

/* Checksums cover chunks, too, and everything else is what follows from their sizes.  Only deflate
 * has a few bits that say nothing, as the lengths of codes that do not occur. */
static void sweep_compressed(void)
{
    progress *p = shared_progress();
    size_t size;
    char *bytes = slurp(graph, &size);

    ck_assert_int_eq(sweep(bytes, size, 3 * size / THIN_LARGE, flip_large, p), 0);
    ck_assert_uint_gt(p->opened, 0);
    ck_assert_uint_eq(p->wrong, 0);
    ck_assert_uint_le(p->missed, 12);
    ck_assert_int_eq(sweep(bytes, size, 1000 / THIN, flip_many, p), 0);
    ck_assert_uint_eq(p->wrong, 0);
    ck_assert_int_eq(sweep(bytes, size, 1000 / THIN, overwrite, p), 0);
    free(bytes);
}

START_TEST(our_compressed_list)
{
    graphfile_spec spec = weighted(plain_spec(EDGES, 8), EDGEFILE_WEIGHT_I32);

    spec.compress = graphfile_check_compress(GRAPHFILE_H5) == EDGEFILE_OK;
    if (!spec.compress)
        return;
    write_graph(graph, spec);
    sweep_compressed();
}
END_TEST

START_TEST(our_compressed_csr)
{
    graphfile_spec spec = csr_spec(ROWS, EDGES, 8);

    spec.compress = graphfile_check_compress(GRAPHFILE_H5) == EDGEFILE_OK;
    if (!spec.compress)
        return;
    write_csr(graph, &spec);
    sweep_compressed();
}
END_TEST

/* As HDF5 writes files by default: superblock 0, no checksums. */
static void write_foreign(void)
{
    hsize_t length = EDGES;
    uint64_t edges = EDGES;
    hid_t file = H5Fcreate(graph, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &length, NULL), scalar = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(file, "edges", H5T_STD_U64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(attr, H5T_NATIVE_UINT64, &edges);
    H5Aclose(attr);
    H5Dclose(H5Dcreate2(file, "src", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "dst", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(scalar);
    H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

START_TEST(foreign_files)
{
    progress *p = shared_progress();
    size_t size;
    char *bytes;

    write_foreign();
    bytes = slurp(graph, &size);
    ck_assert_int_eq(sweep(bytes, size, 3 * size, flip_byte, p), 0);
    ck_assert_int_eq(sweep(bytes, size, 4000, flip_many, p), 0);
    ck_assert_int_eq(sweep(bytes, size, 4000, overwrite, p), 0);
    free(bytes);
}
END_TEST

TEST_MAIN(io_flips)
{
    TCase *tc = tcase_create("flips");

    tcase_add_test(tc, our_files);
    tcase_add_test(tc, our_csr);
    tcase_add_test(tc, our_compressed_list);
    tcase_add_test(tc, our_compressed_csr);
    tcase_add_test(tc, foreign_files);
    return run_tests("io_flips", tc);
}
