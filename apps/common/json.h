/* One flat JSON object, written key by key to a stream. */
#ifndef APPS_COMMON_JSON_H
#define APPS_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    bool started;
} json_object;

void json_begin(json_object *o, FILE *stream);
void json_string(json_object *o, const char *key, const char *value); /* bytes not UTF-8: U+FFFD */
void json_u64(json_object *o, const char *key, uint64_t value);
void json_f64(json_object *o, const char *key, double value); /* null where not finite */
void json_bool(json_object *o, const char *key, bool value);
void json_hex(json_object *o, const char *key, uint64_t value); /* "0x" and 16 digits, a string */
void json_key(json_object *o, const char *key);                 /* the caller prints the value */
void json_end(json_object *o);

#endif
