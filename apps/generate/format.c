/* --format: which file comes of it, what it needs, and the options that it leaves no place for. */
#include "apps/common/message.h"
#include "apps/generate/model.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <string.h>

static unsigned traits_of(const generate_options *o)
{
    return graphfile_table[o->file_format]->traits;
}

static const char *name_of(const generate_options *o)
{
    return graphfile_names[o->file_format];
}

bool generate_converts(const generate_options *o)
{
    return !(traits_of(o) & GRAPHFILE_EDGEFILE);
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

    if (traits & GRAPHFILE_NEEDS_PAIRS && !raw->symmetrize) {
        missing[n++] = "--symmetrize";
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && !raw->no_self_loops) {
        missing[n++] = "--no-self-loops";
    }
    if (traits & GRAPHFILE_NEEDS_UNIQUE && !raw->unique) {
        missing[n++] = "--unique";
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && o->weight == EDGEFILE_NO_WEIGHT) {
        missing[n++] = traits & GRAPHFILE_INT_WEIGHTS ? "--weights int:MIN:MAX" : "--weights";
    }
    if (n == 0) {
        return EXIT_OK;
    }
    list_words(list, sizeof list, missing, n);
    return usage_error("generate", "--format: '%s' given without %s, allowed: with %s", name_of(o),
                       list,
                       n == 1   ? "it"
                       : n == 2 ? "both"
                                : "all of them");
}

static int check_weights(const generate_values *raw, const generate_options *o)
{
    const unsigned traits = traits_of(o);

    if (o->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS)) {
        return error_formats("weights", raw->weights, o, GRAPHFILE_HAS_WEIGHTS);
    }
    if (o->weight == EDGEFILE_WEIGHT_F32 && traits & GRAPHFILE_INT_WEIGHTS) {
        return usage_error(
            "generate", "--weights: '%s' given with --format %s, allowed: int:MIN:MAX%s",
            raw->weights, name_of(o), traits & GRAPHFILE_NEEDS_WEIGHTS ? "" : ", none");
    }
    return EXIT_OK;
}

/* What only our files have. */
static int check_ours(const generate_values *raw, const bool *given, const generate_options *o)
{
    static const int options[] = {PATH, LAYOUT, -1};
    int which = generate_any(given, options);
    char list[256];

    if (dist_size() > 1) {
        return usage_error(
            "generate",
            "--format: '%s' given on %d ranks, allowed: h5, csr; 'rmat convert' makes "
            "the others of these",
            name_of(o), dist_size());
    }
    if (which >= 0) {
        return usage_error("generate", "--%s: given with --format %s, allowed: with h5, csr",
                           generate_option_name(which), name_of(o));
    }
    if (raw->id_bits != 0 && !(traits_of(o) & GRAPHFILE_ID_WIDTHS)) {
        graphfile_list(GRAPHFILE_ID_WIDTHS, list, sizeof list);
        return usage_error("generate", "--id-bits: '%s' given with --format %s, allowed: with %s",
                           generate_table[ID_BITS].choices[raw->id_bits], name_of(o), list);
    }
    return EXIT_OK;
}

/* What is left: numbers that the format has no room for. */
static int check_graph(const generate_options *o)
{
    const graphfile_graph graph = generate_graph(o, o->edges);

    return graphfile_check(o->file_format, &graph) == EDGEFILE_OK
               ? EXIT_OK
               : usage_error("generate", "--format: %s", edgefile_detail());
}

static int resolve_output(const generate_values *raw, generate_options *o)
{
    if (raw->output == NULL) {
        graphfile_default_name(o->file_format, o->default_output, sizeof o->default_output);
        o->output = o->default_output;
    } else if (strcmp(raw->output, "-") == 0 && !(traits_of(o) & GRAPHFILE_PIPE)) {
        return error_formats("output", "-", o, GRAPHFILE_PIPE);
    }
    return EXIT_OK;
}

graphfile_graph generate_graph(const generate_options *o, uint64_t edges)
{
    return (graphfile_graph){.rows = o->model.rows,
                             .cols = o->model.cols,
                             .edges = edges,
                             .id_bytes = o->id_bytes,
                             .weight = o->weight,
                             .sorted = o->sorted,
                             .unique = o->unique,
                             .pairs = o->model.symmetrize,
                             .no_loops = o->model.no_self_loops};
}

int generate_resolve_format(const generate_values *raw, const bool *given, generate_options *out)
{
    bool rows, sorted;
    int status, by_name = raw->output != NULL ? graphfile_format_of(raw->output) : -1;

    out->file_format =
        given[FORMAT] || by_name < 0 ? (graphfile_format)raw->format : (graphfile_format)by_name;
    sorted = traits_of(out) & GRAPHFILE_NEEDS_SORTED;
    out->sorted = raw->sorted || raw->unique || sorted;
    /* Rows take less than a list, if there are not more of them than edges. */
    rows = traits_of(out) & GRAPHFILE_NEEDS_POINTERS || out->model.rows <= out->edges;
    out->format =
        out->file_format == GRAPHFILE_CSR || (generate_converts(out) && out->sorted && rows)
            ? EDGEFILE_CSR
            : EDGEFILE_EDGES;
    status = resolve_output(raw, out);
    if (status != EXIT_OK || !generate_converts(out)) {
        return status;
    }
    if ((status = check_needs(raw, out)) != EXIT_OK ||
        (status = check_weights(raw, out)) != EXIT_OK ||
        (status = check_ours(raw, given, out)) != EXIT_OK) {
        return status;
    }
    return check_graph(out);
}
