/*
 * test_io_flips.c - flips a byte of one of our files.  The file is refused, or the byte lies in the
 * edges, or it does not matter: the file then opens and gives the edges that were written.
 */
#include "tests/support/io_util.h"

#include <sys/mman.h>
#include <sys/wait.h>

#define EDGES 64
#define ROWS  40

typedef struct {
    uint64_t opened, same; /* variants that open, and that then give the edges written */
} outcome;

static void try_file(const char *path, outcome *p)
{
    static const graphfile_spec csr = {.graph = {.rows = ROWS, .edges = EDGES}};
    static uint64_t src[EDGES], dst[EDGES], pointers[ROWS + 1];
    static uint32_t weights[EDGES];
    graphfile_spec spec = plain_spec(EDGES, 8);
    double values[4];
    char text[16];
    uint64_t count;
    edgefile_reader *r;
    int is_csr, same;

    if (edgefile_open(&r, path) != EDGEFILE_OK)
        return;
    p->opened++;
    count = edgefile_edges(r) < EDGES ? edgefile_edges(r) : EDGES;
    spec.graph.weight = edgefile_weight_of(r);
    is_csr = edgefile_format_of(r) == EDGEFILE_CSR;
    same = edgefile_read(r, 0, count, is_csr ? NULL : src, dst,
                         spec.graph.weight ? weights : NULL) == EDGEFILE_OK &&
           count == EDGES && edgefile_id_bytes(r) == 8 &&
           differences(&spec, 0, EDGES, is_csr ? NULL : src, dst,
                       spec.graph.weight ? weights : NULL) == 0;
    if (is_csr && edgefile_rows(r) >= ROWS) {
        same &= edgefile_read_pointers(r, 0, ROWS + 1, pointers) == EDGEFILE_OK;
        for (uint64_t i = 0; i <= ROWS; i++)
            same &= pointers[i] == made_pointer(&csr, i);
    }
    p->same += (uint64_t)same;
    edgefile_get_f64s(r, "levels", values, 4, &count);
    edgefile_get_string(r, "command", text, sizeof text);
    edgefile_close(r);
}

/* The sanitizer takes ten times as long.  No multiple of 3, which would be the same mask each time.
 */
enum { THIN = SANITIZED ? 22 : 1 };

/* Tries every stride-th variant of the file; each has one byte flipped by one of three
 * masks.  A child process does so, which ends without HDF5's exit handler: after errors HDF5 keeps
 * files open, and memory. */
static outcome sweep(const char *bytes, size_t size, uint64_t stride)
{
    static const char masks[] = {1, (char)0x80, (char)0xff};
    outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    outcome found;
    scoped(free) char *copy = malloc(size);
    int fd, status;
    pid_t child;

    ck_assert_ptr_ne(shared, MAP_FAILED);
    fd = open(twin, O_RDWR | O_CREAT, 0600);
    child = fork();
    if (child == 0) {
        for (uint64_t v = 0; v < 3 * size; v += stride) {
            memcpy(copy, bytes, size);
            copy[v / 3] ^= masks[v % 3];
            if (pwrite(fd, copy, size, 0) != (ssize_t)size)
                _exit(1);
            try_file(twin, shared);
        }
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    close(fd);
    found = *shared;
    munmap(shared, sizeof *shared);
    return found;
}

/* Every byte but those of the arrays is checksummed, checked or unused: only variants with a byte
 * of an array may open and differ. */
START_TEST(our_files)
{
    static const double levels[] = {0.57, 0.19, 0.19, 0.05};
    const int is_csr = _i;
    const uint64_t bytes_of_arrays = is_csr ? 8 * (EDGES + ROWS + 1) : 20 * EDGES;
    graphfile_spec spec =
        is_csr ? csr_spec(ROWS, EDGES, 8) : weighted(plain_spec(EDGES, 8), EDGEFILE_WEIGHT_I32);
    outcome found;
    size_t size;
    scoped(free) char *bytes = NULL;

    spec.attrs = (edgefile_attr[]){{"levels", EDGEFILE_F64, 4, levels},
                                   {"command", EDGEFILE_STRING, 1, "rmat generate --scale 4"}};
    spec.n_attrs = is_csr ? 0 : 2;
    write_graph(graph, spec);
    bytes = slurp(graph, &size);
    found = sweep(bytes, size, THIN);
    ck_assert_uint_gt(found.opened, 0);
    if (THIN == 1) {
        ck_assert_uint_ge(found.opened, 3 * bytes_of_arrays);
        ck_assert_uint_eq(found.opened - found.same, 3 * bytes_of_arrays);
    }
}

FOLDER_CASES(io_flips, LOOP(our_files, 0, 2))
