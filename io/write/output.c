/*
 * output.c - h5 and csr: the HDF5 file of a graph, as a format that graphfile_create() writes.
 *
 * Process 0 creates the file, laid out by HDF5, and tells the others where the datasets lie; they
 * open it.  From then on every edge and every row pointer has its place, and any process writes it
 * there (positional.c).
 *
 * A crash leaves no file that says it is complete but is not: all processes sync their edges; then
 * the attributes `fingerprint` and `complete` are set and synced; then the file gets its name.
 */
#include "io/output.h"
#include "io/formats/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static edgefile_output *output_of(graphfile_writer *g)
{
    return g->state;
}

static int new_output(graphfile_writer *g)
{
    const graphfile_spec *spec = &g->spec;
    edgefile_output *w = calloc(1, sizeof *w);

    g->state = w;
    if (w == NULL) {
        return edgefile_no_memory(g->file.name);
    }
    w->group = spec->group;
    w->rank = spec->group == NULL ? 0 : spec->group->rank;
    w->size = spec->group == NULL ? 1 : spec->group->size;
    w->name = g->file.name;
    w->partial = g->file.partial;
    w->lock_fd = g->file.fd;
    w->unaligned = spec->unaligned || spec->format == GRAPHFILE_CSR;
    w->schema = edgefile_schema_of(spec);
    w->edges = spec->graph.edges;
    w->buffered = spec->buffered != 0;
    w->fd = w->direct_fd = -1;
    return edgefile_late_keep(w, spec);
}

static int reserve(const edgefile_output *w)
{
    struct stat st;

    if (fstat(w->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", w->partial);
    }
    errno = edgefile_set_aside(w->fd, 0, (uint64_t)st.st_size);
    if (errno != 0 && errno != EOPNOTSUPP) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: reserving %lld bytes: %m",
                             w->partial, (long long)st.st_size);
    }
    return EDGEFILE_OK;
}

static int open_fd(edgefile_output *w)
{
    w->fd = open(w->partial, O_RDWR | O_CLOEXEC);
    return w->fd >= 0
               ? EDGEFILE_OK
               : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", w->partial);
}

/* On process 0.  HDF5 crashes at the end of the program if it could not make a file as long as it
 * should be: that is tried before. */
static int create_file(edgefile_output *w, const graphfile_spec *spec)
{
    EDGEFILE_TRY(edgefile_check_hosts(w));
    EDGEFILE_TRY(edgefile_partial_fits(w->lock_fd, w->name, graphfile_bytes(spec)));
    EDGEFILE_TRY(edgefile_skeleton_create(w->partial, spec, w->offset));
    EDGEFILE_TRY(open_fd(w));
    EDGEFILE_TRY(reserve(w));
    if (w->size > 1 && fsync(w->fd) != 0) { /* so that other hosts see it */
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", w->partial);
    }
    return EDGEFILE_OK;
}

static int open_output(graphfile_writer *g)
{
    const edgefile_group *group = g->spec.group;
    edgefile_output *w;

    EDGEFILE_TRY(edgefile_group_agree(group, new_output(g)));
    w = output_of(g);
    EDGEFILE_TRY(
        edgefile_group_agree(group, w->rank == 0 ? create_file(w, &g->spec) : EDGEFILE_OK));
    edgefile_group_broadcast(group, w->offset, sizeof w->offset);
    EDGEFILE_TRY(edgefile_group_agree(group, w->rank == 0 ? EDGEFILE_OK : open_fd(w)));
    edgefile_positional_open(w);
    return EDGEFILE_OK;
}

static int check_range(const edgefile_output *w, const char *what, uint64_t first, uint64_t count,
                       uint64_t length)
{
    if (first > length || count > length - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu %s at %llu, the file has %llu",
                             w->partial, (unsigned long long)count, what, (unsigned long long)first,
                             (unsigned long long)length);
    }
    return EDGEFILE_OK;
}

static int check_columns(const edgefile_output *w, const graphfile_piece *e)
{
    if (w->schema.format == EDGEFILE_CSR && e->src != NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", w->partial);
    }
    if ((w->schema.format != EDGEFILE_CSR && e->src == NULL) || e->dst == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if ((e->weight == NULL) != (w->schema.weight == EDGEFILE_NO_WEIGHT)) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             e->weight == NULL ? "%s: has weights, but weight is NULL"
                                               : "%s: has no weights, but weight is not NULL",
                             w->partial);
    }
    return EDGEFILE_OK;
}

static int write_edges(graphfile_writer *g, const graphfile_piece *e)
{
    const void *const data[EDGEFILE_N_DATASETS] = {e->src, e->dst, e->weight};
    edgefile_output *w = output_of(g);
    int st = check_range(w, "edges", e->first, e->count, w->edges);

    if (st != EDGEFILE_OK || e->count == 0) {
        return st;
    }
    EDGEFILE_TRY(check_columns(w, e));
    EDGEFILE_TRY(edgefile_positional_write(w, e->first, e->count, data));
    atomic_fetch_add(&w->written, e->count);
    atomic_fetch_add(&w->fingerprint, e->fingerprint);
    return EDGEFILE_OK;
}

static int write_pointers(graphfile_writer *g, uint64_t first, uint64_t count,
                          const uint64_t *pointers)
{
    const void *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] = pointers};
    edgefile_output *w = output_of(g);
    int st = check_range(w, "pointers", first, count, w->schema.rows + 1);

    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    EDGEFILE_TRY(edgefile_positional_write(w, first, count, data));
    atomic_fetch_add(&w->pointers, count);
    return EDGEFILE_OK;
}

/* Ends the writing of edges. */
static int sync_edges(edgefile_output *w)
{
    const int st = fdatasync(w->fd) == 0 ? EDGEFILE_OK
                                         : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO),
                                                         "%s: sync: %m", w->partial);

    edgefile_positional_close(w);
    return st;
}

/* What was written: by this process at first, then summed over all. */
enum { EDGES, FINGERPRINT, POINTERS, N_TOTALS };

static int check_complete(const edgefile_output *w, const uint64_t totals[N_TOTALS])
{
    const uint64_t pointers = w->schema.format == EDGEFILE_CSR ? w->schema.rows + 1 : 0;

    if (totals[EDGES] != w->edges) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges were written, expected %llu",
                             w->partial, (unsigned long long)totals[EDGES],
                             (unsigned long long)w->edges);
    }
    if (totals[POINTERS] != pointers) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu pointers were written, expected %llu",
                             w->partial, (unsigned long long)totals[POINTERS],
                             (unsigned long long)pointers);
    }
    return EDGEFILE_OK;
}

static void close_file(edgefile_output *w)
{
    edgefile_positional_close(w);
    if (w->fd >= 0) {
        close(w->fd);
    }
    w->fd = -1;
}

/* On process 0.  The file itself is synced when it is published. */
static int mark_complete(edgefile_output *w, graphfile_committed *done)
{
    struct stat st;

    EDGEFILE_TRY(edgefile_skeleton_complete(w, done->fingerprint));
    if (fstat(w->lock_fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", w->partial);
    }
    done->bytes = (uint64_t)st.st_size;
    return EDGEFILE_OK;
}

static int complete_output(graphfile_writer *g)
{
    edgefile_output *w = output_of(g);
    graphfile_committed *done = &g->committed;
    uint64_t totals[N_TOTALS] = {[EDGES] = atomic_load(&w->written),
                                 [FINGERPRINT] = atomic_load(&w->fingerprint),
                                 [POINTERS] = atomic_load(&w->pointers)};
    int st = edgefile_group_agree(w->group, sync_edges(w));

    if (st != EDGEFILE_OK) {
        return st;
    }
    edgefile_group_sum(w->group, totals, N_TOTALS);
    edgefile_late_share(w);
    done->fingerprint = totals[FINGERPRINT];
    st = check_complete(w, totals);
    close_file(w);
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    st = w->rank == 0 ? mark_complete(w, done) : EDGEFILE_OK;
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    edgefile_group_sum(w->group, &done->bytes, 1);
    return EDGEFILE_OK;
}

static void close_output(graphfile_writer *g)
{
    edgefile_output *w = output_of(g);

    g->state = NULL;
    if (w == NULL) {
        return;
    }
    close_file(w);
    edgefile_late_free(w);
    free(w);
}

const graphfile_write_ops graphfile_edgefile_write = {.open = open_output,
                                                      .write = write_edges,
                                                      .unchecked = true,
                                                      .pointers = write_pointers,
                                                      .complete = complete_output,
                                                      .close = close_output};

int graphfile_set_u64(graphfile_writer *g, const char *name, uint64_t value)
{
    if (g == NULL || name == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer or name is NULL");
    }
    if (g->about->write != &graphfile_edgefile_write) {
        return edgefile_fail(EDGEFILE_ERR_ATTR, "%s: the format has no attributes",
                             graphfile_name(g));
    }
    return edgefile_late_set(output_of(g), name, value);
}
