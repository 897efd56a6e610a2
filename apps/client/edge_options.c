/* The options that say what becomes of edges: their table, and the way into a job. */
#include "apps/client/edge_options.h"
#include "apps/common/message.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* From RMAT_DIRECTED on, which nobody needs to say. */
static const char *const halves[] = {"both", "lower", "upper", NULL};

#define GROUP     "Graph (what becomes of the edges)"
#define AT(field) offsetof(edge_values, field)

/* clang-format off */
const option edge_options[EDGE_OPTIONS] = {
    {.name = "permute", .kind = OPTION_FLAG, .offset = AT(permute), .group = GROUP,
        .help = "pseudorandom numbers for the vertices"},
    {.name = "no-self-loops", .kind = OPTION_FLAG, .offset = AT(no_self_loops), .group = GROUP,
        .help = "remove edges whose two ends are the same vertex; implies --sorted"},
    {.name = "undirected", .kind = OPTION_CHOICE, .argument = "HALF", .offset = AT(undirected),
        .choices = halves, .group = GROUP,
        .help = "swap source and destination of an edge where necessary, so that source >= destination (lower) "
                "or source <= destination (upper); both: leave them as they are"},
    {.name = "symmetrize", .kind = OPTION_FLAG, .offset = AT(symmetrize), .group = GROUP,
        .help = "write the reverse of each edge after it"},
    {.name = "sorted", .kind = OPTION_FLAG, .offset = AT(sorted), .group = GROUP,
        .help = "sort the edges by source, then by destination"},
    {.name = "dedup", .kind = OPTION_FLAG, .offset = AT(dedup), .group = GROUP,
        .help = "remove duplicates of an edge, keeping the least of their weights; implies --sorted"},
    {.name = "simple", .kind = OPTION_FLAG, .offset = AT(simple), .group = GROUP,
        .help = "make a simple undirected graph with each edge in both directions; short for --no-self-loops "
                "--symmetrize --dedup"},
    {.name = "weights", .kind = OPTION_TEXT, .argument = "KIND", .offset = AT(weights),
        .allowed = EDGE_WEIGHTS_ALLOWED, .fallback = "keep those that the edges have", .group = GROUP,
        .help = "replace the weights of the edges by float32 (uniform: in [0, 1)) or by int32, or remove them (none). "
                "Duplicates of an edge and its reverse get the same weight"},
};
/* clang-format on */

bool edge_options_any(const edge_values *v)
{
    return v->permute || v->no_self_loops || v->undirected != 0 || v->symmetrize || v->sorted ||
           v->dedup || v->simple || v->weights != NULL;
}

/* Returns what follows the number, or NULL. */
static const char *parse_i32(const char *text, int32_t *value)
{
    char *end;
    long long x;

    if (*text != '-' && !isdigit((unsigned char)*text)) {
        return NULL; /* strtoll() would also take blanks and a plus sign */
    }
    x = strtoll(text, &end, 10);
    *value = (int32_t)x;
    return end > text && x >= INT32_MIN && x <= INT32_MAX ? end : NULL;
}

/* Likewise; decimals, neither nan nor in hexadecimal. */
static const char *parse_float(const char *text, float *value)
{
    char *end;

    *value = strtof(text, &end);
    return end > text && strspn(text, "0123456789+-.eE") == (size_t)(end - text) && *text != '+'
               ? end
               : NULL;
}

bool edge_options_weights(const char *text, rmat_config *m)
{
    if (strncmp(text, "float:", 6) == 0) {
        m->weights = RMAT_WEIGHTS_FLOAT;
        return (text = parse_float(text + 6, &m->weight_low)) != NULL && *text == ':' &&
               (text = parse_float(text + 1, &m->weight_high)) != NULL && *text == '\0' &&
               m->weight_low >= -1e38F && m->weight_low <= m->weight_high &&
               m->weight_high <= 1e38F;
    }
    if (strcmp(text, "none") == 0 || strcmp(text, "uniform") == 0) {
        m->weights = *text == 'u' ? RMAT_WEIGHTS_UNIFORM : RMAT_NO_WEIGHTS;
        return true;
    }
    if (strncmp(text, "int:", 4) != 0 || (text = parse_i32(text + 4, &m->weight_min)) == NULL ||
        *text != ':' || (text = parse_i32(text + 1, &m->weight_max)) == NULL || *text != '\0' ||
        m->weight_min > m->weight_max) {
        return false;
    }
    m->weights = RMAT_WEIGHTS_INT;
    return true;
}

int edge_options_fit_weights(const char *command, const char *chooser, const char *text,
                             const rmat_config *m, graphfile_format format)
{
    const unsigned traits = graphfile_table[format]->traits;
    const int32_t least = traits & GRAPHFILE_WEIGHTS_FROM_1   ? 1
                          : traits & GRAPHFILE_WEIGHTS_FROM_0 ? 0
                                                              : INT32_MIN;
    char list[256];

    if (m->weights != RMAT_NO_WEIGHTS && !(traits & GRAPHFILE_HAS_WEIGHTS)) {
        graphfile_list(GRAPHFILE_HAS_WEIGHTS, list, sizeof list);
        return usage_error(command, "--weights: '%s' given with --%s %s, allowed: with %s", text,
                           chooser, graphfile_names[format], list);
    }
    if (m->weights != RMAT_NO_WEIGHTS && m->weights != RMAT_WEIGHTS_INT &&
        traits & GRAPHFILE_INT_WEIGHTS) {
        return usage_error(command, "--weights: '%s' given with --%s %s, allowed: int:MIN:MAX%s",
                           text, chooser, graphfile_names[format],
                           traits & GRAPHFILE_NEEDS_WEIGHTS ? "" : ", none");
    }
    if (m->weights == RMAT_WEIGHTS_INT && m->weight_min < least) {
        return usage_error(command,
                           "--weights: '%s' given with --%s %s, allowed: int:MIN:MAX with MIN of "
                           "at least %d",
                           text, chooser, graphfile_names[format], least);
    }
    return EXIT_OK;
}

int edge_options_apply(const char *command, const edge_values *v, engine_job *job)
{
    const rmat_source *s = &job->source->edges;
    rmat_config *m = &job->model;

    m->permute = v->permute;
    m->no_self_loops = v->no_self_loops || v->simple;
    m->symmetrize = v->symmetrize || v->simple;
    m->direction = (rmat_direction)v->undirected;
    job->sorted = v->sorted;
    job->dedup = v->dedup || v->simple;
    if (s->rows != s->cols &&
        (m->no_self_loops || m->symmetrize || m->direction != RMAT_DIRECTED)) {
        return usage_error(command,
                           "--%s: given with %" PRIu64 " source and %" PRIu64
                           " destination vertices, allowed: with equal numbers of both",
                           v->simple          ? "simple"
                           : m->no_self_loops ? "no-self-loops"
                           : m->symmetrize    ? "symmetrize"
                                              : "undirected",
                           s->rows, s->cols);
    }
    if (v->weights != NULL && !edge_options_weights(v->weights, m)) {
        return usage_error(command, "--weights: '%s' is unknown, allowed: %s", v->weights,
                           EDGE_WEIGHTS_ALLOWED);
    }
    return EXIT_OK;
}
