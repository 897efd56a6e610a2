/*
 * test_io_group.c - one file that several processes write: the same bytes as by one; and how edges
 * are shared out.
 *
 * Rows of CSR end anywhere, so ranges of two processes meet inside pages of the file.  Here
 * processes write both sides of many such places at the same time.
 */
#include "tests/support/io_group.h"

static const int sizes[] = {1, 2, 3, 4, 8};
static const uint64_t edges[] = {0, 1, 3, 1000, 131071, 131072, 131073, 400001, 1000003};

START_TEST(lists)
{
    int id_bytes = _i % 2 ? 8 : 4;
    graphfile_spec spec = weighted(plain_spec(edges[_i / 2], id_bytes), (edgefile_weight)(_i % 3));

    write_graph(graph, spec);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int d = DEAL_OWN; d <= DEAL_LAST; d++) {
            crew_job job = {twin, buffered(replacing(spec), d % 2), (deal)d};
            run_crew(sizes[s], 1, write_together, &job);
            check_same_bytes(graph, twin);
        }
    ck_assert(!exists(graph_partial));
}
END_TEST

typedef struct {
    graphfile_spec spec;
    unsigned seed;
} csr_job;

static uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = mix(*state + 0x632BE59BD9B4E019u);
    return *state % n;
}

/* The next piece of [first, length), the same for all processes: often smaller than a page, at
 * times of some pages. */
static uint64_t next_piece(uint64_t *state, uint64_t first, uint64_t length)
{
    uint64_t most = random_below(state, 4) == 0 ? 3000 : 300;
    uint64_t count = 1 + random_below(state, most);

    return count < length - first ? count : length - first;
}

/* Neighbours write at the same time: pieces go to all in turn, who wait for each other after each.
 * Where *skew, memory lies as the file does, so that whole pages go out by O_DIRECT. */
static void write_in_turn(edgefile_group *group, const csr_job *job, graphfile_writer *w,
                          int is_pointers)
{
    const graphfile_spec *spec = &job->spec;
    const uint64_t length = is_pointers ? spec->graph.rows + 1 : spec->graph.edges;
    uint64_t state = job->seed + (unsigned)is_pointers, count;
    int turn = 0;

    for (uint64_t first = 0; first < length; first += count, turn++) {
        size_t width = is_pointers ? 8 : (size_t)spec->graph.id_bytes;
        size_t skew = random_below(&state, 2) ? first * width % 4096 : 8;
        count = next_piece(&state, first, length);
        if (turn % group->size == 0)
            pthread_barrier_wait(&((member *)group->state)->all->barrier);
        if (turn % group->size != group->rank)
            continue;
        if (is_pointers)
            ck_ok(write_made_pointers(w, spec, first, count, skew));
        else
            ck_ok(write_made(w, spec, first, count, (size_t[3]){0, skew, first * 4 % 4096}));
    }
}

static void write_csr_together(edgefile_group *group, void *argument)
{
    csr_job job = *(csr_job *)argument;
    graphfile_writer *w;
    uint64_t fingerprint;

    job.spec.group = group;
    ck_ok(graphfile_create(&w, twin, &job.spec));
    write_in_turn(group, &job, w, 0);
    write_in_turn(group, &job, w, 1);
    ck_ok(commit_graph(&w, &fingerprint));
    ck_assert_uint_eq(fingerprint, job.spec.graph.edges == 0 ? 0 : 42);
}

/* Large enough for aligned datasets, of which about 2000 pages have several writers. */
START_TEST(csr_neighbours_share_pages)
{
    graphfile_spec spec = weighted(csr_spec(150000, 270000, _i % 2 ? 8 : 4),
                                   _i % 2 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_F32);
    csr_job job = {buffered(spec, _i / 2), (unsigned)_i};

    write_graph(graph, spec);
    run_crew_as(_i % 3 == 2 ? 3 : 2, 1, 1, write_csr_together, &job);
    check_same_bytes(graph, twin);
    check_graph(twin, spec);
}
END_TEST

/* Datasets that share pages with each other, and with the metadata. */
START_TEST(small_csr)
{
    static const uint64_t small[][2] = {{1, 0}, {1, 1}, {2, 3}, {100, 0}, {1000, 2000}};

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        graphfile_spec spec =
            weighted(buffered(csr_spec(small[i][0], small[i][1], 4), _i), (edgefile_weight)(i % 3));
        csr_job job = {replacing(spec), (unsigned)i};
        write_graph(graph, replacing(spec));
        for (int size = 1; size <= 3; size++) {
            run_crew_as(size, 1, size % 2, write_csr_together, &job);
            check_same_bytes(graph, twin);
        }
    }
}
END_TEST

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
    if (group != NULL)
        ck_ok(write_share(w, &job, group));
    else {
        ck_ok(write_made(w, &job.spec, 0, job.spec.graph.edges, NULL));
        ck_ok(write_made_pointers(w, &job.spec, 0, job.spec.graph.rows + 1, 0));
    }
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
    crew_job job = {twin, _i < 2 ? buffered(csr_spec(10, 20, 8), _i) : plain_spec(400001, 8),
                    DEAL_ANY};
    edgefile_reader *r;

    job.spec.attrs = attrs;
    job.spec.n_attrs = 5;
    if (_i < 2)
        write_with_late(NULL, &job);
    else
        run_crew_as(2, 1, 1, write_with_late, &job);
    late = LATE;
    write_graph(graph, job.spec);
    check_same_bytes(graph, twin);
    ck_ok(edgefile_open(&r, twin));
    ck_ok(edgefile_get_u64(r, "late", &late));
    ck_assert_uint_eq(late, LATE);
    edgefile_close(r);
}
END_TEST

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
END_TEST

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

    tcase_add_loop_test(tc, lists, 0, 2 * sizeof edges / sizeof *edges);
    tcase_add_loop_test(tc, csr_neighbours_share_pages, 0, 4);
    tcase_add_loop_test(tc, small_csr, 0, 2);
    tcase_add_loop_test(tc, late_numbers, 0, 3);
    tcase_add_test(tc, ranges_are_balanced_units);
    tcase_add_test(tc, units);
    tcase_add_test(tc, ranges_do_not_overflow);
    tcase_add_test(tc, names_of_file_systems);
    return run_tests("io_group", tc);
}
