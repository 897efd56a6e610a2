/* Runs of the pipeline for its tests: plans, files, and the edges that files must hold. */
#include "tests/support/pipeline_util.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "pipeline-XXXXXX";
char reference[64], other[64];

pipeline_plan plan_of(const pipeline_job *job)
{
    pipeline_plan plan;

    ck_assert_int_eq(pipeline_make_plan(&plan, job->edges, job->id_bytes,
                                        job->weight == EDGEFILE_NO_WEIGHT ? 0 : 4, job->at_once,
                                        job->chunk, 128 << 20),
                     0);
    return plan;
}

int go_on(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return 0;
}

rmat_gen *cpu_generator(void)
{
    static rmat_gen *gen;
    rmat_config config;

    if (gen == NULL) {
        rmat_config_default(&config);
        config.backend = RMAT_BACKEND_CPU;
        config.threads = 1;
        config.weights = RMAT_WEIGHTS_INT;
        config.weight_max = 1000;
        if (rmat_create(&gen, &config) != RMAT_OK) {
            exit(EXIT_FAILURE); /* Check cannot tell: no test runs yet */
        }
    }
    return gen;
}

void make_folder(void)
{
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    cpu_generator(); /* before several threads ask for it */
    snprintf(reference, sizeof reference, "%s/reference.h5", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
}

void leave_folder(void)
{
    unlink(reference);
    unlink(other);
    rmdir(folder);
}

static const char *drop_chunk(void *state, const pipeline_chunk *chunk)
{
    (void)state;
    (void)chunk;
    return NULL;
}

const pipeline_sink drop_edges = {.write = drop_chunk};

int write_file(const char *name, const pipeline_job *job, const pipeline_producer *producer,
               pipeline_tick tick, pipeline_result *result)
{
    graphfile_spec spec = {
        .format = GRAPHFILE_H5,
        .graph = {.edges = job->edges, .id_bytes = job->id_bytes, .weight = job->weight},
        .replace = 1,
        .buffered = job->buffered};
    pipeline_plan plan = plan_of(job);
    graphfile_writer *writer;
    pipeline_sink sink;
    graphfile_committed done;
    int status;

    unlink(name);
    ok(graphfile_create(&writer, name, &spec));
    sink = pipeline_to_file(writer, GRAPHFILE_H5);
    status = pipeline_run(&plan, job->source, producer, &sink, tick, NULL, result);
    if (status == 0) {
        ok(graphfile_commit(&writer, &done));
        ck_assert_uint_eq(done.fingerprint, result->fingerprint);
    } else {
        graphfile_abort(&writer);
    }
    ck_assert_int_eq(access(name, F_OK) == 0, status == 0);
    return status;
}

void assert_same_files(void)
{
    static char one[1 << 16], two[1 << 16];
    FILE *a = fopen(reference, "rb"), *b = fopen(other, "rb");
    uint64_t at = 0;
    size_t n, m;

    ck_assert(a != NULL && b != NULL);
    do {
        n = fread(one, 1, sizeof one, a);
        m = fread(two, 1, sizeof two, b);
        ck_assert_msg(n == m && memcmp(one, two, n) == 0,
                      "the files differ between bytes %lu and %lu", at, (at + sizeof one));
        at += n;
    } while (n > 0);
    fclose(a);
    fclose(b);
}
