/*
 * DLPack tensors of GPU memory (github.com/dmlc/dlpack, "Python Specification").
 *
 * The structs are DLPack's binary interface, as its documentation lays it out: that of before
 * version 1.0, and that of version 1, whose versions are told by the first member.
 */
#include "apps/binding/memory.h"
#include "apps/binding/private.h"
#include <stdlib.h>

enum { DEVICE_CUDA = 2 };

typedef struct {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

/* What a tensor needs to stay: allocated with it, and freed by its deleter. */
typedef struct {
    union {
        dl_managed managed;
        dl_versioned versioned;
    } as; /* first: the consumer's pointer is that of the whole */
    binding_block *block;
    int64_t shape[2], strides[2];
} holder;

static void drop(holder *h)
{
    binding_block_release(h->block);
    free(h);
}

static void delete_managed(dl_managed *self)
{
    drop(self->context);
}

static void delete_versioned(dl_versioned *self)
{
    drop(self->context);
}

static void describe(dl_tensor *to, holder *h, const binding_tensor *from)
{
    for (int i = from->ndim - 1; i >= 0; i--) {
        h->shape[i] = from->shape[i];
        h->strides[i] = i == from->ndim - 1 ? 1 : h->strides[i + 1] * h->shape[i + 1];
    }
    to->data = from->data;
    to->device.type = DEVICE_CUDA;
    to->device.id = from->device;
    to->ndim = from->ndim;
    to->dtype.code = (uint8_t)from->code;
    to->dtype.bits = (uint8_t)from->bits;
    to->dtype.lanes = 1;
    to->shape = h->shape;
    to->strides = h->strides;
}

void *binding_dlpack(binding_block *block, const binding_tensor *tensor, int versioned)
{
    holder *h = calloc(1, sizeof *h);

    if (h == NULL) {
        return NULL;
    }
    h->block = block;
    binding_block_retain(block);
    if (versioned) {
        h->as.versioned.version.major = 1;
        h->as.versioned.context = h;
        h->as.versioned.deleter = delete_versioned;
        describe(&h->as.versioned.tensor, h, tensor);
    } else {
        h->as.managed.context = h;
        h->as.managed.deleter = delete_managed;
        describe(&h->as.managed.tensor, h, tensor);
    }
    return h;
}

void binding_dlpack_delete(void *tensor)
{
    drop(tensor);
}
