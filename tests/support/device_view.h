/* device_view.h - what a device test needs of the library's private side, for C and CUDA. */
#ifndef TESTS_SUPPORT_DEVICE_VIEW_H
#define TESTS_SUPPORT_DEVICE_VIEW_H

#include "rmat/model/edge.h"

/* A generator with matrices that vary by level: its edges by the CPU, its view, and the tables of
 * its groups, 4096 rows each, into full and fast.  The view's own pointers are dead on return. */
int device_view_edges(int scale, uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst,
                      rmat_view *view, uint64_t *full, uint32_t *fast);

#endif
