/*
 * The cost model: producer and disk work side by side, so a run takes as long as the slower of the
 * two, and a GPU's context has to come up first.
 *
 *   CPU   max(edges / (threads * rate per thread), bytes / disk)
 *   GPU   start-up + max(bytes / link, bytes / disk)
 *
 * The kernels are several times as fast as the link to the host and do not appear.  The disk's rate
 * is not known beforehand; the fastest one that was measured is assumed.  On a faster disk few
 * threads lose by staying on the CPU, on a slower one the GPU costs its start-up.
 *
 * A sorted graph is made before it is written: the time of both adds up.  There a GPU has an
 * advantage whatever the disk, as it sorts hundreds of times as fast as a thread.
 *
 * So the GPU gets large graphs where few threads, or old ones, would keep the disk waiting.  Where
 * the disk holds both back, nothing is gained by starting a GPU.
 */
#include "apps/engine/choose_backend.h"

/* Edges per second and thread, fingerprint included, scales 20 to 36, Xeon (virtual) and EPYC
 * (Zen 4).  NEON was not measured: at least that of the generic kernels. */
static const double cpu_edges_32[] = {[RMAT_ISA_GENERIC] = 55e6,
                                      [RMAT_ISA_AVX2] = 125e6,
                                      [RMAT_ISA_AVX512] = 230e6,
                                      [RMAT_ISA_NEON] = 55e6};
static const double cpu_edges_64[] = {[RMAT_ISA_GENERIC] = 50e6,
                                      [RMAT_ISA_AVX2] = 120e6,
                                      [RMAT_ISA_AVX512] = 170e6,
                                      [RMAT_ISA_NEON] = 50e6};

/* H200: what a whole run takes longer than one on the CPU, and bytes per second to the host. */
static const double gpu_start = 0.33, link_bytes = 51e9;

/* Edges per second, made, sorted and unique: of a thread (a Xeon with AVX-512), and of an H200. */
static const double cpu_sorted = 20e6, gpu_sorted = 10e9;

/* Bytes per second into a file by path; EPYC. */
static const double disk_bytes[] = {[EDGEFILE_PATH_AUTO] = 4e9,
                                    [EDGEFILE_PATH_DIRECT] = 4e9,
                                    [EDGEFILE_PATH_HDF5] = 1.6e9,
                                    [EDGEFILE_PATH_POSITIONAL] = 1.9e9};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

rmat_backend choose_backend(const backend_job *job)
{
    double edges = (double)job->edges, bytes = edges * (2 * job->id_bytes + job->weight_bytes);
    double disk = bytes / disk_bytes[job->path];
    double rate = (job->id_bytes == 4 ? cpu_edges_32 : cpu_edges_64)[job->isa];
    double cpu = larger(edges / (job->threads * rate), disk);
    double gpu = gpu_start + larger(bytes / link_bytes, disk);

    if (job->sorted) {
        cpu = edges / (job->threads * cpu_sorted) + disk;
        gpu += edges / gpu_sorted;
    }
    return gpu < cpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}
