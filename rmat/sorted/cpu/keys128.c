/* The operations on keys of 16 bytes: keys.c compiled for them. */
#define KEY      unsigned __int128
#define KEYS_OPS rmat_keys128
#include "rmat/sorted/cpu/keys.c"
