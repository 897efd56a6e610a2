/* official.h - private to rmat/: generators of the official streams. */
#ifndef RMAT_SOURCE_OFFICIAL_H
#define RMAT_SOURCE_OFFICIAL_H

#include "rmat/rmat.h"

/* rmat_create() for a configuration whose stream is not RMAT_STREAM_RMAT. */
int rmat_create_official(rmat_gen **out, const rmat_config *config);

/* Gives back rmat_gen.official. */
void rmat_close_official(void *official);

#endif
