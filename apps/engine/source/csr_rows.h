/* The sources of a CSR file's edges, which it has as pointers only. */
#ifndef APPS_ENGINE_SOURCE_CSR_ROWS_H
#define APPS_ENGINE_SOURCE_CSR_ROWS_H

#include "io/edgefile.h"

/* The rows of edges [first, first + count), in src of edgefile_id_bytes() elements.  *near: a row,
 * 0 at first, from which the first edge's is searched for; set to the last edge's.  Needs no more
 * memory than a buffer, and little time even if there are far more rows than edges.  Returns 0 or
 * an edgefile_status; EDGEFILE_ERR_RANGE: the pointers are not in order (edgefile_detail() does
 * not say so). */
int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near);

#endif
