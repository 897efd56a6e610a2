/*
 * The number of edges drawn: half of those in a symmetric file.
 *
 * In a graph whose copies were dropped the attribute stream_edges tells it.  There are two more
 * exceptions, for which the value of --edges in the stored command is taken.  A shard
 * holds a part of the graph, and its command makes all of it.  In a symmetric graph of distinct
 * edges a loop has no reverse edge of its own, so the file has fewer than twice the edges drawn.
 */
#include "apps/engine/attributes/base_edges.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

uint64_t model_base_edges(edgefile_reader *r, const file_model *model)
{
    static const char option[] = " --edges ";
    const char *at;
    char text[TEXT];
    uint64_t shard, edges = edgefile_edges(r) / (model->given.symmetrize ? 2 : 1);

    if (model->order.dedup) {
        return model->order.stream_edges >> (model->given.symmetrize != 0);
    }
    if ((edgefile_get_u64(r, "shard", &shard) == EDGEFILE_OK ||
         (model->order.unique && model->given.symmetrize)) &&
        edgefile_get_string(r, "command", text, sizeof text) == EDGEFILE_OK &&
        (at = strstr(text, option)) != NULL) {
        edges = strtoull(at + strlen(option), NULL, 10);
    }
    return edges;
}
