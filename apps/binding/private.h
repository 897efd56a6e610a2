/* What the files of apps/binding/ share. */
#ifndef APPS_BINDING_PRIVATE_H
#define APPS_BINDING_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

/* Keep a text for binding_error().  Returns the status. */
int binding_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a build with CUDA does for the functions of memory.h (memory_cuda.c). */
typedef struct {
    int (*allocate)(void **data, int device, uint64_t bytes, void *stream);
    void (*release)(void *data, int device);
    int (*wait)(int device, void *stream);
    int (*order)(int device, void *earlier, void *later);
    int (*copy_to_host)(void *to, const void *from, uint64_t bytes, int device, void *stream);
} binding_backend;

/* NULL in a build without CUDA. */
static inline const binding_backend *binding_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const binding_backend binding_of_cuda;

    return &binding_of_cuda;
#else
    return NULL;
#endif
}

#endif
