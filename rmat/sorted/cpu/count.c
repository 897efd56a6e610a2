/*
 * rmat_count_cells() on the CPU: one pass over the stream.  Each thread turns edges of the interval
 * into keys and counts them by part; the counts of all threads are added at the end.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    rmat_key_range in;
    const rmat_key_ops *ops;
    uint64_t parts;
    rmat_cuts cuts;
    uint64_t *counts; /* [thread][part] */
} counting;

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                const void *weight, int id_bytes)
{
    counting *c = to;
    uint64_t *counts = c->counts + (uint64_t)thread * c->parts;
    rmat_key keys[RMAT_PASS_PIECE];

    (void)first, (void)weight;
    n = c->ops->keep(&c->in, n, src, dst, NULL, id_bytes, keys);
    if (c->parts == 1) {
        counts[0] += n;
    } else {
        c->ops->tally(keys, n, &c->cuts, counts);
    }
    return 0;
}

/* Sets c->cuts to the cells between the parts, some of which may be at the interval's ends. */
static void set_cuts(counting *c, const rmat_cell *cells, rmat_key *keys)
{
    const uint64_t cuts = c->parts - 1;
    uint64_t k = 0;

    for (uint64_t i = 0; i < cuts; i++) {
        keys[i] = rmat_key_of(&c->in, cells[i + 1].src, cells[i + 1].dst);
    }
    c->cuts.cuts = keys;
    while (c->in.last >> c->cuts.shift >= RMAT_CUT_SLOTS) {
        c->cuts.shift++;
    }
    for (uint64_t slot = 0; slot <= RMAT_CUT_SLOTS; slot++) {
        while (k < cuts && keys[k] >> c->cuts.shift < slot) {
            k++;
        }
        c->cuts.below[slot] = k;
    }
}

int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    const int threads = rmat_threads_for(gen, count, RMAT_WORTH_THREAD);
    rmat_pass pass = {.gen = gen, .first = first, .count = count};
    counting *c = NULL;
    rmat_key *keys = NULL;
    int st = RMAT_ERR_NOMEM;

    if (!rmat_cell_below(&cells[0], &cells[n - 1])) {
        return RMAT_OK;
    }
    c = calloc(1, sizeof *c);
    keys = malloc(n * sizeof *keys);
    if (c == NULL || keys == NULL) {
        goto done;
    }
    c->parts = n - 1;
    c->counts = calloc(c->parts, (size_t)threads * sizeof *c->counts);
    if (c->counts == NULL) {
        goto done;
    }
    c->in = rmat_key_range_of(gen, &cells[0], &cells[n - 1]);
    c->ops = rmat_key_ops_of(&c->in);
    set_cuts(c, cells, keys);
    rmat_run_pass(&pass, threads, take, c);
    st = rmat_pass_end(&pass);
    for (uint64_t i = 0; i < (uint64_t)threads * c->parts; i++) {
        counts[i % c->parts] += c->counts[i];
    }
done:
    if (c != NULL) {
        free(c->counts);
    }
    free(c);
    free(keys);
    return st;
}
