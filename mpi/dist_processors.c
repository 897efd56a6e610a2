/* The processors that a rank should keep busy: each counts 1 / (ranks of the host that may use it).
 */
#include "mpi/dist_processors.h"
#include <sched.h>
#include <stdlib.h>

enum { FIRST_MASK = 128, LARGEST_MASK = 1 << 16 }; /* bytes: 1024 and half a million processors */

/* The kernel refuses a mask that is smaller than its own. */
unsigned char *dist_processor_mask(size_t *bytes)
{
    for (size_t size = FIRST_MASK; size <= LARGEST_MASK; size *= 2) {
        unsigned char *mask = calloc(1, size);

        if (mask != NULL && sched_getaffinity(0, size, (cpu_set_t *)(void *)mask) == 0) {
            *bytes = size;
            return mask;
        }
        free(mask);
    }
    *bytes = 0;
    return NULL;
}

int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine)
{
    double share = 0;

    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        size_t byte = bit / 8;
        int users = 0;

        if ((masks[(size_t)mine * bytes + byte] >> bit % 8 & 1) == 0) {
            continue;
        }
        for (int r = 0; r < ranks; r++) {
            users += masks[(size_t)r * bytes + byte] >> bit % 8 & 1;
        }
        share += 1.0 / users;
    }
    return share < 1 ? 1 : (int)(share + 0.5);
}

int dist_processors_alone(void)
{
    size_t bytes;
    unsigned char *mask = dist_processor_mask(&bytes);
    int share = dist_processor_share(mask, bytes, 1, 0);

    free(mask);
    return share;
}
