/*
 * write.c - writes virtual files.
 *
 * HDF5 lays the file out in memory, where its writes cannot fail for lack of disk space, and the
 * bytes then go to the disk as those of any other file.  Chunks have 2^20 elements, so that small
 * slices are read fast, or a larger power of two where there would be too many: each takes about 30
 * bytes of the file.  Numbers of chunks are indexed by HDF5's fixed arrays (HDF5 1.10), which are
 * half as large as the older B-trees and have checksums.
 */
#include "io/edgefile_virtual.h"
#include "io/formats/writer.h"
#include "io/output.h"
#include "io/virtual/frame.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_CHUNK ((uint64_t)1 << 20)
#define MANY_CHUNKS ((uint64_t)1 << 17) /* of all datasets together */

/* By which HDF5 allocates the memory that the file lies in; and the superblock of version 3, with
 * its checksum at the end. */
enum { INCREMENT = 1 << 20, SUPERBLOCK_BYTES = 48 };

/* HDF5 creates datasets with filters that it knows only, and calls this one never: chunks are
 * written as they are stored. */
static size_t no_filter(unsigned flags, size_t n, const unsigned words[], size_t bytes,
                        size_t *size, void **buffer)
{
    (void)flags;
    (void)n;
    (void)words;
    (void)bytes;
    (void)size;
    (void)buffer;
    return 0;
}

static uint64_t chunk_of(uint64_t edges, int columns)
{
    uint64_t chunk = LEAST_CHUNK;

    while (chunk < EDGEFILE_FRAME_MOST_CHUNK && edges / chunk * (uint64_t)columns >= MANY_CHUNKS) {
        chunk *= 2;
    }
    return edges > 0 && edges < chunk ? edges : chunk; /* HDF5 allows no chunk beyond the end */
}

/* The words of dataset 0; those of the others differ by their column. */
static void put_frame(uint32_t *words, const graphfile_spec *spec, const uint32_t *model, size_t n)
{
    const bool weight = spec->graph.weight != EDGEFILE_NO_WEIGHT;

    words[EDGEFILE_FRAME_VERSION_WORD] = EDGEFILE_FRAME_VERSION;
    words[EDGEFILE_FRAME_COLUMN] = 0;
    words[EDGEFILE_FRAME_ID_BYTES] = (uint32_t)spec->graph.id_bytes;
    words[EDGEFILE_FRAME_WEIGHT] = weight;
    words[EDGEFILE_FRAME_EDGES] = (uint32_t)spec->graph.edges;
    words[EDGEFILE_FRAME_EDGES + 1] = (uint32_t)(spec->graph.edges >> 32);
    words[EDGEFILE_FRAME_CHUNK] = (uint32_t)chunk_of(spec->graph.edges, 2 + weight);
    memcpy(words + EDGEFILE_FRAME_WORDS, model, n * sizeof *model);
}

static hid_t create_dataset(hid_t file, const char *name, hid_t type, uint64_t edges,
                            const uint32_t *words, size_t n)
{
    const hsize_t length = edges, chunk = words[EDGEFILE_FRAME_CHUNK];
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = -1;

    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_chunk(creation, 1, &chunk) >= 0 &&
        H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_filter(creation, EDGEFILE_FRAME_FILTER, H5Z_FLAG_MANDATORY, n, words) >= 0) {
        dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

/* -1 on error. */
static int write_dataset(hid_t file, const edgefile_schema *s, int i, uint64_t edges,
                         uint32_t *words, size_t n)
{
    unsigned char payload[EDGEFILE_FRAME_PAYLOAD];
    hid_t dataset;
    uint64_t state;
    int rc;

    words[EDGEFILE_FRAME_COLUMN] = (uint32_t)i;
    state = edgefile_frame_state(words, n);
    dataset = create_dataset(file, edgefile_dataset_name(s->format, i), edgefile_memory_type(s, i),
                             edges, words, n);
    rc = dataset < 0 ? -1 : 0;
    for (hsize_t first = 0; first < edges && rc == 0; first += words[EDGEFILE_FRAME_CHUNK]) {
        edgefile_frame_payload(state, first, payload);
        rc = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, sizeof payload, payload) < 0 ? -1 : 0;
    }
    return dataset >= 0 && H5Dclose(dataset) < 0 ? -1 : rc;
}

static int write_all(hid_t file, const graphfile_spec *spec, uint32_t *words, size_t n)
{
    static const uint64_t version = EDGEFILE_FORMAT_VERSION, frame = EDGEFILE_FRAME_VERSION,
                          one = 1;
    const edgefile_attr before[] = {{"format", EDGEFILE_STRING, 1, EDGEFILE_FORMAT_NAME},
                                    {"format_version", EDGEFILE_U64, 1, &version},
                                    {"edges", EDGEFILE_U64, 1, &spec->graph.edges}},
                        after[] = {{"virtual", EDGEFILE_U64, 1, &frame},
                                   {"complete", EDGEFILE_U64, 1, &one}};
    const edgefile_schema schema = edgefile_schema_of(spec);
    const char *const name = "virtual file";

    EDGEFILE_TRY(edgefile_attrs_write(file, name, before, sizeof before / sizeof *before));
    EDGEFILE_TRY(edgefile_attrs_write(file, name, spec->attrs, spec->n_attrs));
    EDGEFILE_TRY(edgefile_attrs_write(file, name, after, sizeof after / sizeof *after));
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (edgefile_width(&schema, i) > 0 &&
            write_dataset(file, &schema, i, spec->graph.edges, words, n) < 0) {
            return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, name,
                                      edgefile_dataset_name(EDGEFILE_EDGES, i));
        }
    }
    return EDGEFILE_OK;
}

/* H5Fget_file_image() clears the mark of an open file, but leaves the checksum as it was. */
static void seal_superblock(unsigned char *image)
{
    const uint32_t sum = edgefile_metadata_checksum(image, SUPERBLOCK_BYTES - sizeof sum);

    memcpy(image + SUPERBLOCK_BYTES - sizeof sum, &sum, sizeof sum);
}

/* The bytes of an open file that HDF5 has in memory. */
static int take_image(hid_t file, void **image, uint64_t *bytes)
{
    ssize_t n = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);

    if (n < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, "virtual file", "laying it out");
    }
    *image = malloc((size_t)n);
    if (*image == NULL) {
        return edgefile_no_memory(NULL);
    }
    *bytes = (uint64_t)n;
    if (H5Fget_file_image(file, *image, (size_t)n) != n) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, "virtual file", "laying it out");
    }
    seal_superblock(*image);
    return EDGEFILE_OK;
}

static int lay_out(const graphfile_spec *spec, uint32_t *words, size_t n, void **image,
                   uint64_t *bytes)
{
    static const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                        .id = EDGEFILE_FRAME_FILTER,
                                        .encoder_present = 1,
                                        .decoder_present = 1,
                                        .name = EDGEFILE_FRAME_NAME,
                                        .filter = no_filter};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    int st = EDGEFILE_OK;

    if (access >= 0 && H5Zregister(&filter) >= 0 && H5Pset_fapl_core(access, INCREMENT, 0) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0) {
        file = edgefile_layout_file("virtual.h5", access); /* a name that nothing is done with */
    }
    if (file < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, "virtual file", "laying it out");
    }
    if (st == EDGEFILE_OK) {
        st = write_all(file, spec, words, n);
    }
    if (st == EDGEFILE_OK) {
        st = take_image(file, image, bytes);
    }
    st = edgefile_layout_end(file, "virtual file", st);
    H5Pclose(access);
    H5Zunregister(EDGEFILE_FRAME_FILTER);
    return st;
}

int edgefile_virtual_image(const graphfile_spec *spec, const uint32_t *words, size_t n,
                           void **image, uint64_t *bytes)
{
    uint32_t all[EDGEFILE_FRAME_MAX];
    int st;

    if (image == NULL || bytes == NULL || words == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "image, bytes or words is NULL");
    }
    *image = NULL;
    EDGEFILE_TRY(edgefile_spec_check(spec));
    if (spec->format != GRAPHFILE_H5 || spec->graph.edges > EDGEFILE_VIRTUAL_MAX || n == 0 ||
        n > EDGEFILE_FRAME_MAX - EDGEFILE_FRAME_WORDS) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "a virtual file is a list of at most 2^46 edges, with a model of 1 to "
                             "%d words",
                             EDGEFILE_FRAME_MAX - EDGEFILE_FRAME_WORDS);
    }
    EDGEFILE_TRY(edgefile_hdf5_need(NULL));
    put_frame(all, spec, words, n);
    edgefile_hdf5_begin();
    st = lay_out(spec, all, EDGEFILE_FRAME_WORDS + n, image, bytes);
    edgefile_hdf5_end();
    if (st != EDGEFILE_OK) {
        free(*image);
        *image = NULL;
    }
    return st;
}

int edgefile_virtual_write(const char *name, const void *image, uint64_t bytes, int replace)
{
    graphfile_plain file;
    int st;

    if (name == NULL || image == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "name or image is NULL");
    }
    st = graphfile_plain_create(&file, name, replace != 0, false, NULL);
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_expect(&file, bytes);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&file, 0, image, bytes);
    }
    if (st == EDGEFILE_OK) { /* what a writer of shards that died has left, as far as it can be */
        edgefile_shard_folder_remove(file.partial);
        st = graphfile_plain_publish(&(graphfile_plain *){&file}, 1);
    }
    graphfile_plain_close(&file);
    return st;
}
