/* How many buffers of what size: within memory, no more than the graph, smaller ones for a GPU. */
#include "apps/engine/pipeline/gpu.h"
#include "tests/support/run_suite.h"

#define MI ((uint64_t)1 << 20)

static const uint64_t many = (uint64_t)1 << 40;

START_TEST(gpu_buffers)
{
    pipeline_plan plan;

    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (uint64_t memory = 128 * MI; memory <= 4096 * MI; memory *= 2) {
            ck_assert_int_eq(pipeline_gpu_make_plan(&plan, many, id_bytes, 0, 0, memory), 0);
            ck_assert_int_eq(plan.generators, PIPELINE_GPU_CHUNKS);
            ck_assert_int_eq(plan.writers, PIPELINE_WRITERS);
            ck_assert_int_eq(plan.buffers, PIPELINE_GPU_CHUNKS + PIPELINE_WRITERS + 1);
            ck_assert_uint_eq(2 * pipeline_column_bytes(&plan), 8 * MI);
        }
    }
    ck_assert_int_eq(pipeline_gpu_make_plan(&plan, many, 8, 0, 2 * MI, 96 * MI), 0);
    ck_assert_uint_eq(plan.chunk, 2 * MI); /* as asked for: three buffers of 32 MiB fit */
    ck_assert_int_eq(plan.buffers, 3);
}
END_TEST

START_TEST(cpu_buffers)
{
    pipeline_plan plan;

    ck_assert_int_eq(pipeline_make_plan(&plan, many, 4, 0, 2, 0, 128 * MI), 0);
    ck_assert_int_eq(plan.buffers, 2 + PIPELINE_WRITERS + 1);
    ck_assert_uint_eq(2 * pipeline_column_bytes(&plan), 16 * MI);
}
END_TEST

START_TEST(within_memory)
{
    pipeline_plan plan;

    for (uint64_t memory = MI; memory <= 256 * MI; memory += 3 * MI) {
        for (int at_once = 1; at_once <= 64; at_once *= 4) {
            ck_assert_int_eq(pipeline_make_plan(&plan, many, 8, 0, at_once, 0, memory), 0);
            ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        }
        ck_assert_int_eq(pipeline_gpu_make_plan(&plan, many, 8, 0, 0, memory), 0);
        ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        ck_assert_int_ge(plan.buffers, plan.generators);
        ck_assert_int_ge(plan.buffers, plan.writers);
    }
    ck_assert_int_eq(pipeline_make_plan(&plan, many, 8, 0, 1, MI, 8 * MI), -1);
}
END_TEST

START_TEST(with_weights)
{
    pipeline_plan plan;
    uint64_t page = edgefile_alignment();

    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (uint64_t memory = MI; memory <= 256 * MI; memory += 5 * MI) {
            ck_assert_int_eq(pipeline_make_plan(&plan, many, id_bytes, 4, 3, 0, memory), 0);
            ck_assert_uint_eq(plan.chunk * 4 % page, 0);
            ck_assert_uint_eq(pipeline_chunk_bytes(&plan),
                              2 * pipeline_column_bytes(&plan) + 4 * plan.chunk);
            ck_assert_uint_le(pipeline_chunk_bytes(&plan), 16 * MI);
            ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        }
        for (uint64_t memory = MI; memory < MI + 5 * page; memory += page) {
            uint64_t most = pipeline_max_chunk(memory, id_bytes, 4);

            ck_assert_int_eq(pipeline_make_plan(&plan, many, id_bytes, 4, 1, most, memory), 0);
            ck_assert_int_eq(pipeline_make_plan(&plan, many, id_bytes, 4, 1, most + 1, memory), -1);
        }
    }
}
END_TEST

START_TEST(no_more_than_the_graph)
{
    pipeline_plan plan;

    for (uint64_t edges = 0; edges < 100000; edges += 4999) {
        ck_assert_int_eq(pipeline_gpu_make_plan(&plan, edges, 8, 0, 1000, 64 * MI), 0);
        ck_assert_uint_le((uint64_t)(plan.buffers - 1) * 1000, edges);
    }
}
END_TEST

TEST_CASES(pipeline_plan, 0, ONCE(gpu_buffers), ONCE(cpu_buffers), ONCE(within_memory),
           ONCE(with_weights), ONCE(no_more_than_the_graph))
