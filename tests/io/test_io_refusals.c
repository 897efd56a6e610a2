/*
 * test_io_refusals.c - refusals of the writer: arguments, numbers of elements, names, and sizes
 * without room.  It must leave nothing behind then.  faults/ and cli/test_mpi_failures.py test
 * system calls that fail during its work, as on a disk that another program fills.
 */
#include "tests/support/io_util.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

static uint64_t ids[1000];

static void refuse(graphfile_spec spec, int status, const char *message)
{
    graphfile_writer *w = (graphfile_writer *)&w;

    ck_fails(graphfile_create(&w, graph, &spec), status, message);
    ck_assert_ptr_null(w);
    ck_assert(!exists(graph) && !exists(graph_partial));
}

static void refuse_attributes(graphfile_spec spec, const edgefile_attr *attrs, size_t n,
                              const char *message)
{
    spec.attrs = attrs;
    spec.n_attrs = n;
    refuse(spec, EDGEFILE_ERR_ARG, message);
}

START_TEST(bad_arguments)
{
    static const uint64_t one = 1;
    static const edgefile_attr bad[] = {
        {NULL, EDGEFILE_U64, 1, &one},   {"", EDGEFILE_U64, 1, &one},
        {"seed", EDGEFILE_U64, 1, NULL}, {"seed", (edgefile_type)7, 1, &one},
        {"seed", EDGEFILE_U64, 0, &one}, {"seed", EDGEFILE_STRING, 2, "x"}};
    const graphfile_spec good = plain_spec(10, 8);
    graphfile_spec spec = good;
    graphfile_writer *w = NULL;

    ck_fails(graphfile_create(NULL, graph, &good), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_create(&w, NULL, &good), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_create(&w, graph, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_create(&w, "", &good), EDGEFILE_ERR_ARG, "empty");
    for (int id_bytes = -1; id_bytes <= 16; id_bytes++)
        if (id_bytes != 4 && id_bytes != 8)
            refuse(plain_spec(10, id_bytes), EDGEFILE_ERR_ARG, "allowed are 4 and 8");
    refuse(weighted(good, (edgefile_weight)3), EDGEFILE_ERR_ARG, "unknown weight 3");
    spec.format = (graphfile_format)99;
    refuse(spec, EDGEFILE_ERR_ARG, "unknown format 99");
    refuse(csr_spec(0, 10, 8), EDGEFILE_ERR_ARG, "rows is 0, allowed are 1 to");
    refuse(csr_spec(UINT64_MAX, 10, 8), EDGEFILE_ERR_ARG, "at most 4611686018427387904 vertices");
    refuse(csr_spec((uint64_t)1 << 62, 10, 8), EDGEFILE_ERR_SPACE, "18446744073709551615 bytes");
    refuse_attributes(good, NULL, 1, "attrs is NULL");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_attributes(good, &bad[i], 1, "attribute");
    ck_fails(put_edges(NULL, 0, 1, ids, ids, NULL, 0), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_write_part(NULL, GRAPHFILE_POINTERS, 0, 1, ids), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(commit_graph(NULL, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_ARG, "NULL");
    graphfile_abort(NULL);
    graphfile_abort(&w);
}

/* --- numbers of elements --- */

static void bad_pointers(graphfile_writer *w)
{
    ck_fails(graphfile_write_part(w, GRAPHFILE_POINTERS, 0, 1, NULL), EDGEFILE_ERR_ARG,
             "pointers is NULL");
    ck_fails(graphfile_write_part(w, GRAPHFILE_POINTERS, 0, 12, ids), EDGEFILE_ERR_RANGE,
             "12 pointers at 0, the file has 11");
    ck_fails(graphfile_write_part(w, GRAPHFILE_POINTERS, UINT64_MAX, 2, ids), EDGEFILE_ERR_RANGE,
             "the file has 11");
    ck_ok(graphfile_write_part(w, GRAPHFILE_POINTERS, 11, 0, NULL));
}

/* Of a list and of CSR: edges beyond the end, or too few, and the same of pointers. */
START_TEST(ranges)
{
    const int is_csr = _i / 2;
    const uint64_t *src = is_csr ? NULL : ids;
    graphfile_spec spec = buffered(is_csr ? csr_spec(10, 1000, 8) : plain_spec(1000, 8), _i % 2);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, 1001, 0, src, ids, NULL, 0), EDGEFILE_ERR_RANGE, "the file has 1000");
    ck_fails(put_edges(w, 999, 2, src, ids, NULL, 0), EDGEFILE_ERR_RANGE, "2 edges at 999");
    ck_fails(put_edges(w, 1, UINT64_MAX, src, ids, NULL, 0), EDGEFILE_ERR_RANGE,
             "the file has 1000");
    ck_fails(put_edges(w, UINT64_MAX, 1, src, ids, NULL, 0), EDGEFILE_ERR_RANGE,
             "the file has 1000");
    ck_fails(put_edges(w, 0, 1, is_csr ? ids : NULL, ids, NULL, 0), EDGEFILE_ERR_ARG,
             is_csr ? "src is not NULL" : "NULL");
    ck_fails(put_edges(w, 0, 1, src, NULL, NULL, 0), EDGEFILE_ERR_ARG, "dst is NULL");
    if (is_csr)
        bad_pointers(w);
    else
        ck_fails(graphfile_write_part(w, GRAPHFILE_POINTERS, 0, 1, ids), EDGEFILE_ERR_ARG,
                 "has no pointers");
    ck_ok(put_edges(w, 1000, 0, NULL, NULL, NULL, 0));
    ck_ok(put_edges(w, 0, 999, src, ids, NULL, 0));
    if (is_csr)
        ck_ok(graphfile_write_part(w, GRAPHFILE_POINTERS, 0, 11, ids));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "999 edges were written, expected 1000");
    ck_assert_ptr_null(w);
    check_nothing_left();
    if (!is_csr)
        return;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, 1000, NULL, ids, NULL, 42));
    ck_ok(graphfile_write_part(w, GRAPHFILE_POINTERS, 1, 10, ids));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "10 pointers were written, expected 11");
    check_nothing_left();
}

/* Weights where there are none, and none where there are. */
START_TEST(weights_as_the_spec_says)
{
    const int is_csr = _i / 6, has = _i / 2 % 3 != 0;
    const uint64_t *src = is_csr ? NULL : ids;
    graphfile_spec spec = buffered(is_csr ? csr_spec(10, 1000, 8) : plain_spec(1000, 8), _i % 2);
    graphfile_writer *w;

    spec = weighted(spec, (edgefile_weight)(_i / 2 % 3));
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, 0, 1000, src, ids, has ? NULL : ids, 0), EDGEFILE_ERR_ARG,
             has ? "has weights, but weight is NULL" : "has no weights");
    ck_ok(put_edges(w, 0, 0, NULL, NULL, NULL, 0));
    ck_ok(put_edges(w, 0, 1000, src, ids, has ? ids : NULL, 0));
    if (is_csr)
        ck_ok(write_made_pointers(w, &spec, 0, 11, 0));
    ck_ok(commit_graph(&w, NULL));
}

/* --- names --- */

/* What lies `at` a name in the scratch folder: a FIFO, a directory, a link to nothing, or to a file
 * of another user's, or another name of that file; and what `name` is then refused for. */
static const struct {
    char kind;
    const char *at, *name, *message;
} names[] = {
    {'-', "", "", "is a directory"},
    {'-', "", "missing/graph.h5", "/missing: the folder does not exist"},
    {'-', "", "missing/deeper/graph.h5", "/missing: the folder does not exist"},
    {'-', "", "new/", "/new: the folder does not exist"},
    {'-', "", "../../dev/null", "is a device"},
    {'f', "graph.h5", "graph.h5", "is a FIFO"},
    {'l', "graph.h5", "graph.h5", "symbolic link to a file that does not exist"},
    {'f', "graph.h5.partial", "graph.h5", "not a regular file"},
    {'d', "graph.h5.partial", "graph.h5", "Is a directory"},
    {'s', "graph.h5.partial", "graph.h5", "Too many levels"},
    {'h', "graph.h5.partial", "graph.h5", "also known by another name"},
};

START_TEST(names_that_are_no_files)
{
    const char kind = names[_i].kind;
    const graphfile_spec spec = replacing(plain_spec(1000, 8));
    char at[128], name[128], mine[128], target[128];
    graphfile_writer *w;

    snprintf(at, sizeof at, "%s/%s", scratch, names[_i].at);
    snprintf(name, sizeof name, "%s/%s", scratch, names[_i].name);
    snprintf(mine, sizeof mine, "%s/mine", scratch);
    snprintf(target, sizeof target, "%s/target", scratch);
    spew(mine, "mine", 4);
    ck_assert_int_eq(kind == 'f'   ? mkfifo(at, 0600)
                     : kind == 'd' ? mkdir(at, 0700)
                     : kind == 'l' ? symlink(target, at)
                     : kind == 's' ? symlink(mine, at)
                     : kind == 'h' ? link(mine, at)
                                   : 0,
                     0);
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_OPEN, names[_i].message);
    ck_assert(exists(at) && !exists(target));
    check_content(mine, "mine");
}

/* --- room --- */

START_TEST(sizes_beyond_any_disk)
{
    static const uint64_t edges[] = {(uint64_t)1 << 44, (uint64_t)1 << 58, (uint64_t)1 << 59,
                                     (uint64_t)1 << 60, (uint64_t)1 << 62, UINT64_MAX};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4)
            refuse(plain_spec(edges[i], id_bytes), EDGEFILE_ERR_SPACE, "the file needs");
}

/* No file may be longer than `bytes`. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Fails in the middle of a write: the limit falls into the range. */
START_TEST(write_that_fails_half_way)
{
    graphfile_spec spec = buffered(plain_spec(1000000, 8), _i);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    limit_files((1 << 20) + 100000);
    ck_fails(write_made(w, &spec, 0, 1000000, NULL), EDGEFILE_ERR_SPACE, "File too large");
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "0 edges were written");
    check_nothing_left();
}

/* A file system of 8 MiB at scratch that ends with this process; 0: not permitted here. */
static int mount_small(void)
{
    if ((unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", scratch, "tmpfs", 0, "size=8m") == 0)
        return 1;
    fprintf(stderr, "full disk: skipped, no permission to mount a tmpfs (%s)\n", strerror(errno));
    return 0;
}

static uint64_t free_bytes(void)
{
    struct statvfs fs;
    ck_assert_int_eq(statvfs(scratch, &fs), 0);
    return fs.f_bavail * fs.f_frsize;
}

static void fill_disk(void)
{
    static const char block[4096];
    int fd = open(twin, O_CREAT | O_WRONLY, 0600);

    while (write(fd, block, sizeof block) == sizeof block)
        ;
    close(fd);
    ck_assert_uint_eq(free_bytes(), 0);
}

/* Without a block for the first page.  Too small a disk: cli/test_failures.py. */
START_TEST(full_disk)
{
    if (!mount_small())
        return;
    fill_disk();
    refuse(buffered(plain_spec(10, 8), _i), EDGEFILE_ERR_SPACE, "room for 0");
    ck_assert_uint_eq(free_bytes(), 0);
}

/* A stale partial counts as room. */
START_TEST(disk_full_of_stale_partial)
{
    const graphfile_spec spec = buffered(plain_spec(2000000 / 8, 8), _i);
    char *junk;

    if (!mount_small())
        return;
    junk = calloc(1, 7 << 20);
    spew(graph_partial, junk, 7 << 20);
    free(junk);
    write_graph(graph, spec);
    check_graph(graph, spec);
}

/* On a disk the room is there after create, so that others cannot take it. */
START_TEST(room_on_a_disk)
{
    graphfile_spec spec = buffered(plain_spec(2000000 / 8, 8), _i);
    graphfile_writer *w;
    struct stat st;

    if (strcmp(edgefile_filesystem(scratch), "ext4") != 0)
        return;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert_int_eq(stat(graph_partial, &st), 0);
    ck_assert_uint_ge((uint64_t)st.st_blocks * 512, 2 * 2000000);
    graphfile_abort(&w);
}

FOLDER_CASES(io_refusals, ONCE(bad_arguments), LOOP(ranges, 0, 4),
             LOOP(weights_as_the_spec_says, 0, 12),
             LOOP(names_that_are_no_files, 0, sizeof names / sizeof *names),
             ONCE(sizes_beyond_any_disk), LOOP(write_that_fails_half_way, 0, 2),
             LOOP(full_disk, 0, 2), LOOP(disk_full_of_stale_partial, 0, 2),
             LOOP(room_on_a_disk, 0, 2))
