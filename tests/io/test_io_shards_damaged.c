/* test_io_shards_damaged.c - shards that are missing, damaged or another graph's are refused. */
#include "tests/support/io_group.h"

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
/* Shard k of one graph among the four of another. */
static void mix_graphs(int k, graphfile_spec from, int from_shards, graphfile_spec to)
{
    size_t size;
    char *bytes;

    from.replace = to.replace = 1;
    write_shards(from, from_shards, DEAL_OWN);
    bytes = slurp(shard(k), &size);
    write_shards(to, 4, DEAL_OWN);
    spew(shard(k), bytes, size);
    free(bytes);
}
static void shard_of_another_graph(void) /* its part of the fingerprint differs */
{
    mix_graphs(0, sharded_spec(400001, 8), 4, sharded_spec(400002, 8));
}
static void shard_of_a_longer_graph(void)
{
    mix_graphs(2, sharded_spec(400001, 8), 4, sharded_spec(1000003, 8));
}
static void shard_of_another_count(void)
{
    mix_graphs(1, sharded_spec(400001, 8), 3, sharded_spec(400001, 8));
}
static void shard_of_another_width(void)
{
    mix_graphs(1, sharded_spec(1 << 20, 4), 4, sharded_spec(1 << 20, 8));
}
static graphfile_spec with_weights(edgefile_weight weight)
{
    return weighted(sharded_spec(1 << 20, 8), weight);
}
static void shard_without_weights(void)
{
    mix_graphs(0, with_weights(EDGEFILE_NO_WEIGHT), 4, with_weights(EDGEFILE_WEIGHT_F32));
}
static void shard_with_weights(void)
{
    mix_graphs(0, with_weights(EDGEFILE_WEIGHT_F32), 4, with_weights(EDGEFILE_NO_WEIGHT));
}
static void shard_of_other_weights(void)
{
    mix_graphs(1, with_weights(EDGEFILE_WEIGHT_F32), 4, with_weights(EDGEFILE_WEIGHT_I32));
}
static void single_file_as_shard(void)
{
    unlink(shard(1));
    write_graph(shard(1), plain_spec(131072, 8));
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
    {shard_of_another_count, "00001.h5: is not shard 1 of 4"},
    {shard_of_another_width,
     "00001.h5: has ids of 4 bytes, but the shards before it have ids of 8"},
    {shard_without_weights, "00000.h5: has no weights, but the master has weights"},
    {shard_with_weights, "00000.h5: has weights, but the master has none"},
    {shard_of_other_weights, "00001.h5: has weights of another type than the shards before it"},
    {single_file_as_shard, "00001.h5: is not shard 1 of 4"},
    {master_as_shard, "00000.h5: is not shard 0 of 4"},
    {shard_cut_short, "00003.h5: opening the file: truncated file: "},
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

    write_shards(sharded_spec(400001, 8), 4, DEAL_OWN);
    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_read(r, 400000, 1, &src, &dst, NULL));
    ck_assert_int_eq(unlink(shard(1)), 0);
    ck_ok(edgefile_read(r, 0, 1, &src, &dst, NULL));
    for (int i = 0; i < 2; i++)
        ck_fails(edgefile_read(r, 131072, 1, &src, &dst, NULL), EDGEFILE_ERR_FORMAT,
                 "No such file");
    ck_ok(edgefile_read(r, 0, 1, &src, &dst, NULL));
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
    ck_ok(edgefile_read(r, 400000, 1, &src, &dst, NULL));
    /* Shard 0 is now the other graph's. */
    mix_graphs(3, sharded_spec(400001, 8), 4, sharded_spec(400002, 8));
    for (int i = 0; i < 2; i++)
        ck_fails(edgefile_read(r, 0, 1, &src, &dst, NULL), EDGEFILE_ERR_FORMAT,
                 "was changed while it was read");
    edgefile_close(r);
}
END_TEST

TEST_MAIN(io_shards_damaged)
{
    TCase *tc = tcase_create("shards_damaged");

    tcase_add_loop_test(tc, refused, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, shard_that_goes_while_read);
    tcase_add_test(tc, shard_that_changes_while_read);
    return run_tests("io_shards_damaged", tc);
}
