/* Manual pages (roff, man macros) from the tables that --help is made of. */
#ifndef APPS_COMMON_MAN_H
#define APPS_COMMON_MAN_H

#include "apps/common/options.h"

/* The header, and the section NAME. */
void man_begin(FILE *stream, const char *program, const char *brief);

void man_section(FILE *stream, const char *title, const char *text); /* text may be "" */
void man_paragraph(FILE *stream, const char *text);
void man_term(FILE *stream, const char *term, const char *text); /* indented below its term */
void man_example(FILE *stream, const char *text, const char *command_of_shell);

/* A line of the synopsis; last: no other one follows. */
void man_synopsis(FILE *stream, const command_line *line, bool last);

/* What --help says: summary, options under their headings, notes. */
void man_options(FILE *stream, const command_line *line);

#endif
