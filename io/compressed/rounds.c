/*
 * rounds.c - several processes write one compressed file.
 *
 * Where a chunk comes to lie depends on the bytes of all chunks before it, which are other
 * processes' too.  So in a round each process encodes whole chunks of consecutive elements and
 * keeps them; at its end the processes tell each other how many bytes they have, and each writes
 * its chunks behind those of lower ranks.  At last process 0 learns where all chunks are.
 */
#include "io/compressed/write.h"

int edgefile_compressed_end_round(edgefile_output *w)
{
    edgefile_compressed *c = w->compressed;
    int st = EDGEFILE_OK;

    if (c->begun != NULL) {
        st = edgefile_fail(EDGEFILE_ERR_RANGE, "%s: a round ended within chunk %llu", w->partial,
                           (unsigned long long)c->begun->chunk);
    }
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    st = edgefile_lane_end_round(&c->edges, w->group);
    return edgefile_group_agree(w->group, st);
}

/* Each chunk's place is known to one process, and zeros to the others. */
void edgefile_compressed_gather(edgefile_output *w)
{
    const edgefile_compressed *c = w->compressed;
    enum { WORDS = sizeof(edgefile_chunk) / sizeof(uint64_t) };

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (c->index[i].n > 0) {
            edgefile_group_sum(w->group, (uint64_t *)(void *)c->index[i].chunk,
                               c->index[i].n * WORDS);
        }
    }
}
