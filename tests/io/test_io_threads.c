/* test_io_threads.c - many threads write interleaved odd ranges through one writer, and read them
 * through one reader. */
#include "tests/support/io_util.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 5
#define EDGES   400001

typedef struct {
    graphfile_writer *w;
    uint64_t part; /* edges per write */
    const graphfile_spec *spec;
    _Atomic uint64_t next;
    _Atomic int failures;
} job;

/* Every part is written from memory as far from a page as its place in the file: where it covers
 * whole pages these go by O_DIRECT, while a neighbour writes the other half of the page beside
 * them. */
static void *work(void *arg)
{
    job *j = arg;

    for (;;) {
        uint64_t first = atomic_fetch_add(&j->next, j->part);
        uint64_t count = first < EDGES && EDGES - first < j->part ? EDGES - first : j->part;
        size_t skew = first * (size_t)j->spec->graph.id_bytes % 4096;
        made m;
        if (first >= EDGES)
            break;
        m = made_alloc(j->spec, first, count, (size_t[3]){skew, skew, first * 4 % 4096});
        if (put_edges(j->w, first, count, m.src, m.dst, m.weight,
                      made_fingerprint(EDGES, first, count)) != EDGEFILE_OK)
            atomic_fetch_add(&j->failures, 1);
        made_free(&m);
    }
    return NULL;
}

START_TEST(interleaved_ranges)
{
    static const uint64_t parts[] = {37, 511, 1500, 5003};
    edgefile_weight weight = (edgefile_weight)((_i + _i / 4) % 3);
    graphfile_spec spec = weighted(buffered(plain_spec(EDGES, _i % 2 ? 8 : 4), _i / 2 % 2), weight);
    job j = {.part = parts[_i / 4], .spec = &spec};
    pthread_t threads[THREADS];

    ck_ok(graphfile_create(&j.w, graph, &spec));
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, work, &j), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ck_assert_int_eq(j.failures, 0);
    ck_ok(commit_graph(&j.w, NULL));
    check_weighted(graph, EDGES, spec.graph.id_bytes, weight);
}
END_TEST

typedef struct {
    edgefile_reader *r;
    const graphfile_spec *spec;
    _Atomic uint64_t next;
    _Atomic int failures;
} reading;

static void *read_parts(void *arg)
{
    enum { PART = 777 };
    reading *j = arg;
    uint64_t src[PART], dst[PART], first;
    uint32_t weight[PART];

    while ((first = atomic_fetch_add(&j->next, PART)) < EDGES) {
        const uint64_t count = EDGES - first < PART ? EDGES - first : PART;
        const size_t bytes = count * (size_t)j->spec->graph.id_bytes;
        made m = made_alloc(j->spec, first, count, (size_t[3]){0});
        int bad = edgefile_read(j->r, first, count, src, dst, weight) != EDGEFILE_OK;

        bad += memcmp(src, m.src, bytes) != 0 || memcmp(dst, m.dst, bytes) != 0 ||
               memcmp(weight, m.weight, 4 * count) != 0;
        atomic_fetch_add(&j->failures, bad);
        made_free(&m);
    }
    return NULL;
}

START_TEST(one_reader)
{
    graphfile_spec spec =
        weighted(buffered(plain_spec(EDGES, _i % 2 ? 8 : 4), _i / 2 % 2), EDGEFILE_WEIGHT_I32);
    reading j = {.spec = &spec};
    pthread_t threads[THREADS];

    write_graph(graph, spec);
    ck_ok(edgefile_open(&j.r, graph));
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, read_parts, &j), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ck_assert_int_eq(j.failures, 0);
    edgefile_close(j.r);
}
END_TEST

/* What is cut off after the file was opened is missed, not made up. */
START_TEST(becomes_shorter)
{
    graphfile_spec spec = buffered(plain_spec(EDGES, 8), 1);
    uint64_t src[10], dst[10];
    edgefile_reader *r;

    write_graph(graph, spec);
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(truncate(graph, 4 * EDGES), 0);
    ck_fails(edgefile_read(r, EDGES - 10, 10, src, dst, NULL), EDGEFILE_ERR_IO,
             "src: the file has become shorter");
    edgefile_close(r);
}
END_TEST

static void *whole_file(void *arg)
{
    char name[128];

    snprintf(name, sizeof name, "%s/%d.h5", scratch, *(int *)arg);
    for (int i = 0; i < 10; i++) {
        graphfile_spec spec = buffered(plain_spec(2000 + (uint64_t)i, 8), i % 2);
        spec.replace = 1;
        write_graph(name, spec);
        check_graph(name, 2000 + (uint64_t)i, 8);
    }
    return NULL;
}

START_TEST(many_files_at_once)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];

    for (int t = 0; t < THREADS; t++) {
        numbers[t] = t;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, whole_file, &numbers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}
END_TEST

static void *fail_once(void *arg)
{
    edgefile_reader *r;

    if (edgefile_open(&r, "/nonexistent/graph.h5") == EDGEFILE_OK)
        return NULL;
    strcpy(arg, edgefile_detail());
    return NULL;
}

START_TEST(messages_belong_to_their_thread)
{
    char text[256] = "";
    edgefile_reader *r;
    pthread_t thread;

    ck_fails(edgefile_open(&r, scratch), EDGEFILE_ERR_FORMAT, "is a directory");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_once, text), 0);
    pthread_join(thread, NULL);
    ck_assert_ptr_nonnull(strstr(text, "/nonexistent/graph.h5"));
    ck_assert_ptr_nonnull(strstr(edgefile_detail(), "is a directory"));
}
END_TEST

TEST_MAIN(io_threads)
{
    TCase *tc = tcase_create("threads");

    tcase_add_loop_test(tc, interleaved_ranges, 0, 16);
    tcase_add_loop_test(tc, one_reader, 0, 4);
    tcase_add_test(tc, becomes_shorter);
    tcase_add_test(tc, many_files_at_once);
    tcase_add_test(tc, messages_belong_to_their_thread);
    return run_tests("io_threads", tc);
}
