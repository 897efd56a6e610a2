/* io_group.h - processes that write one graph together, played by threads or forked. */
#ifndef TESTS_SUPPORT_IO_GROUP_H
#define TESTS_SUPPORT_IO_GROUP_H

#include "tests/support/io_util.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* In memory that all share. */
typedef struct {
    int size, hosts;
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    char data[1 << 14];
    uint64_t sums[1 << 10];
    int failed, status; /* the lowest process that failed */
    char detail[1024];
} crew;

typedef struct {
    crew *all;
    int rank;
    edgefile_group group;
    void (*body)(edgefile_group *group, void *argument);
    void *argument;
} member;

static inline void crew_broadcast(void *state, void *data, size_t bytes)
{
    member *m = state;

    ck_assert_uint_le(bytes, sizeof m->all->data);
    if (m->rank == 0)
        memcpy(m->all->data, data, bytes);
    pthread_barrier_wait(&m->all->barrier);
    if (m->rank != 0)
        memcpy(data, m->all->data, bytes);
    pthread_barrier_wait(&m->all->barrier);
}

static inline void crew_sum(void *state, uint64_t *values, size_t count)
{
    member *m = state;

    ck_assert_uint_le(count * sizeof *values, sizeof m->all->sums);
    if (m->rank == 0)
        memset(m->all->sums, 0, count * sizeof *values);
    pthread_barrier_wait(&m->all->barrier);
    pthread_mutex_lock(&m->all->lock);
    for (size_t i = 0; i < count; i++)
        m->all->sums[i] += values[i];
    pthread_mutex_unlock(&m->all->lock);
    pthread_barrier_wait(&m->all->barrier);
    memcpy(values, m->all->sums, count * sizeof *values);
    pthread_barrier_wait(&m->all->barrier);
}

static inline int crew_agree(void *state, int status, char *detail, size_t size)
{
    member *m = state;
    crew *all = m->all;

    pthread_mutex_lock(&all->lock);
    if (status != 0 && m->rank < all->failed) {
        all->failed = m->rank;
        all->status = status;
        snprintf(all->detail, sizeof all->detail, "%s", detail);
    }
    pthread_mutex_unlock(&all->lock);
    pthread_barrier_wait(&all->barrier);
    status = all->status;
    if (status != 0)
        snprintf(detail, size, "%s", all->detail);
    pthread_barrier_wait(&all->barrier);
    if (m->rank == 0) {
        all->failed = all->size;
        all->status = 0;
    }
    pthread_barrier_wait(&all->barrier);
    return status;
}

static inline void *crew_member(void *arg)
{
    member *m = arg;

    m->body(&m->group, m->argument);
    return NULL;
}

/* All children end well; after one that does not the others would wait for it. */
static inline void wait_for(const pid_t *children, int n)
{
    for (int ended = 0; ended < n; ended++) {
        int status;
        ck_assert_int_gt(wait(&status), 0);
        for (int r = 0; status != 0 && r < n; r++)
            kill(children[r], SIGKILL);
        ck_assert_msg(status == 0, "a process ended with status %#x", (unsigned)status);
    }
}

/* body(group, argument) in `size` threads or processes. */
static inline void run_crew_as(int size, int hosts, int as_processes,
                               void (*body)(edgefile_group *, void *), void *argument)
{
    crew *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    member *members = calloc((size_t)size, sizeof *members);
    pthread_t *threads = calloc((size_t)size, sizeof *threads);
    pid_t *children = calloc((size_t)size, sizeof *children);
    pthread_barrierattr_t barrier;
    pthread_mutexattr_t lock;

    ck_assert_ptr_ne(all, MAP_FAILED);
    all->size = all->failed = size;
    all->hosts = hosts;
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &barrier, (unsigned)size);
    pthread_mutexattr_init(&lock);
    pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all->lock, &lock);
    for (int r = 0; r < size; r++) {
        members[r] = (member){.all = all, .rank = r, .body = body, .argument = argument};
        members[r].group = (edgefile_group){.rank = r,
                                            .size = size,
                                            .hosts = hosts,
                                            .state = &members[r],
                                            .broadcast = crew_broadcast,
                                            .sum = crew_sum,
                                            .agree = crew_agree};
        if (!as_processes)
            ck_assert_int_eq(pthread_create(&threads[r], NULL, crew_member, &members[r]), 0);
        else if ((children[r] = fork()) == 0) {
            crew_member(&members[r]);
            _exit(0);
        }
    }
    for (int r = 0; r < size && !as_processes; r++)
        pthread_join(threads[r], NULL);
    if (as_processes)
        wait_for(children, size);
    pthread_barrier_destroy(&all->barrier);
    pthread_mutex_destroy(&all->lock);
    munmap(all, sizeof *all);
    free(members);
    free(threads);
    free(children);
}

static inline void run_crew(int size, int hosts, void (*body)(edgefile_group *, void *),
                            void *argument)
{
    run_crew_as(size, hosts, 0, body, argument);
}

/* Who writes a piece: its own process, any, or the first or the last alone. */
typedef enum { DEAL_OWN, DEAL_ANY, DEAL_FIRST, DEAL_LAST } deal;

typedef struct {
    const char *name;
    graphfile_spec spec;
    deal deal;
} crew_job;

/* This process's share of the pieces, of one unit each, of every range. */
static inline int write_share(graphfile_writer *w, const crew_job *job, const edgefile_group *group)
{
    const graphfile_spec *spec = &job->spec;
    uint64_t most = edgefile_unit(spec->graph.edges, spec->graph.id_bytes, spec->graph.weight);
    uint64_t pieces = 0;

    for (int k = 0; k < group->size; k++) {
        uint64_t start, edges, count;
        edgefile_split(spec->graph.edges, spec->graph.id_bytes, spec->graph.weight, group->size, k,
                       &start, &edges);
        for (uint64_t first = start; first < start + edges; first += count, pieces++) {
            int who = job->deal == DEAL_OWN     ? k
                      : job->deal == DEAL_FIRST ? 0
                      : job->deal == DEAL_LAST  ? group->size - 1
                                                : (int)(mix(pieces + 1) % (unsigned)group->size);
            int st;
            count = start + edges - first < most ? start + edges - first : most;
            if (who == group->rank && (st = write_made(w, spec, first, count, NULL)) != EDGEFILE_OK)
                return st;
        }
    }
    return EDGEFILE_OK;
}

static inline void write_together(edgefile_group *group, void *argument)
{
    crew_job job = *(crew_job *)argument;
    graphfile_writer *w;
    uint64_t fingerprint = 1;

    job.spec.group = group;
    ck_ok(graphfile_create(&w, job.name, &job.spec));
    ck_ok(write_share(w, &job, group));
    ck_ok(commit_graph(&w, &fingerprint));
    ck_assert_ptr_null(w);
    ck_assert_uint_eq(fingerprint, job.spec.graph.edges == 0 ? 0 : 42);
}

#endif
