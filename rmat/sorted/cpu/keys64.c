/* The operations on keys of 8 bytes: keys_body.h compiled for them. */
#include <stdint.h>

#define KEY uint64_t
#include "rmat/sorted/cpu/keys_body.h"

const rmat_key_ops rmat_keys64 = RMAT_KEY_OPS;
