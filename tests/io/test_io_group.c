/*
 * test_io_group.c - one file that several processes write: refusals, values that are set at commit,
 * and the distribution of edges.  test_io_roundtrip.c tests that the bytes are those of one
 * process. cli/test_mpi_failures.py and faults/ test system calls that fail on one process.
 */
#include "tests/support/io_group.h"

#include <dlfcn.h>
#include <sys/vfs.h>

static const uint64_t edges[] = {0, 1, 3, 1000, 131071, 131072, 131073, 400001, 1000003};

/* --- what a group is refused --- */

static int
    is_nfs; /* what the library is told of file systems, in the place of the C library's call */

int statfs(const char *path, struct statfs *fs)
{
    int rc = ((__typeof__(&statfs))dlsym(RTLD_NEXT, "statfs"))(path, fs);

    if (is_nfs)
        fs->f_type = 0x6969;
    return rc;
}

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

/* Edges beyond the end are refused.  Then half of the pointers of CSR are missing, or all edges of
 * a list. */
static void write_too_little(edgefile_group *group, void *argument)
{
    static uint64_t ids[2];
    const int is_csr = *(int *)argument / 2;
    graphfile_spec spec =
        buffered(is_csr ? csr_spec(1000, 10, 8) : plain_spec(1000003, 8), *(int *)argument % 2);
    graphfile_writer *w;

    spec.group = group;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, spec.graph.edges, 1, is_csr ? NULL : ids, ids, NULL, 0),
             EDGEFILE_ERR_RANGE, is_csr ? "the file has 10" : "the file has 1000003");
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

/* --- numbers set at commit --- */

enum { LATE = 12345 };

static void write_with_late(edgefile_group *group, void *argument)
{
    static const char *const unsettable[] = {"none", "x", "text", "many", "edges", "rows", ""};
    const int rank = group == NULL ? 0 : group->rank;
    crew_job job = *(crew_job *)argument;
    graphfile_writer *w;

    job.spec.group = group;
    ck_ok(graphfile_create(&w, job.name, &job.spec));
    for (size_t i = 0; i < sizeof unsettable / sizeof *unsettable; i++)
        ck_fails(graphfile_set_u64(w, unsettable[i], 5), EDGEFILE_ERR_ATTR, "no attribute '");
    ck_fails(graphfile_set_u64(w, NULL, 5), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_set_u64(NULL, "late", 5), EDGEFILE_ERR_ARG, "NULL");
    ck_ok(graphfile_set_u64(w, "late", 5));
    ck_ok(graphfile_set_u64(w, "late", rank == 0 ? LATE : 99)); /* process 0's last call counts */
    ck_ok(write_share(w, &job, group));
    ck_ok(commit_graph(&w, NULL));
}

/* By one process and by two: the bytes are those that the value would have given from the start. */
START_TEST(late_numbers)
{
    static const uint64_t numbers[] = {1, 2, 3};
    static const double x = 1;
    uint64_t late = 0;
    edgefile_attr attrs[] = {{"text", EDGEFILE_STRING, 1, "{\"binsparse\": {}}"},
                             {"x", EDGEFILE_F64, 1, &x},
                             {"late", EDGEFILE_U64, 1, &late},
                             {"many", EDGEFILE_U64, 3, numbers},
                             {"other", EDGEFILE_U64, 1, numbers}};
    crew_job job = {.name = twin,
                    .spec = _i < 2 ? buffered(csr_spec(10, 20, 8), _i) : plain_spec(400001, 8),
                    .deal = DEAL_ANY};
    edgefile_reader *r;

    job.spec.attrs = attrs;
    job.spec.n_attrs = 5;
    if (_i < 2)
        write_with_late(NULL, &job);
    else
        run_crew(2, 1, write_with_late, &job);
    late = LATE;
    write_graph(graph, job.spec);
    check_same_bytes(graph, twin);
    ck_ok(edgefile_open(&r, twin));
    ck_ok(edgefile_get_u64(r, "late", &late));
    ck_assert_uint_eq(late, LATE);
    edgefile_close(r);
}

/* --- how edges are shared out --- */

START_TEST(ranges_are_balanced_units)
{
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int kind = 0; kind < 4; kind++)
            for (int n = 1; n <= 100; n++) {
                int id_bytes = kind % 2 ? 8 : 4;
                edgefile_weight weight = kind < 2 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_F32;
                uint64_t unit = edgefile_unit(edges[e], id_bytes, weight), next = 0;
                uint64_t units = (edges[e] + unit - 1) / unit, most = (units + (uint64_t)n - 1);
                most /= (uint64_t)n;
                for (int k = 0; k < n; k++) {
                    uint64_t first, count;
                    edgefile_split(edges[e], id_bytes, weight, n, k, &first, &count);
                    ck_assert_uint_eq(first, next);
                    ck_assert(first % unit == 0 || count == 0);
                    ck_assert_uint_le(count, most * unit);
                    ck_assert(count >= (units / (uint64_t)n) * unit || first + count == edges[e]);
                    next = first + count;
                }
                ck_assert_uint_eq(next, edges[e]);
            }
}

START_TEST(units)
{
    static const uint64_t large = (uint64_t)1 << 27;
    static const struct {
        uint64_t edges;
        int id_bytes;
        uint64_t unit, weighted; /* with weights, by 4 bytes; what is large is a matter of src */
    } cases[] = {
        {0, 8, 1, 1},
        {1000, 8, 1000, 1000},
        {131071, 8, 131071, 131071},
        {131072, 8, 131072, 131072},
        {262143, 8, 131072, 262143},
        {262144, 4, 262144, 262144},
        {large - 1, 8, 131072, 262144},
        {large, 8, 2097152, 4194304},
        {2 * large - 1, 4, 262144, 262144},
        {2 * large, 4, 4194304, 4194304},
        {UINT64_MAX, 8, 2097152, 4194304},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int w = EDGEFILE_NO_WEIGHT; w <= EDGEFILE_WEIGHT_I32; w++)
            ck_assert_uint_eq(edgefile_unit(cases[i].edges, cases[i].id_bytes, (edgefile_weight)w),
                              w == EDGEFILE_NO_WEIGHT ? cases[i].unit : cases[i].weighted);
}

/* The longest graph there is, on more processes than there will be. */
START_TEST(ranges_do_not_overflow)
{
    int n = 1500000000;
    uint64_t first, count, before = 0;

    for (int k = 0; k < n; k += n / 7 - 1) {
        edgefile_split(UINT64_MAX, 8, EDGEFILE_NO_WEIGHT, n, k, &first, &count);
        ck_assert(first >= before && first + count >= first);
        before = first + count;
    }
    edgefile_split(UINT64_MAX, 8, EDGEFILE_NO_WEIGHT, n, n - 1, &first, &count);
    ck_assert_uint_eq(first + count, UINT64_MAX);
}

START_TEST(names_of_file_systems)
{
    static const char *const known[] = {"ext4", "xfs", "btrfs", "tmpfs", "overlayfs", "zfs"};
    const char *name = edgefile_filesystem(graph); /* does not exist yet */
    int found = 0;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found |= strcmp(name, known[i]) == 0;
    ck_assert_msg(found, "file system '%s'", name);
    ck_assert_str_eq(edgefile_filesystem("/nonexistent/graph.h5"), "unknown");
    ck_assert_str_eq(edgefile_filesystem("/proc/self/status"), "unknown");
    ck_assert_str_ne(edgefile_filesystem("graph.h5"), "unknown");
    if (exists("/dev/shm"))
        ck_assert_str_eq(edgefile_filesystem("/dev/shm/graph.h5"), "tmpfs");
}

FOLDER_CASES(io_group, ONCE(bad_groups), LOOP(nfs_of_several_hosts, 0, COUNT(jobs)),
             LOOP(incomplete, 0, 4), LOOP(late_numbers, 0, 3), ONCE(ranges_are_balanced_units),
             ONCE(units), ONCE(ranges_do_not_overflow), ONCE(names_of_file_systems))
