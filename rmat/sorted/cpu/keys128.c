/* The operations on keys of 16 bytes: keys_body.h compiled for them. */
#define KEY unsigned __int128
#include "rmat/sorted/cpu/keys_body.h"

const rmat_key_ops rmat_keys128 = RMAT_KEY_OPS;
