/* column_names.c - the names of the columns, for formats that write them into the file. */
#include "io/formats/writer.h"

#include <stdio.h>
#include <string.h>

static const char *const usual[GRAPHFILE_COLUMNS] = {"src", "dst", "weight"};

/* Neither quotes nor blanks at an end, so that every reader of CSV sees the same name. */
static bool is_name(const char *text, size_t length)
{
    if (length == 0 || length >= GRAPHFILE_COLUMN_NAME || text[0] == ' ' ||
        text[length - 1] == ' ') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 127 || text[i] == '"' || text[i] == '\'') {
            return false;
        }
    }
    return true;
}

int graphfile_split_columns(char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME], const char *text)
{
    for (int n = 0; n < GRAPHFILE_COLUMNS; n++) {
        const size_t length = strcspn(text, ",");

        if (!is_name(text, length)) {
            return 0;
        }
        memcpy(name[n], text, length);
        name[n][length] = '\0';
        for (int i = 0; i < n; i++) {
            if (strcmp(name[i], name[n]) == 0) {
                return 0;
            }
        }
        if (text[length] == '\0') {
            return n + 1;
        }
        text += length + 1;
    }
    return 0; /* there are more */
}

int graphfile_check_datasets(const char *datasets)
{
    char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME];

    if (graphfile_split_columns(name, datasets) < 2) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "'%s' is not a list of names, allowed: two or three different ones of up "
            "to %d bytes, without quotes, with commas between them",
            datasets, GRAPHFILE_COLUMN_NAME - 1);
    }
    return EDGEFILE_OK;
}

int graphfile_check_columns(graphfile_format format, const char *columns,
                            const graphfile_graph *graph)
{
    char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME], list[128];
    bool digits = false;
    int count;

    if (!(graphfile_table[format]->traits & GRAPHFILE_HAS_COLUMNS)) {
        graphfile_list(GRAPHFILE_HAS_COLUMNS, list, sizeof list);
        return edgefile_fail(EDGEFILE_ERR_ARG, "'%s' given with format %s, allowed: with %s",
                             columns, graphfile_names[format], list);
    }
    count = graphfile_split_columns(name, columns);
    for (int i = 0; i < count; i++) { /* a reader could take such a name for a vertex */
        digits = digits || (name[i][0] >= '0' && name[i][0] <= '9');
    }
    if (count < 2 || digits) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "'%s' is not a list of names, allowed: two or three different ones of up "
            "to %d bytes, without quotes, no blank at an end, no digit first, with commas "
            "between them",
            columns, GRAPHFILE_COLUMN_NAME - 1);
    }
    if (graph != NULL && graph->weight == EDGEFILE_NO_WEIGHT && count == GRAPHFILE_COLUMNS) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "'%s' given for a graph without weights, allowed: two names", columns);
    }
    if (graph != NULL && graph->weight != EDGEFILE_NO_WEIGHT && count < GRAPHFILE_COLUMNS &&
        (strcmp(name[0], usual[2]) == 0 || strcmp(name[1], usual[2]) == 0)) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "'%s' has the name of the third column, '%s', allowed: three different "
            "names",
            columns, usual[2]);
    }
    return EDGEFILE_OK;
}

void graphfile_column_names(char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME],
                            const graphfile_spec *spec)
{
    const int given = spec->columns != NULL ? graphfile_split_columns(name, spec->columns) : 0;

    for (int i = given; i < GRAPHFILE_COLUMNS; i++) {
        snprintf(name[i], GRAPHFILE_COLUMN_NAME, "%s", usual[i]);
    }
}
