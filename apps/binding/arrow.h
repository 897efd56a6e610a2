/* arrow.h - the structs of Arrow, for the stream that arrow.c makes. */
#ifndef APPS_BINDING_ARROW_H
#define APPS_BINDING_ARROW_H

#include <stdint.h>

/* Arrow's C data and C stream interfaces (arrow.apache.org/docs/format/CDataInterface.html): the
 * structs of its binary interface, as that page lays them out. */

typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *self);
    void *private_data;
} arrow_schema;

typedef struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *self);
    void *private_data;
} arrow_array;

typedef struct arrow_stream {
    int (*get_schema)(struct arrow_stream *self, arrow_schema *out);
    int (*get_next)(struct arrow_stream *self, arrow_array *out);
    const char *(*get_last_error)(struct arrow_stream *self);
    void (*release)(struct arrow_stream *self);
    void *private_data;
} arrow_stream;

#endif
