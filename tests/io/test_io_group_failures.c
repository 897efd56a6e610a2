/*
 * test_io_group_failures.c - one of several processes fails, at any point: all get its message,
 * none waits for it, and nothing is left behind; and what a group is refused.
 *
 * The system calls of this program's libraries pass through the functions below, which fail in the
 * thread that plays the failing process.
 */
#include "tests/support/io_group.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/vfs.h>

typedef enum { NO_CALL, OPEN, PWRITE, FSYNC, FALLOCATE, RENAME } call;

static _Thread_local struct {
    call which;
    int after; /* as many of them succeed, and all after the one that fails */
    int error;
} broken;

static int fails(call which)
{
    if (broken.which != which || broken.after-- != 0)
        return 0;
    errno = broken.error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return strstr(path, "graph.h5") != NULL && fails(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

/* Define NAME(PARAMETERS), which fails or passes ARGUMENTS on. */
#define MAY_FAIL(which, type, name, parameters, arguments)                                         \
    type name parameters                                                                           \
    {                                                                                              \
        return fails(which) ? -1 : REAL(name) arguments;                                           \
    }

MAY_FAIL(PWRITE, ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t offset),
         (fd, data, bytes, offset))
MAY_FAIL(FSYNC, int, fsync, (int fd), (fd))
MAY_FAIL(FALLOCATE, int, fallocate, (int fd, int mode, off_t offset, off_t bytes),
         (fd, mode, offset, bytes))
MAY_FAIL(RENAME, int, rename, (const char *from, const char *to), (from, to))

static int is_nfs; /* what the library is told of file systems */

int statfs(const char *path, struct statfs *fs)
{
    int rc = REAL(statfs)(path, fs);

    if (is_nfs)
        fs->f_type = 0x6969;
    return rc;
}

enum { RANKS = 4, EDGES = 1000003 };

typedef struct {
    int rank; /* that fails */
    call which;
    int after, error;
    int step; /* that fails: 0 create, 1 write, 2 commit */
    int status;
    const char *text;
    int replace;
} failure;

static const failure failures[] = {
    {0, OPEN, 0, EACCES, 0, EDGEFILE_ERR_OPEN, "Permission denied", 0},
    {2, OPEN, 0, EACCES, 0, EDGEFILE_ERR_OPEN, "Permission denied", 0},
    {3, OPEN, 1, EMFILE, 0, EDGEFILE_ERR_OPEN, "Too many open files", 0},
    {0, FALLOCATE, 0, ENOSPC, 0, EDGEFILE_ERR_SPACE, "No space left", 0},
    {0, FSYNC, 0, EIO, 0, EDGEFILE_ERR_IO, "Input/output error", 0},
    {1, PWRITE, 0, ENOSPC, 1, EDGEFILE_ERR_SPACE, "No space left", 0},
    {3, PWRITE, 1, EIO, 1, EDGEFILE_ERR_IO, "Input/output error", 0},
    {0, FSYNC, 0, EIO, 2, EDGEFILE_ERR_IO, "Input/output error", 0}, /* of the edges */
    {2, FSYNC, 0, EIO, 2, EDGEFILE_ERR_IO, "Input/output error", 0},
    {0, FSYNC, 1, EIO, 2, EDGEFILE_ERR_IO, "Input/output error", 0},
    {0, RENAME, 0, EIO, 2, EDGEFILE_ERR_IO, "Input/output error", 1},
};

/* As a program would: create, write and commit, agree after each step, and give up together. */
static void fail_together(edgefile_group *group, void *argument)
{
    const failure *f = argument;
    const int mine = f->rank == group->rank;
    crew_job job = {graph, buffered(plain_spec(EDGES, 8), 1), DEAL_ANY};
    graphfile_writer *w;

    job.spec.group = group;
    job.spec.replace = f->replace;
    for (int step = 0; step <= f->step; step++) {
        int st;

        broken.which = mine && f->step == step ? f->which : NO_CALL;
        broken.after = f->after;
        broken.error = f->error;
        st = step == 0   ? graphfile_create(&w, graph, &job.spec)
             : step == 1 ? write_share(w, &job, group)
                         : commit_graph(&w, NULL);
        broken.which = NO_CALL;
        if (step < f->step || (step == 1 && !mine))
            ck_ok(st);
        else
            ck_fails(st, f->status, f->text);
        if (step == 1 && f->step == 1) {
            group->agree(group->state, st, (char[1024]){""}, 1024);
            graphfile_abort(&w);
            if (mine) /* the message outlives the rest */
                ck_fails(st, f->status, f->text);
        }
    }
    ck_assert_ptr_null(w);
}

static void write_old(void)
{
    crew_job job = {graph, plain_spec(400001, 8), DEAL_OWN};

    run_crew(3, 1, write_together, &job);
}

START_TEST(one_fails)
{
    failure f = failures[_i];

    if (f.which == FALLOCATE && strcmp(edgefile_filesystem(graph), "tmpfs") == 0)
        return; /* no space is set aside there */
    if (f.replace)
        write_old();
    run_crew(RANKS, 1, fail_together, &f);
    if (f.replace) { /* what it was to replace is still there, whole */
        check_graph(graph, plain_spec(400001, 8));
        unlink(graph);
    }
    check_nothing_left();
    write_old(); /* and the next one succeeds */
    check_graph(graph, plain_spec(400001, 8));
}
END_TEST

/* Every process in a folder of its own, as on hosts that share nothing.  Threads have one working
 * folder, so the second process is shown a broadcast with another path. */
static void other_folder(void *state, void *data, size_t bytes)
{
    member *m = state;
    char *at;

    crew_broadcast(state, data, bytes);
    if (m->rank == 1 && (at = memmem(data, bytes, "/graph.h5.partial", 17)) != NULL)
        memcpy(at, "/other.h5.partial", 17);
}

static void join_elsewhere(edgefile_group *group, void *argument)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;

    group->broadcast = other_folder;
    spec.group = group;
    (void)argument;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "process 1 does not see the file that process 0 created: is the folder shared");
}

START_TEST(not_shared)
{
    char path[128];
    uint64_t zeros[1000] = {0};

    snprintf(path, sizeof path, "%s/other.h5.partial", scratch);
    if (_i == 1) /* there is one, but another */
        spew(path, zeros, sizeof zeros);
    run_crew(2, 2, join_elsewhere, NULL);
    check_nothing_left();
}
END_TEST

static void bad_group(edgefile_group *group, void *argument)
{
    graphfile_spec spec = plain_spec(1000, 8);
    edgefile_group good = *group;
    graphfile_writer *w;

    (void)argument;
    spec.group = group;
    group->rank = 2;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "process 2 of a group of 2");
    *group = good;
    group->agree = NULL;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "lacks a callback");
}

START_TEST(bad_groups)
{
    run_crew(2, 1, bad_group, NULL);
    check_nothing_left();
}
END_TEST

/* CSR and unaligned lists, whose ranges meet inside pages, are refused where several hosts would
 * write a page of NFS. */
static const struct {
    int nfs, size, hosts, is_csr, unaligned, refused;
} jobs[] = {
    {1, 2, 1, 1, 0, 0}, /* one host alone may */
    {1, 1, 2, 1, 0, 0}, {1, 2, 2, 1, 0, 1},
    {1, 2, 2, 0, 1, 1}, {1, 2, 2, 0, 0, 0}, /* ranges that meet at units of a list share no page */
    {0, 2, 2, 1, 0, 0},
};

static void create_on_nfs(edgefile_group *group, void *argument)
{
    const int i = *(int *)argument;
    graphfile_spec spec = csr_spec(10, 10, 8);
    graphfile_writer *w;

    spec.format = jobs[i].is_csr ? GRAPHFILE_CSR : GRAPHFILE_H5;
    spec.unaligned = jobs[i].unaligned;
    spec.group = group;
    if (jobs[i].refused) {
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG,
                 "2 hosts cannot write it on a file system of type nfs");
        ck_assert_ptr_null(w);
        return;
    }
    ck_ok(graphfile_create(&w, graph, &spec));
    graphfile_abort(&w);
}

START_TEST(nfs_of_several_hosts)
{
    is_nfs = jobs[_i].nfs;
    run_crew(jobs[_i].size, jobs[_i].hosts, create_on_nfs, &_i);
    check_nothing_left();
}
END_TEST

/* Edges beyond the end are refused.  Then half of the pointers of CSR are missing, or all edges of
 * a list. */
static void write_too_little(edgefile_group *group, void *argument)
{
    static uint64_t ids[2];
    const int is_csr = *(int *)argument / 2;
    graphfile_spec spec =
        buffered(is_csr ? csr_spec(1000, 10, 8) : plain_spec(EDGES, 8), *(int *)argument % 2);
    const uint64_t edges = spec.graph.edges;
    graphfile_writer *w;

    spec.group = group;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, edges, 1, is_csr ? NULL : ids, ids, NULL, 0), EDGEFILE_ERR_RANGE,
             is_csr ? "the file has 10" : "the file has 1000003");
    if (group->rank == 0 && is_csr) {
        ck_ok(write_made_pointers(w, &spec, 0, 500, 0));
        ck_ok(write_made(w, &spec, 0, 10, NULL));
    }
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE,
             is_csr ? "500 pointers were written, expected 1001" : "0 edges were written");
}

START_TEST(incomplete)
{
    run_crew(3, 1, write_too_little, &_i);
    check_nothing_left();
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("group_failures");

    tcase_add_loop_test(tc, one_fails, 0, sizeof failures / sizeof *failures);
    tcase_add_loop_test(tc, not_shared, 0, 2);
    tcase_add_test(tc, bad_groups);
    tcase_add_loop_test(tc, nfs_of_several_hosts, 0, sizeof jobs / sizeof *jobs);
    tcase_add_loop_test(tc, incomplete, 0, 4);
    return run_tests("io_group_failures", tc);
}
