/* --weights: its value into a model, and which formats can hold such weights. */
#include "apps/client/edge_options.h"
#include "apps/common/message.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
