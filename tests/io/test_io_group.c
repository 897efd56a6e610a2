/* test_io_group.c - one file that several processes write: the same bytes as by one. */
#include "tests/support/io_group.h"

static const int sizes[] = {1, 2, 3, 4, 8};
static const uint64_t edges[] = {0, 1, 3, 1000, 131071, 131072, 131073, 400001, 1000003};

START_TEST(same_bytes)
{
    char other[128];
    int id_bytes = _i % 2 ? 8 : 4;
    graphfile_spec spec = weighted(plain_spec(edges[_i / 2], id_bytes), (edgefile_weight)(_i % 3));

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_graph(graph, spec);
    spec.replace = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int d = DEAL_OWN; d <= DEAL_LAST; d++) {
            crew_job job = {other, spec, (deal)d, 0};
            job.spec.buffered = d % 2;
            run_crew(sizes[s], 1, write_together, &job);
            check_same_bytes(graph, other);
        }
    ck_assert(!exists(graph_partial));
}
END_TEST

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
END_TEST

START_TEST(units)
{
    ck_assert_uint_eq(edgefile_unit(0, 8, EDGEFILE_NO_WEIGHT), 1);
    ck_assert_uint_eq(edgefile_unit(1000, 8, EDGEFILE_NO_WEIGHT), 1000);
    ck_assert_uint_eq(edgefile_unit(131071, 8, EDGEFILE_NO_WEIGHT), 131071);
    ck_assert_uint_eq(edgefile_unit(131072, 8, EDGEFILE_NO_WEIGHT), 131072);
    ck_assert_uint_eq(edgefile_unit(262144, 4, EDGEFILE_NO_WEIGHT), 262144);
    ck_assert_uint_eq(edgefile_unit(((uint64_t)1 << 27) - 1, 8, EDGEFILE_NO_WEIGHT), 131072);
    ck_assert_uint_eq(edgefile_unit((uint64_t)1 << 27, 8, EDGEFILE_NO_WEIGHT), 2097152);
    ck_assert_uint_eq(edgefile_unit((uint64_t)1 << 28, 4, EDGEFILE_NO_WEIGHT), 4194304);
    ck_assert_uint_eq(edgefile_unit(UINT64_MAX, 8, EDGEFILE_NO_WEIGHT), 2097152);
    /* with weights, by 4 bytes; how large is large remains a matter of src */
    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        edgefile_weight weight = id_bytes == 4 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32;
        uint64_t large = ((uint64_t)1 << 30) / (uint64_t)id_bytes;
        ck_assert_uint_eq(edgefile_unit(0, id_bytes, weight), 1);
        ck_assert_uint_eq(edgefile_unit(262143, id_bytes, weight), 262143);
        ck_assert_uint_eq(edgefile_unit(262144, id_bytes, weight), 262144);
        ck_assert_uint_eq(edgefile_unit(large - 1, id_bytes, weight), 262144);
        ck_assert_uint_eq(edgefile_unit(large, id_bytes, weight), 4194304);
    }
}
END_TEST

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
END_TEST

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
END_TEST

TEST_MAIN(io_group)
{
    TCase *tc = tcase_create("group");

    tcase_add_loop_test(tc, same_bytes, 0, 2 * sizeof edges / sizeof *edges);
    tcase_add_test(tc, ranges_are_balanced_units);
    tcase_add_test(tc, units);
    tcase_add_test(tc, ranges_do_not_overflow);
    tcase_add_test(tc, names_of_file_systems);
    return run_tests("io_group", tc);
}
