/* The models that the benchmarks compare: the plain one, one for each option, and the official
 * streams. */
#include "apps/bench/models.h"

static const struct {
    const char *name;
    rmat_stream stream;
    double noise;
    int permute, no_self_loops, symmetrize;
    rmat_direction direction;
    rmat_weights weights;
    int vertices; /* 0: 2^scale; 1: 7/8 of that; 2: just above its half */
} models[BENCH_MODELS] = {
    {.name = "plain"},
    {.name = "noise", .noise = 0.1},
    {.name = "permuted", .permute = 1},
    {.name = "permuted, noise", .permute = 1, .noise = 0.1},
    {.name = "no loops", .no_self_loops = 1},
    {.name = "lower", .direction = RMAT_LOWER},
    {.name = "both directions", .symmetrize = 1},
    {.name = "uniform weights", .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "int weights", .weights = RMAT_WEIGHTS_INT},
    {.name = "permuted, weights", .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "7/8 of the vertices", .vertices = 1},
    {.name = "1/2 of them and 1", .vertices = 2},
    {.name = "the same, permuted", .vertices = 2, .permute = 1},
    {.name = "graph500's stream", .stream = RMAT_STREAM_GRAPH500},
    {.name = "graph500's, weights",
     .stream = RMAT_STREAM_GRAPH500,
     .weights = RMAT_WEIGHTS_UNIFORM},
};

const char *bench_model_name(int model)
{
    return models[model].name;
}

bool bench_model_has_weights(int model)
{
    return models[model].weights != RMAT_NO_WEIGHTS;
}

void bench_model(int model, int scale, rmat_config *config)
{
    const uint64_t half = UINT64_C(1) << (scale - 1);

    rmat_config_default(config);
    config->rows_scale = config->cols_scale = scale;
    config->stream = models[model].stream;
    config->noise = models[model].noise;
    config->permute = models[model].permute;
    config->no_self_loops = models[model].no_self_loops;
    config->symmetrize = models[model].symmetrize;
    config->direction = models[model].direction;
    config->weights = models[model].weights;
    config->weight_min = 1;
    config->weight_max = 255;
    config->rows = config->cols = models[model].vertices == 0   ? 0
                                  : models[model].vertices == 1 ? half / 4 * 7
                                                                : half + 1;
}
