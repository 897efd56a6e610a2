/* test_io_parallel.c - one file by several processes under mpirun: parallel HDF5 gives the bytes of
 * a single writer; a process that gives up lets no other one wait. */
#include "tests/support/io_csr.h"
#include "tests/support/io_group.h"

#include <mpi.h>

static MPI_Comm comm;
static int rank, size;
static char other[128];

static void mpi_broadcast(void *state, void *data, size_t bytes)
{
    (void)state;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, comm);
}

static void mpi_sum(void *state, uint64_t *values, size_t count)
{
    (void)state;
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_SUM, comm);
}

static int mpi_agree(void *state, int status, char *detail, size_t bytes)
{
    int mine = status == 0 ? size : rank, first;

    (void)state;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return 0;
    MPI_Bcast(&status, 1, MPI_INT, first, comm);
    MPI_Bcast(detail, (int)bytes, MPI_CHAR, first, comm);
    return status;
}

static void mpi_abandon(void *state, const char *detail)
{
    (void)state;
    fprintf(stderr, "%s\n", detail);
    _exit(1);
}

static edgefile_group group = {.hosts = 1,
                               .broadcast = mpi_broadcast,
                               .sum = mpi_sum,
                               .agree = mpi_agree,
                               .abandon = mpi_abandon,
                               .patience = 60};

static void make_reference(graphfile_spec spec)
{
    spec.path = EDGEFILE_PATH_POSITIONAL;
    if (rank == 0)
        write_graph(graph, spec);
    MPI_Barrier(comm);
}

static void check_and_remove(void)
{
    if (rank == 0) {
        check_same_bytes(graph, other);
        ck_assert_int_eq(unlink(graph) + unlink(other), 0);
    }
    MPI_Barrier(comm);
}

static void check_nothing_left(void)
{
    int left;

    MPI_Barrier(comm); /* process 0 removes it */
    left = exists(graph) || exists(graph_partial);
    MPI_Barrier(comm); /* and makes the next one */
    ck_assert(!left);
}

static const edgefile_path paths[] = {EDGEFILE_PATH_HDF5, EDGEFILE_PATH_AUTO};

START_TEST(same_bytes)
{
    static const uint64_t edges[] = {0, 1, 1000, 131073, 1000003};

    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int d = DEAL_OWN; d <= DEAL_LAST; d++) {
            crew_job job = {other, plain_spec(edges[e], d % 2 ? 4 : 8, paths[_i]), (deal)d, 50000};
            job.spec.layout = EDGEFILE_LAYOUT_SINGLE;
            job.spec.graph.weight = (edgefile_weight)((e + (size_t)d) % 3);
            make_reference(job.spec);
            write_together(&group, &job);
            check_and_remove();
        }
}
END_TEST

START_TEST(used_path)
{
    graphfile_spec spec = plain_spec(1000, 8, paths[_i]);
    graphfile_writer *w;

    spec.group = &group;
    ck_ok(graphfile_create(&w, graph, &spec));
    if (_i == 0)
        ck_assert_int_eq(graphfile_used_path(w), EDGEFILE_PATH_HDF5);
    else
        ck_assert(graphfile_used_path(w) == EDGEFILE_PATH_DIRECT ||
                  graphfile_used_path(w) == EDGEFILE_PATH_POSITIONAL);
    graphfile_abort(&w);
    check_nothing_left();
}
END_TEST

/* One gives up after its first piece; the others, which have written theirs, do not wait for it. */
START_TEST(one_gives_up)
{
    graphfile_spec spec = plain_spec(4000000, 8, paths[_i]);
    uint64_t first, count;
    graphfile_writer *w;

    spec.group = &group;
    edgefile_shard_range(spec.graph.edges, 8, EDGEFILE_NO_WEIGHT, size, rank, &first, &count);
    ck_ok(graphfile_create(&w, graph, &spec));
    for (uint64_t at = first; at < first + (rank == size - 1 ? 1000 : 10000); at += 1000)
        ck_ok(write_made(w, &spec, at, 1000));
    graphfile_abort(&w);
    check_nothing_left();
}
END_TEST

START_TEST(incomplete)
{
    graphfile_spec spec = plain_spec(200000, 8, paths[_i]);
    graphfile_writer *w;

    spec.group = &group;
    ck_ok(graphfile_create(&w, graph, &spec));
    if (rank == size - 1)
        ck_ok(write_made(w, &spec, 100, 1000));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "1000 edges were written, expected");
    check_nothing_left();
}
END_TEST

/* --- CSR --- */

/* Pieces of random length to all in turn: neighbours share pages. */
static void write_csr_share(graphfile_writer *w, const graphfile_spec *spec, int is_pointers)
{
    const uint64_t length = is_pointers ? spec->graph.rows + 1 : spec->graph.edges;
    uint64_t count, piece = 0;

    for (uint64_t first = 0; first < length; first += count, piece++) {
        count = 1 + mix(piece + 5) % 1500;
        if (count > length - first)
            count = length - first;
        if (piece % (unsigned)size != (unsigned)rank)
            continue;
        ck_ok(is_pointers ? write_made_pointers(w, spec, first, count, 0)
                          : write_made_indices(w, spec, first, count, 0, 0));
    }
}

static const edgefile_path csr_paths[] = {EDGEFILE_PATH_HDF5, EDGEFILE_PATH_AUTO,
                                          EDGEFILE_PATH_POSITIONAL};

START_TEST(csr_same_bytes)
{
    static const uint64_t sizes[][2] = {{1, 0}, {10, 3}, {3000, 5000}, {140000, 300001}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        graphfile_spec spec =
            weighted(csr_spec(sizes[i][0], sizes[i][1], i % 2 ? 4 : 8, EDGEFILE_PATH_POSITIONAL),
                     (edgefile_weight)(i % 3));
        graphfile_writer *w;
        if (rank == 0)
            write_csr(graph, &spec);
        MPI_Barrier(comm);
        spec.group = &group;
        spec.path = csr_paths[_i];
        ck_ok(graphfile_create(&w, other, &spec));
        if (_i == 0)
            ck_assert_int_eq(graphfile_used_path(w), EDGEFILE_PATH_HDF5);
        write_csr_share(w, &spec, 1);
        write_csr_share(w, &spec, 0);
        ck_ok(commit_graph(&w, NULL));
        check_and_remove();
    }
}
END_TEST

static void folder_make(void)
{
    if (rank == 0)
        scratch_make();
    MPI_Bcast(scratch, sizeof scratch, MPI_CHAR, 0, comm);
    snprintf(graph, sizeof graph, "%s/graph.h5", scratch);
    snprintf(graph_partial, sizeof graph_partial, "%s.partial", graph);
    snprintf(other, sizeof other, "%s/other.h5", scratch);
}

static void folder_remove(void)
{
    MPI_Barrier(comm);
    if (rank == 0)
        scratch_remove();
}

int main(int argc, char **argv)
{
    TCase *tc = tcase_create("parallel");
    Suite *suite = suite_create("io_parallel");
    int provided, failed;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    group.rank = rank;
    group.size = size;
    group.communicator = &comm;
    setenv("CK_FORK", "no", 1);
    tcase_add_unchecked_fixture(tc, folder_make, folder_remove);
    tcase_set_timeout(tc, 100);
    tcase_add_loop_test(tc, same_bytes, 0, 2);
    tcase_add_loop_test(tc, used_path, 0, 2);
    if (size > 1)
        tcase_add_loop_test(tc, one_gives_up, 0, 2);
    tcase_add_loop_test(tc, incomplete, 0, 2);
    tcase_add_loop_test(tc, csr_same_bytes, 0, 3);
    suite_add_tcase(suite, tc);
    failed = run_suite(suite);
    if (failed)
        MPI_Abort(comm, failed);
    MPI_Finalize();
    return failed;
}
