/* Text from elsewhere: which of its bytes may reach a terminal. */
#include "apps/common/text.h"
#include <stdarg.h>
#include <string.h>

enum { LINE_TEXT = 8192 };

/* Unicode, table 3-7. */
int text_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
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

int text_control_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    if ((s[0] > 0 && s[0] < 32) || s[0] == 127 || (s[0] >= 0x80 && s[0] < 0xA0)) {
        return 1;
    }
    return s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0 ? 2 : 0;
}

char *text_clean(char *text)
{
    char *to = text;

    for (const char *s = text; *s != '\0';) {
        const int control = text_control_length(s), whole = text_utf8_length(s);
        const int length = control > 0 ? control : whole > 0 ? whole : 1;

        if (control > 0) {
            *to++ = '?';
        } else {
            memmove(to, s, (size_t)length);
            to += length;
        }
        s += length;
    }
    *to = '\0';
    return text;
}

void text_line(FILE *stream, const char *format, ...)
{
    char text[LINE_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stream, "%s\n", text_clean(text));
}

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}
