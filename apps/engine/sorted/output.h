/* The file that intervals go to.  Private to this folder. */
#ifndef APPS_ENGINE_SORTED_OUTPUT_H
#define APPS_ENGINE_SORTED_OUTPUT_H

#include "apps/engine/run.h"
#include "apps/engine/sorted/run.h"

/* One of the two is open. */
typedef struct {
    edgefile_writer *hdf5;
    graphfile_writer *foreign; /* where job->straight */
} sorted_output;

/* With what is known of the graph by now: r->edges and r->draws.  Collective, as are the end and
 * the commit; they return an engine_status, the same on all ranks. */
int sorted_output_create(sorted_output *out, const sorted_run *r, const engine_run *run);
bool sorted_output_exists(const sorted_output *out);

/* Where chunks go. */
pipeline_sink sorted_output_sink(const sorted_output *out);

/* The edges are written, or `status` and its detail say why not. */
int sorted_output_end(const sorted_output *out, int status);
int sorted_output_commit(sorted_output *out, engine_run *run);       /* frees it, in any case */
void sorted_output_abort(sorted_output *out, const engine_job *job); /* likewise */

#endif
