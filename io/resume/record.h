/*
 * record.h - what of a partial file is known to be on the disk.  Private.
 *
 * Beside NAME.partial lies NAME.partial.resume, and in a group NAME.partial.resume.K of process
 * K > 0.  A record is written after the data that it tells of was synced, and replaces the one
 * before by a rename.  It is text:
 *
 *     rmat-record 1
 *     graph WHAT                     where the file itself does not tell: which graph it is
 *     parts N                        files of the graph
 *     part K FINGERPRINT             of part K, what follows: the sum over its edges
 *     edges FIRST END                edges of the graph
 *     pointers FIRST END             row pointers of the graph
 *     sample OFFSET BYTES CHECKSUM   of the part's file
 *     mark ROW COLUMN EDGE           of a sorted graph: edge EDGE is the first one from there on
 *     place PIECES EDGES BYTES CRC   of a file that grows from its beginning; CRC: without header
 *     end CHECKSUM                   of all lines before
 */
#ifndef IO_RESUME_RECORD_H
#define IO_RESUME_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

/* Sets of numbers, kept as the ranges that they form: ascending, with a gap between one and the
 * next. */
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

enum { EDGEFILE_SAMPLES = 64, EDGEFILE_SAMPLE_BYTES = 4096 };

typedef struct {
    uint64_t offset;
    uint32_t bytes, checksum;
} edgefile_sample;

typedef struct {
    edgefile_extents edges, pointers;
    uint64_t fingerprint;
    edgefile_sample samples[EDGEFILE_SAMPLES];
    int n_samples;
} edgefile_part_record;

typedef struct edgefile_record {
    char *graph; /* NULL: the file tells */
    int n_parts;
    edgefile_part_record *parts;
    struct edgefile_mark {
        uint64_t row, col, edge;
    } * marks; /* in any order; n_marks of them, and room for mark_room */
    size_t n_marks, mark_room;
    uint64_t place_pieces, place_edges, place_bytes;
    uint32_t place_crc;
} edgefile_record;

/* *r is empty, with so many parts; to be freed in every case. */
int edgefile_record_init(edgefile_record *r, int n_parts);
void edgefile_record_free(edgefile_record *r);

/* Adds what `from` has, of the same number of parts.  Where that is there already, because a run
 * ended after it had merged records and before it removed them, nothing changes.
 * EDGEFILE_ERR_FORMAT: some of its edges are there, some not. */
int edgefile_record_merge(edgefile_record *to, const edgefile_record *from);

int edgefile_record_mark(edgefile_record *r, const struct edgefile_mark *mark);

/* The text of a record, which the caller frees; NULL: memory is exhausted. */
char *edgefile_record_text(const edgefile_record *r);

/* Reads it.  name: for messages.  EDGEFILE_ERR_FORMAT: it is damaged. */
int edgefile_record_parse(edgefile_record *r, const char *text, const char *name);

/* Writes the record of process `rank`, complete and durable. */
int edgefile_record_write(const edgefile_record *r, const char *partial, int rank);

/* Reads the records of all processes and merges them.  *found: there is at least one; without, *r
 * is empty and has no parts.  *r is to be freed in every case. */
int edgefile_record_read(edgefile_record *r, const char *partial, bool *found);

/* Removes the records of all processes, or of all but process 0, durably. */
int edgefile_record_remove(const char *partial, bool all);

/* Remembers a few bytes of the file, at least one, for edgefile_record_check(). */
int edgefile_record_sample(edgefile_part_record *p, const char *path, int fd, uint64_t offset,
                           uint32_t bytes);

/* Does the file have the bytes of the samples?  EDGEFILE_ERR_FORMAT: it does not. */
int edgefile_record_check(const edgefile_part_record *p, const char *path, int fd);

#endif
