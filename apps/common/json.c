/* JSON: members, their separators, and strings as well-formed UTF-8. */
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include <inttypes.h>
#include <math.h>

/* Length of the well-formed UTF-8 sequence at s (Unicode, table 3-7), or 0. */
static int utf8_length(const unsigned char *s)
{
    int n;

    if (s[0] < 0x80) {
        return 1;
    }
    n = s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) {
        return 0; /* overlong, surrogate, beyond U+10FFFF */
    }
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

static void print_string(FILE *stream, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;

    putc('"', stream);
    while (*s != '\0') {
        int n = utf8_length(s);

        if (n == 0) {
            fputs("\\ufffd", stream);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(stream, "\\%c", *s);
        } else if (*s < 32) {
            fprintf(stream, "\\u%04x", *s);
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
    print_string(o->stream, value);
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
