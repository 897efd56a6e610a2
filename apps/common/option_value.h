/* Values of options: private to the parser in options.c. */
#ifndef APPS_COMMON_OPTION_VALUE_H
#define APPS_COMMON_OPTION_VALUE_H

#include "apps/common/options.h"

/* Check the text that was given for an option and store what it means at the option's offset in
 * values; value is ignored for a flag.  Returns 0, or EXIT_USAGE after one line on stderr. */
int option_store(const command_line *line, const option *o, const char *value, void *values);

/* What to use in place of a removed option, whose name has `length` characters, or of a removed
 * value of one; NULL: it is not in the table of removed ones (options.c).  value: NULL for the
 * option itself. */
const char *option_successor(const command_line *line, const char *name, size_t length,
                             const char *value);

#endif
