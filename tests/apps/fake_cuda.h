/* Include it (-include) before everything else: the CUDA calls of the pipeline become those of the
 * fake GPU in test_pipeline_gpu_failures.c. */
#ifndef TESTS_APPS_FAKE_CUDA_H
#define TESTS_APPS_FAKE_CUDA_H

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

#endif
