/* The processors of a host, shared by the ranks on it.  Private to mpi/. */
#ifndef MPI_DIST_PROCESSORS_H
#define MPI_DIST_PROCESSORS_H

#include <stddef.h>

/* Which processors this process may use, a bit for each; *bytes is the mask's size.  NULL: no
 * memory, or not known. */
unsigned char *dist_processor_mask(size_t *bytes);

/* masks: those of `ranks` ranks of a host, of `bytes` bytes each.  The share of rank `mine`: each
 * processor that it may use counts 1 / (ranks that may use it); rounded, at least 1. */
int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine);

int dist_processors_alone(void);

#endif
