#include "apps/common/options.h"
#include "apps/common/message.h"
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
        return "0 to 1";
    case OPTION_CHOICE:
        for (const char *const *c = o->choices; *c != NULL; c++) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", *c);
        }
        break;
    case OPTION_LIST:
        snprintf(text, size, "all, or up to %d numbers 0 to %" PRIu64 " with commas between them",
                 OPTION_LIST_MAX, o->max);
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

static int wrong_number(const command_line *line, const option *o, const char *value,
                        number_status status)
{
    return wrong_value(line, o, value,
                       status == NUMBER_MALFORMED ? "is not a number" : "is out of range");
}

static number_status parse_list(const char *text, uint64_t max, option_list *list)
{
    list->count = 0;
    if (strcmp(text, "all") == 0) {
        return NUMBER_OK;
    }
    for (;;) {
        size_t length = strcspn(text, ",");
        char item[NUMBER_TEXT];
        uint64_t u = 0;

        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1),
                 text);
        if (parse_count(item, &u) == NUMBER_MALFORMED) {
            return NUMBER_MALFORMED;
        }
        if (list->count == OPTION_LIST_MAX || length >= sizeof item || u > max) {
            return NUMBER_TOO_LARGE;
        }
        list->item[list->count++] = (int)u;
        if (text[length] == '\0') {
            return NUMBER_OK;
        }
        text += length + 1;
    }
}

static int set_value(const command_line *line, const option *o, const char *value, void *values)
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
        if (status != NUMBER_OK || !(x >= 0 && x <= 1)) {
            return wrong_number(line, o, value, status);
        }
        *(double *)variable = x;
        break;
    case OPTION_LIST:
        status = parse_list(value, o->max, variable);
        if (status != NUMBER_OK) {
            return wrong_value(line, o, value,
                               status == NUMBER_MALFORMED ? "is no list of numbers"
                                                          : "is out of range");
        }
        break;
    case OPTION_CHOICE:
        for (int i = 0;; i++) {
            if (o->choices[i] == NULL) {
                return wrong_value(line, o, value, "is unknown");
            }
            if (strcmp(value, o->choices[i]) == 0) {
                *(int *)variable = i;
                break;
            }
        }
        break;
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
            return wrong_value(line, o, value, "is no folder");
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

/* Letters to change, drop or add to come from one word to the other (Levenshtein), at most 99. */
static size_t distance(const char *a, size_t n, const char *b)
{
    size_t row[100], m = strlen(b);

    if (n >= 99 || m >= 99) {
        return 99;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best) {
                best = row[j] + 1;
            }
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[m];
}

static int unknown_option(const command_line *line, const char *argument)
{
    const char *name = argument + strspn(argument, "-");
    size_t length = strcspn(name, "="), best = 3; /* further away is no help */
    const option *nearest = NULL;

    for (size_t i = 0; i < line->n_options && length > 2; i++) {
        size_t d = distance(name, length, line->options[i].name);

        if (d < best) {
            best = d;
            nearest = &line->options[i];
        }
    }
    if (nearest != NULL) {
        return usage_error(line->command, "unknown option '%s', did you mean '--%s'?", argument,
                           nearest->name);
    }
    if (line->program != NULL) {
        return usage_error(line->command, "unknown option '%s', allowed: see '%s --help'", argument,
                           line->program);
    }
    return usage_error(line->command, "unknown option '%s', allowed: see 'rmat help %s'", argument,
                       line->command);
}

/* The option that an argument names; *value is what follows "=" or the letter, or NULL. */
static const option *find_option(const command_line *line, const char *argument, const char **value)
{
    *value = NULL;
    for (size_t i = 0; i < line->n_options; i++) {
        const option *o = &line->options[i];

        if (argument[1] == '-') {
            size_t length = strlen(o->name);

            if (strncmp(argument + 2, o->name, length) != 0) {
                continue;
            }
            if (argument[2 + length] == '=') {
                *value = argument + 3 + length;
                return o;
            }
            if (argument[2 + length] == '\0') {
                return o;
            }
        } else if (o->letter != '\0' && argument[1] == o->letter) {
            if (argument[2] != '\0') {
                if (o->kind == OPTION_FLAG) {
                    continue;
                }
                *value = argument + 2;
            }
            return o;
        }
    }
    return NULL;
}

/* Of the command's operands, which are `most` words. */
static int too_many(const command_line *line, const char *argument, int most)
{
    if (most == 0) {
        return usage_error(line->command, "unexpected argument '%s', allowed: options only",
                           argument);
    }
    return usage_error(line->command, "unexpected argument '%s', allowed: %s%s", argument,
                       most == 1 ? "one " : "", line->operand);
}

static int count_operands(const command_line *line)
{
    int n = line->operand != NULL;

    for (const char *s = line->operand; s != NULL && *s != '\0'; s++) {
        n += *s == ' ';
    }
    return n;
}

int options_parse(const command_line *line, int argc, char **argv, void *values,
                  bool given[OPTIONS_MAX], const char **operand)
{
    const int most = count_operands(line);
    int operands = 0;

    memset(given, 0, OPTIONS_MAX * sizeof given[0]);
    for (int i = 0; i < argc; i++) {
        const char *value;
        const option *o;
        int status;

        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (operands == most) {
                return too_many(line, argv[i], most);
            }
            operand[operands++] = argv[i];
            continue;
        }
        o = find_option(line, argv[i], &value);
        if (o == NULL) {
            return unknown_option(line, argv[i]);
        }
        if (o->kind == OPTION_FLAG && value != NULL) {
            return usage_error(line->command, "--%s: '%s' given, allowed: no value", o->name,
                               value);
        }
        if (o->kind != OPTION_FLAG && value == NULL) {
            char allowed[256];

            if (i + 1 == argc || strncmp(argv[i + 1], "--", 2) == 0) {
                return usage_error(line->command, "--%s: value missing, allowed: %s", o->name,
                                   option_allowed(o, allowed, sizeof allowed));
            }
            value = argv[++i];
        }
        status = set_value(line, o, value, values);
        if (status != EXIT_OK) {
            return status;
        }
        given[o - line->options] = true;
        if (strcmp(o->name, "help") == 0) {
            break;
        }
    }
    return EXIT_OK;
}
