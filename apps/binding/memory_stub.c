/* GPU memory in a build without CUDA: there is none. */
#include "apps/binding/memory.h"
#include "rmat/rmat.h"
#include <stddef.h>

int binding_block_create(binding_block **out, int device, uint64_t bytes, void *stream)
{
    (void)device;
    (void)bytes;
    (void)stream;
    *out = NULL;
    return RMAT_ERR_NO_BACKEND;
}

void *binding_block_data(const binding_block *b)
{
    (void)b;
    return NULL;
}

void binding_block_retain(binding_block *b)
{
    (void)b;
}

void binding_block_release(binding_block *b)
{
    (void)b;
}

int binding_wait(int device, void *stream)
{
    (void)device;
    (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int binding_order(int device, void *earlier, void *later)
{
    (void)device;
    (void)earlier;
    (void)later;
    return RMAT_ERR_NO_BACKEND;
}

int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream)
{
    (void)to;
    (void)from;
    (void)bytes;
    (void)device;
    (void)stream;
    return RMAT_ERR_NO_BACKEND;
}
