/* The models that the benchmarks compare: the plain one, one for each of the model's options, and
 * the official streams. */
#ifndef APPS_BENCH_MODELS_H
#define APPS_BENCH_MODELS_H

#include "rmat/rmat.h"
#include <stdbool.h>

enum { BENCH_MODELS = 15, BENCH_MODEL_LEAST_SCALE = 4 };

const char *bench_model_name(int model); /* 0: the plain one */
bool bench_model_has_weights(int model);

/* Of a scale from BENCH_MODEL_LEAST_SCALE on (the plain one: from 1 on); backend and instruction
 * set are those of rmat_config_default(). */
void bench_model(int model, int scale, rmat_config *config);

#endif
