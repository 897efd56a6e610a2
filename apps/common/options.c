/* Command lines from a table of options: finding the option that each argument names, and what to
 * say of those that were removed. */
#include "apps/common/options.h"
#include "apps/common/message.h"
#include "apps/common/near.h"
#include "apps/common/option_rows.h"
#include "apps/common/option_value.h"
#include <string.h>

const char *const option_backends[] = {"auto", "cpu", "gpu", NULL};

/* Together in the order of rmat_stream. */
const char *const option_streams[] = {"rmat", "graph500", "gapbs", NULL};
const char *const option_stream_variants[] = {"gapbs:gcc7", "gapbs:gcc4", NULL};

enum { STREAM_CHOICES = sizeof option_streams / sizeof option_streams[0] - 1 };

#define ID_TYPES "--id-type uint32 or --id-type uint64"

/* Options that earlier versions had, or values of options that remain, and what takes their place.
 * command: that of command_line, or its program where it has one; NULL: of every command. */
/* clang-format off */
static const struct {
    const char *command, *name, *value, *successor;
} removed[] = {
    {"generate", "id-bits", NULL, ID_TYPES ", with parquet --id-type int32 or --id-type int64"},
    {"generate", "device", NULL, "--devices with one number"},
    {"generate", "chunk", NULL, "--memory, which bounds all buffers of a rank together"},
    {"generate", "keep-partial", NULL, "--resume, which keeps FILE.partial, too"},
    {"fit", "undirected", NULL, "--directed no"},
    {"stats", "from-parameters", NULL, "'rmat generate --statistics'"},
    {"bench", "id-bits", NULL, ID_TYPES},
    {"bench", "detail", NULL, "--part models, whose plain graph is made in blocks"},
    {"bench", "verify", NULL, "'rmat verify' of a file"},
    {"bench", "part", "ranks-memory", "--part ranks"},
    {"bench", "part", "ranks-host", "--part ranks"},
    {"bench", "part", "ranks-file", "--part ranks"},
    {"chung_lu", "id-bits", NULL, ID_TYPES ", with parquet --id-type int32 or --id-type int64"},
    {"chung_lu", "device", NULL, "--devices with one number"},
    {"chung_lu", "no-file", NULL, "--output, whose summary says how fast the edges were made"},
    {"chung_lu", "repeat", NULL, "several runs of chung_lu"},
    {NULL, "io", "positional", "--io auto, which uses the page cache where O_DIRECT is not possible"},
    {NULL, "io", "hdf5-independent", "--io hdf5"},
    {NULL, "io", "hdf5-collective", "--io hdf5"},
    {NULL, "stream", "gapbs-gcc7", "--stream gapbs:gcc7"},
    {NULL, "stream", "gapbs-gcc4", "--stream gapbs:gcc4"},
};
/* clang-format on */

const char *option_stream_name(int stream)
{
    return stream < STREAM_CHOICES ? option_streams[stream]
                                   : option_stream_variants[stream - STREAM_CHOICES];
}

const char *option_successor(const command_line *line, const char *name, size_t length,
                             const char *value)
{
    const char *command = line->program != NULL ? line->program : line->command;

    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        const bool same_command =
            removed[i].command == NULL || strcmp(removed[i].command, command) == 0;
        const bool same_name =
            strlen(removed[i].name) == length && strncmp(removed[i].name, name, length) == 0;
        const bool same_value = value == NULL || removed[i].value == NULL
                                    ? value == removed[i].value
                                    : strcmp(value, removed[i].value) == 0;

        if (same_command && same_name && same_value) {
            return removed[i].successor;
        }
    }
    return NULL;
}

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
    const char *successor = option_successor(line, name, search.length, NULL);

    if (successor != NULL && strncmp(argument, "--", 2) == 0) {
        return usage_error(line->command, "--%.*s was removed, use %s", (int)search.length, name,
                           successor);
    }
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
