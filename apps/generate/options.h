/* The options of `rmat generate`: their table, and what they come to. */
#ifndef APPS_GENERATE_OPTIONS_H
#define APPS_GENERATE_OPTIONS_H

#include "apps/common/options.h"
#include "io/edgefile.h"
#include "io/graphfile.h"
#include "rmat/rmat.h"

/* Not to be copied: it points into itself. */
typedef struct {
    rmat_config model; /* threads is 1: the pipeline's generators are the threads */
    rmat_matrix levels[RMAT_MAX_SCALE]; /* of model.levels, where there are any */
    uint64_t base_edges;                /* without the reverse ones of --symmetrize */
    uint64_t edges;                     /* of the file; the most, if edges_known is false */
    bool edges_known;                   /* not with unique and symmetrize, if loops are allowed */
    graphfile_format file_format;       /* of the output */
    edgefile_format format; /* of the HDF5 file: the output, or the sorted one before it */
    bool sorted, unique;    /* CSR is sorted, and so is what is unique */
    int id_bytes;
    edgefile_weight weight;
    int threads;
    option_list devices; /* GPUs for the ranks of a host, in turn; empty: all */
    bool fall_back;      /* to the CPU where the GPU fails */
    edgefile_path path;
    edgefile_layout layout;
    double timeout;                 /* seconds; set even if the rest is wrong */
    uint64_t chunk;                 /* edges, 0: automatic */
    uint64_t memory, device_memory; /* 0: chosen by the machine, for sorted graphs */
    const char *output;             /* of argv or default_output */
    char default_output[32];
    bool force, dry_run, quiet, json, help;
} generate_options;

/* dist_start() comes before.  argv[0..argc) are the arguments after "generate".  Returns 0, or
 * EXIT_USAGE after one line on stderr. */
int generate_options_parse(int argc, char **argv, generate_options *out);

/* --memory, or --device-memory where a GPU is used, should be at least so many bytes: the line that
 * says it.  Returns EXIT_USAGE. */
int generate_memory_error(const generate_options *options, rmat_backend used, uint64_t least);

/* Of an edge: 0 without weights. */
int generate_weight_bytes(const generate_options *options);

/* Is the output no HDF5 file of ours? */
bool generate_converts(const generate_options *options);

/* The graph with so many edges, as other formats care. */
graphfile_graph generate_graph(const generate_options *options, uint64_t edges);

/* As users write them: the values of --io and --layout. */
const char *generate_path_name(edgefile_path path);
const char *generate_layout_name(edgefile_layout layout);

#endif
