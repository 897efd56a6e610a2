/*
 * table.c - the table of formats, made from list.h, and what is looked up in it without regard to a
 * single format: names, suffixes and first bytes.
 */
#include "io/formats/format.h"

#include <stdio.h>
#include <string.h>

const graphfile_descriptor *const graphfile_descriptors[GRAPHFILE_N_FORMATS] = {
#define GRAPHFILE_FORMAT(CONSTANT, id) &graphfile_##id##_format,
#include "io/formats/list.h"
};

const graphfile_traits *const graphfile_table[GRAPHFILE_N_FORMATS] = {
#define GRAPHFILE_FORMAT(CONSTANT, id) &graphfile_##id##_format.facts,
#include "io/formats/list.h"
};

const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1] = {
#define GRAPHFILE_FORMAT(CONSTANT, id) graphfile_##id##_format.facts.name,
#include "io/formats/list.h"
};

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

int graphfile_format_of_content(const void *start, size_t count)
{
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        if (graphfile_descriptors[i]->recognise != NULL &&
            graphfile_descriptors[i]->recognise(start, count)) {
            return i;
        }
    }
    return -1;
}

void graphfile_default_name(graphfile_format format, char *name, size_t size)
{
    const char *suffix = graphfile_table[format]->suffix;

    if (*suffix == '\0') {
        suffix = graphfile_table[GRAPHFILE_H5]->suffix;
    }
    snprintf(name, size, "%s%s", *suffix == '.' ? "graph" : "", suffix);
}
