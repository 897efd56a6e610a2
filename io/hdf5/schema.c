/*
 * schema.c - the structure of our HDF5 files, without a call of HDF5: their datasets and
 * attributes, their length, the places of datasets, and the places where the ranges of processes
 * meet.
 */
#include "io/hdf5.h"

#include <stdlib.h>
#include <string.h>

uint64_t edgefile_about_bytes(const graphfile_spec *spec)
{
    const uint64_t align = edgefile_extent_align(spec);
    uint64_t bytes = 8192; /* HDF5's metadata with the fixed attributes */

    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        bytes = edgefile_sum(bytes, 64 + strlen(attr->name), 1);
        bytes = attr->type == EDGEFILE_STRING ? edgefile_sum(bytes, strlen(attr->value), 1)
                                              : edgefile_sum(bytes, attr->count, sizeof(uint64_t));
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t data =
            edgefile_sum(0, edgefile_length(spec, i), (uint64_t)edgefile_width(spec, i));

        if (data >= EDGEFILE_EXTENT_MIN) { /* rounded up: metadata may be before the data */
            bytes = edgefile_sum(bytes, align, 1) & ~(align - 1);
        }
        bytes = edgefile_sum(bytes, data, 1);
    }
    return bytes;
}

int edgefile_attrs_check(const graphfile_spec *spec)
{
    if (spec->n_attrs > 0 && spec->attrs == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "attrs is NULL, n_attrs is %zu", spec->n_attrs);
    }
    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];

        if (attr->name == NULL || attr->name[0] == '\0' || attr->value == NULL ||
            (unsigned)attr->type > EDGEFILE_STRING || attr->count == 0 ||
            attr->count > SIZE_MAX / sizeof(uint64_t) ||
            (attr->type == EDGEFILE_STRING && attr->count != 1)) {
            return edgefile_fail(EDGEFILE_ERR_ARG,
                                 "attribute %zu lacks a name, a value, a known type or a count", i);
        }
    }
    return EDGEFILE_OK;
}

/*
 * The places of datasets in the file, and the places where the ranges of processes meet.
 *
 * Datasets begin at multiples of 1 MiB, a common block size of file systems, or of 16 MiB in large
 * files.  So each stripe of a parallel file system belongs to one process.  A unit is the number of
 * edges for which the narrowest dataset fills one such stretch.  In other datasets it fills one or
 * two.  A dataset below 1 MiB is one unit.
 */

#define LARGE ((uint64_t)1 << 30)

static uint64_t extent_align(uint64_t edges, int id_bytes)
{
    return edges >= LARGE / (uint64_t)id_bytes ? (uint64_t)16 << 20 : EDGEFILE_EXTENT_MIN;
}

uint64_t edgefile_extent_align(const graphfile_spec *s)
{
    const uint64_t ids = extent_align(s->graph.edges, s->graph.id_bytes);
    const uint64_t pointers = s->format == GRAPHFILE_CSR ? extent_align(s->graph.rows, 8) : ids;

    return ids > pointers ? ids : pointers;
}

uint64_t edgefile_unit(uint64_t edges, int id_bytes, edgefile_weight weight)
{
    uint64_t narrowest = weight == EDGEFILE_NO_WEIGHT ? (uint64_t)id_bytes : 4;

    if (edges < EDGEFILE_EXTENT_MIN / narrowest) {
        return edges == 0 ? 1 : edges;
    }
    return extent_align(edges, id_bytes) / narrowest;
}

/* Each part has the same number of units; the first parts get one more each while units remain. */
void edgefile_split(uint64_t edges, int id_bytes, edgefile_weight weight, int parts, int part,
                    uint64_t *first, uint64_t *count)
{
    uint64_t unit = edgefile_unit(edges, id_bytes, weight);
    uint64_t k = (uint64_t)part, n = (uint64_t)parts;
    uint64_t units = edges / unit + (edges % unit != 0);
    uint64_t each = units / n, rest = units % n;
    uint64_t begin = each * k + (k < rest ? k : rest);
    uint64_t end = begin + each + (k < rest);

    *first = begin == units ? edges : begin * unit;
    *count = (end == units ? edges : end * unit) - *first;
}

/* The datasets of a file, with their names, types and lengths. */

const char *edgefile_dataset_name(const graphfile_spec *s, int dataset)
{
    static const char *const names[][EDGEFILE_N_DATASETS] = {
        {"src", "dst", "weight"},
        {"pointers_to_1", "indices_1", "values"},
    };

    return names[s->format == GRAPHFILE_CSR][dataset];
}

bool edgefile_is_iso(const graphfile_spec *s, int dataset)
{
    return s->format == GRAPHFILE_CSR && dataset == EDGEFILE_WEIGHT &&
           s->graph.weight == EDGEFILE_NO_WEIGHT;
}

int edgefile_width(const graphfile_spec *s, int dataset)
{
    if (dataset == EDGEFILE_WEIGHT) {
        return s->graph.weight != EDGEFILE_NO_WEIGHT ? 4 : edgefile_is_iso(s, dataset);
    }
    return s->format == GRAPHFILE_CSR && dataset == EDGEFILE_POINTERS ? 8 : s->graph.id_bytes;
}

uint64_t edgefile_length(const graphfile_spec *s, int dataset)
{
    if (s->format == GRAPHFILE_CSR && dataset == EDGEFILE_POINTERS) {
        return s->graph.rows + 1;
    }
    return edgefile_is_iso(s, dataset) ? 1 : s->graph.edges;
}

/* The facts of an open file. */

edgefile_format edgefile_format_of(const edgefile_reader *r)
{
    return r->spec.format == GRAPHFILE_CSR ? EDGEFILE_CSR : EDGEFILE_EDGES;
}

uint64_t edgefile_rows(const edgefile_reader *r)
{
    return r->spec.graph.rows;
}

uint64_t edgefile_edges(const edgefile_reader *r)
{
    return r->spec.graph.edges;
}

int edgefile_id_bytes(const edgefile_reader *r)
{
    return r->spec.graph.id_bytes;
}

int edgefile_signed_ids(const edgefile_reader *r)
{
    return r->spec.graph.signed_ids;
}

edgefile_weight edgefile_weight_of(const edgefile_reader *r)
{
    return r->spec.graph.weight;
}

int edgefile_unanswered(const edgefile_reader *r)
{
    return r->unanswered == EDGEFILE_OK
               ? EDGEFILE_OK
               : edgefile_fail(r->unanswered, "%s",
                               r->unanswered_text != NULL ? r->unanswered_text
                                                          : "an attribute cannot be read");
}
