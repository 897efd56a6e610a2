/* Destructors of Python's capsules. */
#include "apps/binding/arrow_abi.h"
#include "apps/binding/private.h"
#include "apps/binding/python.h"
#include <stdlib.h>

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
            binding_dlpack_delete(get_pointer(capsule, names[i]));
        }
    }
}

void binding_free_arrow_stream(void *capsule)
{
    if (is_valid(capsule, "arrow_array_stream")) {
        arrow_stream *stream = get_pointer(capsule, "arrow_array_stream");

        if (stream->release != NULL) { /* else it has been moved out */
            stream->release(stream);
        }
        free(stream);
    }
}
