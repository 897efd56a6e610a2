/*
 * The official streams: what they are called, and generators of them.
 *
 * Generators of the same list share it, as its tables may take gigabytes, and seconds to make: a
 * job has up to four generators.
 */
#include "rmat/source/official.h"
#include "rmat/model/generator.h"
#include "rmat/rmat_gapbs.h"
#include "rmat/rmat_graph500.h"
#include "rmat/try.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* A list in use, by any number of generators, which share its tables. */
typedef struct shared shared;
struct shared {
    shared *next;
    rmat_config config; /* of its stream, scale, seeds and isa */
    void *list;
    uint64_t users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared *all; /* under the lock */

static int create_graph500(void **list, const rmat_config *c)
{
    return rmat_graph500_create((rmat_graph500 **)list, c->rows_scale, c->seed, c->seed2, c->isa);
}

static rmat_source graph500_source(const void *list, uint64_t edges, int weights)
{
    return rmat_graph500_source(list, edges, weights);
}

static void destroy_graph500(void *list)
{
    rmat_graph500_destroy(list);
}

static int create_gapbs(void **list, const rmat_config *c)
{
    const rmat_gapbs_shuffle shuffle = (rmat_gapbs_shuffle)(c->stream - RMAT_STREAM_GAPBS);

    return c->seed <= UINT32_MAX ? rmat_gapbs_create((rmat_gapbs **)list, c->rows_scale,
                                                     (uint32_t)c->seed, shuffle, c->isa)
                                 : RMAT_ERR_STREAM;
}

static rmat_source gapbs_source(const void *list, uint64_t edges, int weights)
{
    return rmat_gapbs_source(list, edges, weights);
}

static void destroy_gapbs(void *list)
{
    rmat_gapbs_destroy(list);
}

static const struct {
    const char *name;
    int (*create)(void **list, const rmat_config *config);
    rmat_source (*source)(const void *list, uint64_t edges, int weights);
    void (*destroy)(void *list);
} streams[RMAT_STREAMS] = {
    [RMAT_STREAM_RMAT] = {.name = "rmat"},
    [RMAT_STREAM_GRAPH500] = {"graph500", create_graph500, graph500_source, destroy_graph500},
    [RMAT_STREAM_GAPBS] = {"gapbs", create_gapbs, gapbs_source, destroy_gapbs},
    [RMAT_STREAM_GAPBS_GCC7] = {"gapbs-gcc7", create_gapbs, gapbs_source, destroy_gapbs},
    [RMAT_STREAM_GAPBS_GCC4] = {"gapbs-gcc4", create_gapbs, gapbs_source, destroy_gapbs},
};

const char *rmat_stream_name(rmat_stream stream)
{
    return (unsigned)stream < RMAT_STREAMS ? streams[stream].name : "unknown";
}

int rmat_stream_version(rmat_stream stream)
{
    return stream == RMAT_STREAM_RMAT ? RMAT_STREAM_VERSION : 1;
}

int rmat_has_own_weights(const rmat_config *config)
{
    return config->stream == RMAT_STREAM_GRAPH500
               ? config->weights == RMAT_WEIGHTS_UNIFORM
               : config->stream != RMAT_STREAM_RMAT && config->weights == RMAT_WEIGHTS_INT &&
                     config->weight_min == 1 && config->weight_max == 255;
}

static bool is_same(const rmat_config *a, const rmat_config *b)
{
    return a->stream == b->stream && a->rows_scale == b->rows_scale && a->seed == b->seed &&
           a->seed2 == b->seed2 && a->isa == b->isa;
}

/* Under the lock. */
static int find(shared **out, const rmat_config *config)
{
    shared *s = all;
    int st;

    while (s != NULL && !is_same(&s->config, config)) {
        s = s->next;
    }
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            return RMAT_ERR_NOMEM;
        }
        st = streams[config->stream].create(&s->list, config);
        if (st != RMAT_OK) {
            free(s);
            return st;
        }
        s->config = *config;
        s->next = all;
        all = s;
    }
    s->users++;
    *out = s;
    return RMAT_OK;
}

void rmat_close_official(void *state)
{
    shared *s = state, **at = &all;

    pthread_mutex_lock(&lock);
    if (--s->users == 0) {
        while (*at != s) {
            at = &(*at)->next;
        }
        *at = s->next;
        streams[s->config.stream].destroy(s->list);
        free(s);
    }
    pthread_mutex_unlock(&lock);
}

int rmat_create_official(rmat_gen **out, const rmat_config *config)
{
    const uint64_t edges = RMAT_MAX_EDGES >> (config->symmetrize != 0);
    rmat_source source;
    shared *s = NULL;
    int st;

    RMAT_TRY(rmat_check_config(config));
    pthread_mutex_lock(&lock);
    st = find(&s, config);
    pthread_mutex_unlock(&lock);
    RMAT_TRY(st);
    source = streams[config->stream].source(s->list, edges, rmat_has_own_weights(config));
    RMAT_TRY(rmat_create_from(out, &source, config));
    (*out)->config.stream = config->stream;
    (*out)->official = s;
    s = NULL;
done:
    if (s != NULL) {
        rmat_close_official(s);
    }
    return st;
}
