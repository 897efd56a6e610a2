/*
 * JSON objects and arrays, written member by member to a stream.
 *
 * A key NULL adds an element to an array.  Objects and arrays may be nested: while the inner one is
 * open, nothing is added to the outer one.  Errors of the stream are left to the caller.
 */
#ifndef APPS_COMMON_JSON_H
#define APPS_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    bool started;
} json_object;

/* A whole text: an object with a newline behind it. */
void json_begin(json_object *o, FILE *stream);
void json_end(json_object *o);

/* An object or an array in another one. */
void json_object_begin(json_object *o, json_object *outer, const char *key);
void json_object_end(json_object *o);
void json_array_begin(json_object *o, json_object *outer, const char *key);
void json_array_end(json_object *o);

/* NULL is written as null; bytes that are not UTF-8 become U+FFFD. */
void json_string(json_object *o, const char *key, const char *value);
void json_u64(json_object *o, const char *key, uint64_t value);
void json_f64(json_object *o, const char *key, double value); /* null where not finite */
void json_bool(json_object *o, const char *key, bool value);
void json_hex(json_object *o, const char *key, uint64_t value); /* "0x" and 16 digits, a string */
void json_u64_list(json_object *o, const char *key, const uint64_t *values, uint64_t n);
void json_f64_list(json_object *o, const char *key, const double *values, uint64_t n);
void json_null(json_object *o, const char *key);
void json_key(json_object *o, const char *key); /* the caller prints the value */

#endif
