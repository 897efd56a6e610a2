/* The number and size of buffers: within the memory, no more than the graph, smaller ones for a
 * GPU. */
#include "apps/engine/pipeline/pipeline.h"
#include "tests/support/run_suite.h"

#define MI ((uint64_t)1 << 20)

enum { GPU = PIPELINE_GPU_CHUNKS };

static const uint64_t many = (uint64_t)1 << 40;

/* Of so many edges; at_once GPU: by a GPU. */
static int list_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                     int at_once, uint64_t chunk, uint64_t memory)
{
    *plan = (pipeline_plan){.edges = edges,
                            .id_bytes = id_bytes,
                            .weight_bytes = weight_bytes,
                            .chunk = chunk,
                            .generators = at_once,
                            .writers = PIPELINE_WRITERS};
    return pipeline_make_plan(plan, memory, at_once == GPU ? PIPELINE_GPU_BUFFER : PIPELINE_BUFFER,
                              0);
}

/* In memory for as many buffers as are wanted. */
START_TEST(usual_buffers)
{
    pipeline_plan plan;

    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (uint64_t memory = 128 * MI; memory <= 4096 * MI; memory *= 2) {
            ck_assert_int_eq(list_plan(&plan, many, id_bytes, 0, GPU, 0, memory), 0);
            ck_assert_int_eq(plan.generators, PIPELINE_GPU_CHUNKS);
            ck_assert_int_eq(plan.writers, PIPELINE_WRITERS);
            ck_assert_int_eq(plan.buffers, PIPELINE_GPU_CHUNKS + PIPELINE_WRITERS + 1);
            ck_assert_uint_eq(2 * pipeline_column_bytes(&plan), 8 * MI);
        }
    }
    ck_assert_int_eq(list_plan(&plan, many, 8, 0, GPU, 2 * MI, 96 * MI), 0);
    ck_assert_uint_eq(plan.chunk, 2 * MI); /* as asked for: three buffers of 32 MiB fit */
    ck_assert_int_eq(plan.buffers, 3);
    ck_assert_int_eq(list_plan(&plan, many, 4, 0, 2, 0, 128 * MI), 0);
    ck_assert_int_eq(plan.buffers, 2 + PIPELINE_WRITERS + 1);
    ck_assert_uint_eq(2 * pipeline_column_bytes(&plan), 16 * MI);
}

/* Of lists without and with weights, by CPU and GPU. */
START_TEST(within_memory)
{
    const int id_bytes = _i % 2 ? 8 : 4, weight_bytes = _i / 2 * 4;
    const uint64_t page = edgefile_alignment();
    pipeline_plan plan;

    for (uint64_t memory = MI; memory <= 256 * MI; memory += 3 * MI) {
        for (int at_once = 1; at_once <= 64; at_once *= 4) {
            ck_assert_int_eq(list_plan(&plan, many, id_bytes, weight_bytes, at_once, 0, memory), 0);
            ck_assert_uint_eq(plan.chunk * 4 % page, 0);
            ck_assert_uint_eq(pipeline_chunk_bytes(&plan), 2 * pipeline_column_bytes(&plan) +
                                                               (uint64_t)weight_bytes * plan.chunk);
            ck_assert_uint_le(pipeline_chunk_bytes(&plan), 16 * MI);
            ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        }
        ck_assert_int_eq(list_plan(&plan, many, id_bytes, weight_bytes, GPU, 0, memory), 0);
        ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        ck_assert(plan.buffers >= plan.generators && plan.buffers >= plan.writers);
    }
    for (uint64_t memory = MI; memory < MI + 5 * page; memory += page) {
        uint64_t most = memory / (uint64_t)(2 * id_bytes + weight_bytes);

        plan = (pipeline_plan){.id_bytes = id_bytes, .weight_bytes = weight_bytes, .chunk = most};
        while (pipeline_chunk_bytes(&plan) > memory) {
            plan.chunk = --most;
        }
        ck_assert_int_eq(list_plan(&plan, many, id_bytes, weight_bytes, 1, most, memory), 0);
        ck_assert_int_eq(list_plan(&plan, many, id_bytes, weight_bytes, 1, most + 1, memory),
                         RMAT_ERR_NOMEM);
    }
}

START_TEST(sorted_within_memory)
{
    for (uint64_t memory = MI; memory <= 4096 * MI; memory *= 2) {
        pipeline_plan plan = {.edges = many,
                              .id_bytes = 4,
                              .weight_bytes = 4,
                              .csr = _i,
                              .generators = 3,
                              .writers = PIPELINE_WRITERS};

        ck_assert_int_eq(pipeline_make_plan(&plan, memory, PIPELINE_BUFFER, 64), 0);
        ck_assert_uint_le(pipeline_buffer_bytes(&plan), memory);
        ck_assert_uint_ge(pipeline_buffer_bytes(&plan), memory < 1024 * MI ? memory / 2 : 512 * MI);
        ck_assert_uint_eq(plan.chunk % (edgefile_alignment() / 4), 0);
    }
}

START_TEST(no_more_than_the_graph)
{
    pipeline_plan plan;

    for (uint64_t edges = 0; edges < 100000; edges += 4999) {
        ck_assert_int_eq(list_plan(&plan, edges, 8, 0, GPU, 1000, 64 * MI), 0);
        ck_assert_uint_le((uint64_t)(plan.buffers - 1) * 1000, edges);
    }
}

TEST_CASES(pipeline_plan, 0, ONCE(usual_buffers), LOOP(within_memory, 0, 4),
           LOOP(sorted_within_memory, 0, 2), ONCE(no_more_than_the_graph))
