/* --format: which file comes of it, what it needs, and the options that it leaves no place for. */
#include "apps/client/client.h"
#include "apps/client/edge_options.h"
#include "apps/common/message.h"
#include "apps/generate/model.h"
#include <stdio.h>
#include <string.h>

static unsigned traits_of(const generate_options *o)
{
    return graphfile_table[o->job.format]->traits;
}

static const char *name_of(const generate_options *o)
{
    return graphfile_names[o->job.format];
}

/* "a", "a and b", "a, b and c". */
static void list_words(char *text, size_t size, const char *const *words, int n)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < n && used < size; i++) {
        const char *between = i == 0 ? "" : i == n - 1 ? " and " : ", ";

        used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
    }
}

static int error_formats(const char *name, const char *value, const generate_options *o,
                         unsigned traits)
{
    const char *names[GRAPHFILE_N_FORMATS];
    char list[256];
    int n = 0;

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        if (graphfile_table[i]->traits & traits) {
            names[n++] = graphfile_names[i];
        }
    }
    list_words(list, sizeof list, names, n);
    return usage_error("generate", "--%s: '%s' given with --format %s, allowed: with %s", name,
                       value, name_of(o), list);
}

/* Options without which the model is none for this format. */
static int check_needs(const generate_values *raw, const generate_options *o)
{
    const unsigned traits = traits_of(o);
    const char *missing[4];
    char list[128];
    int n = 0;

    if (traits & GRAPHFILE_NEEDS_PAIRS && !o->job.model.symmetrize) {
        missing[n++] = "--symmetrize";
    }
    if (traits & (GRAPHFILE_NEEDS_PAIRS | GRAPHFILE_NO_LOOPS) && !o->job.model.no_self_loops) {
        missing[n++] = "--no-self-loops";
    }
    if (traits & GRAPHFILE_NEEDS_UNIQUE && !raw->unique && !o->job.dedup) {
        missing[n++] = "--unique";
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && o->job.model.weights == RMAT_NO_WEIGHTS) {
        missing[n++] = traits & GRAPHFILE_INT_WEIGHTS ? "--weights int:MIN:MAX" : "--weights";
    }
    if (n == 0) {
        return EXIT_OK;
    }
    list_words(list, sizeof list, missing, n);
    return usage_error("generate", "--format: '%s' given without %s, allowed: with %s%s",
                       name_of(o), list,
                       n == 1   ? "it"
                       : n == 2 ? "both"
                                : "all of them",
                       n > 1 && !raw->unique ? ", or with --simple" : "");
}

/* What only our files have. */
static int check_ours(const bool *given, const generate_options *o)
{
    static const int options[] = {GENERATE_PATH, GENERATE_LAYOUT, -1};
    const int which = generate_any(given, options);

    return which < 0
               ? EXIT_OK
               : usage_error("generate", "--%s: given with --format %s, allowed: with h5, csr",
                             generate_option_name(which), name_of(o));
}

static int resolve_output(const generate_values *raw, generate_options *o)
{
    if (raw->output == NULL) {
        graphfile_default_name(o->job.format, o->default_output, sizeof o->default_output);
        o->job.output = o->default_output;
    } else if (strcmp(raw->output, "-") == 0 && !(traits_of(o) & GRAPHFILE_PIPE)) {
        return error_formats("output", "-", o, GRAPHFILE_PIPE);
    }
    return client_check_terminal("generate", "--output", o->job.output, o->job.format,
                                 raw->force || raw->dry_run);
}

int generate_resolve_format(const generate_values *raw, const bool *given, generate_options *out)
{
    int status, by_name = -1;

    if (!given[GENERATE_FORMAT] && raw->output != NULL && strcmp(raw->output, "-") != 0 &&
        graphfile_format_of_name(raw->output, &by_name) != EDGEFILE_OK) {
        return usage_error("generate", "--output: %s; --format takes any name", edgefile_detail());
    }
    out->job.format = given[GENERATE_FORMAT] || by_name < 0 ? (graphfile_format)raw->format
                                                            : (graphfile_format)by_name;
    out->job.columns = raw->columns;
    out->job.is_virtual = raw->is_virtual;
    out->job.compress = raw->compress;
    out->job.encoding = (graphfile_encoding)raw->encoding;
    out->job.row_group = raw->row_group;
    out->job.sorted = raw->sorted;
    out->job.unique = raw->unique;
    out->job.dedup = raw->dedup || raw->simple;
    if (raw->unique && out->job.dedup) {
        return generate_error_pair(GENERATE_UNIQUE, raw->dedup ? GENERATE_DEDUP : GENERATE_SIMPLE);
    }
    generate_as_gapbs(given, out);
    status = resolve_output(raw, out);
    if (status != EXIT_OK || traits_of(out) & GRAPHFILE_EDGEFILE) {
        return status;
    }
    if ((status = check_needs(raw, out)) != EXIT_OK ||
        (status = edge_options_fit_weights("generate", "format", raw->weights, &out->job.model,
                                           out->job.format)) != EXIT_OK) {
        return status;
    }
    return check_ours(given, out);
}
