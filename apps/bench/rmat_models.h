/* Models whose cost the benchmarks show beside the plain one. */
#ifndef APPS_BENCH_RMAT_MODELS_H
#define APPS_BENCH_RMAT_MODELS_H

#include "rmat/rmat.h"

enum { BENCH_MODELS = 13 };

/* Names it, and makes it of a scale from 4 on; backend and ISA as in rmat_config_default(). */
const char *bench_model(int model, int scale, rmat_config *config); /* 0: plain */

#endif
