/* The model that the options of `rmat generate` describe; for apps/generate/options.c. */
#ifndef APPS_GENERATE_MODEL_H
#define APPS_GENERATE_MODEL_H

#include "apps/generate/options.h"
#include "apps/generate/table.h"

/* Unless it says otherwise, a function returns EXIT_OK, or EXIT_USAGE after one line on stderr. */

/* Everything of *out that decides which edges come out. */
int generate_resolve_model(const generate_values *raw, const bool *given, generate_options *out);

/* Of that: how many vertices there are; once the model is complete, how many edges. */
int generate_resolve_sizes(const generate_values *raw, const bool *given, rmat_config *model);
int generate_resolve_edges(const generate_values *raw, const bool *given, generate_options *out);

/* So many matrices from a text file. */
int generate_read_levels(const char *path, int count, rmat_matrix *levels);

/* What file comes of it: format, order and name; model and number of edges are known. */
int generate_resolve_format(const generate_values *raw, const bool *given, generate_options *out);

/* --statistics, which makes no file: what is counted, and that nothing else is asked for; the model
 * is known. */
int generate_resolve_statistics(const generate_values *raw, const bool *given,
                                generate_options *out);

/* --shard: the job's file is that of the shard; the graph's is known. */
int generate_resolve_shard(const generate_values *raw, const bool *given, generate_options *out);

/* An official GAPBS graph in its own format, without an option that says otherwise, becomes what
 * GAPBS makes of it. */
void generate_as_gapbs(const bool *given, generate_options *out);

const char *generate_option_name(int which);

/* The first of these options that is given, or the -1 that ends them. */
int generate_any(const bool *given, const int *options);

/* "--one: given together with --other, allowed: one of them" */
int generate_error_pair(int one, int other);

#endif
