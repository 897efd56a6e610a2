/*
 * test_io_replace.c - a graph takes the place of another only where it may, what a dead job left
 * makes way, and a living one is left alone: a lone process and several.
 */
#include "tests/support/io_group.h"

/* One process, or a group of n, that may replace a file or not. */
static void write_by(int n, uint64_t edges, int replace, int buffer)
{
    crew_job job = {.name = graph, .spec = buffered(plain_spec(edges, 8), buffer)};

    job.spec.replace = replace;
    if (n == 0)
        write_graph(graph, job.spec);
    else
        run_crew(n, 1, write_together, &job);
}

static void check_only(uint64_t edges)
{
    check_graph(graph, plain_spec(edges, 8));
    ck_assert(!exists(graph_partial));
}

START_TEST(one_replaces_another)
{
    const int several = _i % 2, buffer = _i / 2;
    graphfile_spec spec = buffered(plain_spec(1000, 8), buffer);
    graphfile_writer *w;

    write_by(several ? 5 : 0, 500003, 0, buffer);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "graph.h5: already exists");
    check_only(500003);
    spec.replace = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(graph_partial));
    check_graph(graph, plain_spec(500003, 8));
    graphfile_abort(&w);
    ck_assert_ptr_null(w);
    check_only(500003);
    write_by(several ? 3 : 0, 400001, 1, buffer);
    check_only(400001);
}
END_TEST

/* A job that is killed before, or after, it has written; or what was never a graph. */
START_TEST(after_a_dead_job)
{
    const int buffer = _i % 2, way = _i / 2;
    graphfile_spec spec = buffered(plain_spec(400001, 8), buffer);
    graphfile_writer *w;
    edgefile_reader *r;
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (way == 2) {
            static char junk[500000];
            memset(junk, 0xee, sizeof junk);
            spew(graph_partial, junk, sizeof junk);
        } else if (graphfile_create(&w, graph, &spec) != EDGEFILE_OK ||
                   (way == 1 && write_made(w, &spec, 0, 400001, NULL) != EDGEFILE_OK))
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, &status, 0);
    ck_assert(WIFSIGNALED(status) && exists(graph_partial) && !exists(graph));
    ck_fails(edgefile_open(&r, graph_partial), EDGEFILE_ERR_FORMAT,
             way == 2 ? "is not an HDF5 file" : "is not complete");
    write_by(buffer ? 0 : 3, 300001, 0, buffer);
    check_only(300001);
}
END_TEST

static void second_job(edgefile_group *group, void *argument)
{
    graphfile_spec spec = buffered(replacing(plain_spec(400001, 8)), *(int *)argument);
    graphfile_writer *w;

    spec.group = group;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
    ck_assert_ptr_null(w);
}

/* By one process, and by several; the first job lives in another process, then in this one. */
static void check_second_jobs(int buffer)
{
    edgefile_reader *r;

    ck_assert(exists(graph_partial) && !exists(graph));
    ck_fails(edgefile_open(&r, graph_partial), EDGEFILE_ERR_FORMAT, "is not complete");
    second_job(NULL, &buffer);
    run_crew(2, 1, second_job, &buffer);
    ck_assert(exists(graph_partial) && !exists(graph));
}

START_TEST(living_job_is_left_alone)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;
    int ready[2];
    char byte = 0;
    pid_t child;

    ck_assert_int_eq(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        byte = graphfile_create(&w, graph, &spec) == EDGEFILE_OK ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'y');
    check_second_jobs(_i);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_ok(graphfile_create(&w, graph, &spec));
    check_second_jobs(_i);
    ck_ok(write_made(w, &spec, 0, 1000, NULL));
    ck_ok(commit_graph(&w, NULL));
    check_only(1000);
}
END_TEST

/* Comes into being while the job runs. */
START_TEST(that_appears_meanwhile)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(graph_partial) && !exists(graph));
    ck_ok(write_made(w, &spec, 0, 1000, NULL));
    spew(graph, "mine", 4);
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_EXISTS, "in the meantime");
    check_content(graph, "mine");
    ck_assert(!exists(graph_partial));
}
END_TEST

/* A link stays one, absolute or relative: what it leads to is replaced. */
START_TEST(through_a_link)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;
    char target[128];

    spew(graph, "old", 3);
    ck_assert_int_eq(symlink(_i == 0 ? graph : "graph.h5", twin), 0);
    write_graph(twin, replacing(spec));
    check_only(1000);
    ck_assert_int_gt(readlink(twin, target, sizeof target), 0);
    ck_fails(graphfile_create(&w, twin, &spec), EDGEFILE_ERR_EXISTS, "already exists");
}
END_TEST

/* In a process of its own: from edgefile_abandon() on nothing can be written. */
static void abandon_in_child(graphfile_writer *w, const graphfile_spec *spec)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (w == NULL && graphfile_create(&w, graph, spec) != EDGEFILE_OK)
            _exit(1);
        edgefile_abandon();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* What a process has under construction goes; what its parent has stays. */
START_TEST(abandoned)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;

    abandon_in_child(NULL, &spec);
    ck_assert(!exists(graph_partial));
    ck_ok(graphfile_create(&w, graph, &spec));
    abandon_in_child(w, &spec);
    ck_assert(exists(graph_partial));
    ck_ok(write_made(w, &spec, 0, 1000, NULL));
    ck_ok(commit_graph(&w, NULL));
    check_only(1000);
}
END_TEST

TEST_MAIN(io_replace)
{
    TCase *tc = tcase_create("replace");

    tcase_add_test(tc, abandoned);
    tcase_add_loop_test(tc, one_replaces_another, 0, 4);
    tcase_add_loop_test(tc, after_a_dead_job, 0, 6);
    tcase_add_loop_test(tc, living_job_is_left_alone, 0, 2);
    tcase_add_loop_test(tc, that_appears_meanwhile, 0, 2);
    tcase_add_loop_test(tc, through_a_link, 0, 2);
    return run_tests("io_replace", tc);
}
