/*
 * The cost model: producer and disk work side by side, so a run takes as long as the slower of the
 * two, and a GPU's context has to come up first.
 *
 *   CPU   max(edges / (threads * rate per thread), bytes / disk)
 *   GPU   start-up + max(bytes / PCIe, bytes / disk)
 *
 * The kernel itself is several times as fast as PCIe and does not appear.  The disk's rate is not
 * known beforehand; a fast one is assumed, because choosing wrongly then costs no more than the
 * start-up, while the other mistake costs a multiple of the time.
 */
#include "apps/choose_backend.h"

/* THE SWITCH: false keeps --backend auto on the CPU. */
static const bool auto_may_choose_gpu = false;

/* Edges per second and thread.  Measured: AVX-512, EPYC (Zen 4), scale 20 to 30 at both widths
 * 0.23 to 0.26 G, scale 36 0.19 G, scale 62 0.115 G. */
static const double cpu_edges_32 = 230e6, cpu_edges_64 = 170e6;

/* To be measured on the device: what a GPU run takes longer to start than a CPU run, s. */
static const double gpu_start = 0.4;
/* To be measured: bytes per second from the device to pinned memory, and to a fast disk by path. */
static const double pcie_bytes = 55e9;
static const double direct_bytes = 4e9, positional_bytes = 1.9e9, hdf5_bytes = 1.6e9;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double disk_bytes(edgefile_path path)
{
    return path == EDGEFILE_PATH_HDF5         ? hdf5_bytes
           : path == EDGEFILE_PATH_POSITIONAL ? positional_bytes
                                              : direct_bytes;
}

rmat_backend faster_backend(const backend_job *job)
{
    double edges = (double)job->edges, bytes = edges * 2 * job->id_bytes;
    double disk = bytes / disk_bytes(job->path);
    double cpu_rate = job->threads * (job->id_bytes == 4 ? cpu_edges_32 : cpu_edges_64);
    double cpu = larger(edges / cpu_rate, disk);
    double gpu = gpu_start + larger(bytes / pcie_bytes, disk);

    return job->gpu_present && gpu < cpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
}

rmat_backend choose_backend(const backend_job *job)
{
    return auto_may_choose_gpu ? faster_backend(job) : RMAT_BACKEND_CPU;
}
