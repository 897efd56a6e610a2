/* Tables on a GPU in a build without CUDA. */
#include "apps/stats/gpu/gpu.h"

int gpu_tables_open(gpu_tables **out, int device, int id_bytes, int threads)
{
    (void)device, (void)id_bytes, (void)threads;
    *out = NULL;
    return -1;
}

void gpu_tables_close(gpu_tables *g)
{
    (void)g;
}

const char *gpu_tables_error(const gpu_tables *g)
{
    (void)g;
    return rmat_strerror(RMAT_ERR_NO_BACKEND);
}

uint64_t gpu_tables_room(const gpu_tables *g)
{
    (void)g;
    return 0;
}

int gpu_tables_begin(gpu_tables *g, const gpu_pass *pass)
{
    (void)g, (void)pass;
    return -1;
}

int gpu_tables_add(gpu_tables *g, int thread, const edge_block *edges)
{
    (void)g, (void)thread, (void)edges;
    return -1;
}

int gpu_tables_end(gpu_tables *g, pair_tally *found, bool *full)
{
    (void)g, (void)found, (void)full;
    return -1;
}
