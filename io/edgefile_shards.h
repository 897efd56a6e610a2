/*
 * io/edgefile_shards.h - shards that are made one by one, by programs that know nothing of each
 * other, and the graph that they make together.
 *
 *     edgefile_shard_name(&name, "graph.h5", 3);       // graph.h5.shards/00003.h5
 *     spec.shard = 3, spec.shards = 8;
 *     graphfile_create(&writer, name, &spec);          // ..., graphfile_commit(); and so the
 * others
 *
 *     edgefile_join("graph.h5", 0, &joined);           // when all eight are there
 *
 * The files are the same, byte for byte, as those of eight processes that write the graph together
 * with EDGEFILE_LAYOUT_SHARDED.  Functions return an edgefile_status, and edgefile_detail() says
 * more.  They may be called from any thread.
 */
#ifndef IO_EDGEFILE_SHARDS_H
#define IO_EDGEFILE_SHARDS_H

#include "io/edgefile.h"
#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The path of a shard of the graph NAME, which the caller frees. */
int edgefile_shard_name(char **path, const char *name, int shard);

/* Makes the folder of the shards of NAME, durably, if it is not there; *made tells.
 * EDGEFILE_ERR_EXISTS: NAME is there, so its shards belong to a graph that is complete. */
int edgefile_shard_folder_make(const char *name, bool *made);

typedef struct {
    int shards;
    uint64_t edges, fingerprint; /* of the graph */
} edgefile_joined;

/*
 * Makes the master NAME of the shards in its folder.  It has the attributes of the shards, which
 * must all have the same ones; *joined tells what it is.  EDGEFILE_ERR_OPEN: shard 0 is missing.
 * EDGEFILE_ERR_FORMAT: another shard is, or one is damaged, or of another graph than shard 0.
 * EDGEFILE_ERR_EXISTS: NAME is there, and `replace` is 0.  An interrupted call leaves NAME.partial,
 * which the next one replaces.
 */
int edgefile_join(const char *name, int replace, edgefile_joined *joined);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
