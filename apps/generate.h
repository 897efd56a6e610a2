/* What the parts of `rmat generate` share. */
#ifndef APPS_GENERATE_H
#define APPS_GENERATE_H

#include "apps/generate_options.h"
#include "apps/pipeline.h"
#include "io/edgefile.h"

enum { COMMAND_TEXT = 512, GENERATE_ATTRS = 13 };

/* The attributes from which the file can be made again. */
typedef struct {
    edgefile_attr list[GENERATE_ATTRS];
    uint64_t rows_scale, cols_scale, num_rows, num_cols, stream_version;
    rmat_config model;
    char command[COMMAND_TEXT];
} generate_attrs;

/* Fill `attrs`; its list points into itself. */
void generate_attrs_fill(generate_attrs *attrs, const generate_options *options);

typedef struct {
    const generate_options *options;
    const char *command;
    rmat_isa isa;
    edgefile_path path;
    uint64_t chunk, buffer_bytes, fingerprint, file_bytes;
    double stream_seconds, commit_seconds, seconds; /* generate and write; commit; all */
} generate_summary;

/* On stdout, as lines or as one JSON object. */
void generate_print_summary(const generate_summary *summary);

/* --dry-run.  Returns an exit code. */
int generate_dry_run(const generate_options *options, const rmat_gen *gen,
                     const edgefile_spec *spec, const char *command);

/* "auto", "direct", "positional", "hdf5": the values of --io. */
const char *generate_path_name(edgefile_path path);

#endif
