/*
 * output.c - h5 and csr: the HDF5 file of a graph, or its master and shards, as a format that
 * graphfile_create() writes.
 *
 * Process 0 creates what the others are to find: the whole file, laid out by HDF5, or the master
 * and the folder for the shards.  It tells the others where the datasets lie; they open the file,
 * or create their own shard.  From then on every edge and every row pointer has its place, and any
 * process writes it there (positional.c).
 *
 * A crash leaves no file that says it is complete but is not: all processes sync their edges; then
 * the attributes `fingerprint` and `complete` are set and synced; then the names are given.
 */
#include "io/formats/writer.h"
#include "io/resume/record.h"
#include "io/resume/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* What process 0 tells the others. */
typedef struct {
    edgefile_layout layout;
    uint64_t offset[EDGEFILE_N_DATASETS];
    bool resumed;
} invitation;

/*
 * A part: one HDF5 file under construction, which is the file of the whole graph or a
 * shard.  One process creates it; others open it later, at the latest for their first write to it.
 * Parts go by their number: create makes the file; attach opens one that another process made
 * (offset NULL: the offsets are read from the file); begin makes either ready for writes.
 */

static char *part_path(const edgefile_output *w, int k)
{
    return w->layout == EDGEFILE_LAYOUT_SHARDED ? edgefile_shard_path(w->partial, k)
                                                : strdup(w->partial);
}

static int edgefile_own_part(const edgefile_output *w)
{
    return w->layout == EDGEFILE_LAYOUT_SHARDED ? w->rank : 0;
}

int edgefile_part_of(const edgefile_output *w, uint64_t edge)
{
    int low = 0, high = w->n_parts - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (w->parts[middle].start <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int edgefile_part_of_pointer(const edgefile_output *w, uint64_t pointer)
{
    int low = 0, high = w->n_parts - 1;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->parts[middle].first_row + w->parts[middle].rows >= pointer) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int reserve(const edgefile_part *p)
{
    struct stat st;

    if (fstat(p->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", p->path);
    }
    errno = edgefile_set_aside(p->fd, 0, (uint64_t)st.st_size);
    if (errno != 0 && errno != EOPNOTSUPP) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: reserving %lld bytes: %m",
                             p->path, (long long)st.st_size);
    }
    return EDGEFILE_OK;
}

static int open_fd(edgefile_output *w, int k)
{
    edgefile_part *p = &w->parts[k];

    if (p->path == NULL) {
        p->path = part_path(w, k);
    }
    if (p->path == NULL) {
        return edgefile_no_memory(w->partial);
    }
    p->fd = open(p->path, O_RDWR | O_CLOEXEC);
    if (p->fd < 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", p->path);
    }
    return EDGEFILE_OK;
}

/* HDF5 crashes at the end of the program if it could not make a file as long as it should be.
 * Process 0 has tried whether the file system permits that length, but each process has a limit of
 * its own. */
static int check_limit(const char *path, uint64_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur) {
        return edgefile_fail(EDGEFILE_ERR_SPACE, "%s: length of %llu bytes: %s", path,
                             (unsigned long long)bytes, strerror(EFBIG));
    }
    return EDGEFILE_OK;
}

static int edgefile_part_create(edgefile_output *w, int k, const graphfile_spec *spec)
{
    edgefile_part *p = &w->parts[k];
    const bool alone = w->shards > 0;
    const uint64_t shard = (uint64_t)(alone ? w->shard : k);
    const uint64_t shards = (uint64_t)(alone ? w->shards : w->n_parts);
    const edgefile_attr place[] = {{"first_edge", EDGEFILE_U64, 1, &p->start},
                                   {"shard", EDGEFILE_U64, 1, &shard},
                                   {"shards", EDGEFILE_U64, 1, &shards},
                                   {"first_row", EDGEFILE_U64, 1, &p->first_row}};
    const size_t n_place = spec->format == GRAPHFILE_CSR ? 4 : 3;
    const bool sharded = alone || w->layout == EDGEFILE_LAYOUT_SHARDED;
    graphfile_spec own = *spec;

    p->path = part_path(w, k);
    if (p->path == NULL) {
        return edgefile_no_memory(w->partial);
    }
    own.graph.rows = p->rows;
    EDGEFILE_TRY(check_limit(p->path, edgefile_spec_bytes(spec, p->rows, p->edges)));
    if (w->resumed) {
        EDGEFILE_TRY(open_fd(w, k));
        EDGEFILE_TRY(edgefile_resume_part(w, k, &own, place, sharded ? n_place : 0));
    } else {
        EDGEFILE_TRY(edgefile_skeleton_create(p, &own, place, sharded ? n_place : 0));
        EDGEFILE_TRY(open_fd(w, k));
    }
    EDGEFILE_TRY(reserve(p));
    if (w->size > 1 && fsync(p->fd) != 0) { /* so that other hosts see it */
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
    }
    return EDGEFILE_OK;
}

static int edgefile_part_attach(edgefile_output *w, int k, const uint64_t *offset)
{
    edgefile_part *p = &w->parts[k];

    EDGEFILE_TRY(open_fd(w, k));
    if (offset == NULL) {
        edgefile_schema own = w->schema;

        own.rows = p->rows;
        return edgefile_skeleton_find(p, &own);
    }
    memcpy(p->offset, offset, sizeof p->offset);
    return EDGEFILE_OK;
}

static void edgefile_part_begin(edgefile_output *w, int k)
{
    edgefile_positional_open(w, &w->parts[k]);
    atomic_store(&w->parts[k].ready, true);
}

static int edgefile_part_sync(edgefile_part *p)
{
    int st = fdatasync(p->fd) == 0
                 ? EDGEFILE_OK
                 : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);

    edgefile_positional_close(p);
    return st;
}

static int edgefile_part_complete(const edgefile_output *w, edgefile_part *p, uint64_t fingerprint)
{
    EDGEFILE_TRY(edgefile_skeleton_complete(w, p->path, fingerprint));
    if (fsync(p->fd) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
    }
    return EDGEFILE_OK;
}

static void edgefile_part_close(edgefile_part *p)
{
    edgefile_positional_close(p);
    if (p->fd >= 0) {
        close(p->fd);
    }
    p->fd = -1;
    free(p->path);
    p->path = NULL;
    p->ready = false;
}

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
    w->replace = spec->replace != 0;
    w->stale = g->file.stale;
    w->unaligned = spec->unaligned || spec->format == GRAPHFILE_CSR;
    w->schema = edgefile_schema_of(spec);
    w->edges = spec->graph.edges;
    w->buffered = spec->buffered != 0;
    w->layout = spec->layout;
    w->shard = spec->shard;
    w->shards = spec->shards;
    pthread_mutex_init(&w->joining, NULL);
    return edgefile_late_keep(w, spec);
}

static int make_parts(edgefile_output *w)
{
    int ranges;

    w->n_parts = w->layout == EDGEFILE_LAYOUT_SHARDED ? w->size : 1;
    ranges = w->shards > 0 ? w->shards : w->n_parts;
    w->parts = calloc((size_t)w->n_parts, sizeof *w->parts);
    if (w->parts == NULL) {
        w->n_parts = 0;
        return edgefile_no_memory(w->partial);
    }
    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part *p = &w->parts[k];
        p->fd = p->direct_fd = -1;
        edgefile_shard_range(w->edges, w->schema.id_bytes, w->schema.weight, ranges, w->shard + k,
                             &p->start, &p->edges);
        edgefile_shard_range(w->schema.rows, 8, EDGEFILE_NO_WEIGHT, ranges, w->shard + k,
                             &p->first_row, &p->rows);
    }
    return EDGEFILE_OK;
}

/* Is there room for all files together, and may one be as long as the longest of them? */
static int check_room(const edgefile_output *w, const graphfile_spec *spec)
{
    graphfile_spec chosen = *spec;
    uint64_t bytes;

    if (w->resumed) { /* it has its room */
        return EDGEFILE_OK;
    }
    chosen.layout = w->layout;
    bytes = graphfile_bytes(&chosen);
    return edgefile_partial_fits(
        w->lock_fd, w->name, bytes,
        w->layout == EDGEFILE_LAYOUT_SINGLE
            ? bytes
            : edgefile_spec_bytes(spec, w->parts[0].rows, w->parts[0].edges));
}

/* Ends what a writer that died left half renamed, and looks after the folder of shards that the new
 * one is to have, or that an older graph has. */
static int clean_up(graphfile_writer *g)
{
    const edgefile_output *w = output_of(g);
    graphfile_plain *const folder = &g->beside[0];
    graphfile_plain *const files[] = {&g->file, folder};
    int exists;

    EDGEFILE_TRY(graphfile_plain_recover(files, 2));
    if (!w->resumed) {
        EDGEFILE_TRY(edgefile_shard_path_remove(folder->partial));
    }
    exists = edgefile_shard_folder_exists(w->name);
    if (exists < 0 && (w->replace || w->layout == EDGEFILE_LAYOUT_SHARDED)) {
        return exists;
    }
    if (exists != 0 && !w->replace && !w->stale && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists", folder->name);
    }
    return EDGEFILE_OK;
}

static int make_folder(const char *folder)
{
    return mkdir(folder, 0777) == 0
               ? EDGEFILE_OK
               : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", folder);
}

/* On process 0. */
static int prepare(graphfile_writer *g, invitation *to)
{
    const graphfile_spec *spec = &g->spec;
    edgefile_output *w = output_of(g);

    EDGEFILE_TRY(edgefile_resume_find(w, spec));
    g->file.kept = w->resumed;
    w->layout = edgefile_choose_layout(w, spec);
    EDGEFILE_TRY(edgefile_check_hosts(w));
    if (w->resumed && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(edgefile_resume_folder(w));
        g->file.kept = w->resumed;
    }
    EDGEFILE_TRY(clean_up(g));
    EDGEFILE_TRY(make_parts(w));
    EDGEFILE_TRY(check_room(w, spec));
    if (w->resumed && w->prior->n_parts != w->n_parts) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: was begun with %d processes, each of which wrote a file, and cannot be resumed "
            "with %d",
            w->partial, w->prior->n_parts, w->n_parts);
    }
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(w->resumed ? EDGEFILE_OK : make_folder(g->beside[0].partial));
        EDGEFILE_TRY(edgefile_master_create(w, spec));
    } else {
        EDGEFILE_TRY(edgefile_part_create(w, 0, spec));
        memcpy(to->offset, w->parts[0].offset, sizeof to->offset);
    }
    to->layout = w->layout;
    to->resumed = w->resumed;
    return EDGEFILE_OK;
}

/* On the other processes. */
static int accept(edgefile_output *w, const invitation *to)
{
    w->layout = to->layout;
    w->resumed = to->resumed;
    return make_parts(w);
}

/* Creates or opens the part that this process writes to first: its shard, or the single file. */
static int open_own(edgefile_output *w, const graphfile_spec *spec, const invitation *to)
{
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(edgefile_part_create(w, w->rank, spec));
    } else if (w->rank > 0) {
        EDGEFILE_TRY(edgefile_part_attach(w, 0, to->offset));
        EDGEFILE_TRY(w->resumed ? edgefile_resume_see(w, 0) : EDGEFILE_OK);
    }
    return edgefile_recorder_create(w, spec->record_seconds);
}

static int open_output(graphfile_writer *g)
{
    const edgefile_group *group = g->spec.group;
    invitation to = {.resumed = false};
    edgefile_output *w;
    int st = new_output(g);

    w = output_of(g);
    if (st == EDGEFILE_OK) {
        g->n_beside = 1;
        st = graphfile_plain_folder(&g->beside[0], &g->file);
    }
    EDGEFILE_TRY(edgefile_group_agree(group, st));
    EDGEFILE_TRY(edgefile_group_agree(group, w->rank == 0 ? prepare(g, &to) : EDGEFILE_OK));
    edgefile_group_broadcast(group, &to, sizeof to);
    g->file.has_shards = to.layout == EDGEFILE_LAYOUT_SHARDED;
    if (!g->file.has_shards) {
        graphfile_plain_close(&g->beside[0]);
        g->n_beside = 0;
    }
    EDGEFILE_TRY(edgefile_group_agree(group, w->rank == 0 ? EDGEFILE_OK : accept(w, &to)));
    EDGEFILE_TRY(edgefile_resume_share(w));
    for (int k = 0; k < w->n_parts && w->prior != NULL; k++) {
        g->resumed += edgefile_extents_within(&w->prior->parts[k].edges, 0, UINT64_MAX);
    }
    EDGEFILE_TRY(edgefile_group_agree(group, open_own(w, &g->spec, &to)));
    edgefile_part_begin(w, edgefile_own_part(w));
    return EDGEFILE_OK;
}

/* Opens a shard of another process when this process first writes edges to it. */
static int make_ready(edgefile_output *w, int k)
{
    edgefile_part *p = &w->parts[k];
    int st = EDGEFILE_OK;

    if (atomic_load(&p->ready)) {
        return EDGEFILE_OK;
    }
    pthread_mutex_lock(&w->joining);
    if (!atomic_load(&p->ready)) {
        st = edgefile_part_attach(w, k, NULL);
        if (st == EDGEFILE_OK) {
            edgefile_part_begin(w, k);
        } else {
            edgefile_part_close(p);
        }
    }
    pthread_mutex_unlock(&w->joining);
    return st;
}

static int check_range(const edgefile_output *w, const char *what, uint64_t first, uint64_t count,
                       uint64_t begin, uint64_t length)
{
    if (first < begin) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %s at %llu, the shard begins at %llu",
                             w->partial, what, (unsigned long long)first,
                             (unsigned long long)begin);
    }
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
    edgefile_part *p;
    int k, st;

    st = check_range(w, "edges", e->first, e->count, w->parts[0].start, w->edges);
    if (st != EDGEFILE_OK || e->count == 0) {
        return st;
    }
    EDGEFILE_TRY(check_columns(w, e));
    k = edgefile_part_of(w, e->first);
    p = &w->parts[k];
    if (e->count > p->start + p->edges - e->first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges at %llu reach beyond shard %d",
                             w->partial, (unsigned long long)e->count, (unsigned long long)e->first,
                             k);
    }
    EDGEFILE_TRY(make_ready(w, k));
    EDGEFILE_TRY(edgefile_positional_write(w, p, e->first - p->start, e->count, data));
    atomic_fetch_add(&p->written, e->count);
    atomic_fetch_add(&p->fingerprint, e->fingerprint);
    return edgefile_recorder_add_edges(w, k, e->first, e->count, e->fingerprint);
}

/* What of the pointers belongs to part k. */
static int write_part_of_pointers(edgefile_output *w, int k, uint64_t first, uint64_t count,
                                  const uint64_t *pointers)
{
    edgefile_part *p = &w->parts[k];
    const uint64_t begin = first > p->first_row ? first : p->first_row;
    const uint64_t last = p->first_row + p->rows; /* a row's end is a pointer, too */
    const uint64_t n = (last < first + count - 1 ? last : first + count - 1) - begin + 1;
    const void *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] =
                                                       pointers + (begin - first)};
    uint64_t known; /* that an earlier run left: where two parts meet, one may have it */

    EDGEFILE_TRY(make_ready(w, k));
    EDGEFILE_TRY(edgefile_positional_write(w, p, begin - p->first_row, n, data));
    known = w->prior != NULL
                ? edgefile_extents_within(&w->prior->parts[k].pointers, begin, begin + n)
                : 0;
    atomic_fetch_add(&p->pointers, n - known);
    return edgefile_recorder_add_pointers(w, k, begin, n);
}

static int write_pointers(graphfile_writer *g, uint64_t first, uint64_t count,
                          const uint64_t *pointers)
{
    edgefile_output *w = output_of(g);
    const edgefile_part *last = &w->parts[w->n_parts - 1];
    int st = check_range(w, "pointers", first, count, w->parts[0].first_row,
                         last->first_row + last->rows + 1);

    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    for (int k = edgefile_part_of_pointer(w, first);
         k < w->n_parts && w->parts[k].first_row < first + count; k++) {
        EDGEFILE_TRY(write_part_of_pointers(w, k, first, count, pointers));
    }
    return EDGEFILE_OK;
}

/* Ends the writing of edges.  The own part stays open for its attributes. */
static int sync_parts(edgefile_output *w)
{
    int st = EDGEFILE_OK;

    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part *p = &w->parts[k];
        int one = atomic_load(&p->ready) ? edgefile_part_sync(p) : EDGEFILE_OK;
        if (st == EDGEFILE_OK) {
            st = one;
        }
        if (k != edgefile_own_part(w)) {
            edgefile_part_close(p);
        }
    }
    return st;
}

/* What was written to a part: by this process at first, then summed over all. */
enum { EDGES, FINGERPRINT, POINTERS, N_TOTALS };

static void take_totals(const edgefile_output *w, uint64_t totals[][N_TOTALS])
{
    for (int k = 0; k < w->n_parts; k++) {
        totals[k][EDGES] = atomic_load(&w->parts[k].written);
        totals[k][FINGERPRINT] = atomic_load(&w->parts[k].fingerprint);
        totals[k][POINTERS] = atomic_load(&w->parts[k].pointers);
        if (w->rank == 0 && w->prior != NULL) {
            const edgefile_part_record *p = &w->prior->parts[k];

            totals[k][EDGES] += edgefile_extents_within(&p->edges, 0, UINT64_MAX);
            totals[k][FINGERPRINT] += p->fingerprint;
            totals[k][POINTERS] += edgefile_extents_within(&p->pointers, 0, UINT64_MAX);
        }
    }
}

static int check_complete(const edgefile_output *w, uint64_t totals[][N_TOTALS])
{
    const bool csr = w->schema.format == EDGEFILE_CSR;
    uint64_t written = 0, edges = 0, pointers = 0, expected = 0;
    bool complete = true;

    for (int k = 0; k < w->n_parts; k++) {
        written += totals[k][EDGES];
        edges += w->parts[k].edges;
        complete = complete && totals[k][EDGES] == w->parts[k].edges;
        pointers += totals[k][POINTERS];
        expected += csr ? w->parts[k].rows + 1 : 0;
    }
    if (!complete) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges were written, expected %llu",
                             w->partial, (unsigned long long)written, (unsigned long long)edges);
    }
    if (pointers != expected) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu pointers were written, expected %llu",
                             w->partial, (unsigned long long)pointers,
                             (unsigned long long)expected);
    }
    return EDGEFILE_OK;
}

/* Adds the length of an open file. */
static int add_length(const char *path, int fd, uint64_t *bytes)
{
    struct stat st;

    if (fstat(fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
    }
    *bytes += (uint64_t)st.st_size;
    return EDGEFILE_OK;
}

/* Sets the attributes of the own shard, if there are shards, and on process 0 those of the file or
 * the master.  totals: of all processes.  The file itself is synced when it is published. */
static int complete_files(edgefile_output *w, uint64_t totals[][N_TOTALS],
                          graphfile_committed *done)
{
    const int own = edgefile_own_part(w);
    int st = check_complete(w, totals);

    if (st == EDGEFILE_OK && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        st = edgefile_part_complete(w, &w->parts[own], totals[own][FINGERPRINT]);
        if (st == EDGEFILE_OK) {
            st = add_length(w->parts[own].path, w->parts[own].fd, &done->bytes);
        }
    }
    edgefile_part_close(&w->parts[own]);
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    for (int k = 0; k < w->n_parts; k++) {
        done->fingerprint += totals[k][FINGERPRINT];
    }
    if (w->rank > 0) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(edgefile_skeleton_complete(w, w->partial, done->fingerprint));
    return add_length(w->partial, w->lock_fd, &done->bytes);
}

static int complete_output(graphfile_writer *g)
{
    edgefile_output *w = output_of(g);
    graphfile_committed *done = &g->committed;
    uint64_t(*totals)[N_TOTALS] = calloc((size_t)w->n_parts, sizeof *totals);
    int st = totals == NULL ? edgefile_no_memory(w->partial) : EDGEFILE_OK;

    st = edgefile_group_agree(w->group, st);
    if (st == EDGEFILE_OK) {
        take_totals(w, totals);
        st = edgefile_group_agree(w->group, sync_parts(w));
    }
    if (st == EDGEFILE_OK) {
        edgefile_group_sum(w->group, totals[0], N_TOTALS * (size_t)w->n_parts);
        edgefile_late_share(w);
        st = edgefile_group_agree(w->group, complete_files(w, totals, done));
        edgefile_group_sum(w->group, &done->bytes, 1);
    }
    free(totals);
    return st;
}

static bool keep_output(graphfile_writer *g)
{
    edgefile_output *w = output_of(g);

    if (w->recorder == NULL) {
        return false;
    }
    edgefile_recorder_save(w); /* if it fails, the record before it stays */
    return true;
}

/* Of a complete graph nothing is open any more. */
static void close_output(graphfile_writer *g)
{
    edgefile_output *w = output_of(g);

    g->state = NULL;
    if (w == NULL) {
        return;
    }
    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part_close(&w->parts[k]);
    }
    edgefile_recorder_free(w);
    if (w->prior != NULL) {
        edgefile_record_free(w->prior);
        free(w->prior);
    }
    pthread_mutex_destroy(&w->joining);
    edgefile_late_free(w);
    free(w->parts);
    free(w);
}

const graphfile_write_ops graphfile_edgefile_write = {.open = open_output,
                                                      .open_agrees = true,
                                                      .write = write_edges,
                                                      .unchecked = true,
                                                      .pointers = write_pointers,
                                                      .complete = complete_output,
                                                      .keep = keep_output,
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

edgefile_layout graphfile_used_layout(const graphfile_writer *g)
{
    return g->about->write == &graphfile_edgefile_write
               ? ((const edgefile_output *)g->state)->layout
               : EDGEFILE_LAYOUT_SINGLE;
}
