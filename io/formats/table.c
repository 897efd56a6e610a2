/*
 * table.c - the table of formats, made from list.h, and the searches in it by name and suffix.
 */
#include "io/status.h"
#include "io/writer.h"

#include <ctype.h>
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

void graphfile_default_name(graphfile_format format, char *name, size_t size)
{
    const char *suffix = graphfile_table[format]->suffix;

    if (*suffix == '\0') {
        suffix = graphfile_table[GRAPHFILE_H5]->suffix;
    }
    snprintf(name, size, "graph%s", suffix);
}

/*
 * The format of a file name.
 *
 * Only the last component of a path counts, and of it only the text after its last dot.  SNAP's
 * .txt is another name for .tsv.  A name without a known suffix is compared with all suffixes and
 * format names without regard to case.  The distance is the number of characters to insert, delete,
 * replace or swap (Damerau-Levenshtein).  The nearest is suggested if less than half of its
 * characters differ; otherwise a suffix that abbreviates the given one, as .h5 does .hdf5.
 */

enum { MOST = 12, LIST = 320 }; /* characters that are compared; of the list of suffixes */

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

static int smallest(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits from a to b; MOST if either is too long to compare. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int edits[MOST + 1][MOST + 1]; /* from the first i characters of a to the first j of b */

    if (n > MOST || m > MOST) {
        return MOST;
    }
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            edits[i][j] = smallest(edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                                   edits[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]) &&
                edits[i - 2][j - 2] + 1 < edits[i][j]) {
                edits[i][j] = edits[i - 2][j - 2] + 1;
            }
        }
    }
    return edits[n][m];
}

/* Keeps a candidate that is near enough and nearer than the best so far. */
static void consider(const char *word, const char *candidate, int format, int *best, int *nearest)
{
    const int edits = distance(word, candidate);

    if (edits < *best && 2 * edits < (int)strlen(candidate)) {
        *best = edits;
        *nearest = format;
    }
}

/* Whether the characters of `brief` are in `word` in the same order, beginning with the first. */
static bool abbreviates(const char *brief, const char *word)
{
    if (!is_same(*brief, *word)) {
        return false;
    }
    for (; *word != '\0' && *brief != '\0'; word++) {
        brief += is_same(*brief, *word);
    }
    return *brief == '\0';
}

/* Returns the format whose suffix, or else whose name, is nearest to a suffix without its dot; -1
 * if none is near. */
static int nearest_format(const char *word)
{
    int best = MOST, nearest = -1;

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        const char *suffix = graphfile_table[i]->suffix;

        if (*suffix != '\0') {
            consider(word, suffix + 1, i, &best, &nearest);
        }
    }
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        consider(word, graphfile_names[i], i, &best, &nearest);
    }
    for (int i = 0; i < GRAPHFILE_N_FORMATS && nearest < 0; i++) {
        const char *suffix = graphfile_table[i]->suffix;

        if (*suffix != '\0' && abbreviates(suffix + 1, word)) {
            nearest = i;
        }
    }
    return nearest;
}

/* ", the nearest is '.tsv' (tsv)", or nothing if no format is near. */
static void propose(char *text, size_t size, int format)
{
    const char *name = format >= 0 ? graphfile_names[format] : "";

    text[0] = '\0';
    if (format >= 0 && *graphfile_table[format]->suffix != '\0') {
        snprintf(text, size, ", the nearest is '%s' (%s)", graphfile_table[format]->suffix, name);
    } else if (format >= 0) {
        snprintf(text, size, ", the nearest is the format %s, which has no suffix", name);
    }
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
    const char *base = base_of(name), *suffix;
    char stem[MOST + 1] = "", proposal[96], list[LIST];
    int nearest;

    *format = graphfile_format_of(name);
    suffix = strrchr(base, '.');
    if (*format >= 0 || suffix == NULL || suffix == base || suffix[1] == '\0') {
        return EDGEFILE_OK;
    }
    nearest = nearest_format(suffix + 1);
    if (nearest < 0) { /* x.el.old: a known suffix before the last one */
        const char *first = memrchr(base, '.', (size_t)(suffix - base));

        if (first != NULL && first != base && suffix - first - 1 <= MOST) {
            memcpy(stem, first + 1, (size_t)(suffix - first - 1));
            nearest = nearest_format(stem);
            suffix = nearest >= 0 ? first : suffix;
        }
    }
    propose(proposal, sizeof proposal, nearest);
    list_suffixes(list);
    return edgefile_fail(EDGEFILE_ERR_ARG,
                         "%s: '%.64s' is not the suffix of a known format%s; allowed: %s", name,
                         suffix, proposal, list);
}
