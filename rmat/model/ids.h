/* ids.h - private to rmat/: access to arrays of ids of 4 or 8 bytes.  If id_bytes is a constant,
 * the branch on it vanishes. */
#ifndef RMAT_MODEL_IDS_H
#define RMAT_MODEL_IDS_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t id_at(const void *ids, uint64_t i, const int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

INLINE void set_id(void *ids, uint64_t i, uint64_t id, const int id_bytes)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

#endif
