/*
 * test_io_flips.c - a flipped byte of a file of ours is refused, or it lies in the edges, or it
 * does not matter: the file then opens and gives the edges that were written.
 */
#include "io/graphfile.h"
#include "tests/support/io_csr.h"

#include <sys/mman.h>
#include <sys/wait.h>

#define EDGES 64
#define ROWS  40

typedef struct {
    uint64_t opened, same; /* variants that open, and that then give the edges written */
    uint64_t wrong;        /* variants that give other edges than those written */
} outcome;

static void write_small(void)
{
    static const double levels[] = {0.57, 0.19, 0.19, 0.05};
    graphfile_spec spec = weighted(plain_spec(EDGES, 8), EDGEFILE_WEIGHT_I32);

    spec.attrs = (edgefile_attr[]){{"levels", EDGEFILE_F64, 4, levels},
                                   {"command", EDGEFILE_STRING, 1, "rmat generate --scale 4"}};
    spec.n_attrs = 2;
    write_graph(graph, spec);
}

static void try_file(const char *path, outcome *p)
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
    int is_csr, read;

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
    edgefile_get_f64s(r, "levels", values, 4, &count);
    edgefile_get_string(r, "command", text, sizeof text);
    edgefile_close(r);
}

/* Tries variants 0 to n - 1 of the file: damage(bytes, size, v) makes variant v.  A child process
 * does so, which ends without HDF5's exit handler: after errors HDF5 keeps files open, and memory.
 */
static outcome sweep(const char *bytes, size_t size, uint64_t n,
                     void (*damage)(char *, size_t, uint64_t))
{
    outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    outcome found;
    char *copy = malloc(size);
    char path[128];
    int fd, status;
    pid_t child;

    ck_assert_ptr_ne(shared, MAP_FAILED);
    snprintf(path, sizeof path, "%s/damaged.h5", scratch);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    child = fork();
    if (child == 0) {
        for (uint64_t v = 0; v < n; v++) {
            memcpy(copy, bytes, size);
            damage(copy, size, v);
            if (pwrite(fd, copy, size, 0) != (ssize_t)size)
                _exit(1);
            try_file(path, shared);
        }
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    close(fd);
    free(copy);
    found = *shared;
    munmap(shared, sizeof *shared);
    return found;
}

static void flip_byte(char *bytes, size_t size, uint64_t v)
{
    static const char masks[] = {1, (char)0x80, (char)0xff};
    (void)size;
    bytes[v / 3] ^= masks[v % 3];
}

/* The sanitizer takes ten times as long.  No multiple of 3, which would be the same mask each time.
 */
#ifdef __SANITIZE_ADDRESS__
enum { THIN = 22 };
#else
enum { THIN = 1 };
#endif

static void flip_thinned(char *bytes, size_t size, uint64_t v)
{
    flip_byte(bytes, size, THIN * v);
}

START_TEST(our_files)
{
    outcome found;
    size_t size;
    char *bytes;

    write_small();
    bytes = slurp(graph, &size);
    found = sweep(bytes, size, 3 * size, flip_byte);
    /* every byte but the edges' own is checksummed or unused: only those may open and differ */
    ck_assert_uint_gt(found.opened, 3 * 20 * EDGES - 1);
    ck_assert_uint_eq(found.opened - found.same, 3 * 20 * EDGES);
    free(bytes);
}
END_TEST

/* Without weights: the one byte of `values` is checked too. */
START_TEST(our_csr)
{
    outcome found;
    graphfile_spec spec = csr_spec(ROWS, EDGES, 8);
    size_t size;
    char *bytes;

    write_csr(graph, &spec);
    bytes = slurp(graph, &size);
    found = sweep(bytes, size, 3 * size / THIN, flip_thinned);
    if (THIN == 1)
        ck_assert_uint_eq(found.opened - found.same, 3 * 8 * (EDGES + ROWS + 1));
    free(bytes);
}
END_TEST

TEST_MAIN(io_flips)
{
    TCase *tc = tcase_create("flips");

    tcase_add_test(tc, our_files);
    tcase_add_test(tc, our_csr);
    return run_tests("io_flips", tc);
}
