/*
 * rmat roots: search keys, the vertices from which Graph500's benchmark searches.
 *
 * They are selected as in the benchmark.  Candidates are drawn one by one, and a candidate is
 * passed over if it is a key already or has no edge except loops.  There are no more candidates
 * than vertices.  After that the benchmark takes any further candidates; here the keys end.
 *
 * Only the candidates matter, so one pass over the edges, which marks the candidates with an edge,
 * is enough and takes little memory.  If too few candidates have edges, it is repeated with more.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include "rmat/rmat_source.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Candidates per key, at first: more than half of the vertices may be isolated. */
#define CANDIDATES ((uint64_t)16)

enum { FILTER_BITS = 1 << 18 };

/* The state of a candidate. */
enum { ISOLATED, HAS_EDGE, IS_KEY };

typedef struct {
    int scale, threads;
    uint64_t seeds[2], count; /* count: the number of search keys */
    uint64_t *keys;           /* the result, room for count of them */
    uint64_t candidates;      /* the result: vertices that were tried */
} roots_job;

typedef struct {
    uint64_t *candidates; /* in the order in which they are drawn */
    uint64_t *sorted;     /* the same vertices in order */
    atomic_char *used;    /* the state of sorted[i] */
    uint64_t n;
    uint8_t filter[FILTER_BITS / 8]; /* a bit for the last binary digits of each candidate */
} candidates;

static int compare_vertices(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The place of a vertex among the sorted candidates, or n. */
static uint64_t place_of(const candidates *c, uint64_t vertex)
{
    uint64_t low = 0, high = c->n;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (c->sorted[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->n && c->sorted[low] == vertex ? low : c->n;
}

static void mark_candidate(candidates *c, uint64_t vertex)
{
    const uint64_t bit = vertex % FILTER_BITS;

    if (c->filter[bit / 8] >> bit % 8 & 1) {
        const uint64_t at = place_of(c, vertex);

        if (at < c->n) {
            atomic_store_explicit(&c->used[at], HAS_EDGE, memory_order_relaxed);
        }
    }
}

/* An edge_visit. */
static int mark_edges(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t src = edge_id(e->src, i, e->id_bytes);
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes);

        if (src != dst) {
            mark_candidate(state, src);
            mark_candidate(state, dst);
        }
    }
    return 0;
}

/* Draws n candidates. */
static int draw_candidates(candidates *c, const roots_job *job, uint64_t n)
{
    uint64_t distinct = 0;

    free(c->candidates);
    free(c->sorted);
    free((void *)c->used);
    memset(c, 0, sizeof *c);
    c->candidates = malloc(n * sizeof *c->candidates);
    c->sorted = malloc(n * sizeof *c->sorted);
    c->used = calloc(n, sizeof *c->used);
    if (c->candidates == NULL || c->sorted == NULL || c->used == NULL) {
        return engine_fail("memory is exhausted");
    }
    rmat_graph500_candidates(job->scale, job->seeds[0], job->seeds[1], n, c->candidates);
    memcpy(c->sorted, c->candidates, n * sizeof *c->sorted);
    qsort(c->sorted, n, sizeof *c->sorted, compare_vertices);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bit = c->sorted[i] % FILTER_BITS;

        c->filter[bit / 8] |= (uint8_t)(1 << bit % 8);
        if (i == 0 || c->sorted[i] != c->sorted[i - 1]) {
            c->sorted[distinct++] = c->sorted[i];
        }
    }
    c->n = distinct;
    return ENGINE_OK;
}

/* Chooses keys among n marked candidates.  Returns whether they were enough, or all that exist;
 * then there may be fewer keys. */
static bool choose_keys(candidates *c, roots_job *job, uint64_t n)
{
    const uint64_t vertices = (uint64_t)1 << job->scale;
    uint64_t found = 0, i = 0;

    for (; i < n && i < vertices && found < job->count; i++) {
        const uint64_t vertex = c->candidates[i], at = place_of(c, vertex);

        if (c->used[at] == HAS_EDGE) {
            job->keys[found++] = vertex;
            c->used[at] = IS_KEY;
        }
    }
    job->candidates = i;
    if (found < job->count && i < vertices) {
        return false;
    }
    job->count = found;
    return true;
}

/* Reads the edges once, rarely more often.  Returns an engine_status. */
static int select_keys(edge_source *source, roots_job *job, client *c)
{
    const graphfile_graph *graph = &edge_source_facts_of(source)->graph;
    candidates *all = calloc(1, sizeof *all);
    uint64_t n = CANDIDATES * job->count;
    int status = all != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    do {
        engine_meter meter =
            engine_meter_of(&c->watch, "looking for edges", graph->edges, 2 * graph->id_bytes);

        status = status == ENGINE_OK ? draw_candidates(all, job, n) : status;
        status =
            status == ENGINE_OK ? edge_walk(source, job->threads, mark_edges, all, &meter) : status;
    } while (status == ENGINE_OK && !choose_keys(all, job, n) && (n *= 8) > 0);
    if (all != NULL) {
        free(all->candidates);
        free(all->sorted);
        free((void *)all->used);
        free(all);
    }
    return status;
}

/* The command. */

enum { MOST_KEYS = 65536 };

typedef struct {
    uint64_t count, scale, seed, seed2, threads;
    bool json, quiet, help;
} roots_values;

enum { COUNT, SCALE, SEED, SEED2, JSON, THREADS, QUIET, HELP, N_OPTIONS };

#define AT(field) offsetof(roots_values, field)
#define KEYS      "Search keys"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [COUNT] = {.name = "count", .kind = OPTION_COUNT, .argument = "N", .offset = AT(count),
        .min = 1, .max = MOST_KEYS, .fallback = "64", .group = KEYS,
        .help = "number of search keys"},
    [SCALE] = {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "the smallest one that suffices for FILE's vertices",
        .group = KEYS,
        .help = "choose the keys from 2^N vertices"},
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "that of FILE if its stream is graph500, else 2", .group = KEYS,
        .help = "first seed of the benchmark, which it calls userseed1"},
    [SEED2] = {.name = "seed2", .kind = OPTION_U64, .argument = "N", .offset = AT(seed2),
        .fallback = "that of FILE if its stream is graph500, else 3", .group = KEYS,
        .help = "second seed of the benchmark, which it calls userseed2"},
    [JSON] = OPTION_ROW_JSON(roots_values, json, KEYS, "print one JSON object"),
    [THREADS] = OPTION_ROW_THREADS(roots_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(roots_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(roots_values, help, RUNNING),
};
/* clang-format on */

const command_line roots_command_line = {
    .command = "roots",
    .synopsis = "roots FILE [OPTION]...",
    .summary = "Print the search keys of Graph500's benchmark, one on a line: the vertices from "
               "which its breadth-first searches and shortest paths start. They are drawn at "
               "random; isolated vertices and repetitions are skipped, as in the benchmark's "
               "reference code.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "count scale seed json quiet help",
    .examples = "rmat roots g.h5\n"
                "rmat roots g.h5 --count 8 --json\n"
                "rmat roots g.h5 --scale 20 --quiet",
    .notes = "FILE is an HDF5 file of rmat. A vertex whose only edges are loops is isolated.",
};

static void print_keys(const roots_job *job, const char *name, bool json)
{
    json_object object;

    if (!json) {
        for (uint64_t i = 0; i < job->count; i++) {
            printf("%" PRIu64 "\n", job->keys[i]);
        }
        return;
    }
    json_begin(&object, stdout);
    json_string(&object, "file", name);
    json_u64(&object, "scale", (uint64_t)job->scale);
    json_u64(&object, "seed", job->seeds[0]);
    json_u64(&object, "seed2", job->seeds[1]);
    json_u64(&object, "candidates", job->candidates);
    json_u64_list(&object, "roots", job->keys, job->count);
    json_end(&object);
}

/* Takes values from the file that no option sets. */
static void complete_job(roots_job *job, const edge_source_facts *f, const bool *given)
{
    const uint64_t vertices = f->graph.rows > f->graph.cols ? f->graph.rows : f->graph.cols;
    const rmat_config *model = f->model != NULL ? &f->model->given : NULL;

    if (!given[SCALE]) {
        job->scale = rmat_scale_of(vertices);
    }
    if (model != NULL && model->stream == RMAT_STREAM_GRAPH500) {
        job->seeds[0] = given[SEED] ? job->seeds[0] : model->seed;
        job->seeds[1] = given[SEED2] ? job->seeds[1] : model->seed2;
    }
}

static int find_roots(const char *name, const roots_values *o, const bool *given)
{
    roots_job job = {.scale = (int)o->scale,
                     .threads = cpu_threads(o->threads),
                     .seeds = {o->seed, o->seed2},
                     .count = o->count};
    edge_source *source;
    client c;
    int status;

    client_begin(&c, "roots", NULL, o->quiet);
    status = edge_source_open(&source, name);
    if (status != ENGINE_OK) {
        return client_end(&c, status, NULL);
    }
    complete_job(&job, edge_source_facts_of(source), given);
    job.keys = malloc(job.count * sizeof *job.keys);
    if (job.keys == NULL) {
        status = runtime_error("roots", "memory is exhausted");
    } else {
        status = select_keys(source, &job, &c);
        status = client_end(&c, status, NULL);
    }
    if (status == EXIT_OK) {
        if (job.count < o->count) {
            message_print("roots",
                          "note: there are only %" PRIu64
                          " search keys, for the benchmark draws no "
                          "more candidates than there are vertices",
                          job.count);
        }
        print_keys(&job, name, o->json);
    }
    free(job.keys);
    edge_source_close(source);
    return status;
}

int roots_main(int argc, char **argv)
{
    roots_values values = {.count = 64, .seed = RMAT_GRAPH500_SEED1, .seed2 = RMAT_GRAPH500_SEED2};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status;
    const bool goes_on =
        one_process_parse(&roots_command_line, argc, argv, &values, given, &name, &status);

    if (goes_on && name == NULL) {
        status = usage_error("roots", "FILE missing, allowed: the path of a graph");
    } else if (goes_on) {
        status = find_roots(name, &values, given);
    }
    dist_stop();
    return status;
}
