/* The option --from of the commands that read a graph: convert, stats and plot. */
#ifndef APPS_COMMON_FROM_OPTION_H
#define APPS_COMMON_FROM_OPTION_H

#include <stdbool.h>

/* Its `allowed`: the formats that are read, as graphfile_table has them. */
#define FROM_ALLOWED "h5, csr, el, wel, tsv, csv, mtx, bin32, bin64, parquet"

/*
 * Check --from, of which `format` is the value if it was given, for the operand `name` ("-":
 * standard input).  Returns EXIT_OK, or EXIT_USAGE after one line on stderr: the format cannot be
 * read, or not from standard input, or standard input has none.
 */
int from_option_check(const char *command, const char *name, bool given, int format);

#endif
