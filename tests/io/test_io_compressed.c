/*
 * test_io_compressed.c - compressed files hold what was written, whoever wrote it in whatever
 * order, and always in the same bytes; HDF5's own filters read them; what cannot be compressed is
 * refused.
 */
#include "io/compressed/codec.h"
#include "io/compressed/index.h"
#include "tests/support/io_csr.h"

#include <hdf5.h>
#include <malloc.h>
#include <pthread.h>

#define EDGES (2 * EDGEFILE_CHUNK + 12345)
#define ROWS  (EDGEFILE_CHUNK + 77)
#define PIECE 300007 /* of writes, which meet nowhere with chunks */

static graphfile_spec compressed(graphfile_spec spec)
{
    spec.compress = 1;
    return spec;
}

static graphfile_spec list_spec(uint64_t edges, int id_bytes, edgefile_weight weight)
{
    return compressed(weighted(plain_spec(edges, id_bytes), weight));
}

typedef struct {
    graphfile_writer *w;
    const graphfile_spec *spec;
    uint64_t at, step; /* pieces at, at + step, ...: from the last one to the first */
    int status;
} writing;

static void *write_pieces(void *argument)
{
    writing *x = argument;
    const bool csr = x->spec->format == GRAPHFILE_CSR;
    const uint64_t pieces = (x->spec->graph.edges + PIECE - 1) / PIECE;

    for (uint64_t k = pieces; k-- > 0 && x->status == EDGEFILE_OK;) {
        const uint64_t first = k * PIECE, left = x->spec->graph.edges - first;
        const uint64_t count = left < PIECE ? left : PIECE;
        made m;

        if (k % x->step != x->at)
            continue;
        m = made_alloc(x->spec, first, count, (size_t[3]){8, 0, 4});
        x->status = put_edges(x->w, first, count, csr ? NULL : m.src, m.dst, m.weight,
                              made_fingerprint(x->spec->graph.edges, first, count));
        made_free(&m);
    }
    return NULL;
}

/* Backwards in pieces, by three threads. */
static void write_by_threads(const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w;
    pthread_t thread[3];
    writing x[3];

    ck_ok(graphfile_create(&w, name, spec));
    for (uint64_t i = 0; i < 3; i++) {
        x[i] = (writing){w, spec, i, 3, EDGEFILE_OK};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, write_pieces, &x[i]), 0);
    }
    if (spec->format == GRAPHFILE_CSR) {
        ck_ok(write_made_pointers(w, spec, 1000, spec->graph.rows - 999, 8));
        ck_ok(write_made_pointers(w, spec, 0, 1000, 0));
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        ck_ok(x[i].status);
    }
    ck_ok(commit_graph(&w, NULL));
}

static void check_list(uint64_t edges, int id_bytes, edgefile_weight weight)
{
    const graphfile_spec spec = list_spec(edges, id_bytes, weight);
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_graph(graph, spec);
    check_weighted(graph, edges, id_bytes, weight);
    write_by_threads(other, &spec);
    check_same_bytes(graph, other);
    unlink(graph);
    unlink(other);
}

START_TEST(lists)
{
    check_list(1, 4, EDGEFILE_NO_WEIGHT);
    check_list(1000, 8, EDGEFILE_WEIGHT_I32);
    check_list(EDGEFILE_CHUNK, 4, EDGEFILE_WEIGHT_F32);
    check_list(EDGEFILE_CHUNK + 1, 8, EDGEFILE_NO_WEIGHT);
    check_list(EDGES, 4, EDGEFILE_WEIGHT_I32);
}
END_TEST

START_TEST(empty)
{
    write_graph(graph, list_spec(0, 4, EDGEFILE_NO_WEIGHT));
    check_graph(graph, 0, 4);
}
END_TEST

START_TEST(csr)
{
    graphfile_spec spec = compressed(csr_spec(ROWS, EDGES, 4));
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_csr(graph, &spec);
    check_csr(graph, &spec);
    write_by_threads(other, &spec);
    check_same_bytes(graph, other);
    spec = compressed(weighted(buffered(csr_spec(3, 40, 8), 1), EDGEFILE_WEIGHT_F32));
    spec.replace = 1;
    write_csr(graph, &spec);
    check_csr(graph, &spec);
}
END_TEST

/* By HDF5's filters, without anything of ours. */
START_TEST(stock_hdf5)
{
    static uint64_t dst[EDGES];
    hid_t file, dataset;
    uint64_t bad = 0;

    write_graph(graph, list_spec(EDGES, 8, EDGEFILE_NO_WEIGHT));
    file = H5Fopen(graph, H5F_ACC_RDONLY, H5P_DEFAULT);
    dataset = H5Dopen2(file, "dst", H5P_DEFAULT);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, dst), 0);
    H5Dclose(dataset);
    H5Fclose(file);
    for (uint64_t i = 0; i < EDGES; i++)
        bad += dst[i] != mix(2 * i + 1);
    ck_assert_uint_eq(bad, 0);
}
END_TEST

/* Pieces of any size, forwards, backwards and with jumps. */
START_TEST(reads)
{
    static uint32_t src[PIECE], dst[PIECE];
    edgefile_reader *r;

    write_graph(graph, list_spec(EDGES, 4, EDGEFILE_NO_WEIGHT));
    ck_ok(edgefile_open(&r, graph));
    for (uint64_t k = 0; k < 40; k++) {
        const uint64_t first = k < 20 ? k * 100000 : mix(k) % (EDGES - 1000);
        const uint64_t count = k < 20 ? 100000 : 1 + mix(k + 7) % 1000;

        ck_ok(edgefile_read(r, first, count, src, dst, NULL));
        for (uint64_t i = 0; i < count; i++)
            ck_assert(src[i] == (uint32_t)mix(2 * (first + i)) &&
                      dst[i] == (uint32_t)mix(2 * (first + i) + 1));
    }
    ck_fails(edgefile_read(r, EDGES, 1, src, dst, NULL), EDGEFILE_ERR_RANGE, "the file has");
    edgefile_close(r);
}
END_TEST

START_TEST(refusals)
{
    graphfile_spec spec = list_spec(100, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "0 edges were written, expected 100");
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* Small numbers where the next block of that size will be. */
static void leave_numbers(size_t bytes, uint16_t number)
{
    uint16_t *memory = malloc(bytes);

    ck_assert_ptr_nonnull(memory);
    for (size_t i = 0; i < bytes / sizeof *memory; i++)
        memory[i] = number;
    free(memory);
}

/* Memory that was used before makes no other bytes. */
START_TEST(used_memory)
{
    enum { COUNT = 1 << 16, BYTES = COUNT * 4 };
    static uint32_t data[COUNT];
    static uint8_t first[2 * BYTES], again[2 * BYTES];
    size_t bytes = 0;

    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* which the sanitizer has not: nothing is left there */
    for (uint64_t i = 0; i < COUNT; i++)
        data[i] = (uint32_t)(i * i / 7);
    for (uint16_t number = 0; number < 20; number++) {
        edgefile_codec *codec;
        size_t n;

        leave_numbers(2 * BYTES, number);
        codec = edgefile_codec_new(BYTES);
        n = edgefile_codec_encode(codec, number > 0 ? again : first, data, COUNT, 4);
        ck_assert_uint_gt(n, 0);
        ck_assert(number == 0 || (n == bytes && memcmp(first, again, n) == 0));
        bytes = n;
        edgefile_codec_free(codec);
    }
}
END_TEST

/* ISA-L's hash of four bytes. */
static uint32_t hash_of(uint32_t bytes)
{
    for (int i = 0; i < 32; i++)
        bytes = bytes >> 1 ^ (0x82F63B78u & -(bytes & 1));
    return bytes;
}

/* Elements, the first bytes of four of which, from `at` on, have the hash that ISA-L gives to the
 * address of the codec; and so have others, which are a match therefore. */
static void make_hash_meet(const edgefile_codec *codec, uint32_t at, uint32_t *data, uint32_t count)
{
    const uint32_t mask = 8191, wanted = hash_of((uint32_t)((uintptr_t)codec >> 16));
    uint32_t word = 0x12345678;

    while (((hash_of(word) ^ wanted) & mask) != 0)
        word += 0x10101;
    for (uint32_t i = 0; i < count; i++)
        data[i] = (uint32_t)mix(i);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t place = at; place < count; place += 1000)
            data[place + i] = data[place + i] >> 8 << 8 | (word >> 8 * i & 0xff);
}

/* The same bytes wherever the codec is in memory, whose address ISA-L takes for a part of the
 * elements. */
START_TEST(any_address)
{
    enum { COUNT = 1 << 13, BYTES = 4 * COUNT, CODECS = 8 };
    static uint32_t data[COUNT];
    static uint8_t encoded[CODECS][BYTES + BYTES / 1024 + 1024];
    edgefile_codec *codec[CODECS];

    if (edgefile_codec_check() != EDGEFILE_OK)
        return;
    for (int i = 0; i < CODECS; i++)
        codec[i] = edgefile_codec_new(BYTES);
    for (uint32_t at = 0; at < 3; at++) {
        size_t bytes = 0;

        make_hash_meet(codec[0], at, data, COUNT - 8);
        for (int i = 0; i < CODECS; i++) {
            const size_t n = edgefile_codec_encode(codec[i], encoded[i], data, COUNT, 4);

            ck_assert_uint_gt(n, 0);
            ck_assert_msg(i == 0 || (n == bytes && memcmp(encoded[0], encoded[i], n) == 0),
                          "position %u: another address, other bytes", at);
            bytes = n;
        }
    }
    for (int i = 0; i < CODECS; i++)
        edgefile_codec_free(codec[i]);
}
END_TEST

/* Trees of several levels, without the chunks. */
START_TEST(indices)
{
    static const uint64_t chunks[] = {1, 64, 65, 4096, 4097, 300000};
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/index", scratch);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        edgefile_index x, y;
        char byte;

        ck_ok(edgefile_index_init(&x, (chunks[i] - 1) * EDGEFILE_CHUNK + 5, 4, path));
        ck_assert_uint_eq(x.n, chunks[i]);
        x.root = 1000;
        x.nodes = 5000;
        for (uint64_t k = 0; k < x.n; k++)
            x.chunk[k] = (edgefile_chunk){mix(k) >> 1, mix(k + 9) >> 33};
        ck_ok(edgefile_index_write(&x, fd, path));
        ck_ok(edgefile_index_init(&y, x.length, 4, path));
        y.root = x.root;
        ck_ok(edgefile_index_read(&y, fd, path, "dst"));
        ck_assert_uint_eq(y.nodes, x.n > 64 ? x.nodes : x.root);
        ck_assert_mem_eq(x.chunk, y.chunk, x.n * sizeof *x.chunk);

        /* A key, which the chunks do not tell. */
        ck_assert_int_eq(pread(fd, &byte, 1, (off_t)x.root + 32), 1);
        byte ^= 1;
        ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)x.root + 32), 1);
        ck_fails(edgefile_index_read(&y, fd, path, "dst"), EDGEFILE_ERR_FORMAT, "is damaged");
        edgefile_index_free(&x);
        edgefile_index_free(&y);
    }
    close(fd);
}
END_TEST

TEST_MAIN(io_compressed)
{
    TCase *tc = tcase_create("compressed");

    tcase_add_test(tc, lists);
    tcase_add_test(tc, empty);
    tcase_add_test(tc, csr);
    tcase_add_test(tc, stock_hdf5);
    tcase_add_test(tc, reads);
    tcase_add_test(tc, used_memory);
    tcase_add_test(tc, any_address);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, indices);
    return run_tests("io_compressed", tc);
}
