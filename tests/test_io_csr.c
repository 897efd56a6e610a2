/* test_io_csr.c - CSR files: what is written is read back, and the bytes do not depend on the way.
 */
#include "tests/io_csr.h"

static const edgefile_path paths[] = {EDGEFILE_PATH_POSITIONAL, EDGEFILE_PATH_DIRECT,
                                      EDGEFILE_PATH_HDF5, EDGEFILE_PATH_AUTO,
                                      EDGEFILE_PATH_INDEPENDENT};
enum { PATHS = sizeof paths / sizeof *paths };

/* Small and large datasets beside each other, in all orders. */
static const struct {
    uint64_t rows, edges;
} sizes[] = {{1, 0},      {1, 1},      {7, 1},           {1, 300001},     {200000, 0},
             {513, 1025}, {3, 262144}, {131071, 131072}, {200000, 400001}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Both widths of each size, and over all sizes every kind of weight with each. */
static edgefile_spec spec_of(int i)
{
    return weighted(
        csr_spec(sizes[i / 2].rows, sizes[i / 2].edges, i % 2 ? 8 : 4, EDGEFILE_PATH_POSITIONAL),
        (edgefile_weight)((i / 2 + i % 2) % 3));
}

/* In pieces of random length, in random order, from memory at random distance from a page, often as
 * far from it as the place in the file, so that O_DIRECT takes part. */
static void write_in_pieces(const char *name, const edgefile_spec *spec, unsigned seed)
{
    uint64_t length[2] = {spec->edges, spec->rows + 1};
    struct piece {
        uint64_t first, count;
        int is_pointers;
    } *pieces = calloc(2 * 300, sizeof *pieces);
    edgefile_writer *w;
    size_t n = 0;

    srand(seed);
    for (int d = 0; d < 2; d++)
        for (uint64_t first = 0; first < length[d]; n++) {
            uint64_t count = 1 + (uint64_t)rand() % (length[d] / 100 + 100);
            if (count > length[d] - first || n % 300 == 299)
                count = length[d] - first;
            pieces[n] = (struct piece){first, count, d};
            first += count;
        }
    ck_ok(edgefile_create(&w, name, spec));
    while (n > 0) {
        size_t k = (size_t)rand() % n, width = (size_t)spec->id_bytes;
        uint64_t first = pieces[k].first, count = pieces[k].count;
        size_t skew = (size_t)(rand() % 600) * 8;
        if (pieces[k].is_pointers)
            ck_ok(write_made_pointers(w, spec, first, count, rand() % 2 ? first * 8 % 4096 : skew));
        else
            ck_ok(write_made_indices(w, spec, first, count,
                                     rand() % 2 ? first * width % 4096 : skew,
                                     rand() % 2 ? first * 4 % 4096 : skew));
        pieces[k] = pieces[--n];
    }
    ck_ok(edgefile_commit(&w, NULL));
    free(pieces);
}

START_TEST(all_paths_give_the_same_file)
{
    char other[128];
    edgefile_spec spec = spec_of(_i);

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_csr(graph, &spec);
    check_csr(graph, &spec);
    ck_assert(!exists(graph_partial));
    spec.replace = 1;
    for (int p = 0; p < PATHS; p++) {
        spec.path = paths[p];
        write_csr(other, &spec);
        check_same_bytes(graph, other);
        write_in_pieces(other, &spec, (unsigned)(10 * _i + p));
        check_same_bytes(graph, other);
    }
}
END_TEST

START_TEST(estimated_size)
{
    edgefile_spec spec = spec_of(_i);
    int64_t estimate = (int64_t)edgefile_bytes(&spec);
    struct stat st;

    write_csr(graph, &spec);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_ge(estimate, st.st_size - 4096);
    ck_assert_int_le(estimate, st.st_size + ((spec.weight ? 2 : 1) << 20) + 1); /* one for all */
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("csr");

    tcase_add_loop_test(tc, all_paths_give_the_same_file, 0, 2 * SIZES);
    tcase_add_loop_test(tc, estimated_size, 0, 2 * SIZES);
    return run_tests("io_csr", tc);
}
