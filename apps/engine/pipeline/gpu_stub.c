/* Built where CUDA is absent: the GPU that is not there. */
#include "apps/engine/pipeline/gpu.h"
#include <stdio.h>

static int run(void *state, pipeline *p, char *text, size_t size)
{
    (void)state, (void)p;
    snprintf(text, size, "%s", rmat_strerror(RMAT_ERR_NO_BACKEND));
    return -1;
}

pipeline_producer pipeline_gpu_filled(const pipeline_gpu_filler *filler)
{
    return (pipeline_producer){run, (void *)filler, 1};
}

pipeline_producer pipeline_gpu(const rmat_gen *gen)
{
    return (pipeline_producer){run, (void *)gen, 1};
}

uint64_t pipeline_gpu_bytes(const pipeline_plan *plan)
{
    (void)plan;
    return 0;
}
