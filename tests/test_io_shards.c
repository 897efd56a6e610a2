/* test_io_shards.c - a graph in shards under a master: what is written, and what is refused. */
#include "tests/io_group.h"

#include <hdf5.h>

static const int sizes[] = {1, 2, 3, 4, 8};
static const uint64_t lengths[] = {0, 1, 1000, 131072, 131073, 400001, 1000003};

static edgefile_spec sharded_spec(uint64_t edges, int id_bytes)
{
    edgefile_spec spec = plain_spec(edges, id_bytes, EDGEFILE_PATH_AUTO);

    spec.layout = EDGEFILE_LAYOUT_SHARDED;
    return spec;
}

static const char *shard(int k)
{
    static char path[128];

    snprintf(path, sizeof path, "%s.shards/%05d.h5", graph, k);
    return path;
}

static void write_shards(edgefile_spec spec, int n, deal d)
{
    crew_job job = {graph, spec, d, 0};

    run_crew(n, 1, write_together, &job);
}

/* src and dst as a program sees them that knows HDF5 and not us. */
static void check_by_hdf5(const char *path, uint64_t edges)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    uint64_t *ids = malloc((edges + 1) * 8), bad = 0;

    ck_assert_int_ge(file, 0);
    for (uint64_t d = 0; d < 2; d++) {
        hid_t dataset = H5Dopen2(file, d == 0 ? "src" : "dst", H5P_DEFAULT);
        hid_t space = H5Dget_space(dataset);
        ck_assert_int_eq(H5Sget_simple_extent_npoints(space), (hssize_t)edges);
        ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids),
                         0);
        for (uint64_t i = 0; i < edges; i++)
            bad += (ids[i] ^ mix(2 * i + d)) << 32 != 0;
        H5Sclose(space);
        H5Dclose(dataset);
    }
    ck_assert_uint_eq(bad, 0);
    H5Fclose(file);
    free(ids);
}

static void check_shard(int k, int n, uint64_t edges, int id_bytes)
{
    edgefile_reader *r;
    uint64_t first, count, value, bad = 0;
    void *src, *dst;

    edgefile_shard_range(edges, id_bytes, n, k, &first, &count);
    ck_ok(edgefile_open(&r, shard(k)));
    ck_assert_int_eq(edgefile_shards(r), 0);
    ck_assert_uint_eq(edgefile_edges(r), count);
    ck_ok(edgefile_get_u64(r, "first_edge", &value));
    ck_assert_uint_eq(value, first);
    ck_ok(edgefile_get_u64(r, "shard", &value));
    ck_assert_uint_eq(value, (uint64_t)k);
    ck_ok(edgefile_get_u64(r, "shards", &value));
    ck_assert_uint_eq(value, (uint64_t)n);
    ck_ok(edgefile_get_u64(r, "fingerprint", &value));
    ck_assert_uint_eq(value, made_fingerprint(edges, first, count));
    src = calloc(count + 1, 8);
    dst = calloc(count + 1, 8);
    ck_ok(edgefile_read(r, 0, count, src, dst));
    for (uint64_t i = 0; i < count; i++)
        bad += (get_id(src, i, id_bytes) ^ mix(2 * (first + i))) << 32 != 0;
    ck_assert_uint_eq(bad, 0);
    free(src);
    free(dst);
    edgefile_close(r);
}

START_TEST(read_back)
{
    int id_bytes = _i % 2 ? 8 : 4;
    uint64_t edges = lengths[_i / 2];
    edgefile_spec spec = sharded_spec(edges, id_bytes);
    edgefile_reader *r;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int d = DEAL_OWN; d <= DEAL_LAST; d++) {
            int n = sizes[s];
            write_shards(spec, n, (deal)d);
            spec.replace = 1;
            ck_assert(!exists(graph_partial));
            check_graph(graph, edges, id_bytes);
            check_by_hdf5(graph, edges);
            ck_ok(edgefile_open(&r, graph));
            ck_assert_int_eq(edgefile_shards(r), n);
            edgefile_close(r);
            for (int k = 0; k < n; k++)
                check_shard(k, n, edges, id_bytes);
            ck_assert(!exists(shard(n)));
        }
}
END_TEST

/* One writer alone makes one shard. */
START_TEST(alone)
{
    edgefile_spec spec = sharded_spec(200000, 8);

    spec.path = (edgefile_path)_i;
    write_graph(graph, spec);
    check_graph(graph, 200000, 8);
    check_shard(0, 1, 200000, 8);
    ck_assert(!exists(shard(1)));
}
END_TEST

START_TEST(parts_across_shards)
{
    edgefile_reader *r;
    uint64_t src[1000], dst[1000], first, count;

    write_shards(sharded_spec(1000003, 8), 3, DEAL_ANY);
    ck_ok(edgefile_open(&r, graph));
    for (int round = 0; round < 2; round++)
        for (int k = 2; k > 0; k--) {
            edgefile_shard_range(1000003, 8, 3, k, &first, &count);
            ck_ok(edgefile_read(r, first - 500, 1000, src, dst));
            for (uint64_t i = 0; i < 1000; i++) {
                ck_assert_uint_eq(src[i], mix(2 * (first - 500 + i)));
                ck_assert_uint_eq(dst[i], mix(2 * (first - 500 + i) + 1));
            }
        }
    ck_ok(edgefile_read(r, 1000003, 0, NULL, NULL));
    ck_fails(edgefile_read(r, 1000002, 2, src, dst), EDGEFILE_ERR_RANGE, "2 edges at 1000002");
    edgefile_close(r);
}
END_TEST

/* Reads the same by a link, from anywhere, and after a move together with its folder. */
START_TEST(links_and_moves)
{
    char link[128], moved[160], folder[160], from[128];

    write_shards(sharded_spec(400001, 8), 4, DEAL_OWN);
    snprintf(folder, sizeof folder, "%s/sub", scratch);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    snprintf(link, sizeof link, "%s/sub/link.h5", scratch);
    ck_assert_int_eq(symlink("../graph.h5", link), 0);
    check_graph(link, 400001, 8);
    check_by_hdf5(link, 400001);
    ck_assert_int_eq(chdir(scratch), 0);
    check_graph("graph.h5", 400001, 8);
    ck_assert_int_eq(chdir("sub"), 0);
    check_graph("../graph.h5", 400001, 8);
    check_by_hdf5("../graph.h5", 400001);
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(moved, sizeof moved, "%s/sub/graph.h5", scratch);
    ck_assert_int_eq(rename(graph, moved), 0);
    snprintf(from, sizeof from, "%s.shards", graph);
    strcat(moved, ".shards");
    ck_assert_int_eq(rename(from, moved), 0);
    moved[strlen(moved) - strlen(".shards")] = '\0';
    check_graph(moved, 400001, 8);
    check_by_hdf5(moved, 400001);
}
END_TEST

/* % is special in the names of virtual datasets' sources. */
START_TEST(odd_names)
{
    static const char *const names[] = {"100%b.h5", "a%%d %s.h5", "graph", "..h5", "\303\244.h5"};
    char name[128];
    crew_job job = {name, sharded_spec(400001, 8), DEAL_OWN, 0};

    snprintf(name, sizeof name, "%s/%s", scratch, names[_i]);
    run_crew(3, 1, write_together, &job);
    check_graph(name, 400001, 8);
    check_by_hdf5(name, 400001);
}
END_TEST

START_TEST(attributes)
{
    uint64_t seed = 77, value;
    edgefile_attr attr = {"seed", EDGEFILE_U64, 1, &seed};
    edgefile_spec spec = sharded_spec(400001, 8);
    edgefile_reader *r;

    spec.attrs = &attr;
    spec.n_attrs = 1;
    write_shards(spec, 4, DEAL_ANY);
    for (int k = -1; k < 4; k++) {
        ck_ok(edgefile_open(&r, k < 0 ? graph : shard(k)));
        ck_ok(edgefile_get_u64(r, "seed", &value));
        ck_assert_uint_eq(value, 77);
        ck_ok(edgefile_get_u64(r, "edges", &value));
        ck_assert_uint_eq(value, edgefile_edges(r));
        edgefile_close(r);
    }
}
END_TEST

/* The master and all shards are the same from run to run. */
START_TEST(same_bytes_again)
{
    char copy[5][128];
    edgefile_spec spec = sharded_spec(400001, 8);

    write_shards(spec, 4, DEAL_OWN);
    for (int k = 0; k < 5; k++) {
        size_t size;
        char *bytes = slurp(k == 0 ? graph : shard(k - 1), &size);
        snprintf(copy[k], sizeof copy[k], "%s/copy%d", scratch, k);
        spew(copy[k], bytes, size);
        free(bytes);
    }
    spec.replace = 1;
    spec.path = EDGEFILE_PATH_HDF5;
    write_shards(spec, 4, DEAL_OWN);
    for (int k = 0; k < 5; k++)
        check_same_bytes(copy[k], k == 0 ? graph : shard(k - 1));
    spec.path = EDGEFILE_PATH_POSITIONAL;
    write_shards(spec, 4, DEAL_ANY);
    for (int k = 0; k < 5; k++)
        check_same_bytes(copy[k], k == 0 ? graph : shard(k - 1));
}
END_TEST

/* --- what is refused --- */

static void no_shard(void)
{
    ck_assert_int_eq(unlink(shard(2)), 0);
}
static void no_folder(void)
{
    char to[128], from[128];
    snprintf(from, sizeof from, "%s.shards", graph);
    snprintf(to, sizeof to, "%s/elsewhere", scratch);
    ck_assert_int_eq(rename(from, to), 0);
}
static void swapped_shards(void)
{
    char one[128], other[128], away[128];
    strcpy(one, shard(1));
    strcpy(other, shard(2));
    snprintf(away, sizeof away, "%s/away", scratch);
    ck_assert_int_eq(rename(one, away) + rename(other, one) + rename(away, other), 0);
}
/* Shard k of this graph among those of another one. */
static void mix_graphs(int k, uint64_t other_edges)
{
    size_t size;
    crew_job job = {graph, sharded_spec(other_edges, 8), DEAL_OWN, 0};
    char *bytes = slurp(shard(k), &size);

    job.spec.replace = 1;
    run_crew(4, 1, write_together, &job);
    spew(shard(k), bytes, size);
    free(bytes);
}
static void shard_of_another_graph(void)
{
    mix_graphs(0, 400002); /* its part of the fingerprint differs */
}
static void shard_of_a_longer_graph(void)
{
    mix_graphs(2, 1000003);
}
static void shard_of_another_count(void)
{
    size_t size;
    char *bytes;
    crew_job job = {graph, sharded_spec(400001, 8), DEAL_OWN, 0};

    bytes = slurp(shard(1), &size);
    job.spec.replace = 1;
    run_crew(3, 1, write_together, &job);
    spew(shard(1), bytes, size);
    free(bytes);
}
static void shard_of_another_width(void)
{
    size_t size;
    char *bytes;
    crew_job job = {graph, sharded_spec(2 * 131072, 8), DEAL_OWN, 0};

    job.spec.replace = 1;
    run_crew(4, 1, write_together, &job);
    bytes = slurp(shard(2), &size); /* empty */
    job.spec.id_bytes = 4;
    run_crew(4, 1, write_together, &job);
    free(bytes);
    job.spec.edges = 2 * 262144;
    run_crew(4, 1, write_together, &job);
    bytes = slurp(shard(1), &size);
    job.spec.edges = 2 * 131072;
    job.spec.id_bytes = 8;
    run_crew(4, 1, write_together, &job);
    spew(shard(1), bytes, size);
    free(bytes);
}
static void single_file_as_shard(void)
{
    unlink(shard(1));
    write_graph(shard(1), plain_spec(131072, 8, EDGEFILE_PATH_AUTO));
}
static void master_as_shard(void)
{
    size_t size;
    char *bytes = slurp(graph, &size);
    spew(shard(0), bytes, size);
    free(bytes);
}
static void shard_cut_short(void)
{
    ck_assert_int_eq(truncate(shard(3), 5000), 0);
}
static void shard_is_folder(void)
{
    char path[128];
    strcpy(path, shard(3));
    ck_assert_int_eq(unlink(path) + mkdir(path, 0700), 0);
}
static void renamed_master_and_folder(void)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s.shards", graph);
    snprintf(to, sizeof to, "%s/other.h5.shards", scratch);
    ck_assert_int_eq(rename(from, to), 0);
}

static const struct {
    void (*damage)(void);
    const char *text;
} cases[] = {
    {no_shard, "shard 2 of 4: "},
    {no_shard, "00002.h5: No such file"},
    {no_folder, "00000.h5: No such file"},
    {swapped_shards, "00001.h5: is not shard 1 of 4"},
    {shard_of_another_graph, "add up to"},
    {shard_of_a_longer_graph, "00002.h5: begins with edge 262144, expected 524288"},
    {shard_of_another_count, "00001.h5: is not shard 1 of 3"},
    {shard_of_another_width, "00001.h5: "},
    {single_file_as_shard, "00001.h5: is not shard 1 of 4"},
    {master_as_shard, "00000.h5: is not shard 0 of 4"},
    {shard_cut_short, "00003.h5: opening the file: truncated file"},
    {shard_is_folder, "00003.h5: is a directory"},
    {renamed_master_and_folder, "00000.h5: No such file"},
};

START_TEST(refused)
{
    edgefile_reader *r;

    write_shards(sharded_spec(400001, 8), 4, DEAL_OWN);
    cases[_i].damage();
    ck_fails(edgefile_open(&r, graph), EDGEFILE_ERR_FORMAT, cases[_i].text);
    ck_assert_ptr_null(r);
    ck_assert_msg(strncmp(edgefile_detail(), graph, strlen(graph)) == 0,
                  "message '%s' does not begin with the path", edgefile_detail());
}
END_TEST

START_TEST(shard_that_goes_while_read)
{
    edgefile_reader *r;
    uint64_t src, dst;
    crew_job job = {graph, sharded_spec(400001, 8), DEAL_ANY, 0};

    write_shards(job.spec, 4, DEAL_OWN);
    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_read(r, 400000, 1, &src, &dst));
    ck_assert_int_eq(unlink(shard(1)), 0);
    ck_ok(edgefile_read(r, 0, 1, &src, &dst));
    for (int i = 0; i < 2; i++)
        ck_fails(edgefile_read(r, 131072, 1, &src, &dst), EDGEFILE_ERR_FORMAT, "No such file");
    ck_ok(edgefile_read(r, 0, 1, &src, &dst));
    ck_assert_uint_eq(src, mix(0));
    edgefile_close(r);
}
END_TEST

START_TEST(shard_that_changes_while_read)
{
    edgefile_reader *r;
    uint64_t src, dst;

    write_shards(sharded_spec(400001, 8), 4, DEAL_OWN);
    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_read(r, 400000, 1, &src, &dst));
    mix_graphs(3, 400002); /* shard 0 is now the other graph's */
    for (int i = 0; i < 2; i++)
        ck_fails(edgefile_read(r, 0, 1, &src, &dst), EDGEFILE_ERR_FORMAT, "has changed meanwhile");
    edgefile_close(r);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("shards");

    tcase_add_loop_test(tc, read_back, 0, 2 * sizeof lengths / sizeof *lengths);
    tcase_add_loop_test(tc, alone, 0, 4);
    tcase_add_test(tc, parts_across_shards);
    tcase_add_test(tc, links_and_moves);
    tcase_add_loop_test(tc, odd_names, 0, 5);
    tcase_add_test(tc, attributes);
    tcase_add_test(tc, same_bytes_again);
    tcase_add_loop_test(tc, refused, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, shard_that_goes_while_read);
    tcase_add_test(tc, shard_that_changes_while_read);
    return run_tests("io_shards", tc);
}
