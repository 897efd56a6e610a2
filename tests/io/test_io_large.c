/*
 * test_io_large.c - arrays of more than 1 GiB in one call, which the library has to cut.
 *
 * The memory is zero except for marks around the cuts, so it costs little; the files take 2.2 GB
 * each.
 */
#include "tests/support/io_util.h"

#include <sys/mman.h>
#include <sys/statvfs.h>

#define EDGES (((uint64_t)1 << 27) + 70003)

static const uint64_t marks[] = {
    0, 1, (1 << 27) - 1, 1 << 27, (1 << 27) + 1, EDGES / 2, EDGES - 70000, EDGES - 2, EDGES - 1};
#define MARKS (sizeof marks / sizeof *marks)

static uint64_t *zeros(void)
{
    uint64_t *ids = mmap(NULL, EDGES * 8, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(ids, MAP_FAILED);
    return ids;
}

START_TEST(beyond_one_call)
{
    graphfile_spec spec = weighted(buffered(plain_spec(EDGES, 8), _i), EDGEFILE_WEIGHT_I32);
    int32_t weight;
    uint64_t *src = zeros(), *dst = zeros(), sum = 0, expected = 0;
    graphfile_writer *w;
    edgefile_reader *r;
    struct statvfs fs;

    ck_assert_int_eq(statvfs(scratch, &fs), 0);
    if (fs.f_bavail * fs.f_frsize < 5 * EDGES * 8) {
        fprintf(stderr, "large file: skipped, too little room in %s\n", scratch);
        return;
    }
    for (size_t m = 0; m < MARKS; m++) {
        src[marks[m]] = mix(2 * m + 1);
        dst[marks[m]] = mix(2 * m + 2);
    }
    ck_ok(graphfile_create(&w, graph, &spec));
    /* the first half of dst serves as weights */
    ck_ok(put_edges(w, 0, EDGES, src, dst, dst, 0));
    ck_ok(commit_graph(&w, NULL));

    ck_ok(edgefile_open(&r, graph));
    munmap(dst, EDGES * 8);
    for (size_t m = 0; m < MARKS; m++) {
        uint64_t one, other;
        ck_ok(edgefile_read(r, marks[m], 1, &one, &other, NULL));
        ck_assert_uint_eq(one, mix(2 * m + 1));
        ck_assert_uint_eq(other, mix(2 * m + 2));
        if (2 * marks[m] < EDGES) {
            ck_ok(edgefile_read(r, 2 * marks[m], 1, &one, &other, &weight));
            ck_assert_int_eq(weight, (int32_t)mix(2 * m + 2));
        }
    }
    /* all at once, dst over src to save memory */
    memset(src, 0xff, EDGES * 8);
    ck_ok(edgefile_read(r, 0, EDGES, src, src, NULL));
    for (uint64_t i = 0; i < EDGES; i++)
        sum += src[i];
    for (size_t m = 0; m < MARKS; m++) {
        expected += mix(2 * m + 2);
        ck_assert_uint_eq(src[marks[m]], mix(2 * m + 2));
    }
    ck_assert_uint_eq(sum, expected);
    munmap(src, EDGES * 8);
    edgefile_close(r);
}

FOLDER_CASES(io_large, LOOP(beyond_one_call, 0, 2))
