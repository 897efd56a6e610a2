/*
 * resume.h - HDF5 files whose writing is interrupted and goes on later.  Private.
 *
 * While a file grows, each process records now and then which edges and pointers it has written and
 * synced (record.h).  A later run, perhaps of other processes, finds the union of these records:
 * these edges it need not make again.  What is not recorded is written anew, over what may be
 * there.
 */
#ifndef IO_RESUME_RESUME_H
#define IO_RESUME_RESUME_H

#include "io/output.h"

/* resume.c, on process 0, which has the lock: is there something to go on with?  Sets w->resumed
 * and w->prior if so; otherwise no record is left. */
int edgefile_resume_find(edgefile_output *w, const graphfile_spec *spec);

/* The same for shards, on process 0, before names of an earlier run are looked after: without the
 * folder that they lie in, everything begins anew. */
int edgefile_resume_folder(edgefile_output *w);

/* Tells the other processes of it, and makes process 0's record that of all.  Collective. */
int edgefile_resume_share(edgefile_output *w);

/* Opens part k instead of creating it: is it the file that would be created, apart from its edges,
 * and does it have the samples?  more: attributes of shards. */
int edgefile_resume_part(edgefile_output *w, int k, const graphfile_spec *spec,
                         const edgefile_attr *more, size_t n_more);

/* Does this process see the samples in part k, which is open? */
int edgefile_resume_see(const edgefile_output *w, int k);

/* resume.c: keeps the record of a process. */
typedef struct edgefile_recorder edgefile_recorder;
int edgefile_recorder_create(edgefile_output *w, double seconds);
void edgefile_recorder_free(edgefile_output *w);

/* Edges, or pointers, of part k are written; any thread.  Records if it is time to. */
int edgefile_recorder_add_edges(edgefile_output *w, int k, uint64_t first, uint64_t count,
                                uint64_t fingerprint);
int edgefile_recorder_add_pointers(edgefile_output *w, int k, uint64_t first, uint64_t count);

/* See graphfile_mark(). */
int edgefile_recorder_mark(edgefile_output *w, uint64_t row, uint64_t col, uint64_t edge);

/* Records everything now. */
int edgefile_recorder_save(edgefile_output *w);

#endif
