/*
 * test_io_rounds.c - a compressed file that several processes write in rounds: the same bytes as by
 * one.  Rounds that are not as edgefile.h wants them fail on all processes and leave nothing.
 */
#include "tests/support/io_csr.h"
#include "tests/support/io_group.h"

#define EDGES (5 * EDGEFILE_ROUND + 12345)
#define ROWS  (2 * EDGEFILE_ROUND + 77)
#define PIECE (EDGEFILE_ROUND / 4)

typedef struct {
    graphfile_spec spec;
    int chunks;    /* of a process in a round */
    int wrong;     /* 1: higher ranks first; 2: an edge is missing in the first round */
    int status[4]; /* of the processes */
} rounds_job;

static int write_edges(graphfile_writer *w, const rounds_job *job, uint64_t first, uint64_t end)
{
    const graphfile_spec *spec = &job->spec;

    end = end < spec->graph.edges ? end : spec->graph.edges;
    for (uint64_t count; first < end; first += count) {
        int st;

        count = end - first < PIECE ? end - first : PIECE;
        count -= job->wrong == 2 && first == 0;
        st = spec->format == GRAPHFILE_CSR ? write_made_indices(w, spec, first, count, 0, 0)
                                           : write_made(w, spec, first, count);
        if (st != EDGEFILE_OK)
            return st;
        count += job->wrong == 2 && first == 0;
    }
    return EDGEFILE_OK;
}

static int write_pointers(graphfile_writer *w, const rounds_job *job, uint64_t first, uint64_t end)
{
    const uint64_t length = job->spec.format == GRAPHFILE_CSR ? job->spec.graph.rows + 1 : 0;

    end = end < length ? end : length;
    return first < end ? write_made_pointers(w, &job->spec, first, end - first, 0) : EDGEFILE_OK;
}

static int write_rounds(graphfile_writer *w, const edgefile_group *group, const rounds_job *job,
                        uint64_t length,
                        int (*write)(graphfile_writer *, const rounds_job *, uint64_t, uint64_t))
{
    const uint64_t mine = (uint64_t)job->chunks * EDGEFILE_ROUND;
    const uint64_t turn = (uint64_t)(job->wrong == 1 ? group->size - 1 - group->rank : group->rank);

    for (uint64_t at = 0; at < length; at += mine * (uint64_t)group->size) {
        int st;

        ck_ok(write(w, job, at + turn * mine, at + (turn + 1) * mine));
        st = graphfile_end_round(w);
        if (st != EDGEFILE_OK)
            return st;
    }
    return EDGEFILE_OK;
}

static void write_by(edgefile_group *group, void *argument)
{
    rounds_job *job = argument;
    graphfile_spec spec = job->spec;
    graphfile_writer *w;
    int st;

    spec.group = group;
    ck_ok(graphfile_create(&w, graph, &spec));
    st = write_rounds(w, group, job, spec.graph.edges, write_edges);
    if (st == EDGEFILE_OK && spec.format == GRAPHFILE_CSR)
        st = write_rounds(w, group, job, spec.graph.rows + 1, write_pointers);
    if (st == EDGEFILE_OK)
        ck_ok(commit_graph(&w, NULL));
    graphfile_abort(&w);
    job->status[group->rank] = st;
}

static void check_rounds(graphfile_spec spec)
{
    char other[128];

    spec.compress = spec.replace = 1;
    snprintf(other, sizeof other, "%s/other.h5", scratch);
    if (spec.format == GRAPHFILE_CSR)
        write_csr(other, &spec);
    else
        write_graph(other, spec);
    for (int size = 1; size <= 4; size++) {
        rounds_job job = {spec, 1 + size % 2, 0, {0}};

        run_crew(size, 1, write_by, &job);
        check_same_bytes(graph, other);
    }
    ck_assert(!exists(graph_partial));
}

START_TEST(lists)
{
    check_rounds(plain_spec(EDGES, 8));
    check_rounds(weighted(buffered(plain_spec(EDGES, 4), 1), EDGEFILE_WEIGHT_I32));
    check_rounds(plain_spec(3, 8));
    check_rounds(plain_spec(0, 4));
}
END_TEST

START_TEST(csr)
{
    check_rounds(csr_spec(ROWS, EDGES, 4));
    check_rounds(weighted(csr_spec(ROWS, 40, 8), EDGEFILE_WEIGHT_F32));
    check_rounds(csr_spec(3, 0, 8));
}
END_TEST

START_TEST(wrong_rounds)
{
    for (int wrong = 1; wrong <= 2; wrong++) {
        rounds_job job = {plain_spec(EDGES, 4), 1, wrong, {0}};

        job.spec.compress = 1;
        run_crew(3, 1, write_by, &job);
        for (int rank = 0; rank < 3; rank++)
            ck_assert_int_eq(job.status[rank], EDGEFILE_ERR_RANGE);
        ck_assert(!exists(graph) && !exists(graph_partial));
    }
}
END_TEST

TEST_MAIN(io_rounds)
{
    TCase *tc = tcase_create("rounds");

    tcase_add_test(tc, lists);
    tcase_add_test(tc, csr);
    tcase_add_test(tc, wrong_rounds);
    return run_tests("io_rounds", tc);
}
