/* Keys of 8 bytes. */
#include <stdint.h>

#define KEY uint64_t
#include "rmat/cpu_keys_impl.h"

const rmat_key_ops rmat_keys64 = RMAT_KEY_OPS;
