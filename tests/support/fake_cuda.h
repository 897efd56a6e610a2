/*
 * A GPU made of host memory, under which the host side of the pipeline runs where there is none.
 * To be included (-include) before everything else: it takes the place of the functions below.
 *
 * Work is queued by stream, and done when somebody waits for it: what is used too early is not
 * there yet.  The n-th call can be made to fail, alone or with all after it, as when a kernel has
 * trapped; what the streams hold by then is never done.
 */
#ifndef TESTS_SUPPORT_FAKE_CUDA_H
#define TESTS_SUPPORT_FAKE_CUDA_H

#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>

/* From now on: the call after so many fails (negative: none), and if for_good all later ones. */
void fake_fail(int after, bool for_good);

/* What was allocated, created or registered and not given back. */
int fake_live(void);

/* Under the same types: */
extern __typeof__(cudaSetDevice) fake_cudaSetDevice;
extern __typeof__(cudaMalloc) fake_cudaMalloc;
extern __typeof__(cudaFree) fake_cudaFree;
extern __typeof__(cudaHostAlloc) fake_cudaHostAlloc;
extern __typeof__(cudaFreeHost) fake_cudaFreeHost;
extern __typeof__(cudaHostRegister) fake_cudaHostRegister;
extern __typeof__(cudaHostUnregister) fake_cudaHostUnregister;
extern __typeof__(cudaStreamCreateWithFlags) fake_cudaStreamCreateWithFlags;
extern __typeof__(cudaStreamDestroy) fake_cudaStreamDestroy;
extern __typeof__(cudaEventCreateWithFlags) fake_cudaEventCreateWithFlags;
extern __typeof__(cudaEventDestroy) fake_cudaEventDestroy;
extern __typeof__(cudaEventRecord) fake_cudaEventRecord;
extern __typeof__(cudaEventSynchronize) fake_cudaEventSynchronize;
extern __typeof__(cudaEventQuery) fake_cudaEventQuery;
extern __typeof__(cudaDeviceSynchronize) fake_cudaDeviceSynchronize;
extern __typeof__(cudaMemcpyAsync) fake_cudaMemcpyAsync;
extern __typeof__(cudaMemsetAsync) fake_cudaMemsetAsync;
extern __typeof__(cudaGetLastError) fake_cudaGetLastError;
extern __typeof__(rmat_generate_arrays_device) fake_rmat_generate_arrays_device;
extern __typeof__(rmat_fingerprint_device) fake_rmat_fingerprint_device;
extern __typeof__(rmat_gpu_error) fake_rmat_gpu_error;
extern __typeof__(rmat_used_device) fake_rmat_used_device;

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

#endif
