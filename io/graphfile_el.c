/* graphfile_el.c - text edge lists: "src dst" on a line. */
#include "io/graphfile_impl.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t id_at(const graphfile_writer *w, const void *ids, uint64_t i)
{
    return w->spec.graph.id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    for (uint64_t i = 0; i < p->count; i++) {
        char *to = graphfile_reserve(b, 48);
        if (to == NULL)
            return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
        b->bytes += (size_t)sprintf(to, "%" PRIu64 " %" PRIu64 "\n", id_at(w, p->src, i),
                                    id_at(w, p->dst, i));
    }
    return EDGEFILE_OK;
}

const graphfile_ops graphfile_el_ops = {.encode = encode};
