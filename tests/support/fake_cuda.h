/*
 * A GPU made of host memory, to run the host side of the pipeline on a machine without a GPU.
 * Include it (-include) before everything else: it replaces the functions below.
 *
 * Work is queued by stream, and done when a call waits for the stream.  So data that is used too
 * early is missing.  The n-th call can be made to fail, alone or with all later calls, as after a
 * kernel trap.  The work that is queued then is never done.
 */
#ifndef TESTS_SUPPORT_FAKE_CUDA_H
#define TESTS_SUPPORT_FAKE_CUDA_H

/* Their headers now declare the fake functions, of the same types. */
#define cudaSetDevice               fake_cudaSetDevice
#define cudaMalloc                  fake_cudaMalloc
#define cudaFree                    fake_cudaFree
#define cudaHostAlloc               fake_cudaHostAlloc
#define cudaFreeHost                fake_cudaFreeHost
#define cudaHostRegister            fake_cudaHostRegister
#define cudaHostUnregister          fake_cudaHostUnregister
#define cudaStreamCreateWithFlags   fake_cudaStreamCreateWithFlags
#define cudaStreamDestroy           fake_cudaStreamDestroy
#define cudaEventCreateWithFlags    fake_cudaEventCreateWithFlags
#define cudaEventDestroy            fake_cudaEventDestroy
#define cudaEventRecord             fake_cudaEventRecord
#define cudaEventSynchronize        fake_cudaEventSynchronize
#define cudaEventQuery              fake_cudaEventQuery
#define cudaDeviceSynchronize       fake_cudaDeviceSynchronize
#define cudaMemcpyAsync             fake_cudaMemcpyAsync
#define cudaMemsetAsync             fake_cudaMemsetAsync
#define cudaGetLastError            fake_cudaGetLastError
#define rmat_generate_arrays_device fake_rmat_generate_arrays_device
#define rmat_fingerprint_device     fake_rmat_fingerprint_device
#define rmat_gpu_error              fake_rmat_gpu_error
#define rmat_used_device            fake_rmat_used_device

#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>

/* From now on: the call after `after` more fails (negative: none); if for_good, all later calls
 * fail too. */
void fake_fail(int after, bool for_good);

/* The number of objects allocated, created or registered and not released. */
int fake_live(void);

/* The GPU memory requested since fake_fail(). */
size_t fake_device_bytes(void);

#endif
