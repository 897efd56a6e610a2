/*
 * lane.h - encoded chunks on their way into a file, where they lie one behind the other in the
 * order of their numbers, whoever brings them and when.
 *
 * A chunk gets its place when all before it have theirs.  The thread that brings the next one
 * writes it, and those behind it that were waiting.  Where several processes write the file, chunks
 * wait until the end of their round.
 */
#ifndef IO_COMPRESSED_LANE_H
#define IO_COMPRESSED_LANE_H

#include "io/compressed/compressed.h"

/* An encoded chunk.  bytes: without the zeros that follow up to the end of the page. */
typedef struct edgefile_encoded {
    uint64_t number, bytes;
    edgefile_chunk *place; /* is set when it is known */
    struct edgefile_encoded *next;
    char *data; /* on a page boundary, with room for whole pages; belongs to the lane */
} edgefile_encoded;

typedef struct {
    edgefile_part *part;  /* whose descriptors are written to */
    bool direct;          /* past the page cache, if the part can */
    bool rounds;          /* chunks wait for edgefile_lane_end_round() */
    uint64_t base;        /* where chunk 0 is */
    pthread_mutex_t lock; /* guards what follows */
    uint64_t next, end;   /* the chunk whose place is known, and that place */
    uint64_t reserved;    /* disk space is allocated up to there */
    edgefile_encoded *waiting, *spare;
} edgefile_lane;

void edgefile_lane_init(edgefile_lane *l, edgefile_part *part, bool direct, bool rounds);
void edgefile_lane_free(edgefile_lane *l);

/* An empty chunk with room for so many bytes; NULL: memory is exhausted.  Goes back by add or by
 * give. */
edgefile_encoded *edgefile_lane_take(edgefile_lane *l, size_t bytes);
void edgefile_lane_give(edgefile_lane *l, edgefile_encoded *e);

/* By any thread, every number once. */
int edgefile_lane_add(edgefile_lane *l, edgefile_encoded *e);

/* Writes the chunks of a round, whose numbers follow each other, behind those of lower processes.
 * Collective; EDGEFILE_ERR_RANGE: numbers are missing. */
int edgefile_lane_end_round(edgefile_lane *l, const edgefile_group *group);

#endif
