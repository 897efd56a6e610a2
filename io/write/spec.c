/* spec.c - checks what a spec says of h5 and csr, and says how many bytes the file will have. */
#include "io/private.h"

#include <string.h>

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t edgefile_spec_bytes(const graphfile_spec *spec, uint64_t rows, uint64_t edges)
{
    edgefile_schema schema = edgefile_schema_of(spec);
    uint64_t bytes = 4096; /* HDF5's metadata with the fixed attributes */
    uint64_t align;

    schema.rows = rows;
    align = edgefile_extent_align(&schema, edges);
    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        bytes = add(bytes, 64 + strlen(attr->name));
        bytes = add(bytes, attr->type == EDGEFILE_STRING ? strlen(attr->value)
                                                         : times(attr->count, sizeof(uint64_t)));
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        uint64_t data =
            times(edgefile_length(&schema, i, edges), (uint64_t)edgefile_width(&schema, i));
        if (data >= EDGEFILE_EXTENT_MIN) { /* rounded up: metadata may be before the data */
            bytes = add(bytes, align) & ~(align - 1);
        }
        bytes = add(bytes, spec->compress ? data / 4 : data);
    }
    return bytes;
}

uint64_t graphfile_bytes(const graphfile_spec *spec)
{
    const edgefile_schema schema = edgefile_schema_of(spec);
    const graphfile_graph *g = &spec->graph;
    int shards = spec->group == NULL ? 1 : spec->group->size;
    uint64_t bytes, first, rows, edges;

    if (spec->shards > 0) {
        edgefile_shard_range(g->edges, g->id_bytes, g->weight, spec->shards, spec->shard, &first,
                             &edges);
        return edgefile_spec_bytes(spec, schema.rows, edges);
    }
    if (spec->layout != EDGEFILE_LAYOUT_SHARDED) {
        return edgefile_spec_bytes(spec, schema.rows, g->edges);
    }
    bytes = edgefile_spec_bytes(spec, 0, 0); /* the master has no pointers of its own */
    for (int k = 0; k < shards; k++) {
        edgefile_shard_range(schema.rows, 8, EDGEFILE_NO_WEIGHT, shards, k, &first, &rows);
        edgefile_shard_range(g->edges, g->id_bytes, g->weight, shards, k, &first, &edges);
        bytes = add(bytes, edgefile_spec_bytes(spec, rows, edges));
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            if (edgefile_width(&schema, i) > 0) {
                bytes = add(bytes, EDGEFILE_MAPPING_BYTES);
            }
        }
    }
    return bytes;
}

bool edgefile_attr_is_ours(const char *name)
{
    static const char *const ours[] = {"format",      "format_version", "edges",        "rows",
                                       "fingerprint", "complete",       "first_edge",   "first_row",
                                       "shard",       "shards",         "shard_folder", "virtual"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strcmp(name, ours[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int check_attrs(const graphfile_spec *spec)
{
    if (spec->n_attrs > 0 && spec->attrs == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "attrs is NULL, n_attrs is %zu", spec->n_attrs);
    }
    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        if (attr->name == NULL || attr->name[0] == '\0' || attr->value == NULL) {
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute %zu lacks a name or a value", i);
        }
        if (attr->type != EDGEFILE_U64 && attr->type != EDGEFILE_F64 &&
            attr->type != EDGEFILE_STRING) {
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' has the unknown type %d",
                                 attr->name, (int)attr->type);
        }
        if (attr->count == 0 || attr->count > SIZE_MAX / sizeof(uint64_t) ||
            (attr->type == EDGEFILE_STRING && attr->count != 1)) {
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' has a count of %llu", attr->name,
                                 (unsigned long long)attr->count);
        }
        if (edgefile_attr_is_ours(attr->name)) {
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' is written by edgefile itself",
                                 attr->name);
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(attr->name, spec->attrs[j].name) == 0) {
                return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' is given twice", attr->name);
            }
        }
    }
    return EDGEFILE_OK;
}

static int check_compress(const graphfile_spec *spec)
{
    if (spec->path == EDGEFILE_PATH_HDF5) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "a compressed file is not written through HDF5");
    }
    if (spec->layout == EDGEFILE_LAYOUT_SHARDED) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "a compressed file has no shards");
    }
    return edgefile_codec_check();
}

static int check_shard(const graphfile_spec *spec)
{
    if (spec->shards < 0 || spec->shards > EDGEFILE_MAX_SHARDS || spec->shard < 0 ||
        spec->shard >= spec->shards) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "shard is %d of %d, allowed are 0 to n - 1 of n, "
                             "which is at most %d",
                             spec->shard, spec->shards, EDGEFILE_MAX_SHARDS);
    }
    if (spec->format == GRAPHFILE_CSR || spec->compress ||
        spec->layout == EDGEFILE_LAYOUT_SHARDED || (spec->group != NULL && spec->group->size > 1)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "a shard that is made alone is of a list, not "
                                               "compressed, and made by one process");
    }
    return EDGEFILE_OK;
}

int edgefile_spec_check(const graphfile_spec *spec)
{
    if ((unsigned)spec->path > EDGEFILE_PATH_POSITIONAL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown write path %d", (int)spec->path);
    }
    if ((unsigned)spec->layout > EDGEFILE_LAYOUT_SHARDED) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown layout %d", (int)spec->layout);
    }
    if (spec->format == GRAPHFILE_CSR && spec->graph.rows == 0) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "rows is 0, allowed are 1 to 2^62");
    }
    if (spec->compress) {
        EDGEFILE_TRY(check_compress(spec));
    }
    if (spec->shards != 0 || spec->shard != 0) {
        EDGEFILE_TRY(check_shard(spec));
    }
    if (spec->resume && (spec->compress || spec->path == EDGEFILE_PATH_HDF5)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "resume given for a compressed file, or one that "
                                               "HDF5 writes, of which nothing is recorded");
    }
    return check_attrs(spec);
}
