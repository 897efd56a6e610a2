/*
 * io/hdf5/other_format.c - HDF5 files that graphfile writes in another program's layout.
 *
 * They are recognised so that the message can name the format: that an attribute of edge files is
 * missing would tell a user nothing.
 */
#include "io/graphfile.h"
#include "io/private.h"

#include <stdbool.h>

static bool has_link(const edgefile_reader *r, const char *name)
{
    return H5Lexists(r->file, name, H5P_DEFAULT) > 0;
}

int edgefile_read_other_format(const edgefile_reader *r, int status)
{
    int format = -1;

    if (has_link(r, "lhs") && has_link(r, "rhs") && has_link(r, "rel")) {
        format = GRAPHFILE_PBG;
    } else if (H5Aexists(r->file, "binsparse") > 0 && has_link(r, "indices_0")) {
        format = GRAPHFILE_BINSPARSE;
    }
    return format < 0 ? status
                      : edgefile_fail(EDGEFILE_ERR_FORMAT,
                                      "%s: has the format %s, expected an edge file of rmat",
                                      r->name, graphfile_names[format]);
}
