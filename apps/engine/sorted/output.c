/*
 * The file that the intervals of a sorted graph go to: one of HDF5, which all ranks write, or one
 * in the format of another program, straight from the intervals of a lone process.
 */
#include "apps/engine/sorted/output.h"
#include "apps/common/clock.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/resume.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

/* A shard that the HDF5 library writes is open in one process alone. */
static int check_shards(const edgefile_writer *writer)
{
    if (edgefile_used_layout(writer) == EDGEFILE_LAYOUT_SHARDED &&
        edgefile_used_path(writer) == EDGEFILE_PATH_HDF5 && dist_size() > 1) {
        return engine_refuse("io",
                             "'hdf5' given for shards of a sorted graph on %d ranks, allowed: "
                             "auto, direct",
                             dist_size());
    }
    return ENGINE_OK;
}

static int create_hdf5(const sorted_run *r, const engine_run *run, edgefile_writer **writer)
{
    const engine_job *o = r->job;
    model_order order = {true,     o->hdf5_format == EDGEFILE_CSR, o->unique,
                         r->edges, sorted_stream(r, r->draws),     o->dedup};
    edgefile_spec known = *run->spec;
    model_attrs attrs;
    int status;

    model_attrs_of_job(&attrs, o, &order);
    known.edges = r->edges;
    known.attrs = attrs.list;
    known.n_attrs = attrs.n;
    status = edgefile_create(writer, run->file, &known);
    if (status != EDGEFILE_OK) {
        return engine_fail_file(status);
    }
    return engine_agree(check_shards(*writer));
}

int sorted_output_create(sorted_output *out, const sorted_run *r, const engine_run *run)
{
    return r->job->straight ? engine_agree(engine_create_foreign(run, r->edges, &out->foreign))
                            : create_hdf5(r, run, &out->hdf5);
}

bool sorted_output_exists(const sorted_output *out)
{
    return out->hdf5 != NULL || out->foreign != NULL;
}

pipeline_sink sorted_output_sink(const sorted_output *out)
{
    return out->foreign != NULL ? pipeline_to_graphfile(out->foreign)
                                : pipeline_to_edgefile(out->hdf5);
}

int sorted_output_end(const sorted_output *out, int status)
{
    if (out->foreign == NULL) {
        return engine_end_writes(status);
    }
    dist_work_end();
    return engine_agree(engine_early_end(status));
}

static int commit_foreign(sorted_output *out, engine_run *run)
{
    double start = clock_seconds();
    int status = graphfile_commit(&out->foreign, &run->result->file_bytes);

    run->result->commit_seconds = clock_seconds() - start;
    return engine_agree(status == EDGEFILE_OK ? ENGINE_OK : engine_fail_graphfile(status));
}

int sorted_output_commit(sorted_output *out, engine_run *run)
{
    if (out->foreign != NULL) {
        return commit_foreign(out, run);
    }
    edgefile_set_u64(out->hdf5, "stream_edges", run->result->stream_edges);
    return engine_commit(&out->hdf5, run);
}

void sorted_output_abort(sorted_output *out, const engine_job *job)
{
    engine_give_up(job, &out->hdf5);
    graphfile_abort(&out->foreign);
}
