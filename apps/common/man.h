/* Manual pages (roff, man macros) from the tables that --help is made of. */
#ifndef APPS_COMMON_MAN_H
#define APPS_COMMON_MAN_H

#include "apps/common/options.h"

/* Begin a page with its header and the section NAME; brief: a phrase after the name. */
void man_begin(FILE *stream, const char *program, const char *brief);

/* Begin a section with some text, which may be "". */
void man_section(FILE *stream, const char *title, const char *text);

/* A term in bold, with its explanation indented below it. */
void man_term(FILE *stream, const char *term, const char *text);

/* A command to be typed, after a line that says what it does. */
void man_example(FILE *stream, const char *text, const char *command_of_shell);

/* A line of the synopsis; `last` says that no other line follows. */
void man_synopsis(FILE *stream, const command_line *line, bool last);

/* What --help prints: summary, options under their headings, notes. */
void man_options(FILE *stream, const command_line *line);

#endif
