/*
 * The pipeline, also when a device fails during a run.
 *
 * The device is a thread that keeps a few chunks in flight and submits them out of order.  It fails
 * after a number of chunks, with garbage in the buffers of those in flight.  Without a failure the
 * file is the CPU's byte for byte; with one there must be no file.
 */
#include "tests/support/pipeline_util.h"
#include <stdatomic.h>

enum { IN_FLIGHT = 3, CHUNK = 1024, EDGES = 40 * CHUNK + 77, CHUNKS = 41 };

typedef struct {
    uint64_t good; /* chunks of each thread that arrive before it fails */
    atomic_int runs;
} device;

static void make(int id_bytes, pipeline_chunk *c)
{
    rmat_arrays arrays = {c->src, c->dst, c->weight, id_bytes};

    ck_assert_int_eq(rmat_generate_arrays(cpu_generator(), c->what.first, c->what.count, &arrays),
                     RMAT_OK);
    c->fingerprint = rmat_fingerprint(c->src, c->dst, c->what.count, id_bytes);
}

/* Chunks in flight are held in a stack, so the last one begun is the first one that arrives. */
static void run_device(pipeline *p)
{
    device *d = p->producer->state;
    pipeline_chunk *flying[IN_FLIGHT];
    size_t bytes = (size_t)CHUNK * (size_t)p->plan->id_bytes;
    uint64_t arrived = 0;
    int n = 0;

    atomic_fetch_add(&d->runs, 1);
    for (;;) {
        pipeline_chunk *c = n < IN_FLIGHT ? pipeline_claim(p, n == 0) : NULL;

        if (c != NULL) {
            memset(c->src, 0xEE, bytes);
            memset(c->dst, 0xEE, bytes);
            if (c->weight != NULL) {
                memset(c->weight, 0xEE, CHUNK * sizeof(int32_t));
            }
            c->fingerprint = 12345;
            flying[n++] = c;
        } else if (n == 0) {
            return;
        } else if (arrived < d->good) {
            c = flying[--n];
            make(p->plan->id_bytes, c);
            pipeline_submit(p, c);
            arrived++;
        } else {
            pipeline_fail(p, "device lost after %d chunks", (int)arrived);
            return;
        }
    }
}

static int give_up(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return 1;
}

/* Whatever it got done before: the whole file, or none.  Two share the chunks as they come, and the
 * first that fails ends both. */
START_TEST(test_device_fails)
{
    const int devices = _i < 4 ? 1 : 2;
    pipeline_job job = {.edges = EDGES,
                        .chunk = CHUNK,
                        .id_bytes = _i / 2 == 1 ? 8 : 4,
                        .at_once = IN_FLIGHT,
                        .weight = _i % 2 == 0 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_I32,
                        .buffered = _i % 2};
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), 2);

    ok(write_file(graph, &job, &cpu, go_on));
    for (uint64_t good = 0; good <= CHUNKS; good++) {
        device d = {.good = good};
        pipeline_producer gpu = {.run = run_device, .state = &d, .threads = devices};
        char text[64];

        snprintf(text, sizeof text, "device lost after %d chunks", (int)good);
        if (write_file(twin, &job, &gpu, go_on) == 0) {
            ck_assert(devices == 2 || good == CHUNKS);
            ck_assert_uint_eq(result.done, EDGES);
            check_same_bytes(graph, twin);
        } else {
            ck_assert_uint_lt(good, CHUNKS);
            ck_assert_str_eq(engine_detail(), text);
            ck_assert_uint_le(result.done, (uint64_t)devices * good * CHUNK);
        }
        ck_assert_int_eq(atomic_load(&d.runs), devices);
    }
}

/* It holds as many chunks as there are buffers and gets no more. */
static void run_greedy(pipeline *p)
{
    const pipeline_plan *plan = p->plan;
    pipeline_chunk *held[64];
    int n = 0;

    while (n < 64 && (held[n] = pipeline_claim(p, false)) != NULL) {
        ck_assert_uint_eq(held[n]->what.first, (uint64_t)n * CHUNK);
        ck_assert_uint_eq(held[n]->what.count, CHUNK);
        ck_assert_ptr_eq(held[n]->dst, (char *)held[n]->src + pipeline_column_bytes(plan));
        ck_assert_ptr_eq(held[n]->weight, (char *)held[n]->dst + pipeline_column_bytes(plan));
        ck_assert_uint_eq((uintptr_t)held[n]->weight % edgefile_alignment(), 0);
        ck_assert((char *)held[n]->src >= (char *)p->memory);
        ck_assert((char *)held[n]->src + pipeline_chunk_bytes(plan) <=
                  (char *)p->memory + pipeline_buffer_bytes(plan));
        n++;
    }
    *(int *)p->producer->state = n;
    pipeline_fail(p, "enough");
}

START_TEST(test_buffers_bound_what_is_in_flight)
{
    int held = 0;
    pipeline_producer greedy = {.run = run_greedy, .state = &held, .threads = 1};
    pipeline_job job = {.edges = EDGES,
                        .chunk = CHUNK,
                        .id_bytes = 8,
                        .at_once = IN_FLIGHT,
                        .weight = EDGEFILE_WEIGHT_I32};

    ck_assert_int_eq(run_dropped(&job, &greedy, go_on), ENGINE_ERR_RUN);
    ck_assert_str_eq(engine_detail(), "enough");
    ck_assert_int_eq(held, IN_FLIGHT + PIPELINE_WRITERS + 1);
    ck_assert_uint_eq(result.done, 0);
}

/* A sink in which every chunk waits for the one before. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t next, edge; /* chunk, and its first edge */
    bool stopped;
} file_in_order;

static const char *write_in_order(void *state, const pipeline_chunk *c)
{
    file_in_order *f = state;
    bool fits;

    pthread_mutex_lock(&f->lock);
    while (f->next != c->number && !f->stopped) {
        pthread_cond_wait(&f->turn, &f->lock);
    }
    fits = f->edge == c->what.first;
    f->edge += c->what.count;
    f->next++;
    pthread_cond_broadcast(&f->turn);
    pthread_mutex_unlock(&f->lock);
    return fits ? NULL : "a chunk is not where it should be";
}

static void stop_waiting(void *state)
{
    file_in_order *f = state;

    pthread_mutex_lock(&f->lock);
    f->stopped = true;
    pthread_cond_broadcast(&f->turn);
    pthread_mutex_unlock(&f->lock);
}

/* The device submits what came last first; it fails before the end, or not. */
START_TEST(test_order)
{
    file_in_order f = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, false};
    const pipeline_sink sink = {write_in_order, stop_waiting, &f, .in_order = true};
    device d = {.good = _i == 0 ? UINT64_MAX : 9};
    pipeline_producer gpu = {.run = run_device, .state = &d, .threads = 1};
    pipeline_job job = {.edges = EDGES, .chunk = CHUNK, .id_bytes = 4, .at_once = IN_FLIGHT};

    ck_assert_int_eq(run_job(&job, &gpu, &sink, go_on), _i == 0 ? ENGINE_OK : ENGINE_ERR_RUN);
    ck_assert(f.stopped == (_i == 1));
    if (_i == 0) {
        ck_assert_uint_eq(f.edge, EDGES);
    } else {
        ck_assert_str_eq(engine_detail(), "device lost after 9 chunks");
    }
}

START_TEST(test_stop)
{
    device d = {.good = UINT64_MAX};
    pipeline_producer producers[] = {{.run = run_device, .state = &d, .threads = 1},
                                     pipeline_cpu(cpu_generator(), 2)};

    for (int i = 0; i < 2; i++) {
        pipeline_job job = {
            .edges = RMAT_MAX_EDGES, .chunk = CHUNK, .id_bytes = 8, .at_once = IN_FLIGHT};

        ck_assert_int_eq(run_dropped(&job, &producers[i], give_up), ENGINE_STOPPED);
        ck_assert_uint_lt(result.done, RMAT_MAX_EDGES);
    }
}

FOLDER_CASES(pipeline, LOOP(test_device_fails, 0, 5), ONCE(test_buffers_bound_what_is_in_flight),
             LOOP(test_order, 0, 2), ONCE(test_stop))
