/* io_group.h - processes that write one graph together, simulated by threads. */
#ifndef TESTS_SUPPORT_IO_GROUP_H
#define TESTS_SUPPORT_IO_GROUP_H

#include "tests/support/io_util.h"

/* What all processes share. */
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

/* body(group, argument) of each process. */
static inline void run_crew(int size, int hosts, void (*body)(edgefile_group *, void *),
                            void *argument)
{
    crew all = {.size = size, .hosts = hosts, .failed = size, .lock = PTHREAD_MUTEX_INITIALIZER};
    member *members = calloc((size_t)size, sizeof *members);

    pthread_barrier_init(&all.barrier, NULL, (unsigned)size);
    for (int r = 0; r < size; r++) {
        members[r] = (member){.all = &all, .rank = r, .body = body, .argument = argument};
        members[r].group = (edgefile_group){.rank = r,
                                            .size = size,
                                            .hosts = hosts,
                                            .state = &members[r],
                                            .broadcast = crew_broadcast,
                                            .sum = crew_sum,
                                            .agree = crew_agree};
    }
    in_threads(size, crew_member, members, sizeof *members);
    pthread_barrier_destroy(&all.barrier);
    free(members);
}

/* Who writes a piece: the process of its range, any process, or all in turn.  In turn, all wait for
 * each other after each piece, so that adjacent pieces are written at the same time. */
typedef enum { DEAL_OWN, DEAL_ANY, DEAL_IN_TURN } deal;

typedef struct {
    const char *name;
    graphfile_spec spec;
    deal deal;
    int threads;   /* of each process; 0: one */
    uint64_t most; /* elements of a piece, of random length and place in memory; 0: pieces of a unit
                      of the list, from aligned memory */
    uint64_t seed;
} crew_job;

typedef struct {
    uint64_t first, count;
    int is_pointers;
    size_t skews[3]; /* of its memory from a page: src, dst or pointers, weight */
} crew_piece;

/* The work of a process, done by one thread or several: every piece that is its own. */
typedef struct {
    graphfile_writer *w;
    const crew_job *job;
    const edgefile_group *group; /* NULL: a single process */
    crew_piece *pieces;
    size_t n;
    _Atomic size_t next;
    _Atomic int status;
} crew_share;

static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = mix(*state + 0x632BE59BD9B4E019u);
    return *state % n;
}

/* Cuts an array into pieces, after the n existing ones.  Memory lies on a page, anywhere, or like
 * the file, so that O_DIRECT writes whole pages. */
static inline size_t cut(const crew_job *job, uint64_t *state, crew_piece *pieces, size_t n,
                         int is_pointers)
{
    const graphfile_graph *g = &job->spec.graph;
    const uint64_t length = is_pointers ? g->rows + 1 : g->edges;
    const uint64_t unit = edgefile_unit(g->edges, g->id_bytes, g->weight);
    const size_t width = is_pointers ? 8 : (size_t)g->id_bytes;

    for (uint64_t first = 0, count; first < length; first += count) {
        const size_t odd = width * (size_t)random_below(state, 600);
        crew_piece p = {.first = first, .is_pointers = is_pointers};

        count = job->most == 0 ? unit : 1 + random_below(state, 1 + random_below(state, job->most));
        p.count = count = count < length - first ? count : length - first;
        for (int i = 0; i < 3 && job->most > 0; i++)
            p.skews[i] = random_below(state, 2) ? odd : first * (i == 2 ? 4 : width) % 4096;
        pieces[n++] = p;
    }
    return n;
}

/* The process that writes piece number i. */
static inline int whose(const crew_share *s, size_t i)
{
    const graphfile_graph *g = &s->job->spec.graph;
    const int size = s->group->size;
    uint64_t first, count;

    if (s->job->deal == DEAL_ANY)
        return (int)(mix(i + 1) % (unsigned)size);
    if (s->job->deal == DEAL_IN_TURN)
        return (int)(i % (unsigned)size);
    for (int k = 0; k < size; k++) {
        edgefile_split(g->edges, g->id_bytes, g->weight, size, k, &first, &count);
        if (s->pieces[i].first - first < count)
            return k;
    }
    return size - 1;
}

static inline void *write_pieces(void *arg)
{
    crew_share *s = arg;
    size_t i;

    while ((i = s->next++) < s->n) {
        const crew_piece *p = &s->pieces[i];
        int st;

        if (s->group != NULL && s->job->deal == DEAL_IN_TURN && i % (size_t)s->group->size == 0)
            pthread_barrier_wait(&((member *)s->group->state)->all->barrier);
        if (s->group != NULL && whose(s, i) != s->group->rank)
            continue;
        st = p->is_pointers
                 ? write_made_pointers(s->w, &s->job->spec, p->first, p->count, p->skews[1])
                 : write_made(s->w, &s->job->spec, p->first, p->count, p->skews);
        if (st != EDGEFILE_OK)
            s->status = st;
    }
    return NULL;
}

/* Writes this process's share of the graph.  All processes cut it alike. */
static inline int write_share(graphfile_writer *w, const crew_job *job, const edgefile_group *group)
{
    const uint64_t pointers = job->spec.format == GRAPHFILE_CSR ? job->spec.graph.rows + 1 : 0;
    crew_share s = {.w = w, .job = job, .group = group};
    uint64_t state = job->seed;

    s.pieces = malloc((job->spec.graph.edges + pointers + 1) * sizeof *s.pieces);
    s.n = cut(job, &state, s.pieces, 0, 0);
    s.n = pointers > 0 ? cut(job, &state, s.pieces, s.n, 1) : s.n;
    for (size_t i = s.n; i > 1 && job->most > 0 && job->deal != DEAL_IN_TURN; i--) { /* shuffled */
        const size_t k = (size_t)random_below(&state, i);
        const crew_piece last = s.pieces[i - 1];

        s.pieces[i - 1] = s.pieces[k];
        s.pieces[k] = last;
    }
    in_threads(job->threads > 1 ? job->threads : 1, write_pieces, &s, 0);
    free(s.pieces);
    return s.status;
}

/* In a group, or alone if group is NULL. */
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
