/* columns.c - the datasets of a file, with their names, types and lengths. */
#include "io/private.h"

edgefile_schema edgefile_schema_of(const graphfile_spec *spec)
{
    const graphfile_graph *g = &spec->graph;

    return (edgefile_schema){.format = spec->format == GRAPHFILE_CSR ? EDGEFILE_CSR : EDGEFILE_EDGES,
                             .rows = spec->format == GRAPHFILE_CSR ? g->rows : 0,
                             .id_bytes = g->id_bytes,
                             .signed_ids = g->signed_ids != 0,
                             .weight = g->weight,
                             .compressed = spec->compress != 0};
}

const char *edgefile_dataset_name(edgefile_format format, int dataset)
{
    static const char *const names[][EDGEFILE_N_DATASETS] = {
        {"src", "dst", "weight"},
        {"pointers_to_1", "indices_1", "values"},
    };

    return names[format][dataset];
}

bool edgefile_is_iso(const edgefile_schema *s, int dataset)
{
    return s->format == EDGEFILE_CSR && dataset == EDGEFILE_WEIGHT &&
           s->weight == EDGEFILE_NO_WEIGHT;
}

int edgefile_width(const edgefile_schema *s, int dataset)
{
    if (dataset == EDGEFILE_WEIGHT) {
        return s->weight != EDGEFILE_NO_WEIGHT ? 4 : edgefile_is_iso(s, dataset);
    }
    return s->format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS ? 8 : s->id_bytes;
}

uint64_t edgefile_length(const edgefile_schema *s, int dataset, uint64_t edges)
{
    if (s->format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS) {
        return s->rows + 1;
    }
    return edgefile_is_iso(s, dataset) ? 1 : edges;
}

hid_t edgefile_memory_type(const edgefile_schema *s, int dataset)
{
    if (dataset == EDGEFILE_WEIGHT) {
        return s->weight == EDGEFILE_WEIGHT_F32   ? H5T_NATIVE_FLOAT
               : s->weight == EDGEFILE_WEIGHT_I32 ? H5T_NATIVE_INT32
                                                  : H5T_NATIVE_UINT8;
    }
    if (edgefile_width(s, dataset) == 4) {
        return s->signed_ids ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    }
    return s->signed_ids ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}
