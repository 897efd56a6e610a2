/*
 * The host side of a GPU in the pipeline, on the GPU of fake_cuda.h, so that no GPU is needed.
 * Every call fails once, alone or with all later ones, as after a kernel trap.  Then there must be
 * no file, and nothing may stay allocated.  Without a failure the file is the CPU's, and the GPU's
 * memory is that of the plan.
 */
#include "apps/engine/pipeline/pipeline.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/pipeline_util.h"

enum { CHUNK = 4096, EDGES = 12 * CHUNK + 77, MOST_CALLS = 1000 };

START_TEST(every_call_fails)
{
    pipeline_job job = {.edges = EDGES,
                        .chunk = _i & 1 ? CHUNK : 0,
                        .id_bytes = _i & 2 ? 8 : 4,
                        .at_once = PIPELINE_GPU_CHUNKS,
                        .weight = _i & 1 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_I32};
    bool for_good = _i & 4;
    pipeline_plan plan = plan_of(&job);
    pipeline_producer cpu, gpu;
    pipeline_result result;
    rmat_gen *gen = cpu_generator();
    int calls = 0, status;

    cpu = pipeline_cpu(gen, 2);
    gpu = pipeline_gpu(gen); /* the fake one makes edges as the CPU does */
    ok(write_file(graph, &job, &cpu, go_on, &result));

    for (;; calls++) {
        ck_assert_int_lt(calls, MOST_CALLS);
        fake_fail(calls, for_good);
        status = write_file(twin, &job, &gpu, go_on, &result);
        ck_assert_int_eq(fake_live(), 0);
        if (status == 0) {
            check_same_bytes(graph, twin);
            ck_assert_uint_eq(fake_device_bytes(), pipeline_gpu_bytes(&plan));
            break; /* it makes no more calls than these */
        }
        ck_assert_ptr_eq(strstr(result.error, "GPU 0: "), result.error);
        ck_assert_ptr_nonnull(strstr(result.error, "cudaErrorLaunchFailure"));
    }
    ck_assert_int_gt(calls, 20);
}

FOLDER_CASES(pipeline_gpu_failures, LOOP(every_call_fails, 0, 8))

int main(void)
{
    return test_pipeline_gpu_failures();
}
