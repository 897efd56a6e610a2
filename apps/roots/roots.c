/*
 * rmat roots: search keys, the vertices from which Graph500's benchmark searches.
 *
 * They are selected as in the benchmark.  Candidates are drawn one by one, and a candidate is
 * passed over if it is a key already or has no edge except loops.  There are no more candidates
 * than vertices.  After that the benchmark takes any further candidates; here the keys end.
 *
 * Only the candidates matter, so one pass over the edges, which marks the candidates with an edge
 * in a hash table, is enough and takes little memory.  If too few candidates have edges, the next
 * ones follow, in larger batches.
 */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include "rmat/rmat_source.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST = 16,           /* candidates per key, at first: more than half may be isolated */
    GROWTH = 8,           /* of a batch, beside the one before it */
    MOST_BATCH = 1 << 22, /* candidates of a batch */
    MOST_KEYS = 65536,
    FILTER_BITS = 1 << 18
};

/* The state of a candidate. */
enum { ISOLATED, HAS_EDGE, IS_KEY };

/* The values of the options, and the result. */
typedef struct {
    uint64_t count; /* search keys to find */
    uint64_t scale; /* 0: that of the file */
    uint64_t seeds[2], threads;
    bool json, quiet, help;

    uint64_t *keys, found; /* room for `count` of them */
    uint64_t tried;        /* candidates */
} roots_job;

/* A batch of candidates, and the earlier keys, in a hash table with open addressing. */
typedef struct {
    uint64_t *candidates, n;         /* in the order in which they are drawn */
    uint64_t *vertex;                /* of a slot, plus 1; 0: it is empty */
    atomic_char *state;              /* of the vertex */
    int bits;                        /* 2^bits slots */
    uint8_t filter[FILTER_BITS / 8]; /* a bit for the last binary digits of each candidate */
} batch;

/* The slot of a vertex, or the empty one where it belongs. */
static uint64_t slot_of(const batch *b, uint64_t vertex)
{
    const uint64_t mask = ((uint64_t)1 << b->bits) - 1;
    uint64_t slot = vertex * UINT64_C(0x9E3779B97F4A7C15) >> (64 - b->bits);

    while (b->vertex[slot] != 0 && b->vertex[slot] != vertex + 1) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Most vertices are not in the table, and most of these end at the filter. */
static void mark(const batch *b, uint64_t vertex)
{
    const uint64_t bit = vertex % FILTER_BITS;

    if (b->filter[bit / 8] >> bit % 8 & 1) {
        const uint64_t slot = slot_of(b, vertex);

        if (b->vertex[slot] != 0 &&
            atomic_load_explicit(&b->state[slot], memory_order_relaxed) == ISOLATED) {
            atomic_store_explicit(&b->state[slot], HAS_EDGE, memory_order_relaxed);
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
            mark(state, src);
            mark(state, dst);
        }
    }
    return 0;
}

static void free_batch(batch *b)
{
    free(b->candidates);
    free(b->vertex);
    free((void *)b->state);
    memset(b, 0, sizeof *b);
}

/* Draws the next n candidates. */
static int draw_batch(batch *b, const roots_job *job, uint32_t z[5], uint64_t n)
{
    free_batch(b);
    b->n = n;
    while ((uint64_t)1 << b->bits < 2 * (n + job->found)) {
        b->bits++;
    }
    b->candidates = malloc(n * sizeof *b->candidates);
    b->vertex = calloc((size_t)1 << b->bits, sizeof *b->vertex);
    b->state = calloc((size_t)1 << b->bits, sizeof *b->state);
    if (b->candidates == NULL || b->vertex == NULL || b->state == NULL) {
        return engine_fail("memory is exhausted");
    }
    rmat_graph500_candidates((int)job->scale, job->seeds[0], job->seeds[1], z, n, b->candidates);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t vertex = b->candidates[i], bit = vertex % FILTER_BITS;

        b->vertex[slot_of(b, vertex)] = vertex + 1;
        b->filter[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    for (uint64_t i = 0; i < job->found; i++) {
        const uint64_t slot = slot_of(b, job->keys[i]);

        b->vertex[slot] = job->keys[i] + 1;
        b->state[slot] = IS_KEY;
    }
    return ENGINE_OK;
}

/* Takes keys from the marked candidates. */
static void choose_keys(const batch *b, roots_job *job)
{
    for (uint64_t i = 0; i < b->n && job->found < job->count; i++) {
        const uint64_t slot = slot_of(b, b->candidates[i]);

        if (b->state[slot] == HAS_EDGE) {
            job->keys[job->found++] = b->candidates[i];
            b->state[slot] = IS_KEY;
        }
        job->tried++;
    }
}

/* Reads the edges once, rarely more often.  Returns an engine_status. */
static int select_keys(edge_source *source, roots_job *job, const engine_watch *watch)
{
    const graphfile_graph *graph = &edge_source_facts_of(source)->graph;
    const uint64_t vertices = (uint64_t)1 << job->scale;
    uint64_t n = FIRST * job->count;
    uint32_t z[5] = {0};
    batch b = {0};
    int status;

    do {
        const double keys = (double)job->found / (double)job->count;
        const double candidates = (double)job->tried / (double)vertices;
        engine_meter meter =
            engine_meter_of(watch, "looking for edges", graph->edges, 2 * graph->id_bytes);

        if (job->tried > 0) { /* how many batches follow is unknown: show what was found or tried */
            meter.work = 1e3 * ((double)graph->edges + 1);
            meter.before = meter.work * (keys > candidates ? keys : candidates);
        }
        n = n < vertices - job->tried ? n : vertices - job->tried;
        status = draw_batch(&b, job, z, n);
        status = status == ENGINE_OK
                     ? edge_walk(source, cpu_threads(job->threads), mark_edges, &b, &meter)
                     : status;
        if (status == ENGINE_OK) {
            choose_keys(&b, job);
        }
        n = n < MOST_BATCH / GROWTH ? n * GROWTH : MOST_BATCH;
    } while (status == ENGINE_OK && job->found < job->count && job->tried < vertices);
    free_batch(&b);
    return status;
}

/* The command. */

#define KEYS    "Search keys"
#define RUNNING "Running"

/* clang-format off */
#define ROW(word, member, of_kind, ...) OPTION_ROW(roots_job, member, KEYS, word, of_kind, .argument = "N", __VA_ARGS__)

static const option table[] = {
    ROW("count", count, COUNT, .min = 1, .max = MOST_KEYS, .fallback = "64", .help = "number of search keys"),
    ROW("scale", scale, COUNT, .min = 1, .max = RMAT_MAX_SCALE, .fallback = "the smallest one that suffices for FILE's vertices",
        .help = "choose the keys from 2^N vertices"),
    ROW("seed", seeds[0], U64, .fallback = "that of FILE if its stream is graph500, else 2",
        .help = "first seed of the benchmark, which it calls userseed1"),
    ROW("seed2", seeds[1], U64, .fallback = "that of FILE if its stream is graph500, else 3",
        .help = "second seed of the benchmark, which it calls userseed2"),
    OPTION_ROW_JSON(roots_job, json, KEYS, "print one JSON object"),
    OPTION_ROW_THREADS(roots_job, threads, RUNNING, "number of threads"),
    OPTION_ROW_QUIET(roots_job, quiet, RUNNING, "print no progress"),
    OPTION_ROW_LONG_HELP(roots_job, help, RUNNING),
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
    .n_options = sizeof table / sizeof *table,
    .common = "count scale seed json quiet help",
    .examples = "rmat roots g.h5\n"
                "rmat roots g.h5 --count 8 --json\n"
                "rmat roots g.h5 --scale 20 --quiet",
    .notes = "FILE is an HDF5 file of rmat. A vertex whose only edges are loops is isolated.",
};

static void print_keys(const roots_job *job, const char *name)
{
    json_object object;

    if (!job->json) {
        for (uint64_t i = 0; i < job->found; i++) {
            printf("%" PRIu64 "\n", job->keys[i]);
        }
        return;
    }
    json_begin(&object, stdout);
    json_string(&object, "file", name);
    json_u64(&object, "scale", job->scale);
    json_u64(&object, "seed", job->seeds[0]);
    json_u64(&object, "seed2", job->seeds[1]);
    json_u64(&object, "candidates", job->tried);
    json_u64_list(&object, "roots", job->keys, job->found);
    json_end(&object);
}

/* Takes values from the file that no option sets. */
static void complete_job(roots_job *job, const edge_source_facts *f, const bool *given)
{
    const uint64_t vertices = f->graph.rows > f->graph.cols ? f->graph.rows : f->graph.cols;
    const rmat_config *m = f->model != NULL ? &f->model->given : NULL;
    const bool seeds = m != NULL && m->stream == RMAT_STREAM_GRAPH500;

    if (job->scale == 0) {
        job->scale = (uint64_t)rmat_scale_of(vertices);
    }
    if (seeds && !options_given(&roots_command_line, given, "seed")) {
        job->seeds[0] = m->seed;
    }
    if (seeds && !options_given(&roots_command_line, given, "seed2")) {
        job->seeds[1] = m->seed2;
    }
}

static int find_roots(const char *name, roots_job *job, const bool *given)
{
    edge_source *source;
    client c;
    int status;

    client_begin(&c, "roots", NULL, job->quiet);
    status = edge_source_open(&source, name);
    if (status == ENGINE_OK) {
        complete_job(job, edge_source_facts_of(source), given);
        job->keys = malloc(job->count * sizeof *job->keys);
        status = job->keys != NULL ? select_keys(source, job, &c.watch)
                                   : engine_fail("memory is exhausted");
    }
    status = client_end(&c, status, NULL);
    if (status == EXIT_OK && job->found < job->count) {
        message_print("roots",
                      "note: there are only %" PRIu64
                      " search keys, for the benchmark draws no more candidates than there are "
                      "vertices",
                      job->found);
    }
    if (status == EXIT_OK) {
        print_keys(job, name);
    }
    free(job->keys);
    edge_source_close(source);
    return status;
}

int roots_main(int argc, char **argv)
{
    roots_job job = {.count = 64, .seeds = {RMAT_GRAPH500_SEED1, RMAT_GRAPH500_SEED2}};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status;

    if (one_process_parse(&roots_command_line, argc, argv, &job, given, &name, &status)) {
        status = name == NULL ? usage_error("roots", "FILE missing, allowed: the path of a graph")
                              : find_roots(name, &job, given);
    }
    dist_stop();
    return status;
}
