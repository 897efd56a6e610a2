/*
 * test_io_replace.c - a graph does not replace a file that another program made meanwhile, links
 * stay, and a writer removes only its own files.  cli/test_stop.py, test_concurrent.py,
 * test_mpi_failures.py and test_mpi_stops.py test the rest, for one process and several: files are
 * replaced where allowed, a dead job's files are replaced, and a living job's files stay.
 */
#include "tests/support/io_util.h"

#include <sys/wait.h>

static void check_only(uint64_t edges)
{
    check_graph(graph, plain_spec(edges, 8));
    ck_assert(!exists(graph_partial));
}

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

FOLDER_CASES(io_replace, ONCE(abandoned), LOOP(that_appears_meanwhile, 0, 2),
             LOOP(through_a_link, 0, 2))
