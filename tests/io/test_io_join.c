/* test_io_join.c - shards that are made one by one, and masters that are made of shards. */
#include "io/edgefile_shards.h"
#include "tests/support/io_csr.h"
#include "tests/support/io_group.h"

enum { SHARDS = 4 };

static const edgefile_attr attrs[] = {{"seed", EDGEFILE_U64, 1, &(uint64_t){7}},
                                      {"a", EDGEFILE_F64, 1, &(double){0.57}},
                                      {"matrices", EDGEFILE_F64, 4, (double[4]){1, 2, 3, 4}},
                                      {"model", EDGEFILE_STRING, 1, "R-MAT"}};

static graphfile_spec with_attrs(graphfile_spec spec)
{
    spec.attrs = attrs;
    spec.n_attrs = sizeof attrs / sizeof *attrs;
    return spec;
}

/* Sets the files of `graph` aside. */
static void keep_copies(char copy[SHARDS + 1][128])
{
    for (int k = 0; k <= SHARDS; k++) {
        size_t size;
        char *bytes = slurp(k == 0 ? graph : shard(k - 1), &size);

        snprintf(copy[k], sizeof copy[k], "%s/copy%d", scratch, k);
        spew(copy[k], bytes, size);
        free(bytes);
        ck_assert_int_eq(unlink(k == 0 ? graph : shard(k - 1)), 0);
    }
}

static void check_copies(char copy[SHARDS + 1][128])
{
    for (int k = 0; k <= SHARDS; k++)
        check_same_bytes(copy[k], k == 0 ? graph : shard(k - 1));
}

static void write_alone(graphfile_spec spec, int k)
{
    graphfile_writer *w;
    uint64_t first, count;
    char *path;

    spec.layout = EDGEFILE_LAYOUT_AUTO;
    spec.shard = k;
    spec.shards = SHARDS;
    edgefile_shard_range(spec.graph.edges, spec.graph.id_bytes, spec.graph.weight, SHARDS, k,
                         &first, &count);
    ck_ok(edgefile_shard_name(&path, graph, k));
    ck_assert_str_eq(path, shard(k));
    ck_ok(graphfile_create(&w, path, &spec));
    free(path);
    ck_ok(write_made(w, &spec, first, count));
    ck_ok(commit_graph(&w, NULL));
}

/* Past the page cache and through it, with shards that are empty, in any order. */
START_TEST(one_by_one)
{
    static const uint64_t lengths[] = {0, 3, 600001, 1200000};
    graphfile_spec spec =
        with_attrs(weighted(sharded_spec(lengths[_i], _i % 2 ? 8 : 4), (edgefile_weight)(_i % 3)));
    edgefile_joined joined;
    char copy[SHARDS + 1][128];
    bool is_new;

    write_shards(spec, SHARDS, DEAL_OWN);
    keep_copies(copy);
    spec.buffered = _i % 2;
    ck_ok(edgefile_shard_folder_make(graph, &is_new));
    ck_assert(!is_new);
    for (int k = SHARDS - 1; k >= 0; k--)
        write_alone(spec, k);
    ck_ok(edgefile_join(graph, 0, &joined));
    ck_assert_int_eq(joined.shards, SHARDS);
    ck_assert_uint_eq(joined.edges, spec.graph.edges);
    ck_assert_uint_eq(joined.fingerprint, made_fingerprint(spec.graph.edges, 0, spec.graph.edges));
    check_copies(copy);
    ck_assert(!exists(graph_partial));
}
END_TEST

static void write_csr_together(edgefile_group *group, void *argument)
{
    graphfile_spec spec = *(graphfile_spec *)argument;
    const uint64_t pointers = group->rank == 0 ? spec.graph.rows + 1 : 0;
    graphfile_writer *w;

    spec.group = group;
    ck_ok(graphfile_create(&w, graph, &spec));
    for (int k = 0; k < group->size && group->rank == 0; k++) {
        uint64_t first, count;

        edgefile_shard_range(spec.graph.edges, spec.graph.id_bytes, spec.graph.weight, group->size,
                             k, &first, &count);
        ck_ok(write_made_indices(w, &spec, first, count, 0, 0));
    }
    ck_ok(write_made_pointers(w, &spec, 0, pointers, 0));
    ck_ok(commit_graph(&w, NULL));
}

/* A master that was lost; of CSR, too. */
START_TEST(made_again)
{
    graphfile_spec spec =
        _i == 0 ? with_attrs(sharded_spec(600001, 4))
                : with_attrs(weighted(csr_spec(300000, 600001, 4), EDGEFILE_WEIGHT_I32));
    edgefile_joined joined;
    char copy[128];
    size_t size;
    char *bytes;

    snprintf(copy, sizeof copy, "%s/copy", scratch);
    spec.layout = EDGEFILE_LAYOUT_SHARDED;
    if (_i == 0)
        write_shards(spec, SHARDS, DEAL_OWN);
    else
        run_crew(SHARDS, 1, write_csr_together, &spec);
    bytes = slurp(graph, &size);
    spew(copy, bytes, size);
    free(bytes);
    ck_fails(edgefile_join(graph, 0, &joined), EDGEFILE_ERR_EXISTS, "already exists");
    ck_ok(edgefile_join(graph, 1, &joined));
    check_same_bytes(copy, graph);
    ck_assert_int_eq(unlink(graph), 0);
    ck_ok(edgefile_join(graph, 0, &joined));
    check_same_bytes(copy, graph);
}
END_TEST

/* A shard takes its own edges and no others. */
START_TEST(other_edges)
{
    graphfile_spec spec = plain_spec(1200000, 4);
    graphfile_writer *w;
    uint64_t first, count;
    bool is_new;

    spec.shard = 1;
    spec.shards = SHARDS;
    edgefile_shard_range(spec.graph.edges, 4, EDGEFILE_NO_WEIGHT, SHARDS, 1, &first, &count);
    ck_ok(edgefile_shard_folder_make(graph, &is_new));
    ck_assert(is_new);
    ck_ok(graphfile_create(&w, shard(1), &spec));
    ck_fails(write_made(w, &spec, first - 1, 1), EDGEFILE_ERR_RANGE, "the shard begins at");
    ck_fails(write_made(w, &spec, first + count, 1), EDGEFILE_ERR_RANGE, "reach beyond");
    ck_fails(write_made(w, &spec, first + count - 1, 2), EDGEFILE_ERR_RANGE, "reach beyond");
    ck_ok(write_made(w, &spec, first, count - 1));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "edges were written, expected");
    ck_assert(!exists(shard(1)));
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        int shard, shards;
        graphfile_format format;
        edgefile_layout layout;
    } wrong[] = {{1, 1, GRAPHFILE_H5, EDGEFILE_LAYOUT_AUTO},
                 {-1, 2, GRAPHFILE_H5, EDGEFILE_LAYOUT_AUTO},
                 {1, 0, GRAPHFILE_H5, EDGEFILE_LAYOUT_AUTO},
                 {0, EDGEFILE_MAX_SHARDS + 1, GRAPHFILE_H5, EDGEFILE_LAYOUT_AUTO},
                 {0, 2, GRAPHFILE_H5, EDGEFILE_LAYOUT_SHARDED}};
    edgefile_joined joined;
    graphfile_writer *w;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        graphfile_spec spec = plain_spec(1000, 4);

        spec.shard = wrong[i].shard;
        spec.shards = wrong[i].shards;
        spec.format = wrong[i].format;
        spec.graph.rows = 10;
        spec.graph.sorted = 1;
        spec.layout = wrong[i].layout;
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "");
        ck_assert(!exists(graph_partial));
    }
    ck_fails(edgefile_join(NULL, 0, &joined), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_join(graph, 0, &joined), EDGEFILE_ERR_OPEN, "00000.h5");
}
END_TEST

TEST_MAIN(io_join)
{
    TCase *tc = tcase_create("join");

    tcase_add_loop_test(tc, one_by_one, 0, 4);
    tcase_add_loop_test(tc, made_again, 0, 2);
    tcase_add_test(tc, other_edges);
    tcase_add_test(tc, refusals);
    return run_tests("io_join", tc);
}
