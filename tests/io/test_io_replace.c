/* test_io_replace.c - a graph takes the place of another, and what a dead job left makes way. */
#include "tests/support/io_group.h"

#include <signal.h>
#include <sys/wait.h>

static graphfile_spec spec_of(uint64_t edges, int replace)
{
    graphfile_spec spec = plain_spec(edges, 8);

    spec.replace = replace;
    return spec;
}

static void write_by(int n, uint64_t edges, int replace)
{
    crew_job job = {graph, spec_of(edges, replace), DEAL_OWN, 0};

    run_crew(n, 1, write_together, &job);
}

static void check_only(uint64_t edges)
{
    check_graph(graph, edges, 8);
    ck_assert(!exists(graph_partial));
}

START_TEST(one_replaces_another)
{
    graphfile_spec spec = spec_of(400001, 0);
    graphfile_writer *w;

    write_by(5, 500003, 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "already exists");
    check_only(500003);
    write_by(3, 400001, 1);
    check_only(400001);
}
END_TEST

/* A job that is killed before, or after, it has written. */
START_TEST(after_a_killed_job)
{
    graphfile_spec spec = spec_of(400001, 0);
    graphfile_writer *w;
    edgefile_reader *r;
    pid_t child;
    int status;

    child = fork();
    if (child == 0) {
        if (graphfile_create(&w, graph, &spec) != EDGEFILE_OK ||
            (_i == 1 && write_made(w, &spec, 0, 400001) != EDGEFILE_OK))
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, &status, 0);
    ck_assert(WIFSIGNALED(status) && exists(graph_partial) && !exists(graph));
    ck_fails(edgefile_open(&r, graph_partial), EDGEFILE_ERR_FORMAT, "is not complete");
    write_by(3, 300001, 0);
    check_only(300001);
}
END_TEST

/* The second job leaves the first one alone. */
static void second_job(edgefile_group *group, void *argument)
{
    graphfile_spec spec = spec_of(400001, 1);
    graphfile_writer *w;

    (void)argument;
    spec.group = group;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
}

START_TEST(living_job_is_left_alone)
{
    graphfile_spec spec = spec_of(1000, 0);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(graph_partial) && !exists(graph));
    run_crew(2, 1, second_job, NULL);
    ck_assert(exists(graph_partial));
    ck_ok(write_made(w, &spec, 0, 1000));
    ck_ok(commit_graph(&w, NULL));
    check_only(1000);
}
END_TEST

/* Comes into being while the job runs. */
START_TEST(that_appears_meanwhile)
{
    graphfile_spec spec = spec_of(1000, 0);
    graphfile_writer *w;
    size_t size;
    char *mine;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(write_made(w, &spec, 0, 1000));
    spew(graph, "mine", 4);
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_EXISTS, "in the meantime");
    mine = slurp(graph, &size);
    ck_assert(size == 4 && memcmp(mine, "mine", 4) == 0 && !exists(graph_partial));
    free(mine);
}
END_TEST

START_TEST(through_a_link)
{
    char link[128], target[128];

    write_by(2, 400001, 0);
    snprintf(link, sizeof link, "%s/link.h5", scratch);
    ck_assert_int_eq(symlink("graph.h5", link), 0);
    write_graph(link, spec_of(1000, 1));
    check_only(1000);
    ck_assert_int_gt(readlink(link, target, sizeof target), 0);
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
    graphfile_spec spec = spec_of(1000, 0);
    graphfile_writer *w;

    abandon_in_child(NULL, &spec);
    ck_assert(!exists(graph_partial));
    ck_ok(graphfile_create(&w, graph, &spec));
    abandon_in_child(w, &spec);
    ck_assert(exists(graph_partial));
    ck_ok(write_made(w, &spec, 0, 1000));
    ck_ok(commit_graph(&w, NULL));
    check_only(1000);
}
END_TEST

TEST_MAIN(io_replace)
{
    TCase *tc = tcase_create("replace");

    tcase_add_test(tc, abandoned);
    tcase_add_test(tc, one_replaces_another);
    tcase_add_loop_test(tc, after_a_killed_job, 0, 2);
    tcase_add_test(tc, living_job_is_left_alone);
    tcase_add_test(tc, that_appears_meanwhile);
    tcase_add_test(tc, through_a_link);
    return run_tests("io_replace", tc);
}
