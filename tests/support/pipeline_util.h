/* pipeline_util.h - helpers of the tests of the pipeline: jobs, and runs into memory or a file. */
#ifndef TESTS_SUPPORT_PIPELINE_UTIL_H
#define TESTS_SUPPORT_PIPELINE_UTIL_H

#include "apps/engine/job.h"
#include "tests/support/io_util.h"
#include "tests/support/models.h"

typedef struct {
    uint64_t edges, chunk;         /* chunk 0: automatic */
    int id_bytes, at_once;         /* chunks that are made at the same time */
    edgefile_weight weight;        /* or none */
    bool buffered;                 /* see graphfile_spec */
    const pipeline_source *source; /* or NULL */
} pipeline_job;

static inline pipeline_plan plan_of(const pipeline_job *job)
{
    pipeline_plan plan = {.edges = job->edges,
                          .id_bytes = job->id_bytes,
                          .weight_bytes = job->weight == EDGEFILE_NO_WEIGHT ? 0 : 4,
                          .chunk = job->chunk,
                          .generators = job->at_once,
                          .writers = PIPELINE_WRITERS};

    ok(pipeline_make_plan(&plan, 128 << 20, PIPELINE_BUFFER, 0));
    return plan;
}

static pipeline_result result; /* of the last run */

/* All edges, or the job's source. */
static inline int run_job(const pipeline_job *job, const pipeline_producer *producer,
                          const pipeline_sink *sink, pipeline_tick tick)
{
    const pipeline_source all = {.first = {PIPELINE_EDGES, 0, job->edges}};
    const pipeline_plan plan = plan_of(job);

    result = (pipeline_result){.done = 0};
    return pipeline_run(&plan, job->source != NULL ? job->source : &all, producer, sink, tick, NULL,
                        &result);
}

/* A tick that never stops a run. */
static inline int go_on(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return 0;
}

/* The default graph with weights, on the CPU, with one thread per call as producers need it; always
 * the same generator.  Several threads must not make the first call at the same time. */
static inline rmat_gen *cpu_generator(void)
{
    static rmat_gen *gen;

    if (gen == NULL) {
        const rmat_config config = model_of((rmat_config){
            SQUARE(20), .threads = 1, .weights = RMAT_WEIGHTS_INT, .weight_max = 1000});

        gen = create_on(RMAT_BACKEND_CPU, config);
    }
    return gen;
}

static inline const char *drop_chunk(void *state, const pipeline_chunk *chunk)
{
    (void)state, (void)chunk;
    return NULL;
}

/* Runs into a sink that ignores the edges; returns the run's status. */
static inline int run_dropped(const pipeline_job *job, const pipeline_producer *producer,
                              pipeline_tick tick)
{
    const pipeline_sink sink = {.write = drop_chunk};

    return run_job(job, producer, &sink, tick);
}

/* Runs into a file; returns the run's status.  The file is complete, or does not exist. */
static inline int write_file(const char *name, const pipeline_job *job,
                             const pipeline_producer *producer, pipeline_tick tick)
{
    graphfile_spec spec =
        weighted(buffered(plain_spec(job->edges, job->id_bytes), job->buffered), job->weight);
    graphfile_writer *writer;
    pipeline_sink sink;
    uint64_t fingerprint;
    int status;

    unlink(name);
    ck_ok(graphfile_create(&writer, name, &spec));
    sink = pipeline_to_file(writer, GRAPHFILE_H5);
    status = run_job(job, producer, &sink, tick);
    if (status == 0) {
        ck_ok(commit_graph(&writer, &fingerprint));
        ck_assert_uint_eq(fingerprint, result.fingerprint);
    } else
        graphfile_abort(&writer);
    ck_assert_int_eq(exists(name), status == 0);
    return status;
}

#endif
