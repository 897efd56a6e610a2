/*
 * model_words.c - an R-MAT model as 32-bit words.
 *
 * Numbers of 64 bits, of which floats are taken bit by bit, are two words, the low one first. After
 * the fixed words come the matrices, one for all levels or one for each, of four floats each.
 */
#include "apps/engine/virtual/model_words.h"
#include <string.h>

/* Words, or the first of two. */
enum {
    STREAM,
    STREAM_VERSION,
    ROWS_SCALE,
    COLS_SCALE,
    ROWS,
    COLS = ROWS + 2,
    SEED = COLS + 2,
    SEED2 = SEED + 2,
    FIRST = SEED2 + 2, /* of a graph by rows: its edges */
    FLAGS = FIRST + 2,
    DIRECTION,
    WEIGHTS,
    WEIGHT_MIN,
    WEIGHT_MAX,
    NOISE,
    MATRICES = NOISE + 2, /* 0: one for all levels; else their number */
    END
};

_Static_assert((int)END <= (int)MODEL_WORDS_FIXED, "there is room for all fixed words");

enum { PERMUTE = 1, NO_SELF_LOOPS = 2, SYMMETRIZE = 4 };

static void put_word(uint32_t *at, uint64_t value)
{
    at[0] = (uint32_t)value;
    at[1] = (uint32_t)(value >> 32);
}

static uint64_t get_word(const uint32_t *at)
{
    return at[0] | (uint64_t)at[1] << 32;
}

static void put_double(uint32_t *at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_word(at, bits);
}

static double get_double(const uint32_t *at)
{
    const uint64_t bits = get_word(at);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_matrix(uint32_t *at, const rmat_matrix *m)
{
    put_double(at, m->a);
    put_double(at + 2, m->b);
    put_double(at + 4, m->c);
    put_double(at + 6, m->d);
}

static rmat_matrix get_matrix(const uint32_t *at)
{
    return (rmat_matrix){get_double(at), get_double(at + 2), get_double(at + 4),
                         get_double(at + 6)};
}

static int levels_of(const rmat_config *m)
{
    return m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale;
}

/* As many vertices as the scale has room for may be given as 0. */
static uint64_t vertices(uint64_t given, int scale)
{
    return given != 0 ? given : (uint64_t)1 << scale;
}

size_t model_words_of(const rmat_config *m, uint32_t words[MODEL_WORDS_MAX])
{
    const int n = m->levels != NULL ? levels_of(m) : 1;

    memset(words, 0, MODEL_WORDS_FIXED * sizeof *words);
    words[STREAM] = m->stream;
    words[STREAM_VERSION] = (uint32_t)rmat_stream_version(m->stream);
    words[ROWS_SCALE] = (uint32_t)m->rows_scale;
    words[COLS_SCALE] = (uint32_t)m->cols_scale;
    put_word(words + ROWS, vertices(m->rows, m->rows_scale));
    put_word(words + COLS, vertices(m->cols, m->cols_scale));
    put_word(words + SEED, m->seed);
    put_word(words + SEED2, m->stream == RMAT_STREAM_GRAPH500 ? m->seed2 : 0);
    put_word(words + FIRST, m->stream == RMAT_STREAM_ROWS ? m->edges : m->first);
    words[FLAGS] = (m->permute ? PERMUTE : 0) | (m->no_self_loops ? NO_SELF_LOOPS : 0) |
                   (m->symmetrize ? SYMMETRIZE : 0);
    words[DIRECTION] = m->direction;
    words[WEIGHTS] = m->weights;
    if (m->weights == RMAT_WEIGHTS_INT) {
        words[WEIGHT_MIN] = (uint32_t)m->weight_min;
        words[WEIGHT_MAX] = (uint32_t)m->weight_max;
    } else if (m->weights == RMAT_WEIGHTS_FLOAT) {
        memcpy(words + WEIGHT_MIN, &m->weight_low, 4);
        memcpy(words + WEIGHT_MAX, &m->weight_high, 4);
    }
    put_double(words + NOISE, m->levels != NULL ? 0 : m->noise);
    words[MATRICES] = m->levels != NULL ? (uint32_t)n : 0;
    for (int i = 0; i < n; i++) {
        put_matrix(words + MODEL_WORDS_FIXED + 8 * i,
                   m->levels != NULL ? &m->levels[i] : &m->matrix);
    }
    return MODEL_WORDS_FIXED + 8 * (size_t)n;
}

const char *model_words_read(const uint32_t *words, size_t n, rmat_config *m,
                             rmat_matrix levels[MODEL_WORDS_LEVELS])
{
    const char *const none = "the parameters of the filter describe no model";
    size_t matrices;

    rmat_config_default(m);
    m->backend = RMAT_BACKEND_CPU;
    if (n < MODEL_WORDS_FIXED || words[STREAM] >= RMAT_STREAMS) {
        return none;
    }
    m->stream = (rmat_stream)words[STREAM];
    if (words[STREAM_VERSION] != (uint32_t)rmat_stream_version(m->stream)) {
        return "the edges are of a version of the stream that this version of rmat cannot generate";
    }
    matrices = words[MATRICES] != 0 ? words[MATRICES] : 1;
    if (matrices > MODEL_WORDS_LEVELS || n != MODEL_WORDS_FIXED + 8 * matrices ||
        words[ROWS_SCALE] > RMAT_MAX_SCALE || words[COLS_SCALE] > RMAT_MAX_SCALE ||
        words[FLAGS] > (PERMUTE | NO_SELF_LOOPS | SYMMETRIZE) || words[DIRECTION] > RMAT_UPPER ||
        words[WEIGHTS] > RMAT_WEIGHTS_FLOAT) {
        return none;
    }
    m->rows_scale = (int)words[ROWS_SCALE];
    m->cols_scale = (int)words[COLS_SCALE];
    m->rows = get_word(words + ROWS);
    m->cols = get_word(words + COLS);
    m->seed = get_word(words + SEED);
    m->seed2 = get_word(words + SEED2);
    *(m->stream == RMAT_STREAM_ROWS ? &m->edges : &m->first) = get_word(words + FIRST);
    m->permute = (words[FLAGS] & PERMUTE) != 0;
    m->no_self_loops = (words[FLAGS] & NO_SELF_LOOPS) != 0;
    m->symmetrize = (words[FLAGS] & SYMMETRIZE) != 0;
    m->direction = (rmat_direction)words[DIRECTION];
    m->weights = (rmat_weights)words[WEIGHTS];
    m->weight_min = (int32_t)words[WEIGHT_MIN];
    m->weight_max = (int32_t)words[WEIGHT_MAX];
    memcpy(&m->weight_low, words + WEIGHT_MIN, 4);
    memcpy(&m->weight_high, words + WEIGHT_MAX, 4);
    m->noise = get_double(words + NOISE);
    if (words[MATRICES] == 0) {
        m->matrix = get_matrix(words + MODEL_WORDS_FIXED);
        return NULL;
    }
    if (words[MATRICES] != (uint32_t)levels_of(m)) {
        return none;
    }
    for (size_t i = 0; i < matrices; i++) {
        levels[i] = get_matrix(words + MODEL_WORDS_FIXED + 8 * i);
    }
    m->levels = levels;
    return NULL;
}
