/*
 * hdf5_read.c - reads graphs from HDF5 files of any maker: 1-D datasets of integers, and perhaps of
 * weights, however they are stored: in chunks, compressed, in any order of bytes.
 *
 * The data passes through the HDF5 library, a piece at a time, behind the lock that all calls of
 * HDF5 share.  Pieces are whole chunks if these are not too large, and a chunk stays in memory
 * until the next one is needed, so that a pass over the file decompresses each once.
 */
#include "io/formats/hdf5_read.h"
#include "io/private.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int graphfile_hdf5_read_range(const graphfile_reader *r, const hdf5_file *x, int i, uint64_t first,
                              uint64_t count, hid_t type, void *to)
{
    const hsize_t start = first, length = count;
    const hid_t space = H5Dget_space(x->dataset[i]), memory = H5Screate_simple(1, &length, NULL);
    const bool right =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
        H5Dread(x->dataset[i], type, memory, space, H5P_DEFAULT, to) >= 0;

    H5Sclose(memory);
    H5Sclose(space);
    return right ? EDGEFILE_OK
                 : edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, x->layout.name[i]);
}

static hid_t integer_type(const hdf5_file *x, int i)
{
    return x->is_signed[i] ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

static int get_pointers(const graphfile_reader *r, uint64_t first, uint64_t count,
                        uint64_t *pointers)
{
    const hdf5_file *x = r->state;
    int st;

    edgefile_hdf5_begin();
    st = graphfile_hdf5_read_range(r, x, HDF5_SRC, first, count, integer_type(x, HDF5_SRC),
                                   pointers);
    edgefile_hdf5_end();
    return st;
}

static void see_shape(graphfile_reader *r, hdf5_file *x)
{
    const uint64_t *shape = x->layout.shape;

    for (int i = 0; i < 2; i++) {
        r->names[i] = x->layout.name[i];
        r->highest[i] =
            shape[i] > 0 && shape[i] <= GRAPHFILE_HIGHEST ? shape[i] - 1 : GRAPHFILE_HIGHEST;
    }
    if (shape[0] > 0 && shape[1] > 0) {
        r->rows = r->highest[0] + 1;
        r->cols = r->highest[1] + 1;
        r->told = true;
    }
}

static int open_hdf5(graphfile_reader *r)
{
    hdf5_file *x = calloc(1, sizeof *x);
    char path[64];
    int st;

    r->state = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    x->file = -1;
    for (int i = 0; i < HDF5_COLUMNS; i++) {
        x->dataset[i] = -1;
    }
    EDGEFILE_TRY(edgefile_hdf5_need(r->name));
    snprintf(path, sizeof path, "/proc/self/fd/%d", r->fd);
    edgefile_hdf5_begin();
    st = edgefile_foreign_open(&x->file, r->path != NULL ? r->path : path, r->fd, r->name);
    if (st == EDGEFILE_OK) {
        st = graphfile_hdf5_open(r, x);
    }
    edgefile_hdf5_end();
    if (st == EDGEFILE_OK) {
        see_shape(r, x);
    }
    if (st == EDGEFILE_OK && x->layout.is_csr) {
        x->pointers.get = get_pointers;
        x->pointers.rows = x->length[HDF5_SRC] - 1;
        st = graphfile_rows_open(r, &x->pointers);
    }
    return st == EDGEFILE_ERR_ATTR || st == EDGEFILE_ERR_HDF5 ? EDGEFILE_ERR_FORMAT : st;
}

static void close_hdf5(graphfile_reader *r)
{
    hdf5_file *x = r->state;

    if (x == NULL) {
        return;
    }
    edgefile_hdf5_begin();
    for (int i = 0; i < HDF5_COLUMNS; i++) {
        if (x->dataset[i] >= 0) {
            H5Dclose(x->dataset[i]);
        }
    }
    if (x->file >= 0) {
        H5Fclose(x->file);
    }
    edgefile_hdf5_end();
    free(x->pointers.row);
    free(x);
}

/* Weights become float32 or int32.  Integers were read as such, as a double does not hold all of
 * them either. */
static int check_weights(const graphfile_reader *r, uint64_t first, uint64_t count,
                         graphfile_edges *e)
{
    const hdf5_file *x = r->state;
    const bool is_signed = x->is_signed[HDF5_WEIGHT];

    for (uint64_t i = 0; i < count; i++) {
        double weight = x->layout.one_weight ? x->one_weight : e->weight[i];

        if (!x->layout.one_weight && !r->reals) {
            uint64_t integer;

            memcpy(&integer, &e->weight[i], sizeof integer);
            weight = is_signed ? (double)(int64_t)integer : (double)integer;
            e->inexact += !graphfile_fits_float(is_signed && integer >> 63 ? -integer : integer);
        }
        if (!(weight >= -FLT_MAX && weight <= FLT_MAX)) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: edge %" PRIu64
                                 ": weight is %g, expected a number that float32 can hold",
                                 r->name, first + i, weight);
        }
        e->weight[i] = weight;
    }
    return EDGEFILE_OK;
}

static int load(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                graphfile_edges *e)
{
    const hdf5_file *x = r->state;
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    if (!x->layout.is_csr) {
        st = graphfile_hdf5_read_range(r, x, HDF5_SRC, first, count, integer_type(x, HDF5_SRC),
                                       e->src);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_hdf5_read_range(r, x, HDF5_DST, first, count, integer_type(x, HDF5_DST),
                                       e->dst);
    }
    if (st == EDGEFILE_OK && r->weights && !x->layout.one_weight) {
        st = graphfile_hdf5_read_range(r, x, HDF5_WEIGHT, first, count,
                                       r->reals ? H5T_NATIVE_DOUBLE : integer_type(x, HDF5_WEIGHT),
                                       e->weight);
    }
    edgefile_hdf5_end();
    if (st == EDGEFILE_OK && x->layout.is_csr) {
        st = graphfile_rows_fill(r, &x->pointers, piece, e->src);
    }
    return st == EDGEFILE_OK && r->weights ? check_weights(r, first, count, e) : st;
}

static int parse_hdf5(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const hdf5_file *x = r->state;

    return graphfile_parse_edges(r, piece, b, load,
                                 x->is_signed[HDF5_SRC] || x->is_signed[HDF5_DST]);
}

const graphfile_read_ops graphfile_hdf5_read = {
    .open = open_hdf5, .parse = parse_hdf5, .close = close_hdf5, .own_pieces = true};
