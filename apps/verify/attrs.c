/*
 * rmat verify: the attributes.  Some of them give the model that the file can be made from.  All
 * attributes are made again from this model and compared.  Files without an R-MAT model must state
 * their vertices and the command that wrote them.
 */
#include "apps/verify/verify.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static const char check[] = "attributes";

/* Reports wrong attributes; or, if one of them could not be read, that the result is unknown. */
__attribute__((format(printf, 2, 3))) static void blame(verify_file *v, const char *format, ...)
{
    char text[2 * TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (edgefile_unanswered(v->reader) != EDGEFILE_OK) {
        verify_say(v, VERIFY_FAILED, check, "%s", edgefile_detail());
    } else {
        verify_say(v, VERIFY_WRONG, check, "%s", text);
    }
}

static void complain(void *state, const char *text)
{
    blame(state, "%s", text);
}

/* Whether this is the command as earlier versions wrote it.  They had the options
 * --rows and --cols, or --rows-scale and --cols-scale, for the numbers of vertices; other
 * attributes hold those. */
static bool is_earlier_command(const char *found, const char *want)
{
    const char *size = strstr(want, " --scale ");
    int end = 0;

    size = size != NULL ? size : strstr(want, " --vertices ");
    if (size == NULL || strncmp(found, want, (size_t)(size - want)) != 0) {
        return false;
    }
    found += size - want;
    (void)sscanf(found, " --rows%*[-acels ]%*u --cols%*[-acels ]%*u%n", &end);
    return end > 0 && strcmp(found + end, strstr(size, " --edges ")) == 0;
}

/* Other releases of rmat make the same edges if the version of the stream is the same.  Floating
 * numbers are right if their bits are equal. */
static void check_attr(verify_file *v, const edgefile_attr *a)
{
    const char *name = a->name;
    double numbers[4 * RMAT_MAX_SCALE];
    const double *want = a->value;
    uint64_t whole, count = 1, i = 0;
    char text[TEXT];
    const int status =
        a->type == EDGEFILE_U64      ? edgefile_get_u64(v->reader, name, &whole)
        : a->type == EDGEFILE_STRING ? edgefile_get_string(v->reader, name, text, sizeof text)
        : a->count == 1              ? edgefile_get_f64(v->reader, name, numbers)
                        : edgefile_get_f64s(v->reader, name, numbers, 4 * RMAT_MAX_SCALE, &count);

    if (status != EDGEFILE_OK) {
        blame(v, "%s", edgefile_detail_of(v->reader));
    } else if (a->type == EDGEFILE_U64) {
        if (whole != *(const uint64_t *)a->value) {
            blame(v, "%s is %" PRIu64 ", expected %" PRIu64, name, whole,
                  *(const uint64_t *)a->value);
        }
    } else if (a->type == EDGEFILE_STRING) {
        if (strcmp(name, "library_version") != 0 && strcmp(text, a->value) != 0 &&
            (strcmp(name, "command") != 0 || !is_earlier_command(text, a->value))) {
            blame(v, "%s is '%s', expected '%s'", name, text, (const char *)a->value);
        }
    } else if (count != a->count) {
        blame(v, "%s has %" PRIu64 " numbers, expected %" PRIu64, name, count, a->count);
    } else {
        while (i < count && memcmp(&numbers[i], &want[i], sizeof *want) == 0) {
            i++;
        }
        if (i < count) {
            blame(v, "%s[%" PRIu64 "] is %.17g, expected %.17g", name, i, numbers[i], want[i]);
        }
    }
}

static uint64_t number(const verify_file *v, const char *name, uint64_t otherwise)
{
    uint64_t value;

    return edgefile_get_u64(v->reader, name, &value) == EDGEFILE_OK ? value : otherwise;
}

/* --- Files of a model --- */

static void check_weights(verify_file *v)
{
    static const char *const names[] = {"none", "floats", "integers"};
    const rmat_weights weights = v->model.given.weights;
    const edgefile_weight expected = weights == RMAT_NO_WEIGHTS    ? EDGEFILE_NO_WEIGHT
                                     : weights == RMAT_WEIGHTS_INT ? EDGEFILE_WEIGHT_I32
                                                                   : EDGEFILE_WEIGHT_F32;
    char text[MODEL_WEIGHTS];

    if (expected != edgefile_weight_of(v->reader)) {
        blame(v, "weights is '%s', dataset weight holds %s",
              model_weights_name(text, &v->model.given), names[edgefile_weight_of(v->reader)]);
    }
    v->has_weights = expected == edgefile_weight_of(v->reader) && weights != RMAT_NO_WEIGHTS;
}

/* Whether this program can make the file's version of its stream.  It can make its own version, and
 * the earlier versions of its own stream without the permutation, which is the only difference. */
static bool check_stream(verify_file *v)
{
    const rmat_stream stream = v->model.given.stream;
    const int version = rmat_stream_version(stream);
    uint64_t found;

    if (edgefile_get_u64(v->reader, "stream_version", &found) != EDGEFILE_OK ||
        found == (uint64_t)version) {
        return true;
    }
    if (stream != RMAT_STREAM_RMAT || found == 0 || found > (uint64_t)version) {
        blame(v, "stream_version is %" PRIu64 ", this program knows only %s%d", found,
              stream == RMAT_STREAM_RMAT ? "1 to " : "", version);
        return false;
    }
    if (v->model.given.permute) {
        verify_say(v, VERIFY_FAILED, check,
                   "stream_version is %" PRIu64 ", and permute is 1: this program recognizes "
                   "permuted graphs of that version, but makes only those of version %d",
                   found, version);
        return false;
    }
    return true;
}

/* Compares with the attributes that `rmat generate` would write, or would have written for an
 * earlier version of the stream: files of version 1 do not name the stream. */
static void check_list(verify_file *v)
{
    const file_model *m = &v->model;
    const uint64_t version = (uint64_t)rmat_stream_version(m->given.stream);
    model_attrs want;

    model_attrs_fill(&want, &m->given, m->base_edges, &m->order);
    want.stream_version = number(v, "stream_version", version);
    for (size_t i = 0; i < want.n; i++) {
        edgefile_attr *a = &want.list[i];

        if (want.stream_version == 1 && version > 1 && strcmp(a->name, "stream") == 0) {
            continue;
        }
        if (m->given.levels != NULL && strcmp(a->name, "matrices") == 0) {
            a->value = m->levels; /* the matrices before the noise were others */
        }
        check_attr(v, a);
    }
}

/* Whether there is such a model. */
static bool check_model(verify_file *v)
{
    const rmat_config *given = &v->model.given;
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_gen *gen = NULL;
    int status = rmat_create(&gen, &v->model.drawn);

    rmat_destroy(gen);
    if (status == RMAT_OK && given->levels == NULL && !rmat_is_official(given->stream)) {
        status = rmat_levels(given, levels); /* fails if there is too much noise */
    }
    if (status != RMAT_OK) {
        blame(v, "there is no such model: %s", rmat_strerror(status));
    }
    return status == RMAT_OK;
}

/* Returns whether the edges can be generated from the attributes.  Those of the order, and the room
 * of the ids for the vertices, are checked with the edges. */
static bool check_generated(verify_file *v)
{
    const file_model *m = &v->model;

    if (model_read(&v->model, v->reader, complain, v) != 0 || !check_stream(v) || !check_model(v)) {
        return false;
    }
    check_list(v);
    if (m->has_levels && m->given.levels == NULL && m->given.noise == 0) {
        blame(v, "matrices exists, although noise is 0 and a, b, c and d are given");
    }
    check_weights(v);
    if (m->order.csr && edgefile_rows(v->reader) != m->given.rows) {
        blame(v, "rows is %" PRIu64 ", expected %" PRIu64, edgefile_rows(v->reader), m->given.rows);
    }
    if (m->given.symmetrize && !m->order.unique && edgefile_edges(v->reader) % 2 != 0) {
        blame(v, "symmetrize is 1, but edges is odd, %" PRIu64, edgefile_edges(v->reader));
    }
    return true;
}

/* --- Files without a model --- */

/* Finds what made the file, if its edges are not those of the R-MAT model: `rmat convert`, or the
 * program that the attribute `generator` names in a file with the attribute `model`.  A file of
 * `rmat generate` that lost attributes does not become one of these, because its `generator` names
 * rmat. */
static void find_maker(verify_file *v)
{
    char *text = v->maker_text, model[64];

    if (edgefile_get_string(v->reader, "generator", text, sizeof v->maker_text) != EDGEFILE_OK) {
        return;
    }
    if (strcmp(text, FOREIGN_CONVERT) != 0) {
        text[strcspn(text, " ")] = '\0'; /* a version follows */
        if (strcmp(text, "rmat") == 0 ||
            edgefile_get_string(v->reader, "model", model, sizeof model) != EDGEFILE_OK) {
            return;
        }
    }
    v->maker = text;
}

/* Reads the promises about edges that were changed before they were written. */
static void read_promises(verify_file *v)
{
    model_order *order = &v->model.order;
    rmat_config *c = &v->model.drawn;
    char text[16] = "";

    order->sorted = edgefile_format_of(v->reader) == EDGEFILE_CSR ||
                    (edgefile_get_string(v->reader, "order", text, sizeof text) == EDGEFILE_OK &&
                     strcmp(text, "sorted") == 0);
    order->unique = order->sorted && number(v, "unique", 0) == 1;
    c->no_self_loops = number(v, "self_loops", 1) == 0;
}

/* The vertices, the scales that have room for them, and the command of the maker. */
static void check_foreign(verify_file *v)
{
    const int bits = edgefile_id_bytes(v->reader) == 8 ? RMAT_MAX_SCALE
                     : edgefile_signed_ids(v->reader)  ? 31
                                                       : 32;
    static const char *const names[][2] = {{"num_rows", "rows_scale"}, {"num_cols", "cols_scale"}};
    uint64_t *const vertices[] = {&v->model.drawn.rows, &v->model.drawn.cols};
    const size_t length = strlen(v->maker);
    char text[TEXT];

    for (int i = 0; i < 2; i++) {
        uint64_t n = 1, scale;

        if (edgefile_get_u64(v->reader, names[i][0], &n) != EDGEFILE_OK) {
            blame(v, "%s", edgefile_detail_of(v->reader));
        } else if (n < 1 || n > (uint64_t)1 << bits) {
            blame(v, "%s is %" PRIu64 ", allowed: 1 to %" PRIu64, names[i][0], n,
                  (uint64_t)1 << bits);
            n = 1;
        }
        *vertices[i] = n;
        scale = n > 1 ? (uint64_t)rmat_scale_of(n) : 0;
        check_attr(v, &(edgefile_attr){names[i][1], EDGEFILE_U64, 1, &scale});
    }
    read_promises(v);
    if (edgefile_get_string(v->reader, "command", text, sizeof text) != EDGEFILE_OK) {
        blame(v, "%s", edgefile_detail_of(v->reader));
    } else if (strncmp(text, v->maker, length) != 0 || text[length] != ' ') {
        blame(v, "command is '%s', expected '%s ...', to agree with the attribute generator", text,
              v->maker);
    }
}

void verify_attrs(verify_file *v)
{
    const int before = v->wrong + v->failed;

    find_maker(v);
    if (v->maker != NULL) {
        check_foreign(v);
    } else {
        v->has_model = check_generated(v);
    }
    if (v->wrong + v->failed == before) {
        verify_say(v, VERIFY_OK, check,
                   "all attributes exist, and agree with each other and with the datasets");
    }
}
