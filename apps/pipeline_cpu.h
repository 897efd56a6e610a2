/* Edges for the pipeline from the CPU: each thread fills one chunk at a time. */
#ifndef APPS_PIPELINE_CPU_H
#define APPS_PIPELINE_CPU_H

#include "apps/pipeline.h"
#include "rmat/rmat.h"

enum { PIPELINE_BLOCK = 1 << 15 }; /* edges generated and hashed at a time: two arrays within L2 */

/* gen generates in the calling thread (config.threads 1), and is borrowed. */
pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads);

#endif
