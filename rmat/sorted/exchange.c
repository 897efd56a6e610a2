/*
 * exchange.c - an exchange: each rank makes its share of the stream, and sends edges to the ranks
 * in whose intervals they lie.
 *
 * At first all ranks tell each other their intervals, or that they cannot go on.  Then they work in
 * steps.  In a step a rank makes edges until the batch for one of the owners is full or its share
 * is made (rmat_partition_ops.batch()), tells every owner how many keys come, and sends them; they
 * are on their way while the batch before is added to the interval and the next one is made.  A
 * step ends the exchange if no rank has more, or one says that it has failed: all ranks hear the
 * same, so that all end with the same step; and once more when the last batch has been added, so
 * that all end in the same way.  An owner whose interval overflows receives to the end,
 * and throws away: nobody else need know.
 *
 * Batches are bounded, and so is memory, whatever the order of the stream: if all edges of a while
 * belong to one owner, there are more steps.
 *
 * Ranks on GPUs of one host that can reach each other's memory send nothing but the numbers: once
 * these are known, each adds to its interval straight from the others' buffers.  A buffer is filled
 * again two steps later, when everybody has been heard of in between.
 */
#include "rmat/sorted/exchange.h"
#include "rmat/model/gpu.h"
#include "rmat/rmat_exchange.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Buffers to send and to receive, two of each in turn. */
enum { SETS = 2, BUFFERS = 2 * SETS, LEAST_QUOTA = 512 /* keys */ };

typedef enum { STATE_MORE, STATE_LAST, STATE_FAILED } rank_state;

/* What a rank tells another: its interval at the beginning, how many keys come in a step, or how
 * many nanoseconds something took. */
typedef struct {
    rmat_cell first, end;
    uint64_t number;
    uint64_t state;
} message;

/* Of one of the two batches in turn, for each rank: where its keys go, and where they come from. */
typedef struct {
    void **to, **from;
    uint64_t *sent, *received; /* keys */
} batch;

/* How keys reach their owners: not decided; by the functions of the ranks; read by the owner. */
typedef enum { WAY_OPEN, WAY_SENT, WAY_READ } way;

struct rmat_exchange {
    rmat_ranks ranks;
    rmat_partition part;
    _Atomic uint64_t made;
    way way;
    batch batches[SETS];
    /* Memory of both batches: what is sent, on a GPU if the generator has one; the same in host
     * memory, if it is sent from there; what is received.  The last two once the way is WAY_SENT.
     */
    void *sends, *staged, *receives;
    int memory; /* the status of taking what belongs to batches; it is taken for the first edges */
    rmat_peer_memory offer, *offers; /* of this rank's, and of all ranks' sends */
    void **opened;                   /* these, while they are */
    message *told, *heard;
    void **told_at, **heard_at;
    uint64_t *out, *in; /* bytes */
    double seconds;     /* that the steps of the last exchange took */
};

static _Atomic bool may_read = true;

void rmat_exchange_set_reading(bool allowed)
{
    may_read = allowed;
}

static const rmat_partition_ops *ops_of(const rmat_gen *gen)
{
    return gen->gpu != NULL ? rmat_gpu()->partition_ops() : rmat_cpu_partition_ops();
}

uint64_t rmat_exchange_least(const rmat_gen *gen, int ranks)
{
    return (uint64_t)BUFFERS * LEAST_QUOTA * (uint64_t)ranks * (uint64_t)rmat_key_bytes(gen);
}

int rmat_exchange_key_bytes(const rmat_gen *gen)
{
    return rmat_key_bytes(gen);
}

/* Bytes of an owner's keys in a batch; of all keys of both. */
static size_t block_bytes(const rmat_partition *p)
{
    return (size_t)p->quota * (size_t)p->key_bytes;
}

static size_t all_bytes(const rmat_partition *p)
{
    return SETS * (size_t)p->owners * block_bytes(p);
}

static bool allocate_batch(const rmat_partition *p, batch *b)
{
    const size_t n = (size_t)p->owners;

    b->to = calloc(n, sizeof *b->to);
    b->from = calloc(n, sizeof *b->from);
    b->sent = calloc(n, sizeof *b->sent);
    b->received = calloc(n, sizeof *b->received);
    return b->to != NULL && b->from != NULL && b->sent != NULL && b->received != NULL;
}

static void release_batch(batch *b)
{
    free(b->to);
    free(b->from);
    free(b->sent);
    free(b->received);
}

/* The memory that is sent and received. */
static rmat_memory where(const rmat_exchange *x)
{
    return x->part.gen->gpu != NULL && x->ranks.device ? RMAT_MEMORY_DEVICE : RMAT_MEMORY_HOST;
}

/* Block k of batch i. */
static void *block(const rmat_partition *p, void *memory, int i, int k)
{
    return memory != NULL ? (char *)memory + (size_t)(i * p->owners + k) * block_bytes(p) : NULL;
}

/* A rank's keys for itself never leave its GPU. */
static void lay_out(rmat_exchange *x)
{
    const rmat_partition *p = &x->part;

    for (int i = 0; i < SETS; i++) {
        for (int k = 0; k < p->owners; k++) {
            const bool staged = x->staged != NULL && k != p->self;

            x->batches[i].to[k] = block(p, staged ? x->staged : x->sends, i, k);
            x->batches[i].from[k] = x->way == WAY_READ ? block(p, x->opened[k], i, p->self)
                                                       : block(p, x->receives, i, k);
        }
    }
}

int rmat_exchange_create(rmat_exchange **out, const rmat_gen *gen, const rmat_ranks *ranks,
                         uint64_t bytes)
{
    rmat_exchange *x;
    size_t n;
    int st = RMAT_OK;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (gen == NULL || ranks == NULL || ranks->size < 1 || ranks->rank < 0 ||
        ranks->rank >= ranks->size || ranks->start == NULL || ranks->wait == NULL ||
        bytes < rmat_exchange_least(gen, ranks->size)) {
        return RMAT_ERR_ARG;
    }
    if (rmat_own_weights(gen) && (rmat_key_bits(gen) > 128 || gen->gpu != NULL)) {
        return RMAT_ERR_WEIGHTS;
    }
    x = calloc(1, sizeof *x);
    if (x == NULL) {
        return RMAT_ERR_NOMEM;
    }
    n = (size_t)ranks->size;
    x->ranks = *ranks;
    x->part = (rmat_partition){.gen = gen,
                               .ops = ops_of(gen),
                               .owners = ranks->size,
                               .self = ranks->rank,
                               .key_bytes = rmat_key_bytes(gen),
                               .cuts = calloc(2 * n, sizeof *x->part.cuts),
                               .made = &x->made};
    x->part.quota = bytes / BUFFERS / n / (uint64_t)x->part.key_bytes;
    x->told = calloc(n, sizeof *x->told);
    x->heard = calloc(n, sizeof *x->heard);
    x->told_at = calloc(n, sizeof *x->told_at);
    x->heard_at = calloc(n, sizeof *x->heard_at);
    x->out = calloc(n, sizeof *x->out);
    x->in = calloc(n, sizeof *x->in);
    x->offers = calloc(n, sizeof *x->offers);
    x->opened = calloc(n, sizeof *x->opened);
    if (x->part.cuts == NULL || x->told == NULL || x->heard == NULL || x->told_at == NULL ||
        x->heard_at == NULL || x->out == NULL || x->in == NULL || x->offers == NULL ||
        x->opened == NULL || !allocate_batch(&x->part, &x->batches[0]) ||
        !allocate_batch(&x->part, &x->batches[1])) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    for (size_t k = 0; k < n; k++) {
        x->told_at[k] = &x->told[k];
        x->heard_at[k] = &x->heard[k];
    }
    *out = x;
done:
    if (st != RMAT_OK) {
        rmat_exchange_destroy(x);
    }
    return st;
}

void rmat_exchange_destroy(rmat_exchange *x)
{
    if (x == NULL) {
        return;
    }
    x->part.ops->destroy(&x->part);
    x->part.ops->release(x->part.gen, x->sends,
                         x->part.gen->gpu != NULL ? RMAT_MEMORY_DEVICE : RMAT_MEMORY_HOST);
    x->part.ops->release(x->part.gen, x->staged, RMAT_MEMORY_HOST);
    x->part.ops->release(x->part.gen, x->receives, where(x));
    release_batch(&x->batches[0]);
    release_batch(&x->batches[1]);
    free(x->offers);
    free(x->opened);
    free(x->part.cuts);
    free(x->told);
    free(x->heard);
    free(x->told_at);
    free(x->heard_at);
    free(x->out);
    free(x->in);
    free(x);
}

uint64_t rmat_exchange_made(const rmat_exchange *x)
{
    return atomic_load(&x->made);
}

/* Every rank's told[k] becomes heard[this rank] of rank k. */
static int talk(rmat_exchange *x)
{
    const rmat_ranks *r = &x->ranks;

    for (int k = 0; k < r->size; k++) {
        x->out[k] = x->in[k] = k == r->rank ? 0 : sizeof *x->told;
    }
    x->heard[r->rank] = x->told[r->rank];
    return r->size > 1 && (r->start(r->state, x->told_at, x->out, x->heard_at, x->in) != 0 ||
                           r->wait(r->state) != 0)
               ? RMAT_ERR_RANKS
               : RMAT_OK;
}

static int tell_all(rmat_exchange *x, const message *m)
{
    for (int k = 0; k < x->ranks.size; k++) {
        x->told[k] = *m;
    }
    return talk(x);
}

int rmat_exchange_tell(rmat_exchange *x, uint64_t *numbers, int status)
{
    bool failed = false;

    for (int k = 0; k < x->ranks.size; k++) {
        x->told[k] =
            (message){.number = numbers[k], .state = status != RMAT_OK ? STATE_FAILED : STATE_MORE};
    }
    RMAT_OR_RETURN(talk(x));
    for (int k = 0; k < x->ranks.size; k++) {
        numbers[k] = x->heard[k].number;
        failed |= x->heard[k].state == STATE_FAILED;
    }
    return status != RMAT_OK ? status : failed ? RMAT_ERR_RANKS : RMAT_OK;
}

/* Whether a rank has failed, or all have made their last edge. */
static bool is_end(const rmat_exchange *x, bool *failed)
{
    bool last = true;

    *failed = false;
    for (int k = 0; k < x->ranks.size; k++) {
        *failed |= x->heard[k].state == STATE_FAILED;
        last &= x->heard[k].state == STATE_LAST;
    }
    return last || *failed;
}

/* Buffers are not read any more; their owners may release them once they have heard of it. */
static void disconnect(rmat_exchange *x)
{
    for (int k = 0; k < x->ranks.size && x->way == WAY_READ; k++) {
        if (k != x->ranks.rank) {
            x->part.ops->close(x->part.gen, &x->offers[k], x->opened[k]);
        }
        x->opened[k] = NULL;
    }
}

/* Whether all ranks offer memory of GPUs, on one host. */
static int compare_offers(rmat_exchange *x)
{
    const rmat_ranks *r = &x->ranks;
    void **to = x->batches[0].to, **from = x->batches[0].from; /* not laid out yet */

    if (x->part.ops->offer != NULL && may_read && x->sends != NULL) {
        x->part.ops->offer(x->part.gen, x->sends, &x->offer);
    }
    for (int k = 0; k < r->size; k++) {
        x->out[k] = x->in[k] = k == r->rank ? 0 : sizeof x->offer;
        to[k] = &x->offer;
        from[k] = &x->offers[k];
    }
    x->offers[r->rank] = x->offer;
    if (r->start(r->state, to, x->out, from, x->in) != 0 || r->wait(r->state) != 0) {
        return RMAT_ERR_RANKS;
    }
    x->way = WAY_READ;
    for (int k = 0; k < r->size; k++) {
        if (x->offers[k].process == 0 ||
            strncmp(x->offers[k].host, x->offer.host, sizeof x->offer.host) != 0) {
            x->way = WAY_SENT;
        }
    }
    return RMAT_OK;
}

/* Opens the buffers of all ranks, or, where one rank cannot, lets all of them send. */
static int open_buffers(rmat_exchange *x)
{
    message mine = {.state = STATE_MORE};
    bool failed;

    for (int k = 0; k < x->ranks.size; k++) {
        x->opened[k] =
            k == x->ranks.rank ? x->sends : x->part.ops->open(x->part.gen, &x->offers[k]);
        mine.state = x->opened[k] == NULL ? STATE_FAILED : mine.state;
    }
    RMAT_OR_RETURN(tell_all(x, &mine));
    is_end(x, &failed);
    if (failed) {
        disconnect(x);
        RMAT_OR_RETURN(tell_all(x, &mine)); /* all have closed what they had opened */
        x->way = WAY_SENT;
    }
    return RMAT_OK;
}

/* Takes the memory of what is made and sent. */
static int take_memory(rmat_exchange *x)
{
    const rmat_gen *gen = x->part.gen;

    x->sends = x->part.ops->allocate(gen, all_bytes(&x->part),
                                     gen->gpu != NULL ? RMAT_MEMORY_DEVICE : RMAT_MEMORY_HOST);
    return x->sends != NULL ? x->part.ops->create(&x->part) : RMAT_ERR_NOMEM;
}

/* Makes ready to exchange batches.  *failed: RMAT_OK, or why this rank cannot take part; others
 * have not heard of it. */
static int connect(rmat_exchange *x, int *failed)
{
    const bool stage = x->part.gen->gpu != NULL && where(x) == RMAT_MEMORY_HOST;

    if (x->sends == NULL) {
        x->memory = take_memory(x);
    }
    *failed = x->memory;
    if (x->ranks.size > 1 && x->way == WAY_OPEN) {
        RMAT_OR_RETURN(compare_offers(x));
    }
    if (x->ranks.size > 1 && x->way == WAY_READ) {
        RMAT_OR_RETURN(open_buffers(x));
    }
    if (x->way == WAY_SENT && x->receives == NULL) {
        const size_t bytes = all_bytes(&x->part);

        x->receives = x->part.ops->allocate(x->part.gen, bytes, where(x));
        x->staged = stage ? x->part.ops->allocate(x->part.gen, bytes, RMAT_MEMORY_HOST) : NULL;
    }
    lay_out(x);
    if (x->way == WAY_SENT && (x->receives == NULL || (stage && x->staged == NULL))) {
        *failed = RMAT_ERR_NOMEM;
    }
    return RMAT_OK;
}

/* Starts sending a batch.  Sizes are in bytes until it has come. */
static int send_batch(rmat_exchange *x, const batch *b)
{
    const rmat_ranks *r = &x->ranks;
    const uint64_t bytes = (uint64_t)x->part.key_bytes;

    for (int k = 0; k < r->size; k++) {
        x->out[k] = k == r->rank ? 0 : b->sent[k] * bytes;
        x->in[k] = k == r->rank ? 0 : b->received[k] * bytes;
    }
    return x->way == WAY_SENT && r->start(r->state, b->to, x->out, b->from, x->in) != 0
               ? RMAT_ERR_RANKS
               : RMAT_OK;
}

static int wait_for_batch(const rmat_exchange *x)
{
    return x->way == WAY_SENT && x->ranks.wait(x->ranks.state) != 0 ? RMAT_ERR_RANKS : RMAT_OK;
}

/* The number of the cell, with weights below it, counted from the first one of all. */
static unsigned __int128 cut_at(const rmat_partition *p, const rmat_cell *c)
{
    const int bits = p->gen->config.cols_scale;

    return (((unsigned __int128)(c->src - p->first.src) << bits) + c->dst - p->first.dst)
           << rmat_own_weight_bits(p->gen);
}

/* From the intervals that all have told: the cuts between owners.  *any: whether one has cells. */
static int set_owners(rmat_exchange *x, bool *any)
{
    rmat_partition *p = &x->part;
    rmat_cell at = {0, 0};

    *any = false;
    for (int k = 0; k < p->owners; k++) {
        const message *m = &x->heard[k];

        if (!rmat_cell_below(&m->first, &m->end)) {
            continue;
        }
        if (rmat_cell_below(&m->first, &at)) {
            return RMAT_ERR_ARG;
        }
        p->first = *any ? p->first : m->first;
        p->end = at = m->end;
        *any = true;
    }
    at = p->first;
    for (int k = 0; *any && k < p->owners; k++) {
        const message *m = &x->heard[k];
        const bool some = rmat_cell_below(&m->first, &m->end);

        p->cuts[2 * k] = cut_at(p, some ? &m->first : &at);
        at = some ? m->end : at;
        p->cuts[2 * k + 1] = cut_at(p, &at);
    }
    return RMAT_OK;
}

/* Adds what has come from others, or what the rank has for itself; once it is full it is given
 * nothing any more. */
static int add(rmat_exchange *x, rmat_interval *b, const batch *from, bool own, bool *full)
{
    const int self = x->part.self, lists = own ? 1 : x->part.owners;
    int st;

    if (b == NULL || *full) {
        return RMAT_OK;
    }
    st = own ? b->ops->add_keys(b, (const void *const *)&from->to[self], &from->sent[self], lists)
             : b->ops->add_keys(b, (const void *const *)from->from, from->received, lists);
    *full = st == RMAT_ERR_FULL;
    return *full ? RMAT_OK : st;
}

/* The steps, once the owners are known.  st: whether this rank can make its edges.  *together:
 * whether all ranks have come to the same end. */
static int take_steps(rmat_exchange *x, rmat_interval *b, int st, bool *full, bool *together)
{
    const size_t sizes = (size_t)x->part.owners * sizeof(uint64_t);
    batch *next = &x->batches[0], *sent = NULL;
    bool more = true, failed = false, last = false;

    *together = false;
    while (!last) {
        if (st == RMAT_OK && more) {
            st = x->part.ops->batch(&x->part, next->to, next->sent, &more);
        } else {
            memset(next->sent, 0, sizes);
        }
        if (sent != NULL) {
            RMAT_OR_RETURN(wait_for_batch(x));
        }
        for (int k = 0; k < x->part.owners; k++) {
            x->told[k].number = next->sent[k];
            x->told[k].state = st != RMAT_OK ? STATE_FAILED : more ? STATE_MORE : STATE_LAST;
        }
        RMAT_OR_RETURN(talk(x));
        last = is_end(x, &failed);
        if (failed) {
            *together = true;
            return st != RMAT_OK ? st : RMAT_ERR_RANKS;
        }
        for (int k = 0; k < x->part.owners; k++) {
            next->received[k] = k == x->part.self ? 0 : x->heard[k].number;
        }
        RMAT_OR_RETURN(send_batch(x, next));
        if (x->way == WAY_READ) {
            sent = next; /* and has come */
        }
        st = sent != NULL ? add(x, b, sent, false, full) : RMAT_OK;
        st = st == RMAT_OK ? add(x, b, next, true, full) : st;
        sent = x->way == WAY_READ ? NULL : next;
        next = next == &x->batches[0] ? &x->batches[1] : &x->batches[0];
    }
    if (sent != NULL) {
        RMAT_OR_RETURN(wait_for_batch(x));
        st = st == RMAT_OK ? add(x, b, sent, false, full) : st;
    }
    *together = true;
    return st;
}

double rmat_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run(rmat_exchange *x, rmat_interval *b, int st)
{
    const double start = rmat_seconds();
    bool full = false, together, failed;

    st = take_steps(x, b, st, &full, &together);
    x->seconds = rmat_seconds() - start;
    disconnect(x);
    if (!together) {
        return st;
    }
    /* Whether it ends well. */
    RMAT_OR_RETURN(tell_all(x, &(message){.state = st != RMAT_OK ? STATE_FAILED : STATE_LAST}));
    is_end(x, &failed);
    RMAT_OR_RETURN(st);
    return failed ? RMAT_ERR_RANKS : full ? RMAT_ERR_FULL : RMAT_OK;
}

static int check(const rmat_exchange *x, const rmat_interval *b, uint64_t edges)
{
    const rmat_gen *gen = x->part.gen;

    if (rmat_is_in_order(gen) || (b != NULL && (b->gen != gen || b->sorted || b->trimmed))) {
        return RMAT_ERR_ARG;
    }
    return edges > rmat_stream_edges(gen) ? RMAT_ERR_RANGE : RMAT_OK;
}

int rmat_exchange_add(rmat_exchange *x, rmat_interval *b, uint64_t edges, int failed)
{
    message mine = {.state = STATE_MORE};
    uint64_t first, end;
    bool any, ended;
    int st;

    if (x == NULL) {
        return RMAT_ERR_ARG;
    }
    st = check(x, b, edges);
    if (b != NULL && st == RMAT_OK) {
        mine.first = b->first;
        mine.end = b->end;
    }
    mine.state = st != RMAT_OK || failed ? STATE_FAILED : STATE_MORE;
    RMAT_OR_RETURN(tell_all(x, &mine));
    is_end(x, &ended);
    RMAT_OR_RETURN(st);
    if (ended) {
        return RMAT_ERR_RANKS;
    }
    RMAT_OR_RETURN(set_owners(x, &any)); /* the same on all */
    if (!any) {
        return RMAT_OK;
    }
    first =
        (uint64_t)((unsigned __int128)edges * (unsigned)x->ranks.rank / (unsigned)x->ranks.size);
    end = (uint64_t)((unsigned __int128)edges * (unsigned)(x->ranks.rank + 1) /
                     (unsigned)x->ranks.size);
    RMAT_OR_RETURN(connect(x, &st));
    if (st == RMAT_OK) {
        st = x->part.ops->begin(&x->part, rmat_stream_first(x->part.gen) + first, end - first);
    }
    return run(x, b, st);
}

int rmat_exchange_slowest(rmat_exchange *x, double *seconds)
{
    RMAT_OR_RETURN(tell_all(x, &(message){.number = (uint64_t)(1e9 * *seconds)}));
    *seconds = 1e-9;
    for (int k = 0; k < x->ranks.size; k++) {
        const double heard = 1e-9 * (double)x->heard[k].number;

        *seconds = heard > *seconds ? heard : *seconds;
    }
    return RMAT_OK;
}

/* Once to find the memory, and once more; of that the steps alone: opening the memory of another
 * rank's GPU, for example, takes no longer for more edges. */
int rmat_exchange_measure(rmat_exchange *x, const rmat_cell *first, const rmat_cell *end,
                          int unique, uint64_t edges, double *seconds)
{
    rmat_interval *b = NULL;
    uint64_t bytes;
    int st;

    if (x == NULL || seconds == NULL) {
        return RMAT_ERR_ARG;
    }
    st = rmat_interval_bytes(
        x->part.gen, 2 * edges / (uint64_t)x->ranks.size + RMAT_INTERVAL_LEAST_EDGES, &bytes);
    st = st == RMAT_OK ? rmat_interval_create(&b, x->part.gen, bytes) : st;
    for (int i = 0; i < 2 && st == RMAT_OK; i++) {
        int added;

        st = rmat_interval_begin(b, first, end, unique);
        added = rmat_exchange_add(x, st == RMAT_OK ? b : NULL, edges, st != RMAT_OK);
        st = st != RMAT_OK ? st : added == RMAT_ERR_FULL ? RMAT_OK : added;
        *seconds = x->seconds;
    }
    if (b == NULL) {
        (void)rmat_exchange_add(x, NULL, edges, 1);
    }
    rmat_interval_destroy(b);
    RMAT_OR_RETURN(st);
    return rmat_exchange_slowest(x, seconds);
}
