/* Command lines from a table of options: finding the option that each argument names. */
#include "apps/common/options.h"
#include "apps/common/message.h"
#include "apps/common/near.h"
#include "apps/common/option_rows.h"
#include "apps/common/option_value.h"
#include <string.h>

const char *const option_backends[] = {"auto", "cpu", "gpu", NULL};
const char *const option_streams[] = {"rmat",       "graph500",   "gapbs",
                                      "gapbs-gcc7", "gapbs-gcc4", NULL};

static bool briefly; /* -h, not --help */

size_t options_count(const command_line *line)
{
    return line->n_options + line->n_borrowed;
}

option options_get(const command_line *line, size_t i)
{
    option o;

    if (i < line->n_options) {
        return line->options[i];
    }
    o = line->borrowed[i - line->n_options];
    o.offset += line->borrowed_offset;
    o.group = line->borrowed_group;
    return o;
}

static int unknown_option(const command_line *line, const char *argument)
{
    const char *name = argument + strspn(argument, "-");
    near_search search = {.word = name, .length = strcspn(name, "=")};

    for (size_t i = 0; i < options_count(line); i++) {
        near_offer(&search, options_get(line, i).name);
    }
    if (search.name != NULL) {
        return usage_error(line->command, "unknown option '%s', did you mean '--%s'?", argument,
                           search.name);
    }
    if (line->program != NULL) {
        return usage_error(line->command, "unknown option '%s', allowed: see '%s --help'", argument,
                           line->program);
    }
    return usage_error(line->command, "unknown option '%s', allowed: see 'rmat help %s'", argument,
                       line->command);
}

/* Does the argument name this option?  *value is then what follows "=" or the letter, or NULL. */
static bool names_option(const option *o, const char *argument, const char **value)
{
    const size_t length = strlen(o->name);

    *value = NULL;
    if (argument[1] == '-') {
        if (strncmp(argument + 2, o->name, length) != 0) {
            return false;
        }
        if (argument[2 + length] == '=') {
            *value = argument + 3 + length;
            return true;
        }
        return argument[2 + length] == '\0';
    }
    if (o->letter == '\0' || argument[1] != o->letter) {
        return false;
    }
    if (argument[2] != '\0') {
        *value = argument + 2;
    }
    return argument[2] == '\0' || o->kind != OPTION_FLAG;
}

/* The number of the option that an argument names, or options_count(); value as above. */
static size_t find_option(const command_line *line, const char *argument, const char **value)
{
    size_t i = 0;

    while (i < options_count(line)) {
        const option o = options_get(line, i);

        if (names_option(&o, argument, value)) {
            break;
        }
        i++;
    }
    return i;
}

/* An operand beyond the `most` that the command has. */
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

/* Take the value of option o, if it has one, from `value` or else from argv[*i + 1], and store it.
 */
static int take_value(const command_line *line, const option *o, const char *value, int argc,
                      char **argv, int *i, void *values)
{
    char allowed[256];

    if (o->kind == OPTION_FLAG && value != NULL) {
        return usage_error(line->command, "--%s: '%s' given, allowed: no value", o->name, value);
    }
    if (o->kind != OPTION_FLAG && value == NULL) {
        if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0) {
            return usage_error(line->command, "--%s: value missing, allowed: %s", o->name,
                               option_allowed(o, allowed, sizeof allowed));
        }
        value = argv[++*i];
    }
    return option_store(line, o, value, values);
}

int options_parse(const command_line *line, int argc, char **argv, void *values,
                  bool given[OPTIONS_MAX], const char **operand)
{
    const int most = count_operands(line);
    int operands = 0;

    briefly = false;
    memset(given, 0, OPTIONS_MAX * sizeof given[0]);
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i], *value = NULL;
        size_t which;
        option o;
        int status;

        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (operands == most) {
                return too_many(line, argv[i], most);
            }
            operand[operands++] = argv[i];
            continue;
        }
        which = find_option(line, argv[i], &value);
        if (which == options_count(line)) {
            return unknown_option(line, argv[i]);
        }
        o = options_get(line, which);
        status = take_value(line, &o, value, argc, argv, &i, values);
        if (status != EXIT_OK) {
            return status;
        }
        given[which] = true;
        if (strcmp(o.name, "help") == 0) {
            briefly = argument[1] != '-';
            break;
        }
    }
    return EXIT_OK;
}

bool options_asked_briefly(void)
{
    return briefly;
}
