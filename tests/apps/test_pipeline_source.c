/*
 * The pipeline with a source of spans.  For all sizes, orders and delays of spans every edge is
 * made once.  A run that ends early does not wait for spans that never come.
 */
#include "tests/support/pipeline_util.h"
#include <stdatomic.h>
#include <time.h>

enum { AT_ONCE = 3, CHUNK = 1024, EDGES = 40 * CHUNK + 77, SPANS_MAX = EDGES };

/* Gives out its spans in their order. */
typedef struct {
    uint64_t first[SPANS_MAX], count[SPANS_MAX];
    int spans;
    int late;     /* milliseconds that each takes */
    bool endless; /* after the last one: none yet, for ever */
    atomic_int given;
} spans;

static spans list;

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static bool next(void *state, pipeline *p, pipeline_span *span)
{
    spans *s = state;
    int i = atomic_load(&s->given);

    for (int waited = 0; i == s->spans ? s->endless && !p->stop : waited < s->late; waited++) {
        sleep_ms(1);
    }
    if (i == s->spans) {
        return false;
    }
    *span = (pipeline_span){PIPELINE_EDGES, s->first[i], s->count[i]};
    atomic_store(&s->given, i + 1);
    return true;
}

static const pipeline_source source = {.next = next, .state = &list};
static const pipeline_job
    whole = {.edges = EDGES, .chunk = CHUNK, .id_bytes = 4, .at_once = AT_ONCE},
    sourced = {
        .edges = EDGES, .chunk = CHUNK, .id_bytes = 4, .at_once = AT_ONCE, .source = &source};

static void restart(void)
{
    atomic_store(&list.given, 0);
}

/* Cut [0, EDGES) into spans of `size` edges, or of 1 to 3 chunks in turn where size is 0. */
static void cut(uint64_t size)
{
    uint64_t at = 0;

    list.spans = 0;
    list.late = 0;
    list.endless = false;
    while (at < EDGES) {
        uint64_t n = size != 0 ? size : (uint64_t)(list.spans % 3 + 1) * CHUNK;

        n = n < EDGES - at ? n : EDGES - at;
        list.first[list.spans] = at;
        list.count[list.spans++] = n;
        at += n;
    }
    restart();
}

static void shuffle(void)
{
    uint32_t state = 12345;

    for (int i = list.spans - 1; i > 0; i--) {
        uint64_t first = list.first[i], count = list.count[i];
        int j = (int)((state = state * 1664525 + 1013904223) >> 8) % (i + 1);

        list.first[i] = list.first[j];
        list.count[i] = list.count[j];
        list.first[j] = first;
        list.count[j] = count;
    }
}

static void check_same(int threads)
{
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), threads);

    restart();
    ok(write_file(twin, &sourced, &cpu, go_on));
    ck_assert_uint_eq(result.done, EDGES);
    ck_assert_int_eq(atomic_load(&list.given), list.spans);
    check_same_bytes(graph, twin);
}

/* At once, or late. */
START_TEST(test_spans)
{
    static const uint64_t sizes[] = {0, EDGES, CHUNK, CHUNK - 1, 5 * CHUNK + 3, 33, 7};
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), 1);

    ok(write_file(graph, &whole, &cpu, go_on));
    for (int i = 0; i < (_i == 0 ? 7 : 1); i++) {
        for (int threads = 1; threads <= 9; threads += 4) {
            cut(sizes[i]);
            list.late = 5 * _i;
            check_same(threads);
            shuffle();
            check_same(threads);
        }
    }
}

START_TEST(test_nothing_to_do)
{
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), 3);

    for (int empty_spans = 0; empty_spans <= 3; empty_spans++) {
        cut(EDGES);
        list.spans = empty_spans;
        for (int i = 0; i < empty_spans; i++) {
            list.first[i] = 5;
            list.count[i] = 0;
        }
        ok(run_dropped(&sourced, &cpu, go_on));
        ck_assert_uint_eq(result.done, 0);
        ck_assert_uint_eq(result.fingerprint, 0);
    }
}

/* Chunks of one span each; no more than one span is asked for beyond the one that is being made. */
static void run_slowly(pipeline *p)
{
    pipeline_chunk *c;

    for (int n = 1; (c = pipeline_claim(p, true)) != NULL; n++) {
        if (n % 8 == 0) {
            sleep_ms(2); /* time to ask for too many */
        }
        ck_assert_int_le(atomic_load(&list.given), n + 1);
        ck_assert_uint_eq(c->what.first, list.first[n - 1]);
        c->fingerprint = 1;
        pipeline_submit(p, c);
        *(int *)p->producer->state = n;
    }
}

START_TEST(test_one_span_ahead)
{
    int done_spans = 0;
    pipeline_producer slow = {.run = run_slowly, .state = &done_spans, .threads = 1};

    cut(CHUNK);
    ok(run_dropped(&sourced, &slow, go_on));
    ck_assert_int_eq(done_spans, list.spans);
    ck_assert_uint_eq(result.fingerprint, (uint64_t)done_spans);
}

/* All that there is has been done, and no more comes. */
static int stop_in_the_end(void *argument, uint64_t done)
{
    (void)argument;
    return done == EDGES;
}

START_TEST(test_stop_while_waiting)
{
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), 4);

    cut(0);
    list.endless = true;
    ck_assert_int_eq(write_file(twin, &sourced, &cpu, stop_in_the_end), ENGINE_STOPPED);
    ck_assert_uint_eq(result.done, EDGES);
}

/* Of its threads one fails at once, the others wait for spans. */
static void run_failing(pipeline *p)
{
    if (atomic_fetch_add((atomic_int *)p->producer->state, 1) == 0) {
        sleep_ms(20);
        pipeline_fail(p, "gone");
    } else {
        ck_assert_ptr_null(pipeline_claim(p, true));
    }
}

/* While they wait; or alone, where nobody takes the span that is ahead. */
START_TEST(test_error)
{
    const bool waiting = _i == 0;
    atomic_int runs = 0;
    pipeline_producer failing = {.run = run_failing, .state = &runs, .threads = waiting ? 3 : 1};

    cut(0);
    if (waiting) {
        list.spans = 0;
        list.endless = true;
    }
    ck_assert_int_eq(run_dropped(&sourced, &failing, go_on), ENGINE_ERR_RUN);
    ck_assert_str_eq(engine_detail(), "gone");
    ck_assert_int_eq(atomic_load(&runs), waiting ? 3 : 1);
    ck_assert_int_eq(atomic_load(&list.given), waiting ? 0 : 1);
}

START_TEST(test_write_error_while_waiting)
{
    pipeline_producer cpu = pipeline_cpu(cpu_generator(), 3);

    cut(CHUNK);
    list.spans = 3;
    list.first[2] = EDGES - 5; /* beyond the file's end */
    list.endless = true;
    ck_assert_int_eq(write_file(twin, &sourced, &cpu, go_on), ENGINE_ERR_RUN);
}

FOLDER_CASES(pipeline_source, LOOP(test_spans, 0, 2), ONCE(test_nothing_to_do),
             ONCE(test_one_span_ahead), ONCE(test_stop_while_waiting), LOOP(test_error, 0, 2),
             ONCE(test_write_error_while_waiting))
