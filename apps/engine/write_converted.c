/*
 * Sorted graphs in formats that cannot take the intervals as they are made: formats with row
 * pointers need the edges more than once, and several ranks sort in an order of their own.  The
 * graph becomes an HDF5 file first, beside the output, and is converted.
 */
#include "apps/common/clock.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Collective; the same on all ranks. */
static int convert(edge_source *source, const engine_work *run)
{
    const engine_job *o = &run->plan->job;
    engine_result *r = run->result;
    const format_options options = {.threads = o->threads,
                                    .spec = run->spec,
                                    .id_bytes = o->id_bytes,
                                    .id_sign = o->id_sign,
                                    .watch = &o->watch};
    format_result done = {0};
    double start = clock_seconds();
    int status;

    status = format_write(source, o->output, &options, &done);
    r->convert_seconds = clock_seconds() - start;
    r->file_bytes = done.committed.bytes;
    return status;
}

graphfile_spec engine_sorted_spec(const engine_plan *p, const graphfile_spec *output)
{
    return (graphfile_spec){.format = p->hdf5_format,
                            .graph = output->graph,
                            .replace = 1,
                            .group = output->group,
                            .attrs = output->attrs,
                            .n_attrs = output->n_attrs,
                            .buffered = p->job.buffered,
                            .unaligned = 1};
}

/* Beside the output, as that is where room is; formats that need it cannot go to a pipe. */
int engine_name_sorted(const engine_job *o, char name[PATH_MAX])
{
    const int n = snprintf(name, PATH_MAX, "%s.sorted.partial", o->output);

    return n < PATH_MAX ? ENGINE_OK : engine_fail("%s: %s", o->output, strerror(ENAMETOOLONG));
}

/* Before hours of work: can the output be made where it is to be? */
static int try_output(const engine_work *run)
{
    graphfile_writer *writer = NULL;
    int status = graphfile_create(&writer, run->file, run->spec);

    graphfile_abort(&writer);
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail_graphfile(status);
}

static int convert_sorted(const char *name, engine_work *run)
{
    edge_source *source;
    int status = engine_agree(edge_source_open(&source, name));

    if (status == ENGINE_OK) {
        status = convert(source, run);
    }
    edge_source_close(source);
    return status;
}

/* The sorted file, which nobody reads any more once it is converted or the job ends. */
static struct {
    char name[PATH_MAX];
    struct stat ours; /* st_ino 0: it is not there yet */
} sorted_file;

/* Unless another process has put its own there. */
static void remove_sorted(void)
{
    struct stat now;

    if (sorted_file.ours.st_ino != 0 && stat(sorted_file.name, &now) == 0 &&
        now.st_ino == sorted_file.ours.st_ino && now.st_dev == sorted_file.ours.st_dev) {
        unlink(sorted_file.name);
    }
    sorted_file.ours.st_ino = 0;
}

int engine_abandon(void)
{
    remove_sorted();
    return edgefile_abandon();
}

int engine_write_converted(engine_work *run)
{
    const engine_job *o = &run->plan->job;
    const graphfile_spec spec = engine_sorted_spec(run->plan, run->spec);
    engine_work sorted = *run;
    char *name = sorted_file.name;
    int status;

    status = try_output(run);
    if (status == ENGINE_OK) {
        status = engine_name_sorted(o, name);
    }
    status = engine_agree(status);
    if (status != ENGINE_OK) {
        return status;
    }
    sorted.spec = &spec;
    sorted.file = name;
    status = engine_write_sorted(&sorted);
    if (status == ENGINE_OK) {
        dist_hold_poll(0); /* it is not the file that was asked for */
        (void)stat(name, &sorted_file.ours);
        status = convert_sorted(name, run);
    }
    if (dist_rank() == 0) {
        remove_sorted();
    }
    return status;
}
