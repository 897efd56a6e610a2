/* GPU memory with a reference count, by the functions of a build with CUDA. */
#include "apps/binding/memory.h"
#include "apps/binding/graph.h"
#include "apps/binding/private.h"
#include "rmat/rmat.h"
#include <stdatomic.h>
#include <stdlib.h>

struct binding_block {
    void *data;
    int device;
    atomic_int references;
};

int binding_block_create(binding_block **out, int device, uint64_t bytes, void *stream)
{
    binding_block *b = NULL;
    int status = RMAT_ERR_NO_BACKEND;

    *out = NULL;
    if (binding_cuda() != NULL) {
        b = calloc(1, sizeof *b);
        status = b == NULL ? BINDING_ERR_NOMEM
                           : binding_cuda()->allocate(&b->data, device, bytes, stream);
    }
    if (status != BINDING_OK) {
        free(b);
        return status;
    }
    b->device = device;
    atomic_init(&b->references, 1);
    *out = b;
    return BINDING_OK;
}

void *binding_block_data(const binding_block *b)
{
    return b->data;
}

void binding_block_retain(binding_block *b)
{
    atomic_fetch_add(&b->references, 1);
}

void binding_block_release(binding_block *b)
{
    if (b != NULL && atomic_fetch_sub(&b->references, 1) == 1) {
        binding_cuda()->release(b->data, b->device);
        free(b);
    }
}

int binding_wait(int device, void *stream)
{
    return binding_cuda() != NULL ? binding_cuda()->wait(device, stream) : RMAT_ERR_NO_BACKEND;
}

int binding_order(int device, void *earlier, void *later)
{
    return binding_cuda() != NULL ? binding_cuda()->order(device, earlier, later)
                                  : RMAT_ERR_NO_BACKEND;
}

int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream)
{
    return binding_cuda() != NULL ? binding_cuda()->copy_to_host(to, from, bytes, device, stream)
                                  : RMAT_ERR_NO_BACKEND;
}
