/* The options --from and --datasets of the commands that read a graph: convert, stats, plot and
 * roots. */
#ifndef APPS_COMMON_FROM_OPTION_H
#define APPS_COMMON_FROM_OPTION_H

#include <stdbool.h>

/* Its `allowed`: the formats that are read, as graphfile_table has them. */
#define FROM_ALLOWED                                                                               \
    "h5, csr, el, wel, tsv, csv, mtx, gr, metis, bin32, bin64, graph500, npy, parquet, sg, wsg, "  \
    "pbg, binsparse"

/*
 * Check --from, of which `format` is the value if it was given, for the operand `name` ("-":
 * standard input).  Returns EXIT_OK, or EXIT_USAGE after one line on stderr: the format cannot be
 * read, or not from standard input, or standard input has none.  datasets: the value of --datasets,
 * or NULL; it must be a list of names.
 */
int from_option_check(const char *command, const char *name, bool given, int format,
                      const char *datasets);

#endif
