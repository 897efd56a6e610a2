/* test_io_refusals.c - what the writer refuses, and what it leaves behind: nothing half-done. */
#include "tests/support/io_util.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

static uint64_t ids[65536];

static void check_content(const char *path, const char *text)
{
    size_t size;
    char *bytes = slurp(path, &size);

    ck_assert_uint_eq(size, strlen(text));
    ck_assert_mem_eq(bytes, text, size);
    free(bytes);
}

START_TEST(bad_arguments)
{
    uint64_t one = 1;
    edgefile_attr bad_attrs[] = {
        {NULL, EDGEFILE_U64, 1, &one},     {"", EDGEFILE_U64, 1, &one},
        {"seed", EDGEFILE_U64, 1, NULL},   {"seed", (edgefile_type)7, 1, &one},
        {"seed", EDGEFILE_U64, 0, &one},   {"seed", EDGEFILE_STRING, 2, "x"},
        {"edges", EDGEFILE_U64, 1, &one},  {"complete", EDGEFILE_U64, 1, &one},
        {"format", EDGEFILE_STRING, 1, ""}};
    edgefile_attr twice[] = {{"seed", EDGEFILE_U64, 1, &one}, {"seed", EDGEFILE_STRING, 1, "1"}};
    graphfile_spec good = plain_spec(10, 8), spec = good;
    graphfile_writer *w = (graphfile_writer *)&one;

    ck_fails(graphfile_create(NULL, graph, &good), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_create(&w, NULL, &good), EDGEFILE_ERR_ARG, "NULL");
    ck_assert_ptr_null(w);
    ck_fails(graphfile_create(&w, graph, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_create(&w, "", &good), EDGEFILE_ERR_ARG, "empty");
    for (int id_bytes = -1; id_bytes <= 16; id_bytes++) {
        spec.graph.id_bytes = id_bytes;
        if (id_bytes != 4 && id_bytes != 8)
            ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "allowed are 4 and 8");
    }
    spec = good;
    spec = weighted(good, (edgefile_weight)3);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "unknown weight 3");
    spec = good;
    spec.n_attrs = 1;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "attrs is NULL");
    for (size_t i = 0; i < sizeof bad_attrs / sizeof *bad_attrs; i++) {
        spec.attrs = &bad_attrs[i];
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "attribute");
    }
    spec.attrs = twice;
    spec.n_attrs = 2;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "'seed' is given twice");
    ck_fails(put_edges(NULL, 0, 1, ids, ids, NULL, 0), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(commit_graph(NULL, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_ARG, "NULL");
    graphfile_abort(NULL);
    graphfile_abort(&w);
    ck_assert(!exists(graph) && !exists(graph_partial));
    for (int st = -215; st < 5; st++)
        ck_assert_str_ne(edgefile_strerror(st), "");
}
END_TEST

START_TEST(ranges)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, 1001, 0, ids, ids, NULL, 0), EDGEFILE_ERR_RANGE, "the file has 1000");
    ck_fails(put_edges(w, 999, 2, ids, ids, NULL, 0), EDGEFILE_ERR_RANGE, "2 edges at 999");
    ck_fails(put_edges(w, 1, UINT64_MAX, ids, ids, NULL, 0), EDGEFILE_ERR_RANGE,
             "the file has 1000");
    ck_fails(put_edges(w, UINT64_MAX, 1, ids, ids, NULL, 0), EDGEFILE_ERR_RANGE,
             "the file has 1000");
    ck_fails(put_edges(w, 0, 1, NULL, ids, NULL, 0), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(put_edges(w, 0, 1, ids, NULL, NULL, 0), EDGEFILE_ERR_ARG, "NULL");
    ck_ok(put_edges(w, 1000, 0, NULL, NULL, NULL, 0));
    ck_ok(put_edges(w, 0, 999, ids, ids, NULL, 0));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "999 edges were written, expected 1000");
    ck_assert_ptr_null(w);
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* Weights where there are none, and none where there are. */
START_TEST(weights_as_the_spec_says)
{
    graphfile_spec spec =
        weighted(buffered(plain_spec(1000, 8), _i % 2), (edgefile_weight)(_i / 2));
    int has = spec.graph.weight != EDGEFILE_NO_WEIGHT;
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, 0, 1000, ids, ids, has ? NULL : ids, 0), EDGEFILE_ERR_ARG,
             has ? "has weights" : "has no weights");
    ck_ok(put_edges(w, 0, 0, NULL, NULL, NULL, 0));
    ck_ok(put_edges(w, 0, 1000, ids, ids, has ? ids : NULL, 0));
    ck_ok(commit_graph(&w, NULL));
}
END_TEST

START_TEST(existing_file_stays)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;

    spew(graph, "mine", 4);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "graph.h5: already exists");
    check_content(graph, "mine");
    spec.replace = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    check_content(graph, "mine");
    graphfile_abort(&w);
    ck_assert_ptr_null(w);
    check_content(graph, "mine");
    ck_assert(!exists(graph_partial));
    write_graph(graph, spec);
    check_graph(graph, 1000, 8);
}
END_TEST

START_TEST(file_that_appears_meanwhile_stays)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(graph_partial) && !exists(graph));
    ck_ok(put_edges(w, 0, 1000, ids, ids, NULL, 0));
    spew(graph, "mine", 4);
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_EXISTS, "in the meantime");
    check_content(graph, "mine");
    ck_assert(!exists(graph_partial));
}
END_TEST

START_TEST(names_that_are_no_files)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;
    char name[128], target[128];

    spec.replace = 1;
    ck_fails(graphfile_create(&w, scratch, &spec), EDGEFILE_ERR_OPEN, "is a directory");
    ck_fails(graphfile_create(&w, "/dev/null", &spec), EDGEFILE_ERR_OPEN, "is a device");
    ck_assert_int_eq(mkfifo(graph, 0600), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "is a FIFO");
    ck_assert(exists(graph));
    snprintf(name, sizeof name, "%s/missing/graph.h5", scratch);
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_OPEN,
             "/missing: the folder does not exist");
    snprintf(name, sizeof name, "%s/missing/deeper/graph.h5", scratch);
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_OPEN,
             "/missing: the folder does not exist");
    snprintf(name, sizeof name, "%s/new/", scratch);
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_OPEN,
             "/new: the folder does not exist");

    snprintf(name, sizeof name, "%s/link.h5", scratch);
    snprintf(target, sizeof target, "%s/target.h5", scratch);
    ck_assert_int_eq(symlink(target, name), 0);
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_OPEN,
             "symbolic link to a file that does not exist");
    ck_assert(!exists(target));
    spew(target, "old", 3);
    write_graph(name, spec);
    check_graph(target, 1000, 8);
    ck_assert_int_gt(readlink(name, target, sizeof target), 0);
    spec.replace = 0;
    ck_fails(graphfile_create(&w, name, &spec), EDGEFILE_ERR_EXISTS, "already exists");
}
END_TEST

START_TEST(partial_that_is_no_file)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;
    char mine[128];

    ck_assert_int_eq(mkfifo(graph_partial, 0600), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "not a regular file");
    ck_assert_int_eq(unlink(graph_partial), 0);
    ck_assert_int_eq(mkdir(graph_partial, 0700), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "Is a directory");
    ck_assert_int_eq(rmdir(graph_partial), 0);
    snprintf(mine, sizeof mine, "%s/mine", scratch);
    spew(mine, "mine", 4);
    ck_assert_int_eq(symlink(mine, graph_partial), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "Too many levels");
    ck_assert_int_eq(unlink(graph_partial), 0);
    ck_assert_int_eq(link(mine, graph_partial), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "also known by another name");
    check_content(mine, "mine");
}
END_TEST

START_TEST(stale_partial_is_replaced)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);

    memset(ids, 0xee, sizeof ids);
    spew(graph_partial, ids, sizeof ids);
    write_graph(graph, spec);
    check_graph(graph, 1000, 8);
    ck_assert(!exists(graph_partial));
}
END_TEST

START_TEST(living_writer_is_left_alone)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w, *second;
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
    spec.replace = 1;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
    ck_assert_ptr_null(w);
    ck_assert(exists(graph_partial));

    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert(exists(graph_partial) && !exists(graph));
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(graphfile_create(&second, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
    ck_ok(put_edges(w, 0, 1000, ids, ids, NULL, 0));
    ck_ok(commit_graph(&w, NULL));
    ck_assert(exists(graph) && !exists(graph_partial));
}
END_TEST

START_TEST(read_only_folder)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;
    uid_t owner = geteuid();

    ck_assert_int_eq(chmod(scratch, 0555), 0);
    if (owner == 0) /* root is above permissions */
        ck_assert_int_eq(seteuid(65534), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_OPEN, "Permission denied");
    ck_assert_int_eq(seteuid(owner), 0);
    ck_assert_int_eq(chmod(scratch, 0755), 0);
}
END_TEST

START_TEST(sizes_beyond_any_disk)
{
    static const uint64_t edges[] = {(uint64_t)1 << 44, (uint64_t)1 << 58, (uint64_t)1 << 59,
                                     (uint64_t)1 << 60, (uint64_t)1 << 62, UINT64_MAX};
    graphfile_writer *w;

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
            graphfile_spec spec = plain_spec(edges[i], id_bytes);
            ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_SPACE, "the file needs");
            ck_assert(!exists(graph_partial));
        }
}
END_TEST

START_TEST(file_size_limit)
{
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    graphfile_spec spec = buffered(plain_spec(1000000, 8), _i);
    graphfile_writer *w;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_SPACE, "File too large");
    ck_assert(!exists(graph_partial));
}
END_TEST

/* Fails in the middle of a write: the limit falls into the range. */
START_TEST(write_that_fails_half_way)
{
    struct rlimit limit = {(1 << 20) + 100000, RLIM_INFINITY};
    graphfile_spec spec = buffered(plain_spec(1000000, 8), _i);
    void *base, *array = skewed_alloc(8000000, 0, &base);
    graphfile_writer *w;

    signal(SIGXFSZ, SIG_IGN);
    memset(array, 1, 8000000);
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_fails(put_edges(w, 0, 1000000, array, array, NULL, 0), EDGEFILE_ERR_SPACE, "File too large");
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "0 edges were written");
    ck_assert(!exists(graph) && !exists(graph_partial));
    free(base);
}
END_TEST

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

START_TEST(full_disk)
{
    graphfile_spec spec = buffered(plain_spec(4000000 / 8, 8), _i);
    graphfile_writer *w;

    if (!mount_small())
        return;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_SPACE, "the file needs");
    ck_assert(!exists(graph) && !exists(graph_partial));
    ck_assert_uint_eq(free_bytes(), 8 << 20);
}
END_TEST

/* A stale partial counts as room. */
START_TEST(disk_full_of_stale_partial)
{
    char *junk;

    if (!mount_small())
        return;
    junk = calloc(1, 7 << 20);
    spew(graph_partial, junk, 7 << 20);
    free(junk);
    write_graph(graph, buffered(plain_spec(2000000 / 8, 8), _i));
    check_graph(graph, 2000000 / 8, 8);
}
END_TEST

/* Others fill a tmpfs after create, where no room is reserved: the message comes with the edges,
 * and nothing is left. */
START_TEST(disk_that_others_fill)
{
    graphfile_spec spec =
        weighted(buffered(plain_spec(2000000 / 8, 8), _i % 2), (edgefile_weight)(_i / 2));
    char junk[128];
    graphfile_writer *w;
    char block[4096] = {0};
    made m = made_alloc(&spec, 0, spec.graph.edges, (size_t[3]){8, 0, 4});
    int fd;

    if (!mount_small())
        goto done;
    ck_ok(graphfile_create(&w, graph, &spec));
    snprintf(junk, sizeof junk, "%s/junk", scratch);
    fd = open(junk, O_CREAT | O_WRONLY, 0600);
    while (write(fd, block, sizeof block) == sizeof block)
        ;
    close(fd);
    ck_assert_uint_eq(free_bytes(), 0);
    ck_fails(put_edges(w, 0, spec.graph.edges, m.src, m.dst, m.weight, 42), EDGEFILE_ERR_SPACE,
             "No space left on device");
    graphfile_abort(&w);
    ck_assert(!exists(graph) && !exists(graph_partial));
done:
    made_free(&m);
}
END_TEST

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
END_TEST

/* No inode left, or no block for the first page: still a message and nothing left behind. */
START_TEST(disk_full_from_the_start)
{
    graphfile_spec spec = buffered(plain_spec(10, 8), _i);
    char junk[128];
    char block[4096] = {0};
    graphfile_writer *w;
    int fd;

    if (!mount_small())
        return;
    snprintf(junk, sizeof junk, "%s/junk", scratch);
    fd = open(junk, O_CREAT | O_WRONLY, 0600);
    while (write(fd, block, sizeof block) == sizeof block)
        ;
    close(fd);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_SPACE, "room for 0");
    ck_assert(!exists(graph_partial));
}
END_TEST

TEST_MAIN(io_refusals)
{
    TCase *tc = tcase_create("refusals");

    tcase_add_test(tc, bad_arguments);
    tcase_add_test(tc, names_that_are_no_files);
    tcase_add_test(tc, partial_that_is_no_file);
    tcase_add_test(tc, read_only_folder);
    tcase_add_test(tc, sizes_beyond_any_disk);
    tcase_add_loop_test(tc, ranges, 0, 2);
    tcase_add_loop_test(tc, weights_as_the_spec_says, 0, 6);
    tcase_add_loop_test(tc, existing_file_stays, 0, 2);
    tcase_add_loop_test(tc, file_that_appears_meanwhile_stays, 0, 2);
    tcase_add_loop_test(tc, stale_partial_is_replaced, 0, 2);
    tcase_add_loop_test(tc, living_writer_is_left_alone, 0, 2);
    tcase_add_loop_test(tc, file_size_limit, 0, 2);
    tcase_add_loop_test(tc, write_that_fails_half_way, 0, 2);
    tcase_add_loop_test(tc, full_disk, 0, 2);
    tcase_add_loop_test(tc, disk_full_of_stale_partial, 0, 2);
    tcase_add_loop_test(tc, disk_that_others_fill, 0, 6);
    tcase_add_loop_test(tc, room_on_a_disk, 0, 2);
    tcase_add_loop_test(tc, disk_full_from_the_start, 0, 2);
    return run_tests("io_refusals", tc);
}
