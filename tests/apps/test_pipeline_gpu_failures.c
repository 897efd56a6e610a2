/*
 * The host side of a GPU in the pipeline, on the GPU of fake_cuda.h, so that it needs none: every
 * call that it makes fails once, alone or with all that follow.  The file must then not come about,
 * and nothing may stay allocated.
 */
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/pipeline_util.h"
#include <string.h>

enum { CHUNK = 4096, EDGES = 12 * CHUNK + 77, MOST_CALLS = 1000 };

START_TEST(every_call_fails)
{
    pipeline_job job = {EDGES,
                        _i & 1 ? CHUNK : 0,
                        _i & 2 ? 8 : 4,
                        PIPELINE_GPU_CHUNKS,
                        false,
                        NULL,
                        _i & 1 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_I32};
    bool for_good = _i & 4;
    pipeline_producer cpu, gpu;
    pipeline_result result;
    rmat_gen *gen = cpu_generator();
    int calls = 0, status;

    cpu = pipeline_cpu(gen, 2);
    gpu = pipeline_gpu(gen); /* the fake one makes edges as the CPU does */
    ck_assert_int_eq(write_file(reference, &job, &cpu, go_on, &result), 0);

    for (;; calls++) {
        ck_assert_int_lt(calls, MOST_CALLS);
        fake_fail(calls, for_good);
        status = write_file(other, &job, &gpu, go_on, &result);
        ck_assert_int_eq(fake_live(), 0);
        if (status == 0) {
            assert_same_files();
            break; /* it makes no more calls than these */
        }
        ck_assert_ptr_eq(strstr(result.error, "GPU 0: "), result.error);
        ck_assert_ptr_nonnull(strstr(result.error, "cudaErrorLaunchFailure"));
    }
    ck_assert_int_gt(calls, 20);
}
END_TEST

PIPELINE_CASES(pipeline_gpu_failures, LOOP(every_call_fails, 0, 8))

int main(void)
{
    return test_pipeline_gpu_failures();
}
