/*
 * ours.c - h5 and csr, the two HDF5 formats of edgefile.h: write/output.c writes them.
 */
#include "io/formats/writer.h"
#include "io/output.h"

/* Found out by HDF5, if it can, and there is a /dev/shm. */
static uint64_t most_bytes(const graphfile_spec *s, int *exact)
{
    uint64_t bytes;

    *exact = edgefile_measure(s, &bytes) == EDGEFILE_OK;
    return *exact ? bytes : graphfile_bytes(s);
}

/* Without a user block, which our files do not have, HDF5 files begin like this. */
const graphfile_descriptor graphfile_h5_format = {
    .facts = {"h5", ".h5", "HDF5, a list of edges: src, dst, weight",
              GRAPHFILE_EDGEFILE | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .write = &graphfile_edgefile_write,
    .most = most_bytes,
};

const graphfile_descriptor graphfile_csr_format = {
    .facts = {"csr", "", "HDF5, compressed sparse rows of a sorted graph",
              GRAPHFILE_EDGEFILE | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS | GRAPHFILE_NEEDS_SORTED},
    .write = &graphfile_edgefile_write,
    .most = most_bytes,
};
