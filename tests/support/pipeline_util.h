/* What the tests of the pipeline share. */
#ifndef TESTS_SUPPORT_PIPELINE_UTIL_H
#define TESTS_SUPPORT_PIPELINE_UTIL_H

#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat.h"
#include "tests/support/run_suite.h"

typedef struct {
    uint64_t edges, chunk;         /* chunk 0: automatic */
    int id_bytes, at_once;         /* chunks in the making */
    bool buffered;                 /* see graphfile_spec */
    const pipeline_source *source; /* or NULL */
    edgefile_weight weight;
} pipeline_job;

pipeline_plan plan_of(const pipeline_job *job);

/* A sink that does nothing with the edges. */
extern const pipeline_sink drop_edges;

/* A tick that never stops a run. */
int go_on(void *argument, uint64_t done);

/* Of the default graph with weights, on the CPU, one thread per call as producers need it: always
 * the same one. */
rmat_gen *cpu_generator(void);

/* Two files in a folder of their own, while the tests of a list run: run_cases(). */
extern char reference[64], other[64];
void make_folder(void);
void leave_folder(void);

#define PIPELINE_CASES(name, ...)                                                                  \
    TEST_MAIN(name)                                                                                \
    {                                                                                              \
        const test_case listed[] = {__VA_ARGS__};                                                  \
        int status;                                                                                \
                                                                                                   \
        make_folder();                                                                             \
        status = run_cases(#name, 60, listed, sizeof listed / sizeof *listed);                     \
        leave_folder();                                                                            \
        return status;                                                                             \
    }

/* Run into a file; the run's status.  The file is complete, or there is none. */
int write_file(const char *name, const pipeline_job *job, const pipeline_producer *producer,
               pipeline_tick tick, pipeline_result *result);

void assert_same_files(void);

#endif
