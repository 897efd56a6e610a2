/*
 * Out-degrees of a Graph500 graph, counted on the GPU as its edges are made.  No edge is stored, so
 * a graph of 2^40 edges needs only 4 bytes of memory per vertex.
 *
 * usage: example_out_degrees [scale [edge factor]]
 */
#include "rmat/rmat_device.cuh"

#include <cstdio>
#include <cstdlib>
#include <vector>

/* A consumer of rmat_for_each_edge(): copied to the kernels, called once for every edge. */
struct count_degrees {
    struct state {
    };
    uint32_t *degree; /* of every vertex; below 2^32 */

    __device__ void begin(state &) const
    {
    }
    __device__ void operator()(state &, uint64_t, uint64_t src, uint64_t) const
    {
        atomicAdd(&degree[src], 1u);
    }
    __device__ void end(state &) const
    {
    }
};

static void must(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "example_out_degrees: %s: status %d %s\n", what, status, rmat_gpu_error());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const int scale = argc > 1 ? atoi(argv[1]) : 20;
    const int factor = argc > 2 ? atoi(argv[2]) : 16;
    uint64_t vertices, edges, sum = 0, busiest = 0;
    rmat_config config;
    rmat_gen *gen;
    uint32_t *degree;

    if (argc > 3 || scale < 1 || scale > 34 || factor < 1 || factor > 4096) {
        fprintf(stderr, "usage: example_out_degrees [scale, 1 to 34 [edge factor, 1 to 4096]]\n");
        return 2;
    }
    if (rmat_gpu_count() == 0) {
        fprintf(stderr, "example_out_degrees: no GPU\n");
        return 1;
    }
    vertices = (uint64_t)1 << scale;
    edges = vertices * (uint64_t)factor;
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.backend = RMAT_BACKEND_GPU;
    must(rmat_create(&gen, &config), "generator");
    must(cudaMalloc(&degree, vertices * sizeof(*degree)), "memory for the degrees");
    must(cudaMemset(degree, 0, vertices * sizeof(*degree)), "memory for the degrees");
    must(rmat_for_each_edge(gen, 0, edges, count_degrees{degree}, 0), "edges");

    std::vector<uint32_t> host(vertices);
    must(cudaMemcpy(host.data(), degree, vertices * sizeof(*degree), cudaMemcpyDeviceToHost),
         "degrees");
    for (uint64_t v = 0; v < vertices; v++) {
        sum += host[v];
        busiest = host[v] > host[busiest] ? v : busiest;
    }
    printf("%llu edges; vertex %llu has most: %u\n", (unsigned long long)sum,
           (unsigned long long)busiest, host[busiest]);
    must(cudaFree(degree), "memory");
    rmat_destroy(gen);
    return sum == edges ? 0 : 1;
}
