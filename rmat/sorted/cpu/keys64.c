/* Keys of 8 bytes. */
#include <stdint.h>

#define KEY uint64_t
#include "rmat/sorted/cpu/keys_body.h"

const rmat_key_ops rmat_keys64 = RMAT_KEY_OPS;
