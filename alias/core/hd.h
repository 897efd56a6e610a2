/* One spelling for functions that the C compiler and nvcc both compile. */
#ifndef ALIAS_CORE_HD_H
#define ALIAS_CORE_HD_H

#ifdef __CUDACC__
#define ALIAS_HD static __host__ __device__ __forceinline__
#else
#define ALIAS_HD static inline
#endif

#endif
