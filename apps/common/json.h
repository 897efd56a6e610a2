/* A JSON object, written key by key to a stream; a list of texts or objects may be a value. */
#ifndef APPS_COMMON_JSON_H
#define APPS_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    bool started; /* something precedes the next key, or the next item of the list */
    bool nested;  /* within a list of another object */
} json_object;

void json_begin(json_object *o, FILE *stream);
void json_end(json_object *o); /* ends the line too, unless the object is nested */

/* NULL is written as null; bytes that are not UTF-8 become U+FFFD. */
void json_string(json_object *o, const char *key, const char *value);
void json_u64(json_object *o, const char *key, uint64_t value);
void json_f64(json_object *o, const char *key, double value); /* null if it is not finite */
void json_bool(json_object *o, const char *key, bool value);
void json_hex(json_object *o, const char *key, uint64_t value); /* "0x" and 16 digits, a string */
void json_key(json_object *o, const char *key);                 /* the caller prints the value */

/* A list as a value: json_list(), its items, json_list_end().  Between json_item() and json_end()
 * of the item, the outer object must not be written to. */
void json_list(json_object *o, const char *key);
void json_item_string(json_object *o, const char *value);
void json_item(json_object *o, json_object *item);
void json_list_end(json_object *o);

#endif
