/* GPU memory with a reference count, by the functions of a build with CUDA; DLPack tensors of it,
 * and the destructor of the capsules that hold them. */
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

static void block_retain(binding_block *b)
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

/*
 * DLPack tensors of GPU memory (github.com/dmlc/dlpack, "Python Specification").
 *
 * The structs are DLPack's binary interface, as its documentation lays it out: that of before
 * version 1.0, and that of version 1, whose versions are told by the first member.
 */

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
    int64_t shape, stride;
} holder;

static void free_holder(holder *h)
{
    binding_block_release(h->block);
    free(h);
}

static void delete_managed(dl_managed *self)
{
    free_holder(self->context);
}

static void delete_versioned(dl_versioned *self)
{
    free_holder(self->context);
}

static void describe_tensor(dl_tensor *to, holder *h, const binding_tensor *from)
{
    h->shape = from->size;
    h->stride = 1;
    to->data = from->data;
    to->device.type = DEVICE_CUDA;
    to->device.id = from->device;
    to->ndim = 1;
    to->dtype.code = (uint8_t)from->code;
    to->dtype.bits = (uint8_t)from->bits;
    to->dtype.lanes = 1;
    to->shape = &h->shape;
    to->strides = &h->stride;
}

void *binding_dlpack(binding_block *block, const binding_tensor *tensor, int versioned)
{
    holder *h = calloc(1, sizeof *h);

    if (h == NULL) {
        return NULL;
    }
    h->block = block;
    block_retain(block);
    if (versioned) {
        h->as.versioned.version.major = 1;
        h->as.versioned.context = h;
        h->as.versioned.deleter = delete_versioned;
        describe_tensor(&h->as.versioned.tensor, h, tensor);
    } else {
        h->as.managed.context = h;
        h->as.managed.deleter = delete_managed;
        describe_tensor(&h->as.managed.tensor, h, tensor);
    }
    return h;
}

/* Capsules: two functions of Python, which this library is not linked to. */

static void *(*get_pointer)(void *capsule, const char *name);
static int (*is_valid)(void *capsule, const char *name);

void binding_use_capsules(void *(*get)(void *capsule, const char *name),
                          int (*valid)(void *capsule, const char *name))
{
    get_pointer = get;
    is_valid = valid;
}

/* A consumer renames the capsule whose tensor it takes over. */
void binding_free_dlpack(void *capsule)
{
    static const char *const names[] = {"dltensor", "dltensor_versioned"};

    for (int i = 0; i < 2; i++) {
        if (is_valid(capsule, names[i])) {
            free_holder(get_pointer(capsule, names[i]));
        }
    }
}
