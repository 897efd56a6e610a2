/* test_io_replace.c - graphs in one file and in shards take each other's place, and what a dead job
 * left makes way. */
#include "tests/support/io_group.h"

#include <signal.h>
#include <sys/wait.h>

#define SINGLE  EDGEFILE_LAYOUT_SINGLE
#define SHARDED EDGEFILE_LAYOUT_SHARDED

static char path[4][160]; /* what there may be beside NAME */

static void make_paths(void)
{
    snprintf(path[0], sizeof path[0], "%s.shards", graph);
    snprintf(path[1], sizeof path[1], "%s.partial.shards", graph);
    snprintf(path[2], sizeof path[2], "%s.partial.old", graph);
    snprintf(path[3], sizeof path[3], "%s.partial.old.shards", graph);
}

static graphfile_spec spec_of(edgefile_layout layout, uint64_t edges, int replace)
{
    graphfile_spec spec = plain_spec(edges, 8);

    spec.layout = layout;
    spec.replace = replace;
    return spec;
}

static void write_layout(edgefile_layout layout, int n, uint64_t edges, int replace)
{
    crew_job job = {graph, spec_of(layout, edges, replace), DEAL_OWN, 0};

    run_crew(n, 1, write_together, &job);
}

static void check_only(edgefile_layout layout, uint64_t edges)
{
    edgefile_reader *r;

    check_graph(graph, edges, 8);
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(edgefile_shards(r) > 0, layout == SHARDED);
    edgefile_close(r);
    ck_assert(exists(path[0]) == (layout == SHARDED) && !exists(graph_partial));
    for (int i = 1; i < 4; i++)
        ck_assert_msg(!exists(path[i]), "%s is left", path[i]);
}

START_TEST(each_replaces_each)
{
    edgefile_layout old = _i & 1 ? SHARDED : SINGLE, new = _i & 2 ? SHARDED : SINGLE;
    crew_job job = {graph, spec_of(new, 400001, 0), DEAL_OWN, 0};
    graphfile_writer *w;

    make_paths();
    write_layout(old, 5, 500003, 0);
    ck_fails(graphfile_create(&w, graph, &job.spec), EDGEFILE_ERR_EXISTS, "already exists");
    check_only(old, 500003);
    write_layout(new, 3, 400001, 1);
    check_only(new, 400001);
}
END_TEST

static void check_bytes(const char *name, const char *bytes, size_t n)
{
    size_t size;
    char *found = slurp(name, &size);

    ck_assert(size == n && memcmp(found, bytes, n) == 0);
    free(found);
}

/* A job that is killed while it writes, or when some of its renames are done. */
START_TEST(after_a_killed_job)
{
    edgefile_layout layout = _i & 1 ? SHARDED : SINGLE, next = _i & 2 ? SHARDED : SINGLE;
    graphfile_spec spec = spec_of(layout, 400001, 0);
    graphfile_writer *w;
    pid_t child;
    int status;

    make_paths();
    child = fork();
    if (child == 0) {
        if (graphfile_create(&w, graph, &spec) != EDGEFILE_OK)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, &status, 0);
    ck_assert(WIFSIGNALED(status) && exists(graph_partial));
    if (_i & 4) /* it came as far as the shards' last rename */
        ck_assert(rename(path[1], path[0]) == 0 || layout == SINGLE);
    if (_i & 8) { /* and had moved an old graph away before: that comes back, and is in the way */
        mkdir(path[3], 0700);
        spew(path[2], "old", 3);
        spec = spec_of(next, 400001, 0);
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "already exists");
        check_bytes(graph, "old", 3);
        ck_assert(exists(path[0]) && !exists(path[2]) && !exists(path[3]));
    }
    write_layout(next, 3, 400001, _i & 8);
    if (layout == SHARDED && _i & 4 && next == SINGLE) {
        check_graph(graph, 400001, 8);
        ck_assert(!exists(path[0]));
    }
    check_only(next, 400001);
}
END_TEST

/* The second job leaves the first one and its folder alone. */
static void second_job(edgefile_group *group, void *argument)
{
    graphfile_spec spec = spec_of(SHARDED, 400001, 1);
    graphfile_writer *w;

    (void)argument;
    spec.group = group;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
}

START_TEST(living_job_is_left_alone)
{
    graphfile_spec spec = spec_of(SHARDED, 1000, 0);
    graphfile_writer *w;

    make_paths();
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(path[1]) && !exists(path[0]) && !exists(graph));
    run_crew(2, 1, second_job, NULL);
    ck_assert(exists(path[1]));
    ck_ok(write_made(w, &spec, 0, 1000));
    ck_ok(commit_graph(&w, NULL));
    check_only(SHARDED, 1000);
}
END_TEST

/* Only shards are ever removed. */
START_TEST(foreign_files_stay)
{
    graphfile_spec spec = spec_of(_i % 2 ? SHARDED : SINGLE, 1000, 1);
    graphfile_writer *w;
    char mine[200];
    const char *folder = path[_i / 2];

    make_paths();
    mkdir(folder, 0700);
    snprintf(mine, sizeof mine, "%s/thesis.tex", folder);
    spew(mine, "mine", 4);
    /* Not EDGEFILE_ERR_EXISTS, which --force would help against. */
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "the folder holds files that are not shards, such as 'thesis.tex'");
    ck_assert(exists(mine) && !exists(graph) && !exists(graph_partial));
}
END_TEST

START_TEST(folder_without_master)
{
    graphfile_spec spec = spec_of(SHARDED, 1000, 0);
    graphfile_writer *w;

    make_paths();
    write_layout(SHARDED, 2, 400001, 0);
    ck_assert_int_eq(unlink(graph), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "shards: already exists");
    write_layout(SHARDED, 3, 400001, 1);
    check_only(SHARDED, 400001);
}
END_TEST

START_TEST(folder_that_is_none)
{
    graphfile_spec spec = spec_of(SHARDED, 1000, 1);
    graphfile_writer *w;

    make_paths();
    spew(path[0], "mine", 4);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "is a regular file");
    ck_assert_int_eq(unlink(path[0]) + symlink("/tmp", path[0]), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "is a symbolic link");
}
END_TEST

/* Comes into being while the job runs. */
START_TEST(that_appears_meanwhile)
{
    graphfile_spec spec = spec_of(SHARDED, 1000, 0);
    graphfile_writer *w;
    char mine[200];

    make_paths();
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(write_made(w, &spec, 0, 1000));
    if (_i == 0) {
        spew(graph, "mine", 4);
    } else {
        snprintf(mine, sizeof mine, "%s/mine", path[0]);
        ck_assert_int_eq(mkdir(path[0], 0700), 0);
        spew(mine, "mine", 4);
    }
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_EXISTS, "in the meantime");
    ck_assert(exists(_i == 0 ? graph : mine) && !exists(path[1]) && !exists(graph_partial));
    ck_assert(exists(path[0]) == _i && exists(graph) == !_i);
}
END_TEST

START_TEST(through_a_link)
{
    char link[128];
    graphfile_spec spec = spec_of(SHARDED, 1000, 1);

    make_paths();
    write_layout(SHARDED, 2, 400001, 0);
    snprintf(link, sizeof link, "%s/link.h5", scratch);
    ck_assert_int_eq(symlink("graph.h5", link), 0);
    write_graph(link, spec);
    check_only(SHARDED, 1000);
    ck_assert_int_gt(readlink(link, path[1], sizeof path[1]), 0);
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
    graphfile_spec spec = spec_of(_i == 0 ? SINGLE : SHARDED, 1000, 0);
    graphfile_writer *w;

    make_paths();
    abandon_in_child(NULL, &spec);
    ck_assert(!exists(graph_partial) && !exists(path[1]));
    ck_ok(graphfile_create(&w, graph, &spec));
    abandon_in_child(w, &spec);
    ck_assert(exists(graph_partial));
    ck_ok(write_made(w, &spec, 0, 1000));
    ck_ok(commit_graph(&w, NULL));
    check_graph(graph, 1000, 8);
}
END_TEST

TEST_MAIN(io_replace)
{
    TCase *tc = tcase_create("replace");

    tcase_add_loop_test(tc, abandoned, 0, 2);

    tcase_add_loop_test(tc, each_replaces_each, 0, 4);
    tcase_add_loop_test(tc, after_a_killed_job, 0, 16);
    tcase_add_test(tc, living_job_is_left_alone);
    tcase_add_loop_test(tc, foreign_files_stay, 0, 4);
    tcase_add_test(tc, folder_without_master);
    tcase_add_test(tc, folder_that_is_none);
    tcase_add_loop_test(tc, that_appears_meanwhile, 0, 2);
    tcase_add_test(tc, through_a_link);
    return run_tests("io_replace", tc);
}
