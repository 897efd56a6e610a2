/*
 * Reading an Arrow stream that another library has made: record batches of two columns of integers,
 * of any width, as pairs of uint64_t.
 */
#include "apps/binding/arrow.h"
#include "apps/binding/private.h"
#include "apps/binding/python.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR = 2, NAME = 64 };

struct binding_pairs {
    arrow_stream stream;
    char name[PAIR][NAME], format[PAIR]; /* of the columns */
    uint64_t *pairs;
};

/* The stream's own text, of which the first line counts, says more than the number. */
static int stream_failed(binding_pairs *p, int error)
{
    const char *why = p->stream.get_last_error(&p->stream);

    why = why != NULL ? why : strerror(error);
    return binding_fail(BINDING_ERR_FILE, "the Arrow stream failed: %.*s", (int)strcspn(why, "\n"),
                        why);
}

static int check_schema(binding_pairs *p, const arrow_schema *schema)
{
    if (strcmp(schema->format, "+s") != 0 || schema->n_children != PAIR) {
        return binding_fail(BINDING_ERR_OPTION,
                            "table: %" PRId64 " columns, allowed: 2, of sources and destinations",
                            schema->n_children);
    }
    for (int i = 0; i < PAIR; i++) {
        const arrow_schema *column = schema->children[i];

        snprintf(p->name[i], sizeof p->name[i], "%s", column->name != NULL ? column->name : "");
        if (strlen(column->format) != 1 || strchr("cCsSiIlL", column->format[0]) == NULL ||
            column->dictionary != NULL) {
            return binding_fail(BINDING_ERR_OPTION,
                                "table: column '%s' has the type '%s' of Arrow, allowed: integers",
                                p->name[i], column->format);
        }
        p->format[i] = column->format[0];
    }
    return BINDING_OK;
}

int binding_pairs_open(binding_pairs **out, void *stream)
{
    arrow_stream *from = stream;
    binding_pairs *p = calloc(1, sizeof *p);
    arrow_schema schema;
    int status;

    *out = NULL;
    if (p == NULL) {
        return BINDING_ERR_NOMEM;
    }
    p->stream = *from; /* moved, as the interface has it */
    from->release = NULL;
    status = p->stream.get_schema(&p->stream, &schema);
    if (status != 0) {
        status = stream_failed(p, status);
    } else {
        status = check_schema(p, &schema);
        schema.release(&schema);
    }
    if (status != BINDING_OK) {
        binding_pairs_close(p);
        return status;
    }
    *out = p;
    return BINDING_OK;
}

static uint64_t value_at(const void *values, char format, int64_t i)
{
    switch (format) {
    case 'c':
        return (uint64_t)((const int8_t *)values)[i];
    case 'C':
        return ((const uint8_t *)values)[i];
    case 's':
        return (uint64_t)((const int16_t *)values)[i];
    case 'S':
        return ((const uint16_t *)values)[i];
    case 'i':
        return (uint64_t)((const int32_t *)values)[i];
    case 'I':
        return ((const uint32_t *)values)[i];
    default:
        return ((const uint64_t *)values)[i];
    }
}

/* Negative numbers, which are large ones here, are refused as numbers that are too large are. */
static int copy_column(binding_pairs *p, int which, const arrow_array *batch)
{
    const arrow_array *column = batch->children[which];
    const uint8_t *there = column->null_count != 0 ? column->buffers[0] : NULL;
    const int64_t offset = batch->offset + column->offset;

    for (int64_t i = 0; i < batch->length; i++) {
        const int64_t at = offset + i;
        const uint64_t id = value_at(column->buffers[1], p->format[which], at);

        if (there != NULL && (there[at / 8] >> (at % 8) & 1) == 0) {
            return binding_fail(BINDING_ERR_OPTION, "table: column '%s' has nulls, allowed: none",
                                p->name[which]);
        }
        if (id >= (uint64_t)1 << RMAT_MAX_SCALE) {
            return binding_fail(BINDING_ERR_OPTION,
                                "table: a vertex number of column '%s' is %" PRId64
                                ", allowed: 0 to 2^62 - 1",
                                p->name[which], (int64_t)id);
        }
        p->pairs[PAIR * i + which] = id;
    }
    return BINDING_OK;
}

int binding_pairs_next(binding_pairs *p, const uint64_t **pairs, uint64_t *count)
{
    arrow_array batch;
    int status;

    free(p->pairs);
    p->pairs = NULL;
    *pairs = NULL;
    *count = 0;
    do { /* a batch may be empty; one that has no release is the end */
        memset(&batch, 0, sizeof batch);
        status = p->stream.get_next(&p->stream, &batch);
        if (status != 0) {
            return stream_failed(p, status);
        }
        if (batch.release == NULL) {
            return BINDING_OK;
        }
        if (batch.length == 0) {
            batch.release(&batch);
        }
    } while (batch.release == NULL);
    p->pairs = malloc((size_t)batch.length * PAIR * sizeof *p->pairs);
    status = p->pairs == NULL ? BINDING_ERR_NOMEM : BINDING_OK;
    for (int i = 0; i < PAIR && status == BINDING_OK; i++) {
        status = copy_column(p, i, &batch);
    }
    if (status == BINDING_OK) {
        *pairs = p->pairs;
        *count = (uint64_t)batch.length;
    }
    batch.release(&batch);
    return status;
}

void binding_pairs_close(binding_pairs *p)
{
    if (p->stream.release != NULL) {
        p->stream.release(&p->stream);
    }
    free(p->pairs);
    free(p);
}
