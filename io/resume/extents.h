/* extents.h - sets of numbers, kept as the ranges that they form.  Private. */
#ifndef IO_RESUME_EXTENTS_H
#define IO_RESUME_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

/* Ascending, with a gap between one and the next. */
typedef struct {
    struct edgefile_extent {
        uint64_t first, end;
    } * list;
    size_t n, room;
} edgefile_extents; /* {0}: the empty set */

/* Adds the numbers from first to below end.  EDGEFILE_ERR_NOMEM: the set stays as it is. */
int edgefile_extents_add(edgefile_extents *s, uint64_t first, uint64_t end);

/* Of `count` numbers from *first on: the first run of them that is not in the set.  *count 0: all
 * of them are. */
void edgefile_extents_missing(const edgefile_extents *s, uint64_t *first, uint64_t *count);

/* How many of these numbers are in the set; of all there are, with end = UINT64_MAX. */
uint64_t edgefile_extents_within(const edgefile_extents *s, uint64_t first, uint64_t end);

void edgefile_extents_free(edgefile_extents *s);

#endif
