/*
 * measure.c - how long a file will be: by arithmetic, or for text from the average length of a
 * sample of its edges.
 */
#include "io/formats/writer.h"
#include "io/hdf5_layout.h"
#include "io/reader.h"

#include <stdlib.h>

uint64_t graphfile_hdf5_length(uint64_t column, uint64_t weights)
{
    const uint64_t lengths[] = {column, column, weights};
    uint64_t end = 2048; /* metadata */

    for (int i = 0; i < 3; i++) {
        if (lengths[i] >= EDGEFILE_EXTENT_MIN) {
            end = (end + EDGEFILE_EXTENT_MIN - 1) / EDGEFILE_EXTENT_MIN * EDGEFILE_EXTENT_MIN;
        }
        end += lengths[i];
    }
    return end;
}

/* Bytes of the header and of a piece, encoded by a writer that has nothing but its spec. */
static int encode(const graphfile_spec *spec, const graphfile_piece *p, uint64_t *header,
                  uint64_t *edges)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];
    const graphfile_writer w = {.spec = *spec, .about = about};
    graphfile_buffer b = {0};
    int st = about->write->header != NULL ? about->write->header(&w, &b) : EDGEFILE_OK;

    st = st == EDGEFILE_OK ? graphfile_pack(&w, &b) : st;
    *header = b.bytes;
    graphfile_empty(&b);
    if (st == EDGEFILE_OK && p->count > 0) {
        st = about->write->encode(&w, p, &b);
    }
    st = st == EDGEFILE_OK ? graphfile_pack(&w, &b) : st;
    *edges = b.bytes;
    graphfile_buffer_free(&b);
    return st;
}

/* Of compressed HDF5: the metadata take a few pages, and of CSR each row's pointer about a byte. */
static int measure_compressed(const graphfile_spec *spec, const graphfile_piece *p, uint64_t *edges,
                              uint64_t *beside)
{
    const bool csr = spec->format == GRAPHFILE_CSR;
    const void *const column[] = {csr ? NULL : p->src, p->dst, p->weight};

    *edges = 0;
    *beside = 16384 + (csr ? spec->graph.rows : 0);
    for (int i = 0; i < GRAPHFILE_COLUMNS; i++) {
        uint64_t bytes = 0;

        if (column[i] != NULL) {
            EDGEFILE_TRY(edgefile_compressed_bytes(
                column[i], p->count, (size_t)graphfile_width(&spec->graph, i), &bytes));
        }
        *edges += bytes;
    }
    return EDGEFILE_OK;
}

/* If text has bytes for each row, the sample is encoded as if all of it were in one row. */
static int measure_sample(const graphfile_spec *spec, const graphfile_piece *sample,
                          uint64_t *bytes)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];
    const unsigned row_bytes = about->beside == NULL ? about->row_bytes : 0;
    graphfile_piece p = *sample;
    uint64_t header, edges;
    void *one_row = NULL;
    int st;

    if (row_bytes > 0 && p.count > 0) {
        one_row = calloc(p.count, (size_t)spec->graph.id_bytes);
        if (one_row == NULL) {
            return edgefile_no_memory(NULL);
        }
        p.src = one_row;
    }
    st = about->lay_out != NULL   ? measure_compressed(spec, &p, &edges, &header)
         : about->measure != NULL ? about->measure(spec, &p, &edges, &header)
                                  : encode(spec, &p, &header, &edges);
    free(one_row);
    *bytes = header;
    if (spec->codec == GRAPHFILE_CODEC_NONE) { /* rows take next to nothing when compressed */
        *bytes += row_bytes * spec->graph.rows;
    }
    if (about->beside != NULL) {
        *bytes += about->beside(&spec->graph);
    }
    if (p.count > 0) {
        *bytes += (uint64_t)((double)edges / (double)p.count * (double)spec->graph.edges);
    }
    return st;
}

int graphfile_measure(const graphfile_spec *spec, const graphfile_piece *sample, uint64_t *bytes,
                      int *exact)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];

    if (about->lay_out != NULL && !spec->compress) {
        *exact = 1;
        return about->lay_out(spec, bytes);
    }
    if (about->lay_out != NULL || about->measure != NULL ||
        (about->length == NULL && about->edge_bytes == 0)) {
        *exact = 0;
        return measure_sample(spec, sample, bytes);
    }
    *exact = !about->length_is_estimate;
    *bytes =
        about->length != NULL ? about->length(&spec->graph) : about->edge_bytes * spec->graph.edges;
    return EDGEFILE_OK;
}
