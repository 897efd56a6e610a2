/* tables.h - private to rmat/: what the stream `rows` is drawn from, made of a model (ROWS.md). */
#ifndef RMAT_ROWS_TABLES_H
#define RMAT_ROWS_TABLES_H

#include "rmat/rows/rows.h"

/* Sets all of *view for a checked configuration with these matrices (rmat_levels_of()), but for the
 * seed and the edges.  *tables: what fast and full of the view point to, to be freed; NULL on
 * failure. */
int rmat_rows_set_up(rmat_rows_view *view, void **tables, const rmat_config *config,
                     const rmat_matrix *levels);

#endif
