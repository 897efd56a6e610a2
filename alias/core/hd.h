/*
 * alias/core/hd.h - ALIAS_HD, the specifier of functions that the C compiler and nvcc both compile:
 * static inline in C, and __host__ __device__ in CUDA.
 */
#ifndef ALIAS_CORE_HD_H
#define ALIAS_CORE_HD_H

#ifdef __CUDACC__
#define ALIAS_HD static __host__ __device__ __forceinline__
#else
#define ALIAS_HD static inline
#endif

#endif
