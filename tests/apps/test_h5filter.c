/* The HDF5 filter of virtual files, called as HDF5 calls it: the edges are those of the library for
 * all models, and whatever is not exactly a chunk of such a file is refused. */
#include "apps/engine/virtual/model_words.h"
#include "io/virtual/frame.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

#include <H5PLextern.h>
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 2500, CHUNK = 1000, THREADS = 6 };
#ifdef __SANITIZE_ADDRESS__ /* which takes ten times as long */
enum { ROUNDS = 10 };
#else
enum { ROUNDS = 60 };
#endif

typedef struct {
    unsigned words[EDGEFILE_FRAME_MAX];
    size_t n;
    rmat_gen *gen;
    rmat_config config;
} dataset;

static const H5Z_class2_t *filter(void)
{
    const H5Z_class2_t *f = H5PLget_plugin_info();

    ck_assert_int_eq(H5PLget_plugin_type(), H5PL_TYPE_FILTER);
    ck_assert_int_eq(f->id, EDGEFILE_FRAME_FILTER);
    return f;
}

/* As the engine does: several matrices have the noise already. */
static dataset open_dataset(const rmat_config *config, uint64_t edges, uint32_t chunk)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config drawn = *config;
    dataset d = {.config = *config};

    if (config->levels != NULL && config->noise > 0) {
        ck_assert_int_eq(rmat_levels(config, levels), RMAT_OK);
        drawn.levels = levels;
        drawn.noise = 0;
    }
    d.words[EDGEFILE_FRAME_VERSION_WORD] = EDGEFILE_FRAME_VERSION;
    d.words[EDGEFILE_FRAME_ID_BYTES] = config->rows_scale > 32 || config->cols_scale > 32 ? 8 : 4;
    d.words[EDGEFILE_FRAME_WEIGHT] = config->weights != RMAT_NO_WEIGHTS;
    d.words[EDGEFILE_FRAME_EDGES] = (uint32_t)edges;
    d.words[EDGEFILE_FRAME_EDGES + 1] = (uint32_t)(edges >> 32);
    d.words[EDGEFILE_FRAME_CHUNK] = chunk;
    d.n = EDGEFILE_FRAME_WORDS + model_words_of(&drawn, d.words + EDGEFILE_FRAME_WORDS);
    d.config.threads = 1;
    ck_assert_int_eq(rmat_create(&d.gen, &d.config), RMAT_OK);
    return d;
}

/* What the filter makes of these stored bytes: the result, and in *buffer the chunk. */
static size_t call(const dataset *d, const unsigned char *stored, size_t bytes, void **buffer)
{
    size_t size = bytes;

    *buffer = malloc(bytes + 1);
    ck_assert_ptr_nonnull(*buffer);
    memcpy(*buffer, stored, bytes);
    return filter()->filter(H5Z_FLAG_REVERSE, d->n, d->words, bytes, &size, buffer);
}

static bool column_is_right(dataset d, unsigned column, uint64_t first)
{
    const uint64_t edges = edgefile_frame_edges(d.words), chunk = d.words[EDGEFILE_FRAME_CHUNK];
    const uint64_t count = edges - first < chunk ? edges - first : chunk;
    const size_t width = edgefile_frame_width(d.words, column);
    unsigned char stored[EDGEFILE_FRAME_PAYLOAD];
    char *expected[3];
    rmat_arrays to;
    void *found = NULL;
    bool same;

    d.words[EDGEFILE_FRAME_COLUMN] = column;
    edgefile_frame_payload(edgefile_frame_state(d.words, d.n), first, stored);
    for (int i = 0; i < 3; i++) {
        expected[i] = calloc(chunk, 8); /* behind the end there are zeros */
    }
    to =
        (rmat_arrays){expected[0], expected[1], d.words[EDGEFILE_FRAME_WEIGHT] ? expected[2] : NULL,
                      (int)d.words[EDGEFILE_FRAME_ID_BYTES]};
    same = rmat_generate_arrays(d.gen, first, count, &to) == RMAT_OK &&
           call(&d, stored, sizeof stored, &found) == chunk * width &&
           memcmp(found, expected[column], chunk * width) == 0;
    free(found);
    for (int i = 0; i < 3; i++) {
        free(expected[i]);
    }
    return same;
}

START_TEST(every_model)
{
    option_case *cases = calloc(OPTION_PAIRS_MAX, sizeof *cases);
    const int n = option_pairs(cases);
    int made = 0;

    for (int i = 0; i < n; i++) {
        const rmat_config *c = &cases[i].config;
        const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
        dataset d;

        if (c->levels != NULL && scale > MODEL_WORDS_LEVELS) {
            continue;
        }
        d = open_dataset(c, EDGES, CHUNK);
        for (uint64_t first = 0; first < EDGES; first += CHUNK) {
            for (unsigned column = 0; column < 2 + d.words[EDGEFILE_FRAME_WEIGHT]; column++) {
                ck_assert_msg(column_is_right(d, column, first), "%s, column %u, edge %d",
                              cases[i].name, column, (int)first);
            }
        }
        made++;
        rmat_destroy(d.gen);
    }
    ck_assert_int_ge(made, 15);
    free(cases);
}
END_TEST

/* The official ones, and the one by rows. */
START_TEST(other_streams)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 12;
    for (int stream = RMAT_STREAM_GRAPH500; stream < RMAT_STREAM_KRONECKER; stream++) {
        dataset d;

        c.stream = (rmat_stream)stream;
        c.seed2 = stream == RMAT_STREAM_GRAPH500 ? 3 : 0;
        c.weights = stream == RMAT_STREAM_GRAPH500 ? RMAT_WEIGHTS_UNIFORM : RMAT_WEIGHTS_INT;
        c.weight_min = stream == RMAT_STREAM_GRAPH500 ? 0 : 1;
        c.weight_max = stream == RMAT_STREAM_GRAPH500 ? 0 : 255;
        c.first = stream == RMAT_STREAM_ROWS ? 0 : 77;
        c.edges = stream == RMAT_STREAM_ROWS ? EDGES : 0;
        d = open_dataset(&c, EDGES, CHUNK);
        for (unsigned column = 0; column < 3; column++) {
            ck_assert(column_is_right(d, column, 2 * CHUNK));
            ck_assert(column_is_right(d, column, 0));
        }
        rmat_destroy(d.gen);
    }
}
END_TEST

/* More bytes than are kept, more models than are kept, and the first ones again. */
START_TEST(cache_is_bounded)
{
    enum { LARGE = 1 << 22, CHUNKS = 5, SEEDS = 6 };
    rmat_config c;
    dataset d;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 40;
    d = open_dataset(&c, (uint64_t)CHUNKS * LARGE, LARGE);
    for (int round = 0; round < 2; round++) {
        for (uint64_t k = 0; k < CHUNKS; k++) {
            ck_assert(column_is_right(d, k % 2, k * LARGE));
        }
    }
    rmat_destroy(d.gen);
    for (int k = 0; k < 3 * SEEDS; k++) {
        c.seed = (uint64_t)(k % SEEDS);
        d = open_dataset(&c, EDGES, CHUNK);
        ck_assert(column_is_right(d, k % 2, CHUNK));
        rmat_destroy(d.gen);
    }
}
END_TEST

static dataset small_dataset(void)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 9;
    return open_dataset(&c, EDGES, CHUNK);
}

/* Refused, and the buffer is still the caller's. */
static bool refused(const dataset *d, const unsigned char *stored, size_t bytes)
{
    void *buffer;
    const size_t result = call(d, stored, bytes, &buffer);
    const bool kept = memcmp(buffer, stored, bytes) == 0;

    free(buffer);
    return result == 0 && kept;
}

START_TEST(damaged_chunks)
{
    dataset d = small_dataset();
    unsigned char stored[EDGEFILE_FRAME_PAYLOAD + 1] = {0};
    const uint64_t state = edgefile_frame_state(d.words, d.n);

    edgefile_frame_payload(state, CHUNK, stored);
    ck_assert(!refused(&d, stored, EDGEFILE_FRAME_PAYLOAD));
    ck_assert(refused(&d, stored, EDGEFILE_FRAME_PAYLOAD - 1));
    ck_assert(refused(&d, stored, EDGEFILE_FRAME_PAYLOAD + 1));
    ck_assert(refused(&d, stored, 0));
    for (int bit = 0; bit < 8 * EDGEFILE_FRAME_PAYLOAD; bit++) {
        stored[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_msg(refused(&d, stored, EDGEFILE_FRAME_PAYLOAD), "bit %d", bit);
        stored[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    edgefile_frame_payload(state, CHUNK + 1, stored); /* no chunk begins there */
    ck_assert(refused(&d, stored, EDGEFILE_FRAME_PAYLOAD));
    edgefile_frame_payload(state, 3 * CHUNK, stored); /* behind the end */
    ck_assert(refused(&d, stored, EDGEFILE_FRAME_PAYLOAD));
    rmat_destroy(d.gen);
}
END_TEST

/* With the right checksum, so that the word itself is what is refused. */
static bool word_refused(dataset d, size_t word, unsigned value)
{
    unsigned char stored[EDGEFILE_FRAME_PAYLOAD];

    d.words[word] = value;
    edgefile_frame_payload(edgefile_frame_state(d.words, d.n), 0, stored);
    return refused(&d, stored, sizeof stored);
}

START_TEST(other_parameters)
{
    enum { STREAM = EDGEFILE_FRAME_WORDS, STREAM_VERSION, ROWS_SCALE, COLS_SCALE };
    dataset d = small_dataset();
    unsigned char stored[EDGEFILE_FRAME_PAYLOAD];
    const size_t n = d.n;

    ck_assert(!word_refused(d, EDGEFILE_FRAME_COLUMN, 1));
    ck_assert(word_refused(d, EDGEFILE_FRAME_COLUMN, 2)); /* there are no weights */
    ck_assert(word_refused(d, EDGEFILE_FRAME_WEIGHT, 2));
    ck_assert(word_refused(d, EDGEFILE_FRAME_VERSION_WORD, EDGEFILE_FRAME_VERSION + 1));
    ck_assert(word_refused(d, EDGEFILE_FRAME_VERSION_WORD, 0));
    ck_assert(word_refused(d, EDGEFILE_FRAME_ID_BYTES, 5));
    ck_assert(word_refused(d, EDGEFILE_FRAME_CHUNK, 0));
    ck_assert(word_refused(d, STREAM, RMAT_STREAMS));
    ck_assert(word_refused(d, STREAM, RMAT_STREAM_KRONECKER)); /* no word has its initiator */
    ck_assert(word_refused(d, STREAM_VERSION, RMAT_STREAM_VERSION + 1));
    ck_assert(word_refused(d, STREAM_VERSION, RMAT_STREAM_VERSION - 1));
    ck_assert(word_refused(d, ROWS_SCALE, 63));
    ck_assert(word_refused(d, COLS_SCALE, 0));
    ck_assert(word_refused(d, COLS_SCALE, 8)); /* not with so many vertices */
    for (size_t word = 0; word < n; word++) {  /* the checksum is over all of them */
        d.words[word] ^= 1;
        edgefile_frame_payload(edgefile_frame_state(d.words, n), 0, stored);
        d.words[word] ^= 1;
        ck_assert_msg(refused(&d, stored, sizeof stored), "word %zu", word);
    }
    for (d.n = 0; d.n < n; d.n++) {
        edgefile_frame_payload(edgefile_frame_state(d.words, d.n), 0, stored);
        ck_assert_msg(refused(&d, stored, sizeof stored), "%zu words", d.n);
    }
    rmat_destroy(d.gen);
}
END_TEST

START_TEST(nothing_is_written)
{
    dataset d = small_dataset();
    size_t size = EDGEFILE_FRAME_PAYLOAD;
    void *buffer = calloc(1, size);

    edgefile_frame_payload(edgefile_frame_state(d.words, d.n), 0, buffer);
    ck_assert_uint_eq(filter()->filter(0, d.n, d.words, size, &size, &buffer), 0);
    free(buffer);
    rmat_destroy(d.gen);
}
END_TEST

typedef struct {
    dataset *sets;
    unsigned number;
    bool ok;
} reader;

static void *read_some(void *argument)
{
    reader *r = argument;

    for (unsigned i = 0; i < ROUNDS && r->ok; i++) {
        const unsigned k = i * 7 + r->number * 3;

        r->ok = column_is_right(r->sets[k % 3], k % 2, (uint64_t)CHUNK * (k % 5 % 3));
    }
    return NULL;
}

START_TEST(many_threads)
{
    dataset sets[3];
    reader readers[THREADS];
    pthread_t threads[THREADS];
    rmat_config c;

    rmat_config_default(&c);
    for (int k = 0; k < 3; k++) {
        c.seed = (uint64_t)k;
        c.rows_scale = c.cols_scale = 15 + 10 * k;
        sets[k] = open_dataset(&c, EDGES, CHUNK);
    }
    for (unsigned k = 0; k < THREADS; k++) {
        readers[k] = (reader){sets, k, true};
        ck_assert_int_eq(pthread_create(&threads[k], NULL, read_some, &readers[k]), 0);
    }
    for (unsigned k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        ck_assert(readers[k].ok);
    }
    for (int k = 0; k < 3; k++) {
        rmat_destroy(sets[k].gen);
    }
}
END_TEST

TEST_MAIN(h5filter)
{
    Suite *suite = suite_create("h5filter");
    TCase *tc = tcase_create("h5filter");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_model);
    tcase_add_test(tc, other_streams);
    tcase_add_test(tc, cache_is_bounded);
    tcase_add_test(tc, damaged_chunks);
    tcase_add_test(tc, other_parameters);
    tcase_add_test(tc, nothing_is_written);
    tcase_add_test(tc, many_threads);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
