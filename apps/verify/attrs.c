/* rmat verify: the attributes.  Some of them give the model that the file can be made from.  All
 * attributes are made again from this model and compared. */
#include "apps/verify/verify.h"
#include "rmat/rmat_interval.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static const char check[] = "attributes";

typedef struct {
    verify_report *report;
    const edgefile_reader *r;
} complaints;

static void complain(void *state, const char *text)
{
    const complaints *to = state;

    verify_blame(to->report, to->r, check, "%s", text);
}

static void missing(verify_report *report, const edgefile_reader *r)
{
    verify_blame(report, r, check, "%s", edgefile_detail_of(r));
}

static void check_u64(verify_report *report, edgefile_reader *r, const edgefile_attr *a)
{
    uint64_t found, want = *(const uint64_t *)a->value;

    if (edgefile_get_u64(r, a->name, &found) != EDGEFILE_OK) {
        missing(report, r);
    } else if (found != want) {
        verify_blame(report, r, check, "%s is %" PRIu64 ", expected %" PRIu64, a->name, found,
                     want);
    }
}

/* Other releases of rmat make the same edges if the version of the stream is the same. */
static void check_string(verify_report *report, edgefile_reader *r, const edgefile_attr *a)
{
    char found[TEXT];

    if (edgefile_get_string(r, a->name, found, sizeof found) != EDGEFILE_OK) {
        missing(report, r);
    } else if (strcmp(found, a->value) != 0 && strcmp(a->name, "library_version") != 0) {
        verify_blame(report, r, check, "%s is '%s', expected '%s'", a->name, found,
                     (const char *)a->value);
    }
}

/* Returns the text after " --rows 5" or " --rows-scale 5", where the option is " --rows".  NULL if
 * the option is missing, or text is NULL. */
static const char *skip_side(const char *text, const char *option)
{
    const size_t length = strlen(option);

    if (text == NULL || strncmp(text, option, length) != 0) {
        return NULL;
    }
    text += length;
    text += strncmp(text, "-scale", 6) == 0 ? 6 : 0;
    return *text == ' ' ? text + 1 + strspn(text + 1, "0123456789") : NULL;
}

/* Whether this is the command, or the command as earlier versions wrote it.  They had other options
 * for the numbers of vertices; other attributes hold those. */
static bool is_command(const char *found, const char *want)
{
    const char *size = strstr(want, " --scale "), *rest;

    if (strcmp(found, want) == 0) {
        return true;
    }
    size = size != NULL ? size : strstr(want, " --vertices ");
    if (size == NULL || strncmp(found, want, (size_t)(size - want)) != 0) {
        return false;
    }
    rest = skip_side(skip_side(found + (size - want), " --rows"), " --cols");
    return rest != NULL && strcmp(rest, strstr(size, " --edges ")) == 0;
}

static void check_command(verify_report *report, edgefile_reader *r, const edgefile_attr *a)
{
    char found[TEXT];

    if (edgefile_get_string(r, a->name, found, sizeof found) != EDGEFILE_OK) {
        missing(report, r);
    } else if (!is_command(found, a->value)) {
        verify_blame(report, r, check, "%s is '%s', expected '%s'", a->name, found,
                     (const char *)a->value);
    }
}

/* Numbers are right if their bits are equal. */
static void check_f64(verify_report *report, edgefile_reader *r, const edgefile_attr *a)
{
    double found[4 * RMAT_MAX_SCALE];
    const double *want = a->value;
    uint64_t count = 1;
    int status = a->count == 1 ? edgefile_get_f64(r, a->name, found)
                               : edgefile_get_f64s(r, a->name, found, 4 * RMAT_MAX_SCALE, &count);

    if (status != EDGEFILE_OK) {
        missing(report, r);
        return;
    }
    if (count != a->count) {
        verify_blame(report, r, check, "%s has %" PRIu64 " numbers, expected %" PRIu64, a->name,
                     count, a->count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (memcmp(&found[i], &want[i], sizeof found[i]) != 0) {
            verify_blame(report, r, check, "%s[%" PRIu64 "] is %.17g, expected %.17g", a->name, i,
                         found[i], want[i]);
            return;
        }
    }
}

static void check_list(verify_report *report, edgefile_reader *r, const model_attrs *want)
{
    for (size_t i = 0; i < want->n; i++) {
        const edgefile_attr *a = &want->list[i];

        (a->type == EDGEFILE_U64           ? check_u64
         : a->type == EDGEFILE_F64         ? check_f64
         : strcmp(a->name, "command") == 0 ? check_command
                                           : check_string)(report, r, a);
    }
}

edgefile_weight verify_weights(const rmat_config *model)
{
    static const edgefile_weight types[] = {
        [RMAT_NO_WEIGHTS] = EDGEFILE_NO_WEIGHT,
        [RMAT_WEIGHTS_UNIFORM] = EDGEFILE_WEIGHT_F32,
        [RMAT_WEIGHTS_INT] = EDGEFILE_WEIGHT_I32,
        [RMAT_WEIGHTS_FLOAT] = EDGEFILE_WEIGHT_F32,
    };

    return types[model->weights];
}

static void check_weights(verify_report *report, edgefile_reader *r, const rmat_config *m)
{
    static const char *const names[] = {"none", "floats", "integers"};
    char text[MODEL_WEIGHTS];

    if (verify_weights(m) != edgefile_weight_of(r)) {
        verify_blame(report, r, check, "weights is '%s', dataset weight holds %s",
                     model_weights_name(text, m), names[edgefile_weight_of(r)]);
    }
}

/* For a sorted graph: checks its order, and returns whether it can be made. */
static bool check_order(verify_report *report, edgefile_reader *r, file_model *model)
{
    const int twice = model->given.symmetrize != 0;
    const uint64_t rows =
        model->given.rows != 0 ? model->given.rows : (uint64_t)1 << model->given.rows_scale;
    uint64_t *stream = &model->order.stream_edges, base = model_base_edges(r, model);

    if (model->order.csr && edgefile_rows(r) != rows) {
        verify_blame(report, r, check, "rows is %" PRIu64 ", expected %" PRIu64, edgefile_rows(r),
                     rows);
        return false;
    }
    if (!model->order.unique && *stream != base << twice) {
        verify_blame(report, r, check, "stream_edges is %" PRIu64 ", expected %" PRIu64, *stream,
                     base << twice);
        *stream = base << twice;
    }
    if (model->order.unique &&
        (*stream >> twice < base || *stream >> twice > (double)base * RMAT_MAX_DRAWS ||
         (twice && *stream % 2 != 0))) {
        verify_blame(report, r, check,
                     "stream_edges is %" PRIu64 ", which cannot make %" PRIu64 " distinct %s",
                     *stream, base, twice ? "pairs" : "edges");
        return false;
    }
    return true;
}

/* Returns the file's version of its stream if it is an earlier one, else 0. */
static int earlier_version(edgefile_reader *r, const file_model *model)
{
    uint64_t version;

    return model->given.stream == RMAT_STREAM_RMAT &&
                   edgefile_get_u64(r, "stream_version", &version) == EDGEFILE_OK &&
                   version < RMAT_STREAM_VERSION
               ? (int)version
               : 0;
}

/* Whether this program can make the file's version of its stream.  It can make its own version, and
 * the earlier version of its own stream without the permutation, which is the only difference. */
static bool check_stream(verify_report *report, edgefile_reader *r, const file_model *model)
{
    const int version = rmat_stream_version(model->given.stream);
    uint64_t stream;

    if (edgefile_get_u64(r, "stream_version", &stream) != EDGEFILE_OK ||
        stream == (uint64_t)version || (earlier_version(r, model) && !model->given.permute)) {
        return true;
    }
    if (earlier_version(r, model)) {
        verify_failed(report, check,
                      "stream_version is %" PRIu64 ", and permute is 1: this program recognizes "
                      "permuted graphs of that version, but makes only those of version %d",
                      stream, version);
    } else {
        verify_blame(report, r, check,
                     "stream_version is %" PRIu64 ", this program knows only %s%d", stream,
                     model->given.stream == RMAT_STREAM_RMAT ? "1 to " : "", version);
    }
    return false;
}

/* Fills in the attributes that `rmat generate` would write, or would have written for the file's
 * version of the stream. */
static void fill_expected_attrs(model_attrs *want, edgefile_reader *r, const file_model *model)
{
    const model_ids ids = {edgefile_id_bytes(r), edgefile_signed_ids(r)};

    model_attrs_fill(want, &model->given, model_base_edges(r, model), ids,
                     model->order.sorted ? &model->order : NULL);
    if (earlier_version(r, model)) { /* check_stream() has accepted it */
        want->stream_version = (uint64_t)earlier_version(r, model);
    }
    if (want->stream_version == 1 && model->given.stream == RMAT_STREAM_RMAT) {
        size_t n = 0; /* such files do not name the stream */

        for (size_t i = 0; i < want->n; i++) {
            if (strcmp(want->list[i].name, "stream") != 0) {
                want->list[n++] = want->list[i];
            }
        }
        want->n = n;
    }
    for (size_t i = 0; i < want->n && model->given.levels != NULL; i++) {
        if (strcmp(want->list[i].name, "matrices") == 0) {
            want->list[i].value = model->levels; /* the matrices before the noise were others */
        }
    }
}

bool verify_attrs(verify_report *report, edgefile_reader *r, file_model *model)
{
    const int bits = edgefile_signed_ids(r) ? 31 : 32;
    int before = report->wrong, status;
    rmat_gen *gen = NULL;
    model_attrs want;

    status = model_read(model, r, complain, &(complaints){report, r});
    if (status != 0 || !check_stream(report, r, model)) {
        return false;
    }
    status = rmat_create(&gen, &model->drawn);
    rmat_destroy(gen);
    if (status == RMAT_OK && model->given.levels == NULL &&
        !rmat_is_official(model->given.stream)) {
        rmat_matrix levels[RMAT_MAX_SCALE];

        status = rmat_levels(&model->given, levels); /* fails if there is too much noise */
    }
    if (status != RMAT_OK) {
        verify_blame(report, r, check, "there is no such model: %s", rmat_strerror(status));
        return false;
    }
    fill_expected_attrs(&want, r, model);
    check_list(report, r, &want);
    if (model->has_levels && model->given.levels == NULL && model->given.noise == 0) {
        verify_blame(report, r, check,
                     "matrices exists, although noise is 0 and a, b, c and d are given");
    }
    check_weights(report, r, &model->given);
    if (model->given.symmetrize && !model->order.unique && edgefile_edges(r) % 2 != 0) {
        verify_blame(report, r, check, "symmetrize is 1, but edges is odd, %" PRIu64,
                     edgefile_edges(r));
    }
    if (edgefile_id_bytes(r) == 4 &&
        (model->given.rows_scale > bits || model->given.cols_scale > bits)) {
        verify_blame(report, r, check, "ids of %d bits cannot name all the vertices", bits);
        return false;
    }
    if (model->order.sorted && !check_order(report, r, model)) {
        return false;
    }
    if (report->wrong == before) {
        verify_ok(report, check,
                  "all attributes exist, and agree with each other and with the datasets");
    }
    return true;
}
