/*
 * The files of GAPBS's Kronecker graphs against those of the reference (sbeamer/gapbs, commit
 * b5e3e19, GCC 12): `converter -g SCALE -b FILE`, and with -w.  A file has the same bytes if every
 * edge has both directions, loops and copies are dropped, of several weights the least stays, and
 * there are as many vertices as the largest one demands.
 */
#include "apps/engine/engine.h"
#include "rmat/rmat_gapbs.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <stdio.h>
#include <unistd.h>

static const struct {
    int scale;
    graphfile_format format;
    uint64_t bytes, hash;
} files[] = {
    {5, GRAPHFILE_SG, 1537, 0x138cf9bc8be1c4ac},
    {5, GRAPHFILE_WSG, 2793, 0x513a050476a556fc},
    {10, GRAPHFILE_SG, 92185, 0xdb8970d6d63d2691},
    {10, GRAPHFILE_WSG, 176153, 0x2f2407fa4d10be35},
    {14, GRAPHFILE_SG, 1834513, 0x4030806020f26143},
    {14, GRAPHFILE_WSG, 3537953, 0x7f3fb8177fd9f837},
};

enum { FILES = sizeof files / sizeof *files };

static void check_file(const char *path, uint64_t bytes, uint64_t expected)
{
    FILE *file = fopen(path, "rb");
    uint64_t n = 0, hash = 0;

    must(file != NULL, "no file");
    for (int c; (c = getc(file)) != EOF; n++) {
        hash = (hash ^ (uint64_t)c) * 1099511628211u;
    }
    fclose(file);
    must(n == bytes, "%lu bytes instead of %lu", n, bytes);
    must(hash == expected, "hash 0x%016lx", hash);
}

START_TEST(as_the_converter)
{
    const int scale = files[_i].scale, weights = files[_i].format == GRAPHFILE_WSG;
    const uint64_t edges = (uint64_t)16 << scale, side = (uint64_t)scale;
    uint64_t vertices;
    const edgefile_attr attrs[] = {
        {"generator", EDGEFILE_STRING, 1, "test"}, {"model", EDGEFILE_STRING, 1, "gapbs"},
        {"rows_scale", EDGEFILE_U64, 1, &side},    {"cols_scale", EDGEFILE_U64, 1, &side},
        {"num_rows", EDGEFILE_U64, 1, &vertices},  {"num_cols", EDGEFILE_U64, 1, &vertices}};
    engine_source source = {.attrs = attrs,
                            .n_attrs = sizeof attrs / sizeof *attrs,
                            .command = "test",
                            .csr_option = ""};
    char path[] = "/tmp/rmat-gapbs-XXXXXX";
    const int file = mkstemp(path);
    engine_result result;
    engine_job job;
    rmat_gapbs *g;

    must(file >= 0, "mkstemp()");
    close(file);
    must(engine_start() == ENGINE_OK, "engine_start(): %s", engine_detail());
    must(!rmat_gapbs_create(&g, scale, RMAT_GAPBS_SEED, RMAT_ISA_AUTO), "create");
    must(!rmat_gapbs_vertices(g, 0, edges, 0, &vertices), "rmat_gapbs_vertices()");
    source.edges = rmat_gapbs_source(g, edges, weights);
    source.edges.rows = source.edges.cols = vertices;
    engine_job_default(&job);
    job.source = &source;
    job.edges = edges;
    job.format = files[_i].format;
    job.model.symmetrize = job.model.no_self_loops = 1;
    job.model.backend = RMAT_BACKEND_CPU;
    job.dedup = true;
    job.output = path;
    job.replace = true;
    must(engine_write_file(&job, &result) == ENGINE_OK, "engine_write_file(): %s", engine_detail());
    check_file(path, files[_i].bytes, files[_i].hash);
    unlink(path);
    rmat_gapbs_destroy(g);
    engine_stop();
}
END_TEST

TEST_CASES(gapbs_files, 60, LOOP(as_the_converter, 0, FILES))
