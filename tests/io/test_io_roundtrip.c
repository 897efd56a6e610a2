/* test_io_roundtrip.c - what is written is read back, and the bytes do not depend on the way. */
#include "tests/support/io_util.h"

#include <sys/mman.h>

/* Around a page of either width, around 1 MiB of data (where alignment sets in), and odd. */
static const uint64_t sizes[] = {0,    1,    511,    512,    513,    1023,   1024,
                                 1025, 4097, 131071, 131072, 131073, 262144, 1000003};
static const uint64_t weighted_sizes[] = {1, 1025, 131072, 262143, 300001};

enum { PLAIN = 2 * sizeof sizes / sizeof *sizes, WEIGHTED = 4 * 5 };

/* Cases 0 to PLAIN + WEIGHTED - 1: every size and width, then the others with weights of each kind.
 */
static graphfile_spec spec_of(int i)
{
    int j = i - PLAIN;

    if (j < 0)
        return buffered(plain_spec(sizes[i / 2], i % 2 ? 8 : 4), 1);
    return weighted(buffered(plain_spec(weighted_sizes[j / 4], j % 2 ? 8 : 4), 1),
                    j % 4 < 2 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32);
}

/* In pieces of random length, in random order, from memory at random distance from a page. */
static void write_in_pieces(const char *name, graphfile_spec spec, uint64_t most, unsigned seed)
{
    struct piece {
        uint64_t first, count;
    } *pieces = calloc(spec.graph.edges + 1, sizeof *pieces);
    graphfile_writer *w;
    uint64_t n = 0;

    srand(seed);
    for (uint64_t first = 0; first < spec.graph.edges; n++) {
        uint64_t count = 1 + (uint64_t)rand() % most;
        if (count > spec.graph.edges - first)
            count = spec.graph.edges - first;
        pieces[n] = (struct piece){first, count};
        first += count;
    }
    ck_ok(graphfile_create(&w, name, &spec));
    while (n > 0) {
        uint64_t k = (uint64_t)rand() % n;
        size_t width = (size_t)spec.graph.id_bytes, skew = (size_t)(rand() % 600) * width;
        /* sometimes as far from a page as its place in the file, so that O_DIRECT takes part */
        size_t skews[3] = {skew, rand() % 2 ? pieces[k].first * width % 4096 : skew,
                           rand() % 2 ? pieces[k].first * 4 % 4096 : skew};
        made m = made_alloc(&spec, pieces[k].first, pieces[k].count, skews);
        ck_ok(put_edges(w, pieces[k].first, pieces[k].count, m.src, m.dst, m.weight,
                        made_fingerprint(spec.graph.edges, pieces[k].first, pieces[k].count)));
        made_free(&m);
        pieces[k] = pieces[--n];
    }
    ck_ok(commit_graph(&w, NULL));
    free(pieces);
}

START_TEST(both_ways_give_the_same_file)
{
    char other[128];
    graphfile_spec spec = spec_of(_i);
    uint64_t edges = spec.graph.edges;

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_graph(graph, spec);
    check_weighted(graph, edges, spec.graph.id_bytes, spec.graph.weight);
    ck_assert(!exists(graph_partial));
    for (int p = 0; p < 2; p++) {
        spec.buffered = p;
        spec.replace = 1;
        if (!spec.graph.weight) {
            write_graph(other, spec);
            check_same_bytes(graph, other);
            write_in_pieces(other, spec, 1 + edges / 7, 1000 * (unsigned)_i + (unsigned)p);
            check_same_bytes(graph, other);
        }
        write_in_pieces(other, spec, 700 + edges / 400, 7 + 1000 * (unsigned)_i + (unsigned)p);
        check_same_bytes(graph, other);
    }
}
END_TEST

START_TEST(single_edges_share_pages)
{
    char other[128];
    graphfile_spec spec = weighted(buffered(plain_spec(5000, 4), _i), EDGEFILE_WEIGHT_F32);

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_graph(graph, weighted(plain_spec(5000, 4), EDGEFILE_WEIGHT_F32));
    write_in_pieces(other, spec, 1, 5);
    check_same_bytes(graph, other);
}
END_TEST

START_TEST(data_starts_on_a_mebibyte)
{
    size_t size;
    uint32_t first = (uint32_t)mix(0), weight = made_weight(0, EDGEFILE_WEIGHT_I32);
    char *bytes;

    write_graph(graph, weighted(plain_spec(300000, 4), EDGEFILE_WEIGHT_I32));
    bytes = slurp(graph, &size);
    ck_assert_int_eq(memcmp(bytes + (1 << 20), &first, sizeof first), 0);
    ck_assert_int_eq(memcmp(bytes + (5 << 20), &weight, sizeof weight), 0);
    free(bytes);
}
END_TEST

START_TEST(small_graphs_make_small_files)
{
    graphfile_spec spec = plain_spec(10, 8);
    static const uint64_t value = 1;
    edgefile_attr attrs[20];
    char names[20][8];
    struct stat st;

    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "a%d", i);
        attrs[i] = (edgefile_attr){names[i], EDGEFILE_U64, 1, &value};
    }
    spec.attrs = attrs;
    spec.n_attrs = 20;
    write_graph(graph, spec);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_lt(st.st_size, 3000);
}
END_TEST

START_TEST(estimated_size)
{
    graphfile_spec spec = spec_of(_i);
    struct stat st;
    int64_t estimate = (int64_t)graphfile_bytes(&spec);
    uint64_t measured;
    int exact;

    write_graph(graph, spec);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_ge(estimate, st.st_size - 4096);
    ck_assert_int_le(estimate, st.st_size + ((spec.graph.weight ? 2 : 1) << 20));
    measured = graphfile_most_bytes(&spec, &exact);
    ck_assert_int_eq(exact, 1);
    ck_assert_uint_eq(measured, (uint64_t)st.st_size);
}
END_TEST

/* Pages of the first `bytes` of the file that lie in the page cache, the first one left out. */
static size_t cached_pages(const char *path, size_t bytes)
{
    size_t page = edgefile_alignment(), pages = bytes / page, n = 0;
    unsigned char *resident = calloc(pages, 1);
    int fd = open(path, O_RDONLY);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    ck_assert_ptr_ne(map, MAP_FAILED);
    ck_assert_int_eq(mincore(map, bytes, resident), 0);
    for (size_t i = 1; i < pages; i++)
        n += resident[i] & 1;
    munmap(map, bytes);
    close(fd);
    free(resident);
    return n;
}

START_TEST(direct_is_direct)
{
    size_t bytes = 4 << 20;
    graphfile_spec spec = plain_spec(2 * bytes / 8, 8);
    void *base, *ids = skewed_alloc(bytes, 0, &base);
    graphfile_writer *w;
    int direct = open(scratch, O_TMPFILE | O_RDWR | O_DIRECT, 0600);

    memset(ids, 1, bytes);
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, bytes / 8, ids, ids, NULL, 0));
    ck_ok(put_edges(w, bytes / 8, bytes / 8, ids, ids, NULL, 0));
    if (direct >= 0)
        ck_assert_uint_eq(cached_pages(graph_partial, 8 << 20), 0);
    close(direct);
    ck_ok(commit_graph(&w, NULL));
    free(base);
}
END_TEST

START_TEST(parts_are_read)
{
    edgefile_weight weight = (edgefile_weight)_i;
    edgefile_reader *r;
    uint64_t src[100], dst[100];
    uint32_t weights[100];

    write_graph(graph, weighted(plain_spec(100000, 8), weight));
    ck_ok(edgefile_open(&r, graph));
    for (uint64_t first = 0; first < 100000 - 100; first += 997) {
        int wanted = weight != EDGEFILE_NO_WEIGHT && first % 5 > 0;
        ck_ok(edgefile_read(r, first, 100, src, dst, wanted ? weights : NULL));
        for (uint64_t i = 0; i < 100; i++) {
            ck_assert_uint_eq(src[i], mix(2 * (first + i)));
            ck_assert_uint_eq(dst[i], mix(2 * (first + i) + 1));
            ck_assert(!wanted || weights[i] == made_weight(first + i, weight));
        }
    }
    if (weight == EDGEFILE_NO_WEIGHT) {
        ck_fails(edgefile_read(r, 0, 1, src, dst, weights), EDGEFILE_ERR_ARG, "has no weights");
        ck_fails(edgefile_read(r, 0, 0, NULL, NULL, weights), EDGEFILE_ERR_ARG, "has no weights");
    }
    ck_ok(edgefile_read(r, 100000, 0, NULL, NULL, NULL));
    ck_fails(edgefile_read(r, 99999, 2, src, dst, NULL), EDGEFILE_ERR_RANGE, "2 edges at 99999");
    ck_fails(edgefile_read(r, UINT64_MAX, 1, src, dst, NULL), EDGEFILE_ERR_RANGE,
             "the file has 100000");
    ck_fails(edgefile_read(r, 1, UINT64_MAX, src, dst, NULL), EDGEFILE_ERR_RANGE,
             "the file has 100000");
    ck_fails(edgefile_read(r, 0, 1, NULL, dst, NULL), EDGEFILE_ERR_ARG, "NULL");
    edgefile_close(r);
}
END_TEST

START_TEST(attributes)
{
    static const double levels[] = {0.57, 0.19, 0.19, 0.05, 1e-300};
    static const uint64_t seed = UINT64_MAX, many[] = {1, 2, 3};
    static const double a = 0.1;
    char *longest = malloc(200001), *back = malloc(200001), text[8];
    double values[8] = {0}, value;
    uint64_t count, number;
    edgefile_reader *r;
    graphfile_spec spec = plain_spec(10, 4);

    memset(longest, 'x', 200000);
    longest[200000] = '\0';
    spec.attrs = (edgefile_attr[]){{"seed", EDGEFILE_U64, 1, &seed},
                                   {"a", EDGEFILE_F64, 1, &a},
                                   {"levels", EDGEFILE_F64, 5, levels},
                                   {"many", EDGEFILE_U64, 3, many},
                                   {"command", EDGEFILE_STRING, 1, "rmat générate"},
                                   {"nothing", EDGEFILE_STRING, 1, ""},
                                   {"longest", EDGEFILE_STRING, 1, longest}};
    spec.n_attrs = 7;
    write_graph(graph, spec);

    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_get_u64(r, "seed", &number));
    ck_assert_uint_eq(number, seed);
    ck_ok(edgefile_get_f64(r, "a", &value));
    ck_assert_double_eq(value, a);
    ck_ok(edgefile_get_f64s(r, "levels", values, 8, &count));
    ck_assert_uint_eq(count, 5);
    ck_assert_mem_eq(values, levels, sizeof levels);
    memset(values, 0, sizeof values);
    ck_ok(edgefile_get_f64s(r, "levels", values, 2, &count));
    ck_assert_uint_eq(count, 5);
    ck_assert_double_eq(values[1], 0.19);
    ck_assert_double_eq(values[2], 0);
    ck_ok(edgefile_get_f64s(r, "levels", NULL, 0, &count));
    ck_assert_uint_eq(count, 5);
    ck_ok(edgefile_get_string(r, "command", back, 100));
    ck_assert_str_eq(back, "rmat générate");
    ck_ok(edgefile_get_string(r, "format", text, sizeof text));
    ck_assert_str_eq(text, "rmat-ed");
    ck_ok(edgefile_get_string(r, "format", text, 1));
    ck_assert_str_eq(text, "");
    ck_ok(edgefile_get_string(r, "nothing", back, 100));
    ck_assert_str_eq(back, "");
    ck_ok(edgefile_get_string(r, "longest", back, 200001));
    ck_assert_str_eq(back, longest);

    ck_fails(edgefile_get_u64(r, "none", &number), EDGEFILE_ERR_ATTR, "'none' is missing");
    ck_fails(edgefile_get_u64(r, "a", &number), EDGEFILE_ERR_ATTR, "not an unsigned integer");
    ck_fails(edgefile_get_u64(r, "many", &number), EDGEFILE_ERR_ATTR, "'many' is not an unsigned");
    ck_fails(edgefile_get_u64(r, "command", &number), EDGEFILE_ERR_ATTR, "'command' is not");
    ck_fails(edgefile_get_f64(r, "seed", &value), EDGEFILE_ERR_ATTR, "'seed' is not a floating");
    ck_fails(edgefile_get_f64(r, "levels", &value), EDGEFILE_ERR_ATTR, "'levels' is not");
    ck_fails(edgefile_get_f64s(r, "a", values, 8, &count), EDGEFILE_ERR_ATTR, "'a' is not a 1-D");
    ck_fails(edgefile_get_f64s(r, "many", values, 8, &count), EDGEFILE_ERR_ATTR, "'many' is not");
    ck_fails(edgefile_get_string(r, "seed", text, 8), EDGEFILE_ERR_ATTR, "'seed' is not a string");
    ck_fails(edgefile_get_string(r, "format", text, 0), EDGEFILE_ERR_ARG, "no room");
    ck_fails(edgefile_get_u64(r, NULL, &number), EDGEFILE_ERR_ARG, "NULL");
    edgefile_close(r);
    free(longest);
    free(back);
}
END_TEST

TEST_MAIN(io_roundtrip)
{
    TCase *tc = tcase_create("roundtrip");

    tcase_add_loop_test(tc, both_ways_give_the_same_file, 0, PLAIN + WEIGHTED);
    tcase_add_loop_test(tc, estimated_size, 0, PLAIN + WEIGHTED);
    tcase_add_loop_test(tc, single_edges_share_pages, 0, 2);
    tcase_add_test(tc, data_starts_on_a_mebibyte);
    tcase_add_test(tc, small_graphs_make_small_files);
    tcase_add_test(tc, direct_is_direct);
    tcase_add_loop_test(tc, parts_are_read, 0, 3);
    tcase_add_test(tc, attributes);
    return run_tests("io_roundtrip", tc);
}
