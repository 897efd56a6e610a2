/*
 * test_io_csr_group.c - a CSR file that several processes write: the same bytes as by one.
 *
 * Rows end anywhere, so ranges of two processes meet inside pages of the file.  Here processes
 * write both sides of many such places at the same time.
 */
#include "tests/support/io_csr.h"
#include "tests/support/io_group.h"

#include <dlfcn.h>
#include <sys/vfs.h>

static int is_nfs; /* what the library is told of file systems */

int statfs(const char *path, struct statfs *fs)
{
    int rc = ((__typeof__(&statfs))dlsym(RTLD_NEXT, "statfs"))(path, fs);

    if (is_nfs)
        fs->f_type = 0x6969;
    return rc;
}

typedef struct {
    const char *name;
    graphfile_spec spec;
    unsigned seed;
} csr_job;

static uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = mix(*state + 0x632BE59BD9B4E019u);
    return *state % n;
}

/* The next piece of [first, length), the same for all processes: often smaller than a page, at
 * times of some pages. */
static uint64_t next_piece(uint64_t *state, uint64_t first, uint64_t length)
{
    uint64_t most = random_below(state, 4) == 0 ? 3000 : 300;
    uint64_t count = 1 + random_below(state, most);

    return count < length - first ? count : length - first;
}

/* Neighbours write at the same time: pieces go to all in turn, who wait for each other after each.
 * Where *skew, memory lies as the file does, so that whole pages go out by O_DIRECT. */
static void write_in_turn(edgefile_group *group, const csr_job *job, graphfile_writer *w,
                          int is_pointers)
{
    const graphfile_spec *spec = &job->spec;
    const uint64_t length = is_pointers ? spec->graph.rows + 1 : spec->graph.edges;
    uint64_t state = job->seed + (unsigned)is_pointers, count;
    int turn = 0;

    for (uint64_t first = 0; first < length; first += count, turn++) {
        size_t width = is_pointers ? 8 : (size_t)spec->graph.id_bytes;
        size_t skew = random_below(&state, 2) ? first * width % 4096 : 8;
        count = next_piece(&state, first, length);
        if (turn % group->size == 0)
            pthread_barrier_wait(&((member *)group->state)->all->barrier);
        if (turn % group->size != group->rank)
            continue;
        if (is_pointers)
            ck_ok(write_made_pointers(w, spec, first, count, skew));
        else
            ck_ok(write_made_indices(w, spec, first, count, skew, first * 4 % 4096));
    }
}

static void write_csr_together(edgefile_group *group, void *argument)
{
    csr_job job = *(csr_job *)argument;
    graphfile_writer *w;
    uint64_t fingerprint;

    job.spec.group = group;
    ck_ok(graphfile_create(&w, job.name, &job.spec));
    write_in_turn(group, &job, w, 0);
    write_in_turn(group, &job, w, 1);
    ck_ok(commit_graph(&w, &fingerprint));
    ck_assert_uint_eq(fingerprint, job.spec.graph.edges == 0 ? 0 : 42);
}

/* Large enough for aligned datasets, of which about 2000 pages have several writers. */
START_TEST(neighbours_share_pages)
{
    char other[128];
    graphfile_spec spec = weighted(csr_spec(150000, 270000, _i % 2 ? 8 : 4),
                                   _i % 2 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_F32);
    csr_job job = {other, spec, (unsigned)_i};

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_csr(graph, &spec);
    job.spec.buffered = _i / 2;
    run_crew_as(_i % 3 == 2 ? 3 : 2, 1, 1, write_csr_together, &job);
    check_same_bytes(graph, other);
    check_csr(other, &spec);
}
END_TEST

/* Datasets that share pages with each other, and with the metadata. */
START_TEST(small_files)
{
    static const uint64_t sizes[][2] = {{1, 0}, {1, 1}, {2, 3}, {100, 0}, {1000, 2000}};
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        graphfile_spec spec =
            weighted(buffered(csr_spec(sizes[i][0], sizes[i][1], 4), _i), (edgefile_weight)(i % 3));
        csr_job job = {other, spec, (unsigned)i};
        spec.replace = job.spec.replace = 1;
        write_csr(graph, &spec);
        for (int size = 1; size <= 3; size++) {
            run_crew_as(size, 1, size % 2, write_csr_together, &job);
            check_same_bytes(graph, other);
        }
    }
}
END_TEST

/* --- what is refused --- */

typedef struct {
    graphfile_spec spec;
    const char *message; /* NULL: none */
} refusal;

static void try_create(edgefile_group *group, void *argument)
{
    const refusal *r = argument;
    graphfile_spec spec = r->spec;
    graphfile_writer *w;

    spec.group = group;
    if (r->message != NULL) {
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, r->message);
        ck_assert_ptr_null(w);
        return;
    }
    ck_ok(graphfile_create(&w, graph, &spec));
    graphfile_abort(&w);
}

START_TEST(nfs_of_several_hosts)
{
    refusal r = {csr_spec(10, 10, 8), NULL};

    is_nfs = 1;
    run_crew(2, 1, try_create, &r); /* one host alone may */
    run_crew(1, 2, try_create, &r);
    r.message = "2 hosts cannot write it on a file system of type nfs";
    run_crew(2, 2, try_create, &r);
    r.spec.format = GRAPHFILE_H5;
    r.spec.unaligned = 1;
    run_crew(2, 2, try_create, &r);
    r.message = NULL;
    r.spec.unaligned = 0; /* ranges that meet at units of a list share no page */
    run_crew(2, 2, try_create, &r);
    r.spec.format = GRAPHFILE_CSR;
    is_nfs = 0;
    run_crew(2, 2, try_create, &r);
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* One process leaves out its pointers. */
static void write_too_little(edgefile_group *group, void *argument)
{
    graphfile_spec spec = csr_spec(1000, 10, 8);
    graphfile_writer *w;

    (void)argument;
    spec.group = group;
    ck_ok(graphfile_create(&w, graph, &spec));
    if (group->rank == 0) {
        ck_ok(write_made_pointers(w, &spec, 0, 500, 0));
        ck_ok(write_made_indices(w, &spec, 0, 10, 0, 0));
    }
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE,
             "500 pointers were written, expected 1001");
}

START_TEST(incomplete)
{
    run_crew(3, 1, write_too_little, NULL);
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* --- numbers set at commit --- */

enum { LATE = 12345 };

static void write_with_late(edgefile_group *group, void *argument)
{
    crew_job job = *(crew_job *)argument;
    graphfile_writer *w;

    job.spec.group = group;
    ck_ok(graphfile_create(&w, job.name, &job.spec));
    ck_ok(write_share(w, &job, group));
    ck_ok(graphfile_set_u64(w, "late", group->rank == 0 ? LATE : 99)); /* only process 0's counts */
    ck_ok(commit_graph(&w, NULL));
}

/* The same bytes as with the value from the start. */
START_TEST(late_numbers)
{
    static const uint64_t values[] = {7, LATE, 3};
    edgefile_attr attrs[] = {{"seed", EDGEFILE_U64, 1, &values[0]},
                             {"late", EDGEFILE_U64, 1, &values[1]},
                             {"many", EDGEFILE_U64, 3, values}};
    crew_job job = {graph, plain_spec(400001, 8), DEAL_ANY, 0};
    char other[128];
    edgefile_reader *r;
    uint64_t late;

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    job.spec.attrs = attrs;
    job.spec.n_attrs = 3;
    run_crew(2, 1, write_together, &job);
    attrs[1].value = &values[2];
    job.name = other;
    run_crew_as(2, 1, 1, write_with_late, &job);
    check_same_bytes(graph, other);
    ck_ok(edgefile_open(&r, other));
    ck_ok(edgefile_get_u64(r, "late", &late));
    ck_assert_uint_eq(late, LATE);
    edgefile_close(r);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("csr_group");

    tcase_add_loop_test(tc, neighbours_share_pages, 0, 4);
    tcase_add_loop_test(tc, small_files, 0, 2);
    tcase_add_test(tc, nfs_of_several_hosts);
    tcase_add_test(tc, incomplete);
    tcase_add_test(tc, late_numbers);
    return run_tests("io_csr_group", tc);
}
