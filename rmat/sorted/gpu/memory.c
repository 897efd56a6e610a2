/* Memory of a generator's GPU for results that outlive the call that makes them. */
#include "rmat/sorted/gpu/memory.h"
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"

void *rmat_gpu_allocate(const rmat_gen *gen, size_t bytes)
{
    void *memory = NULL;
    int before;

    if (rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before))) {
        return NULL;
    }
    if (rmat_gpu_status(cudaMalloc(&memory, bytes))) {
        memory = NULL;
    }
    alias_gpu_leave(before);
    return memory;
}

void rmat_gpu_release(const rmat_gen *gen, void *memory)
{
    int before;

    if (memory != NULL && !rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before))) {
        (void)cudaFree(memory);
        alias_gpu_leave(before);
    }
}

int rmat_gpu_finish(const rmat_gen *gen)
{
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));

    if (!st) {
        st = rmat_gpu_status(cudaStreamSynchronize(NULL));
        alias_gpu_leave(before);
    }
    return st;
}
