/* column.c - the datasets that an edge file has, and of what. */
#include "io/edgefile_impl.h"

const char *const edgefile_dataset_name[EDGEFILE_N_DATASETS] = {"src", "dst", "weight"};

int edgefile_width(int dataset, int id_bytes, edgefile_weight weight)
{
    return dataset != EDGEFILE_WEIGHT ? id_bytes : weight == EDGEFILE_NO_WEIGHT ? 0 : 4;
}

hid_t edgefile_memory_type(int dataset, int id_bytes, edgefile_weight weight)
{
    if (dataset == EDGEFILE_WEIGHT)
        return weight == EDGEFILE_WEIGHT_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT32;
    return id_bytes == 4 ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64;
}
