/*
 * rmat verify: what is checked of a virtual file besides its attributes and edges.
 *
 * The parameters of the filter must be those of the model that the attributes describe, and each
 * chunk must have its checksum.  The rest of the file is checked by writing the file again in
 * memory: it is small, and a function of its attributes, so every byte must be the same.  Versions
 * of HDF5 may lay it out differently, though; what is of another length is therefore not compared.
 */
#include "apps/engine/virtual/virtual.h"
#include "apps/verify/verify.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char check[] = "metadata";

/* Compares the file with what it should be. */
static void compare_file(verify_report *report, const char *name, const unsigned char *image,
                         uint64_t bytes)
{
    unsigned char *found = malloc(bytes + 1);
    FILE *file = fopen(name, "rb");
    size_t n = file != NULL && found != NULL ? fread(found, 1, bytes + 1, file) : 0;
    uint64_t at = 0;

    while (at < n && at < bytes && found[at] == image[at]) {
        at++;
    }
    if (file == NULL || found == NULL || ferror(file)) {
        verify_failed(report, check, "%s: %s", name, strerror(errno));
    } else if (at == bytes && n > bytes) {
        verify_wrong(report, check, "the file has data after its end, at byte %" PRIu64, bytes);
    } else if (n != bytes) {
        verify_skipped(report, check, "another version of HDF5 laid out the file");
    } else if (at < bytes) {
        verify_wrong(report, check, "byte %" PRIu64 " is %d, expected %d", at, found[at],
                     image[at]);
    } else {
        verify_ok(report, check, "every byte is as it was written");
    }
    if (file != NULL) {
        fclose(file);
    }
    free(found);
}

void verify_virtual(verify_report *report, edgefile_reader *r, const char *name,
                    const file_model *model)
{
    const rmat_config *made_of = model->given.levels != NULL ? &model->drawn : &model->given;
    int status = engine_virtual_check(r, made_of);
    graphfile_spec spec = {.format = GRAPHFILE_H5,
                           .graph = {.edges = edgefile_edges(r),
                                     .id_bytes = edgefile_id_bytes(r),
                                     .signed_ids = edgefile_signed_ids(r),
                                     .weight = edgefile_weight_of(r)}};
    model_attrs attrs;
    void *image;
    uint64_t bytes;

    if (status != EDGEFILE_OK) {
        verify_blame_file(report, "filter", status);
    } else {
        verify_ok(report, "filter",
                  "its parameters describe the model of the attributes; checksums agree");
    }
    verify_expected_attrs(&attrs, r, model);
    spec.attrs = attrs.list;
    spec.n_attrs = attrs.n;
    if (engine_virtual_image(&spec, made_of, &image, &bytes) != EDGEFILE_OK) {
        verify_failed(report, check, "%s", edgefile_detail());
        return;
    }
    compare_file(report, name, image, bytes);
    free(image);
}
