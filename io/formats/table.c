/* table.c - the table of formats, and the searches in it by name and suffix. */
#include "io/writer.h"

#include <stdio.h>
#include <string.h>

#define DESCRIPTOR(CONSTANT, id) &graphfile_##id##_format,
#define FACTS(CONSTANT, id)      &graphfile_##id##_format.facts,
#define NAME(CONSTANT, id)       graphfile_##id##_format.facts.name,

const graphfile_descriptor *const graphfile_descriptors[GRAPHFILE_N_FORMATS] = {
    GRAPHFILE_FORMATS(DESCRIPTOR)};
const graphfile_traits *const graphfile_table[GRAPHFILE_N_FORMATS] = {GRAPHFILE_FORMATS(FACTS)};
const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1] = {GRAPHFILE_FORMATS(NAME)};

void graphfile_list(unsigned traits, char *text, size_t size)
{
    size_t used = 0;

    for (int i = 0; i < GRAPHFILE_N_FORMATS && used < size; i++) {
        if (traits == 0 || graphfile_table[i]->traits & traits) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     graphfile_names[i]);
        }
    }
}

void graphfile_default_name(graphfile_format format, char *name, size_t size)
{
    const char *suffix = graphfile_table[format]->suffix;

    if (*suffix == '\0') {
        suffix = graphfile_table[GRAPHFILE_H5]->suffix;
    }
    snprintf(name, size, "graph%s", suffix);
}

/* The format of a file name.  Only the last component of a path counts, and of it only the text
 * after its last dot.  SNAP's .txt is another name for .tsv. */

enum { LIST = 320 }; /* bytes of the list of suffixes */

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash != NULL ? slash + 1 : name;
}

int graphfile_format_of(const char *name)
{
    const char *base = base_of(name), *suffix = strrchr(base, '.');

    if (suffix == NULL || suffix == base) {
        return -1;
    }
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        if (strcmp(graphfile_table[i]->suffix, suffix) == 0) {
            return i;
        }
    }
    return strcmp(suffix, ".txt") == 0 ? GRAPHFILE_TSV : -1;
}

static void list_suffixes(char text[LIST])
{
    size_t used = 0;

    for (int i = 0; i < GRAPHFILE_N_FORMATS && used < LIST; i++) {
        const char *suffix = graphfile_table[i]->suffix;

        if (*suffix != '\0') {
            used += (size_t)snprintf(text + used, LIST - used, "%s%s%s", used > 0 ? ", " : "",
                                     suffix, i == GRAPHFILE_TSV ? ", .txt" : "");
        }
    }
}

int graphfile_format_of_name(const char *name, int *format)
{
    const char *base = base_of(name), *suffix = strrchr(base, '.');
    char list[LIST];

    *format = graphfile_format_of(name);
    if (*format >= 0 || suffix == NULL || suffix == base || suffix[1] == '\0') {
        return EDGEFILE_OK;
    }
    list_suffixes(list);
    return edgefile_fail(EDGEFILE_ERR_ARG,
                         "%s: '%.64s' is not the suffix of a known format; allowed: %s", name,
                         suffix, list);
}
