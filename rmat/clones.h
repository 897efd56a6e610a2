/* clones.h - private to rmat/: one copy of a function for each instruction set, of which the
 * processor's best is called. */
#ifndef RMAT_CLONES_H
#define RMAT_CLONES_H

/* Clang's ThreadSanitizer is called where the copy is chosen, before it has begun. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define RMAT_ONE_COPY
#endif
#endif

#if defined RMAT_X86 && !defined RMAT_ONE_COPY
#define RMAT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RMAT_CLONES
#endif

#endif
