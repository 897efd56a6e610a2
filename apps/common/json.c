/* JSON: members, their separators, and strings as well-formed UTF-8. */
#include "apps/common/message.h"
#include <inttypes.h>
#include <math.h>

/* Control characters become \u escapes, as do bytes that are no part of UTF-8. */
static void print_json_string(FILE *stream, const char *s)
{
    putc('"', stream);
    while (*s != '\0') {
        const int whole = text_utf8_length(s), n = whole > 0 ? whole : 1;

        if (whole == 0) {
            fputs("\\ufffd", stream);
        } else if (*s == '"' || *s == '\\') {
            fprintf(stream, "\\%c", *s);
        } else if (text_control_length(s) > 0) {
            fprintf(stream, "\\u%04x", (unsigned char)s[n - 1]); /* also of C1, C2 80 to C2 9F */
        } else {
            fwrite(s, 1, (size_t)n, stream);
        }
        s += n;
    }
    putc('"', stream);
}

void json_begin(json_object *o, FILE *stream)
{
    o->stream = stream;
    o->started = false;
    putc('{', stream);
}

void json_key(json_object *o, const char *key)
{
    fputs(o->started ? ", " : "", o->stream);
    if (key != NULL) {
        fprintf(o->stream, "\"%s\": ", key);
    }
    o->started = true;
}

void json_string(json_object *o, const char *key, const char *value)
{
    if (value == NULL) {
        json_null(o, key);
        return;
    }
    json_key(o, key);
    print_json_string(o->stream, value);
}

void json_u64(json_object *o, const char *key, uint64_t value)
{
    json_key(o, key);
    fprintf(o->stream, "%" PRIu64, value);
}

void json_f64(json_object *o, const char *key, double value)
{
    char text[NUMBER_TEXT];

    json_key(o, key);
    fputs(isfinite(value) ? format_double(text, value) : "null", o->stream);
}

void json_bool(json_object *o, const char *key, bool value)
{
    json_key(o, key);
    fputs(value ? "true" : "false", o->stream);
}

void json_hex(json_object *o, const char *key, uint64_t value)
{
    json_key(o, key);
    fprintf(o->stream, "\"0x%016" PRIx64 "\"", value);
}

void json_null(json_object *o, const char *key)
{
    json_key(o, key);
    fputs("null", o->stream);
}

void json_object_begin(json_object *o, json_object *outer, const char *key)
{
    json_key(outer, key);
    json_begin(o, outer->stream);
}

void json_object_end(json_object *o)
{
    putc('}', o->stream);
}

void json_array_begin(json_object *o, json_object *outer, const char *key)
{
    json_key(outer, key);
    *o = (json_object){.stream = outer->stream};
    putc('[', o->stream);
}

void json_array_end(json_object *o)
{
    putc(']', o->stream);
}

void json_end(json_object *o)
{
    fputs("}\n", o->stream);
}

void json_u64_list(json_object *o, const char *key, const uint64_t *values, uint64_t n)
{
    json_object list;

    json_array_begin(&list, o, key);
    for (uint64_t i = 0; i < n; i++) {
        json_u64(&list, NULL, values[i]);
    }
    json_array_end(&list);
}

void json_f64_list(json_object *o, const char *key, const double *values, uint64_t n)
{
    json_object list;

    json_array_begin(&list, o, key);
    for (uint64_t i = 0; i < n; i++) {
        json_f64(&list, NULL, values[i]);
    }
    json_array_end(&list);
}
