/* Keys of 16 bytes. */
#define KEY unsigned __int128
#include "rmat/cpu_keys_impl.h"

const rmat_key_ops rmat_keys128 = RMAT_KEY_OPS;
