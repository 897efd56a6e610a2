/* test_io_threads.c - many threads write interleaved odd ranges through one writer. */
#include "tests/support/io_util.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 5
#define EDGES   400001

static const edgefile_path paths[] = {EDGEFILE_PATH_DIRECT, EDGEFILE_PATH_POSITIONAL,
                                      EDGEFILE_PATH_HDF5};

typedef struct {
    edgefile_writer *w;
    uint64_t part; /* edges per write */
    const edgefile_spec *spec;
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
        size_t skew = first * (size_t)j->spec->id_bytes % 4096;
        made m;
        if (first >= EDGES)
            break;
        m = made_alloc(j->spec, first, count, (size_t[3]){skew, skew, first * 4 % 4096});
        if (edgefile_write(j->w, first, count, m.src, m.dst, m.weight,
                           made_fingerprint(EDGES, first, count)) != EDGEFILE_OK)
            atomic_fetch_add(&j->failures, 1);
        made_free(&m);
    }
    return NULL;
}

START_TEST(interleaved_ranges)
{
    static const uint64_t parts[] = {37, 511, 1500, 5003};
    edgefile_weight weight = (edgefile_weight)((_i + _i / 6) % 3);
    edgefile_spec spec = weighted(plain_spec(EDGES, _i % 2 ? 8 : 4, paths[_i / 2 % 3]), weight);
    job j = {.part = parts[_i / 6], .spec = &spec};
    pthread_t threads[THREADS];

    ck_ok(edgefile_create(&j.w, graph, &spec));
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, work, &j), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ck_assert_int_eq(j.failures, 0);
    ck_ok(edgefile_commit(&j.w, NULL));
    check_weighted(graph, EDGES, spec.id_bytes, weight);
}
END_TEST

static void *whole_file(void *arg)
{
    char name[128];

    snprintf(name, sizeof name, "%s/%d.h5", scratch, *(int *)arg);
    for (int i = 0; i < 10; i++) {
        edgefile_spec spec = plain_spec(2000 + (uint64_t)i, 8, paths[i % 3]);
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

int main(void)
{
    TCase *tc = tcase_create("threads");

    tcase_add_loop_test(tc, interleaved_ranges, 0, 24);
    tcase_add_test(tc, many_files_at_once);
    tcase_add_test(tc, messages_belong_to_their_thread);
    return run_tests("io_threads", tc);
}
