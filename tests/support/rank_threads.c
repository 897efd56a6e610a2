/* rank_threads.c - what one thread sends another is copied when both have come to wait(). */
#include "tests/support/rank_threads.h"
#include "tests/support/must.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *const *send, *const *receive;
    const uint64_t *send_bytes, *receive_bytes;
} posted;

typedef struct {
    pthread_barrier_t barrier;
    posted *posts; /* of each rank */
    void (*body)(const rmat_ranks *ranks, void *state);
    void *state;
} hub;

typedef struct {
    hub *hub;
    rmat_ranks ranks;
    int differs;
} member;

static int start(void *state, void *const *send, const uint64_t *send_bytes, void *const *receive,
                 const uint64_t *receive_bytes)
{
    member *m = state;

    m->hub->posts[m->ranks.rank] = (posted){send, receive, send_bytes, receive_bytes};
    return 0;
}

static int wait_for_all(void *state)
{
    member *m = state;
    const int rank = m->ranks.rank;
    const posted *mine = &m->hub->posts[rank];

    pthread_barrier_wait(&m->hub->barrier);
    for (int k = 0; k < m->ranks.size; k++) {
        const posted *other = &m->hub->posts[k];

        if (k != rank && other->send_bytes[rank] != mine->receive_bytes[k]) {
            m->differs = 1;
        } else if (k != rank) {
            memcpy(mine->receive[k], other->send[rank], mine->receive_bytes[k]);
        }
    }
    pthread_barrier_wait(&m->hub->barrier);
    return 0;
}

static void *run_rank(void *argument)
{
    member *m = argument;

    m->hub->body(&m->ranks, m->hub->state);
    return NULL;
}

void run_ranks(int size, void (*body)(const rmat_ranks *ranks, void *state), void *state)
{
    hub h = {.posts = calloc((size_t)size, sizeof *h.posts), .body = body, .state = state};
    member *members = calloc((size_t)size, sizeof *members);
    pthread_t *threads = calloc((size_t)size, sizeof *threads);

    pthread_barrier_init(&h.barrier, NULL, (unsigned)size);
    for (int k = 0; k < size; k++) {
        members[k] = (member){.hub = &h, .ranks = {.rank = k, .size = size, .state = &members[k]}};
        members[k].ranks.start = start;
        members[k].ranks.wait = wait_for_all;
        must(pthread_create(&threads[k], NULL, run_rank, &members[k]) == 0, "no thread");
    }
    for (int k = 0; k < size; k++) {
        pthread_join(threads[k], NULL);
        must(!members[k].differs, "rank %d was sent another size than it expects", k);
    }
    pthread_barrier_destroy(&h.barrier);
    free(h.posts);
    free(members);
    free(threads);
}
