/* test_io_shards.c - a graph in shards under a master: what is written, and read back. */
#include "tests/support/io_group.h"

#include <hdf5.h>

static const int sizes[] = {1, 2, 3, 4, 8};
static const uint64_t lengths[] = {0, 1, 1000, 131072, 131073, 400001, 1000003};

/* The datasets as a program sees them that knows HDF5 and not us. */
static void check_weights_by_hdf5(hid_t file, uint64_t edges, edgefile_weight weight)
{
    hid_t dataset = H5Dopen2(file, "weight", H5P_DEFAULT), type = H5Dget_type(dataset);
    uint32_t *weights = malloc((edges + 1) * 4);
    uint64_t bad = 0;

    ck_assert_int_gt(H5Tequal(type, weight == EDGEFILE_WEIGHT_F32 ? H5T_IEEE_F32LE : H5T_STD_I32LE),
                     0);
    ck_assert_int_ge(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, weights), 0);
    for (uint64_t i = 0; i < edges; i++)
        bad += weights[i] != made_weight(i, weight);
    ck_assert_uint_eq(bad, 0);
    H5Tclose(type);
    H5Dclose(dataset);
    free(weights);
}

static void check_by_hdf5(const char *path, uint64_t edges, edgefile_weight weight)
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
    if (weight == EDGEFILE_NO_WEIGHT)
        ck_assert_int_eq(H5Lexists(file, "weight", H5P_DEFAULT), 0);
    else
        check_weights_by_hdf5(file, edges, weight);
    H5Fclose(file);
    free(ids);
}

static void check_shard(int k, int n, uint64_t edges, int id_bytes, edgefile_weight weight)
{
    edgefile_reader *r;
    uint64_t first, count, value, bad = 0;
    void *src, *dst;

    edgefile_shard_range(edges, id_bytes, weight, n, k, &first, &count);
    ck_ok(edgefile_open(&r, shard(k)));
    ck_assert_int_eq(edgefile_shards(r), 0);
    ck_assert_int_eq(edgefile_weight_of(r), weight);
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
    ck_ok(edgefile_read(r, 0, count, src, dst, NULL));
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
    edgefile_weight weight = (edgefile_weight)(_i % 3);
    graphfile_spec spec = weighted(sharded_spec(edges, id_bytes), weight);
    edgefile_reader *r;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int d = DEAL_OWN; d <= DEAL_LAST; d++) {
            int n = sizes[s];
            write_shards(spec, n, (deal)d);
            spec.replace = 1;
            ck_assert(!exists(graph_partial));
            check_weighted(graph, edges, id_bytes, weight);
            check_by_hdf5(graph, edges, weight);
            ck_ok(edgefile_open(&r, graph));
            ck_assert_int_eq(edgefile_shards(r), n);
            edgefile_close(r);
            for (int k = 0; k < n; k++)
                check_shard(k, n, edges, id_bytes, weight);
            ck_assert(!exists(shard(n)));
        }
}
END_TEST

/* One writer alone makes one shard. */
START_TEST(alone)
{
    graphfile_spec spec = sharded_spec(200000, 8);

    spec.buffered = _i;
    write_graph(graph, spec);
    check_graph(graph, 200000, 8);
    check_shard(0, 1, 200000, 8, EDGEFILE_NO_WEIGHT);
    ck_assert(!exists(shard(1)));
}
END_TEST

START_TEST(parts_across_shards)
{
    edgefile_reader *r;
    uint64_t src[1000], dst[1000], first, count;
    uint32_t weights[1000];

    write_shards(weighted(sharded_spec(1000003, 8), EDGEFILE_WEIGHT_F32), 3, DEAL_ANY);
    ck_ok(edgefile_open(&r, graph));
    for (int round = 0; round < 2; round++)
        for (int k = 2; k > 0; k--) {
            edgefile_shard_range(1000003, 8, EDGEFILE_WEIGHT_F32, 3, k, &first, &count);
            ck_ok(edgefile_read(r, first - 500, 1000, src, dst, round == 0 ? weights : NULL));
            for (uint64_t i = 0; i < 1000; i++) {
                ck_assert_uint_eq(src[i], mix(2 * (first - 500 + i)));
                ck_assert_uint_eq(dst[i], mix(2 * (first - 500 + i) + 1));
                if (round == 0)
                    ck_assert_uint_eq(weights[i],
                                      made_weight(first - 500 + i, EDGEFILE_WEIGHT_F32));
            }
        }
    ck_ok(edgefile_read(r, 1000003, 0, NULL, NULL, NULL));
    ck_fails(edgefile_read(r, 1000002, 2, src, dst, NULL), EDGEFILE_ERR_RANGE,
             "2 edges at 1000002");
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
    check_by_hdf5(link, 400001, EDGEFILE_NO_WEIGHT);
    ck_assert_int_eq(chdir(scratch), 0);
    check_graph("graph.h5", 400001, 8);
    ck_assert_int_eq(chdir("sub"), 0);
    check_graph("../graph.h5", 400001, 8);
    check_by_hdf5("../graph.h5", 400001, EDGEFILE_NO_WEIGHT);
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(moved, sizeof moved, "%s/sub/graph.h5", scratch);
    ck_assert_int_eq(rename(graph, moved), 0);
    snprintf(from, sizeof from, "%s.shards", graph);
    strcat(moved, ".shards");
    ck_assert_int_eq(rename(from, moved), 0);
    moved[strlen(moved) - strlen(".shards")] = '\0';
    check_graph(moved, 400001, 8);
    check_by_hdf5(moved, 400001, EDGEFILE_NO_WEIGHT);
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
    check_by_hdf5(name, 400001, EDGEFILE_NO_WEIGHT);
}
END_TEST

START_TEST(attributes)
{
    uint64_t seed = 77, value;
    edgefile_attr attr = {"seed", EDGEFILE_U64, 1, &seed};
    graphfile_spec spec = sharded_spec(400001, 8);
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
    graphfile_spec spec = weighted(sharded_spec(600001, 8), EDGEFILE_WEIGHT_I32);

    write_shards(spec, 4, DEAL_OWN);
    for (int k = 0; k < 5; k++) {
        size_t size;
        char *bytes = slurp(k == 0 ? graph : shard(k - 1), &size);
        snprintf(copy[k], sizeof copy[k], "%s/copy%d", scratch, k);
        spew(copy[k], bytes, size);
        free(bytes);
    }
    spec.replace = 1;
    spec.buffered = 1;
    write_shards(spec, 4, DEAL_ANY);
    for (int k = 0; k < 5; k++)
        check_same_bytes(copy[k], k == 0 ? graph : shard(k - 1));
}
END_TEST

TEST_MAIN(io_shards)
{
    TCase *tc = tcase_create("shards");

    tcase_add_loop_test(tc, read_back, 0, 2 * sizeof lengths / sizeof *lengths);
    tcase_add_loop_test(tc, alone, 0, 2);
    tcase_add_test(tc, parts_across_shards);
    tcase_add_test(tc, links_and_moves);
    tcase_add_loop_test(tc, odd_names, 0, 5);
    tcase_add_test(tc, attributes);
    tcase_add_test(tc, same_bytes_again);
    return run_tests("io_shards", tc);
}
