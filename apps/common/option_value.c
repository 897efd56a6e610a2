/* Values of options: what each kind accepts, its check, and the error message. */
#include "apps/common/option_value.h"
#include "apps/common/message.h"
#include "apps/common/near.h"
#include "apps/common/numbers.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

const char *option_allowed(const option *o, char *text, size_t size)
{
    size_t used = 0;

    if (o->allowed != NULL) {
        return o->allowed;
    }
    text[0] = '\0';
    switch (o->kind) {
    case OPTION_COUNT:
        snprintf(text, size, "%" PRIu64 " to %" PRIu64, o->min, o->max);
        break;
    case OPTION_U64:
        return "0 to 18446744073709551615 (2^64 - 1)";
    case OPTION_FRACTION:
        snprintf(text, size, "0 to %" PRIu64, o->max > 0 ? o->max : 1);
        break;
    case OPTION_CHOICE:
        for (const char *const *c = o->choices; *c != NULL; c++) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", *c);
        }
        break;
    case OPTION_LIST:
        snprintf(text, size, "all, or up to %d numbers 0 to %" PRIu64 " with commas between them",
                 OPTION_LIST_MAX, o->max);
        break;
    case OPTION_NUMBERS:
        snprintf(text, size, "up to %d numbers %" PRIu64 " to %" PRIu64 " with commas between them",
                 OPTION_LIST_MAX, o->min, o->max);
        break;
    case OPTION_FILE:
        return "the path of a file (./-x where it starts with a dash)";
    case OPTION_REPORT:
        return "the path of a file (./-x where it starts with a dash), or -";
    case OPTION_FOLDER:
        return "a folder that exists";
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return text;
}

static int wrong_value(const command_line *line, const option *o, const char *value,
                       const char *what)
{
    char allowed[256];

    return usage_error(line->command, "--%s: '%s' %s, allowed: %s", o->name, value, what,
                       option_allowed(o, allowed, sizeof allowed));
}

/* Messages mention suffixes only for counts that may be larger than this. */
enum { SMALL_COUNT = 1000000 };

static int wrong_number(const command_line *line, const option *o, const char *value,
                        number_status status)
{
    static const char *const what[] = {[NUMBER_MALFORMED] = "is not a number",
                                       [NUMBER_NOT_WHOLE] = "is not a whole number",
                                       [NUMBER_TOO_LARGE] = "is out of range"};
    char allowed[256];

    if (status == NUMBER_MALFORMED && o->kind == OPTION_COUNT && o->max > SMALL_COUNT) {
        return usage_error(
            line->command,
            "--%s: '%s' is not a number, allowed: %s, with or without a suffix " COUNT_SUFFIXES,
            o->name, value, option_allowed(o, allowed, sizeof allowed));
    }
    return wrong_value(line, o, value, what[status == NUMBER_OK ? NUMBER_TOO_LARGE : status]);
}

static number_status parse_list(const char *text, const option *o, option_list *list)
{
    list->count = 0;
    if (o->kind == OPTION_LIST && strcmp(text, "all") == 0) {
        return NUMBER_OK;
    }
    for (;;) {
        size_t length = strcspn(text, ",");
        char item[NUMBER_TEXT];
        uint64_t u = 0;

        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1),
                 text);
        switch (parse_count(item, &u)) {
        case NUMBER_MALFORMED:
        case NUMBER_NOT_WHOLE:
            return NUMBER_MALFORMED;
        case NUMBER_TOO_LARGE:
            return NUMBER_TOO_LARGE;
        case NUMBER_OK:
            break;
        }
        if (list->count == OPTION_LIST_MAX || length >= sizeof item || u < o->min || u > o->max) {
            return NUMBER_TOO_LARGE;
        }
        list->item[list->count++] = (int)u;
        if (text[length] == '\0') {
            return NUMBER_OK;
        }
        text += length + 1;
    }
}

static int set_choice(const command_line *line, const option *o, const char *value, int *variable)
{
    char what[96] = "is unknown";
    const char *nearest, *successor;
    int number = 0;

    for (const char *const *c = o->choices; *c != NULL; c++, number++) {
        if (strcmp(value, *c) == 0) {
            *variable = number;
            return EXIT_OK;
        }
    }
    for (const char *const *v = o->variants; v != NULL && *v != NULL; v++, number++) {
        if (strcmp(value, *v) == 0) {
            *variable = number;
            return EXIT_OK;
        }
    }
    successor = option_successor(line, o->name, strlen(o->name), value);
    if (successor != NULL) {
        return usage_error(line->command, "--%s %s was removed, use %s", o->name, value, successor);
    }
    nearest = near_name(value, o->choices);
    if (nearest != NULL) {
        snprintf(what, sizeof what, "is unknown (did you mean '%s'?)", nearest);
    }
    return wrong_value(line, o, value, what);
}

int option_store(const command_line *line, const option *o, const char *value, void *values)
{
    void *variable = (char *)values + o->offset;
    number_status status;
    struct stat st;
    uint64_t u;
    double x;

    switch (o->kind) {
    case OPTION_COUNT:
    case OPTION_U64:
        status = o->kind == OPTION_COUNT ? parse_count(value, &u) : parse_u64(value, &u);
        if (status != NUMBER_OK || (o->kind == OPTION_COUNT && (u < o->min || u > o->max))) {
            return wrong_number(line, o, value, status);
        }
        *(uint64_t *)variable = u;
        break;
    case OPTION_FRACTION:
        status = parse_double(value, &x);
        if (status != NUMBER_OK || !(x >= 0 && x <= (o->max > 0 ? (double)o->max : 1))) {
            return wrong_number(line, o, value, status);
        }
        *(double *)variable = x + 0.0; /* turns -0 into 0 */
        break;
    case OPTION_LIST:
    case OPTION_NUMBERS:
        status = parse_list(value, o, variable);
        if (status != NUMBER_OK) {
            return wrong_value(line, o, value,
                               status == NUMBER_MALFORMED ? "is not a list of numbers"
                                                          : "is out of range");
        }
        break;
    case OPTION_CHOICE:
        return set_choice(line, o, value, variable);
    case OPTION_FILE:
    case OPTION_REPORT:
        if (o->kind == OPTION_REPORT && strcmp(value, "-") == 0) {
            *(const char **)variable = value;
            break;
        }
        if (*value == '\0' || *value == '-' || value[strlen(value) - 1] == '/') {
            return wrong_value(line, o, value, "names no file");
        }
        *(const char **)variable = value;
        break;
    case OPTION_FOLDER:
        if (stat(value, &st) != 0 || !S_ISDIR(st.st_mode)) {
            return wrong_value(line, o, value, "is not a folder");
        }
        *(const char **)variable = value;
        break;
    case OPTION_TEXT:
        *(const char **)variable = value;
        break;
    case OPTION_FLAG:
        *(bool *)variable = true;
        break;
    }
    return EXIT_OK;
}
