/* test_io_threads.c - many threads read through one reader, or write a file each; messages are
 * those of their thread.  Threads that share a writer: test_io_roundtrip.c. */
#include "tests/support/io_util.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 5, EDGES = 400001, READ = 777 };

typedef struct {
    edgefile_reader *r;
    graphfile_spec spec;
    _Atomic uint64_t next;
    _Atomic int failures;
} job;

/* In THREADS threads at once; argument i of `size` bytes each, or one for all. */
static void run_threads(void *(*body)(void *), void *arguments, size_t size)
{
    pthread_t threads[THREADS];

    for (size_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, body, (char *)arguments + t * size), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

static void *read_parts(void *arg)
{
    job *j = arg;
    uint64_t src[READ], dst[READ], first;
    uint32_t weight[READ];

    while ((first = atomic_fetch_add(&j->next, READ)) < EDGES) {
        const uint64_t count = EDGES - first < READ ? EDGES - first : READ;

        j->failures += edgefile_read(j->r, first, count, src, dst, weight) != EDGEFILE_OK ||
                       differences(&j->spec, first, count, src, dst, weight) != 0;
    }
    return NULL;
}

START_TEST(one_reader)
{
    job j = {.spec = weighted(buffered(plain_spec(EDGES, _i % 2 ? 8 : 4), _i / 2 % 2),
                              EDGEFILE_WEIGHT_I32)};

    write_graph(graph, j.spec);
    ck_ok(edgefile_open(&j.r, graph));
    run_threads(read_parts, &j, 0);
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
    ck_assert_int_eq(truncate(graph, (off_t)4 * EDGES), 0);
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
        write_graph(name, replacing(spec));
        check_graph(name, spec);
    }
    return NULL;
}

START_TEST(many_files_at_once)
{
    int numbers[THREADS] = {0, 1, 2, 3, 4};

    run_threads(whole_file, numbers, sizeof *numbers);
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

    tcase_add_loop_test(tc, one_reader, 0, 4);
    tcase_add_test(tc, becomes_shorter);
    tcase_add_test(tc, many_files_at_once);
    tcase_add_test(tc, messages_belong_to_their_thread);
    return run_tests("io_threads", tc);
}
