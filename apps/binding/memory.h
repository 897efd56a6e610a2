/*
 * memory.h - GPU memory for arrays of other languages, and DLPack tensors of it; of a build with
 * CUDA alone.
 *
 * A *block* is a piece of GPU memory with a reference count, so that a tensor that another library
 * has taken over outlives the object that made it, without any call into an interpreter.
 *
 * Functions return 0 or a negative status, whose text is in binding_error() (graph.h); they leave
 * the thread's current GPU as it was, and any number of threads may call them.  A stream is a
 * cudaStream_t; NULL is the legacy default stream.
 */
#ifndef APPS_BINDING_MEMORY_H
#define APPS_BINDING_MEMORY_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct binding_block binding_block;

/* Allocates a block of so many bytes on a GPU, in the order of the stream; its count is 1. */
int binding_block_create(binding_block **out, int device, uint64_t bytes, void *stream);
void *binding_block_data(const binding_block *block);

/* Drops a reference; the last one waits for the GPU's work and frees the memory.  NULL is allowed.
 * Any thread, at any time, also while the process ends. */
void binding_block_release(binding_block *block);

/* Waits for the work of a stream of that GPU. */
int binding_wait(int device, void *stream);

/* Lets stream `later` wait for the work that is in stream `earlier` now, without waiting here. */
int binding_order(int device, void *earlier, void *later);

/* Copies bytes from a GPU's memory to the host's, after the work of the stream, and waits. */
int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream);

/* Allocates a DLManagedTensorVersioned of DLPack 1.0 (versioned != 0), or a DLManagedTensor: a row
 * of `size` elements of `bits` bits from the start of the block on, of DLPack's type `code` (0 int,
 * 1 unsigned, 2 float).  It holds a reference to the block until its deleter is called.  NULL: out
 * of memory. */
void *binding_dlpack(binding_block *block, int64_t size, int code, int bits, int versioned);

/* The destructor of the capsule in which Python hands a tensor to another library: frees it if
 * nobody has taken it over.  This must work while the interpreter ends, when no Python code can
 * run, and so is a function of C. */
void binding_free_dlpack(void *capsule);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
