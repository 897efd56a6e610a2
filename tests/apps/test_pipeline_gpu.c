/*
 * The pipeline with a GPU: the CPU's files, within bounded memory, and none where the GPU fails for
 * good in mid-run; calls that fail once are those of test_pipeline_gpu_failures.c.  Run with the
 * argument "trap" it is the child whose GPU fails.
 */
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "tests/support/gpu_util.h"
#include "tests/support/pipeline_util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CPU_THREADS = 4, CHUNK = 1 << 16, EDGES = 20 * CHUNK + 77 };

int gpu_trap(void); /* gpu_trap.cu: runs a kernel that traps; nonzero if that was noticed */

typedef struct {
    rmat_gen *cpu, *gpu;
} generators;

static generators create(int scale)
{
    generators g;
    rmat_config config;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.weights = RMAT_WEIGHTS_UNIFORM;
    config.threads = 1;
    config.backend = RMAT_BACKEND_CPU;
    ck_assert_int_eq(rmat_create(&g.cpu, &config), RMAT_OK);
    config.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&g.gpu, &config), RMAT_OK);
    return g;
}

static void destroy(generators g)
{
    rmat_destroy(g.cpu);
    rmat_destroy(g.gpu);
}

START_TEST(same_files)
{
    static const uint64_t chunks[] = {0, CHUNK, 5000};
    static const int scales[] = {20, 30, 36};
    size_t before = free_device_memory();

    for (int i = 0; i < (small_run() ? 1 : 9); i++) {
        generators g = create(scales[i / 3]);

        for (int id_bytes = i / 3 == 2 ? 8 : 4; id_bytes <= 8; id_bytes += 4) {
            pipeline_job job = {EDGES,
                                chunks[i % 3],
                                id_bytes,
                                PIPELINE_GPU_CHUNKS,
                                i % 2 != 0,
                                NULL,
                                i % 2 == 0 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_NO_WEIGHT};
            pipeline_producer cpu = pipeline_cpu(g.cpu, CPU_THREADS), gpu = pipeline_gpu(g.gpu);
            pipeline_result result;

            ck_assert_int_eq(write_file(reference, &job, &cpu, go_on, &result), 0);
            ck_assert_msg(write_file(other, &job, &gpu, go_on, &result) == 0, "%s", result.error);
            assert_same_files();
        }
        destroy(g);
    }
    check_no_leak(before);
}
END_TEST

/* Device memory in use at each tick of a run in memory only. */
static size_t free_before, most_used, least_used;
static int ticks;

static int watch_memory(void *argument, uint64_t done)
{
    size_t free_now, total, used;

    (void)argument, (void)done;
    must_cuda(cudaMemGetInfo(&free_now, &total));
    used = free_before > free_now ? free_before - free_now : 0;
    if (ticks == 0 || used < least_used) {
        least_used = used;
    }
    if (used > most_used) {
        most_used = used;
    }
    return ++ticks == 10;
}

START_TEST(bounded_memory)
{
    generators g = create(36);
    pipeline_job job = {(uint64_t)1 << 40, 0, 8, PIPELINE_GPU_CHUNKS, false, NULL,
                        EDGEFILE_NO_WEIGHT};
    pipeline_plan plan = plan_of(&job);
    pipeline_producer gpu = pipeline_gpu(g.gpu);
    pipeline_result result;

    free_before = free_device_memory();
    ck_assert_int_eq(pipeline_run(&plan, NULL, &gpu, &drop_edges, watch_memory, NULL, &result), -1);
    ck_assert_msg(result.stopped && result.error == NULL, "%s", result.error);
    ck_assert_uint_gt(result.done, 0);
    printf(
        "chunks in memory for 1 s: %.1f GB/s; on the device %zu to %zu MiB, of these buffers %llu "
        "MiB\n",
        16e-9 * (double)result.done, least_used >> 20, most_used >> 20,
        (unsigned long long)(pipeline_gpu_bytes(&plan) >> 20));
    ck_assert_uint_lt(most_used, (size_t)1 << 30);
    destroy(g);
}
END_TEST

/* Kills the GPU's context at the first sign of life. */
static bool trapped;

static int trap_once(void *argument, uint64_t done)
{
    (void)argument;
    if (done > 0 && !trapped) {
        trapped = true;
        gpu_trap();
    }
    return 0;
}

/* In the child.  2 GB last longer than the time to the first tick. */
START_TEST(after_trap)
{
    generators g = create(30);
    pipeline_job job = {(uint64_t)1 << 28, 0, 4, PIPELINE_GPU_CHUNKS, false, NULL,
                        EDGEFILE_NO_WEIGHT};
    pipeline_producer gpu = pipeline_gpu(g.gpu);
    pipeline_result result;

    ck_assert_int_eq(write_file(other, &job, &gpu, trap_once, &result), -1);
    ck_assert(trapped && result.error != NULL);
    printf("after the trap: %s\n", result.error);
    destroy(g);
}
END_TEST

START_TEST(trap)
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl("/proc/self/exe", "pipeline_gpu", "trap", (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("pipeline_gpu");
    TCase *tests = tcase_create("pipeline_gpu");
    int status;

    if (argc == 2 && strcmp(argv[1], "trap") == 0) {
        tcase_add_test(tests, after_trap);
    } else {
        tcase_add_test(tests, same_files);
        if (!small_run()) { /* compute-sanitizer needs memory of its own, and reports every trap */
            tcase_add_test(tests, bounded_memory);
            tcase_add_test(tests, trap);
        }
    }
    tcase_set_timeout(tests, 100);
    suite_add_tcase(suite, tests);
    make_folder();
    status = run_gpu_suite(suite);
    leave_folder();
    return status;
}
