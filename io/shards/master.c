/*
 * master.c - the master: the file that presents the shards in BASE.shards as one graph.
 *
 * It has the attributes of a single file, and virtual datasets that are composed of the datasets of
 * the shards.  HDF5 looks for the shards beside the master, so both may be moved together.  Where
 * HDF5 cannot open a shard it reads the fill value instead of reporting an error.  The fill value
 * has all bits set, which is not a vertex of the graph (unless it has 2^32 vertices with ids of 32
 * bits), whereas 0 would be; as a weight it is NaN or -1.
 */
#include "io/edgefile_shards.h"
#include "io/formats/writer.h"
#include "io/output.h"
#include "io/reader.h"
#include "io/resume/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file's name without its folder, as the source of a virtual dataset: there % must be doubled.
 */
static char *escape(const char *name)
{
    const char *slash = strrchr(name, '/'), *from = slash == NULL ? name : slash + 1;
    char *escaped = malloc(2 * strlen(from) + 1), *to = escaped;

    if (escaped == NULL) {
        return NULL;
    }
    for (; *from != '\0'; from++) {
        if (*from == '%') {
            *to++ = '%';
        }
        *to++ = *from;
    }
    *to = '\0';
    return escaped;
}

/* What a shard gives to a dataset: the first `count` of its elements, from `start` on. */
typedef struct {
    hsize_t start, count, length;
} share;

/* The pointer behind the last row of a shard is the first one of the next. */
static share share_of(const edgefile_output *w, int dataset, int shard)
{
    const edgefile_part *p = &w->parts[shard];

    if (w->schema.format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS) {
        return (share){p->first_row, p->rows + (shard == w->n_parts - 1), p->rows + 1};
    }
    if (edgefile_is_iso(&w->schema, dataset)) {
        return (share){0, shard == 0, 1};
    }
    return (share){p->start, p->edges, p->edges};
}

static int map_shard(hid_t creation, hid_t space, const char *base, const char *dataset, int shard,
                     const share *s)
{
    const hsize_t zero = 0;
    char *path = edgefile_shard_path(base, shard);
    hid_t source = H5Screate_simple(1, &s->length, NULL);
    int rc = -1;

    if (path != NULL && source >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &s->start, NULL, &s->count, NULL) >= 0 &&
        H5Sselect_hyperslab(source, H5S_SELECT_SET, &zero, NULL, &s->count, NULL) >= 0 &&
        H5Pset_virtual(creation, space, path, dataset, source) >= 0) {
        rc = 0;
    }
    H5Sclose(source);
    free(path);
    return rc;
}

/* Shards that have none are left out: HDF5 does not map empty selections. */
static int create_dataset(hid_t file, const edgefile_output *w, const char *base, int dataset)
{
    const hid_t type = edgefile_memory_type(&w->schema, dataset);
    const char *name = edgefile_dataset_name(w->schema.format, dataset);
    const uint64_t missing = UINT64_MAX;
    hsize_t length = edgefile_length(&w->schema, dataset, w->edges);
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t id = -1;
    int rc = space < 0 || creation < 0 ? -1 : 0;

    for (int k = 0; k < w->n_parts && rc == 0; k++) {
        const share s = share_of(w, dataset, k);

        if (s.count > 0) {
            rc = map_shard(creation, space, base, name, k, &s);
        }
    }
    if (rc == 0 && H5Pset_obj_track_times(creation, 0) >= 0 && H5Sselect_all(space) >= 0 &&
        H5Pset_fill_value(creation, type, &missing) >= 0) {
        id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    rc = id < 0 || H5Dclose(id) < 0 ? -1 : 0;
    H5Pclose(creation);
    H5Sclose(space);
    return rc;
}

int edgefile_master_create(const edgefile_output *w, const graphfile_spec *spec)
{
    const char *slash = strrchr(w->name, '/');
    char *base = escape(w->name),
         *folder = edgefile_shard_folder(slash == NULL ? w->name : slash + 1);
    const uint64_t shards = (uint64_t)w->n_parts;
    const edgefile_attr more[] = {{"shards", EDGEFILE_U64, 1, &shards},
                                  {"shard_folder", EDGEFILE_STRING, 1, folder}};
    hid_t access, file = -1;
    int st;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    if (base == NULL || folder == NULL) {
        st = edgefile_no_memory(w->partial);
    } else if (H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating the file");
    } else {
        st = edgefile_skeleton_start(&file, w->partial, access, spec, w->edges, more, 2);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        if (edgefile_width(&w->schema, i) > 0 && create_dataset(file, w, base, i) < 0) {
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating a dataset");
        }
    }
    st = edgefile_layout_end(file, w->partial, st);
    H5Pclose(access);
    edgefile_hdf5_end();
    free(base);
    free(folder);
    return st;
}

/*
 * The master of shards that were made one by one.
 *
 * Each shard says which one it is, of how many, and of which graph: by its attributes, which are
 * those of the graph but for a few.  They must be the same in all of them.  The master is written
 * as for shards that were made together, opened once under its partial name, which checks that the
 * shards fit together, and published.
 */

/* What shard 0 says of the graph, and what all shards add up to. */
typedef struct {
    const char *name;
    int shards;
    graphfile_spec spec; /* its attributes: */
    edgefile_attr *attrs;
    size_t n_attrs;
    edgefile_part *parts;
    uint64_t fingerprint;
} joining;

static int open_shard(const joining *j, int k, edgefile_reader **shard)
{
    char *path = edgefile_shard_path(j->name, k);
    int st = path != NULL ? edgefile_open_one(shard, path) : edgefile_no_memory(j->name);

    free(path);
    return st;
}

/* In as many shards as shard 0 says. */
static int check_all_there(const joining *j)
{
    int missing = 0, first = -1;

    for (int k = 0; k < j->shards; k++) {
        char *path = edgefile_shard_path(j->name, k);

        if (path == NULL) {
            return edgefile_no_memory(j->name);
        }
        if (access(path, F_OK) != 0) {
            missing++;
            first = first < 0 ? k : first;
        }
        free(path);
    }
    if (missing == 0) {
        return EDGEFILE_OK;
    }
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: %d of its %d shards are missing, the first is %d", j->name, missing,
                         j->shards, first);
}

static int begin_join(joining *j)
{
    edgefile_reader *r;

    EDGEFILE_TRY(open_shard(j, 0, &r));
    if (!r->is_shard || r->of_shards == 0 || r->of_shards > EDGEFILE_MAX_SHARDS) {
        edgefile_close(r);
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: shard 0 is not a shard of a graph", j->name);
    }
    j->shards = (int)r->of_shards;
    j->spec.format = r->schema.format == EDGEFILE_CSR ? GRAPHFILE_CSR : GRAPHFILE_H5;
    j->spec.graph.id_bytes = r->schema.id_bytes;
    j->spec.graph.signed_ids = r->schema.signed_ids;
    j->spec.graph.weight = r->schema.weight;
    edgefile_close(r);
    j->parts = calloc((size_t)j->shards, sizeof *j->parts);
    return j->parts != NULL ? check_all_there(j) : edgefile_no_memory(j->name);
}

/* The attributes of shard 0 are kept; those of the others are compared with them. */
static int take_attrs(joining *j, int k, const edgefile_reader *r)
{
    edgefile_attr *attrs = NULL;
    const char *other;
    size_t n = 0;
    int st;

    edgefile_hdf5_begin();
    st = edgefile_attrs_copy(r->file, r->name, &attrs, &n);
    edgefile_hdf5_end();
    if (st == EDGEFILE_OK && k == 0) {
        j->attrs = attrs;
        j->n_attrs = n;
        return EDGEFILE_OK;
    }
    if (st == EDGEFILE_OK &&
        (other = edgefile_attrs_differ(j->attrs, j->n_attrs, attrs, n)) != NULL) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: belongs to another graph than shard 0: attribute '%s' differs",
                           r->name, other);
    }
    edgefile_attrs_free(attrs, n);
    return st;
}

static int take_shard(joining *j, int k)
{
    edgefile_part *p = &j->parts[k];
    edgefile_reader *r;
    int st;

    EDGEFILE_TRY(open_shard(j, k, &r));
    if (!r->is_shard || r->shard != (uint64_t)k || r->of_shards != (uint64_t)j->shards) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not shard %d of %d", r->name, k, j->shards);
    } else {
        st = take_attrs(j, k, r);
    }
    p->start = j->spec.graph.edges;
    p->first_row = j->spec.graph.rows;
    p->edges = r->edges;
    p->rows = r->schema.rows;
    j->spec.graph.edges += p->edges;
    j->spec.graph.rows += p->rows;
    j->fingerprint += r->fingerprint;
    edgefile_close(r);
    return st;
}

/* Each shard has as much of the whole as it should, if they are all of one graph. */
static int check_ranges(const joining *j)
{
    for (int k = 0; k < j->shards; k++) {
        uint64_t first, count;

        edgefile_shard_range(j->spec.graph.edges, j->spec.graph.id_bytes, j->spec.graph.weight,
                             j->shards, k, &first, &count);
        if (j->parts[k].start != first || j->parts[k].edges != count) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: shard %d has %" PRIu64 " edges from %" PRIu64
                                 " on, expected %" PRIu64 " from %" PRIu64
                                 " on: its shards are of different graphs",
                                 j->name, k, j->parts[k].edges, j->parts[k].start, count, first);
        }
    }
    return EDGEFILE_OK;
}

/* As a reader finds it, before it has its name. */
static int check_master(const char *partial)
{
    edgefile_reader *r;

    EDGEFILE_TRY(edgefile_open(&r, partial));
    edgefile_close(r);
    return EDGEFILE_OK;
}

static int sync_shards(const char *name)
{
    char *folder = edgefile_shard_folder(name);
    int st = folder != NULL ? edgefile_folder_sync(folder) : edgefile_no_memory(name);

    free(folder);
    return st;
}

/* Ends what a writer that died left half renamed, and removes what else it left: of shards that are
 * made one by one none are under construction. */
static int clean_up(graphfile_plain *file)
{
    graphfile_plain folder;
    int st = graphfile_plain_folder(&folder, file);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_recover((graphfile_plain *const[]){file, &folder}, 2);
    }
    graphfile_plain_close(&folder);
    return st == EDGEFILE_OK ? edgefile_record_remove(file->partial, true) : st;
}

static int write_master(const joining *j, graphfile_plain *file)
{
    const edgefile_output w = {.name = file->name,
                               .partial = file->partial,
                               .schema = edgefile_schema_of(&j->spec),
                               .edges = j->spec.graph.edges,
                               .n_parts = j->shards,
                               .parts = j->parts};

    EDGEFILE_TRY(edgefile_master_create(&w, &j->spec));
    EDGEFILE_TRY(edgefile_skeleton_complete(&w, file->partial, j->fingerprint));
    EDGEFILE_TRY(check_master(file->partial));
    return sync_shards(file->name);
}

static int join(joining *j)
{
    graphfile_plain file;
    int st;

    EDGEFILE_TRY(begin_join(j));
    for (int k = 0; k < j->shards; k++) {
        EDGEFILE_TRY(take_shard(j, k));
    }
    EDGEFILE_TRY(check_ranges(j));
    j->spec.attrs = j->attrs;
    j->spec.n_attrs = j->n_attrs;
    st = graphfile_plain_create(&file, j->name, j->spec.replace != 0, false, NULL);
    if (st == EDGEFILE_OK) {
        st = clean_up(&file);
    }
    if (st == EDGEFILE_OK) {
        st = write_master(j, &file);
    }
    if (st == EDGEFILE_OK) {
        file.has_shards = true;
        st = graphfile_plain_publish(&(graphfile_plain *){&file}, 1);
    }
    graphfile_plain_close(&file);
    return st;
}

int edgefile_join(const char *name, int replace, edgefile_joined *joined)
{
    joining j = {.name = name};
    int st;

    if (name == NULL || *name == '\0' || joined == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "name or joined is NULL, or the name is empty");
    }
    if (!replace && access(name, F_OK) == 0) {
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists", name);
    }
    j.spec.replace = replace;
    st = join(&j);
    *joined = (edgefile_joined){j.shards, j.spec.graph.edges, j.fingerprint};
    edgefile_attrs_free(j.attrs, j.n_attrs);
    free(j.parts);
    return st;
}
