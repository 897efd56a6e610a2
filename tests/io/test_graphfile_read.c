/* test_graphfile_read.c - files of other formats: the same edges, whatever the pieces, threads and
 * the order; files that change meanwhile; numbers at the edges of what is allowed. */
#include "io/formats/reader.h"
#include "tests/support/io_util.h"

#include <pthread.h>

enum { EDGES = 300 };

static graphfile_reader *open_text(const char *text, size_t bytes, graphfile_format format,
                                   uint64_t piece)
{
    graphfile_reader *r;
    int fd = open(graph, O_RDWR | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_eq(write(fd, text, bytes), (ssize_t)bytes);
    ck_ok(graphfile_open_cut(&r, fd, graph, format, piece, NULL));
    return r;
}

static int scan_all(graphfile_reader *r)
{
    int st = EDGEFILE_OK;

    for (uint64_t i = graphfile_pieces(r); st == EDGEFILE_OK && i-- > 0;)
        st = graphfile_scan(r, i);
    return st;
}

/* Text with comments, empty lines, blanks and CR LF between the edges that mix() makes. */
static size_t make_text(char *text)
{
    static const char *const between[] = {"", "# comment 1 2\n", "\n", " \t\n", "% 3\r\n", "\r\n"};
    char *at = text;

    for (uint64_t i = 0; i < EDGES; i++)
        at += sprintf(at, "%s%s%llu%s%llu %d.5%s", between[mix(i) % 6], i % 7 == 0 ? " \t" : "",
                      (unsigned long long)mix(2 * i) >> mix(i) % 30 >> 2, i % 2 ? "\t" : "  ",
                      (unsigned long long)mix(2 * i + 1) >> 40, (int)i - 100,
                      i + 1 == EDGES ? ""
                      : i % 5 == 0   ? " \r\n"
                                     : "\n");
    return (size_t)(at - text);
}

START_TEST(every_piece_size)
{
    static char text[EDGES * 80];
    const size_t bytes = make_text(text);
    uint64_t src[EDGES], dst[EDGES], want_src[EDGES], want_dst[EDGES], highest = 0;
    float weight[EDGES], want[EDGES];

    for (uint64_t i = 0; i < EDGES; i++) {
        want_src[i] = mix(2 * i) >> mix(i) % 30 >> 2;
        want_dst[i] = mix(2 * i + 1) >> 40;
        want[i] = (float)((int)i - 100) + (i < 100 ? -0.5f : 0.5f);
        highest = want_src[i] > highest ? want_src[i] : highest;
    }
    want[100] = 0.5f;
    for (uint64_t piece = 1; piece < 300; piece += 1 + piece / 20) {
        graphfile_reader *r = open_text(text, bytes, GRAPHFILE_WEL, piece);
        graphfile_graph g;

        ck_ok(scan_all(r));
        ck_ok(graphfile_scanned(r, 0, 0, &g));
        ck_assert_uint_eq(g.edges, EDGES);
        ck_assert(g.id_bytes == 8 && g.weight == EDGEFILE_WEIGHT_F32 && g.rows == highest + 1 &&
                  g.cols == g.rows);
        memset(src, 0, sizeof src);
        for (uint64_t i = graphfile_pieces(r); i-- > 0;) {
            uint64_t s[EDGES], d[EDGES], first, count;
            float w[EDGES];

            ck_ok(graphfile_read(r, i, &first, &count, s, d, w));
            memcpy(src + first, s, count * 8);
            memcpy(dst + first, d, count * 8);
            memcpy(weight + first, w, count * 4);
        }
        ck_assert(memcmp(src, want_src, sizeof src) == 0 && memcmp(dst, want_dst, sizeof dst) == 0);
        ck_assert(memcmp(weight, want, sizeof want) == 0);
        graphfile_close(r);
    }
}
END_TEST

/* Read by float from its shortest decimals and from nine digits. */
START_TEST(weights_come_back)
{
    char text[64];
    uint64_t bad = 0;

    for (uint64_t i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)mix(i) & 0xff7fffff; /* finite */
        float x, y;
        double value;
        bool whole, inexact;

        memcpy(&x, &bits, sizeof x);
        snprintf(text, sizeof text, i % 2 ? "%.9g" : "%.8e", (double)x);
        bad += graphfile_decimal(text, &value, &whole, &inexact) != text + strlen(text);
        y = (float)value;
        bad += memcmp(&x, &y, sizeof x) != 0;
    }
    ck_assert_uint_eq(bad, 0);
}
END_TEST

START_TEST(numbers)
{
    static const struct {
        const char *text;
        double value;
        int whole, length; /* -1: none */
        int inexact;
    } cases[] = {{"0", 0, 1, 1, 0},
                 {"-7 ", -7, 1, 2, 0},
                 {"+5", 5, 1, 2, 0},
                 {"1.", 1, 0, 2, 0},
                 {".5x", 0.5, 0, 2, 0},
                 {"16777216", 16777216, 1, 8, 0},
                 {"-16777217", -16777217, 1, 9, 1},
                 {"16777217.0", 16777217, 0, 10, 0},
                 {"16777218", 16777218, 1, 8, 0},
                 {"2147483647", 2147483647, 1, 10, 1},
                 {"2147483648", 2147483648, 0, 10, 0},
                 {"-2147483648", -2147483648.0, 1, 11, 0},
                 {"3000000000", 3000000000, 0, 10, 0},
                 {"3000000001", 3000000001, 0, 10, 1},
                 {"9007199254740993", 9007199254740992, 0, 16, 1},
                 {"1e3", 1000, 0, 3, 0},
                 {"1e", 1, 1, 1, 0},
                 {"1e+", 1, 1, 1, 0},
                 {"1E-2", 0.01, 0, 4, 0},
                 {"1e39", 0, 0, -1, 0},
                 {"-1e99999999999", 0, 0, -1, 0},
                 {"0e99999999999", 0, 0, 13, 0},
                 {"1e-99999999999", 0, 0, 14, 0},
                 {"nan", 0, 0, -1, 0},
                 {"inf", 0, 0, -1, 0},
                 {"", 0, 0, -1, 0},
                 {"-", 0, 0, -1, 0},
                 {".", 0, 0, -1, 0},
                 {"0x10", 0, 1, 1, 0},
                 {"--1", 0, 0, -1, 0},
                 {"00000000000000000000000012", 12, 1, 26, 0},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0, 0, 30, 1},
                 {"0.00000000000000000000000000001", 1e-29, 0, 31, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        bool whole = false, inexact = false;
        const char *end = graphfile_decimal(cases[i].text, &value, &whole, &inexact);
        int length = end != NULL ? (int)(end - cases[i].text) : -1;

        ck_assert_msg(length == cases[i].length &&
                          (length < 0 || (value == cases[i].value && whole == cases[i].whole &&
                                          inexact == cases[i].inexact)),
                      "'%s': %d bytes, %.17g, %d, %d", cases[i].text, length, value, whole,
                      inexact);
    }
}
END_TEST

/* The file is not as it was scanned. */
START_TEST(changed_meanwhile)
{
    static const char text[] = "1 2 3\n4 5 6\n7 8 9\n";
    static const char *const others[] = {"1 2 3\n4 5 6\n",         "1 2 3\n4 5 6\n#8888\n",
                                         "1 2 3\n4 5 6\n9 8 9\n",  "1 2 3\n4 5 .5\n8 9\n",
                                         "1 2 3\n4 5 .5\n7 8\n\n", "1 2 3\n4 5 6\n7 8 .5"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        graphfile_reader *r = open_text(text, strlen(text), GRAPHFILE_WEL, GRAPHFILE_PIECE);
        uint32_t src[8], dst[8];
        int32_t weight[8];
        uint64_t first, count;
        graphfile_graph g;
        int fd, st;

        ck_ok(scan_all(r));
        ck_ok(graphfile_scanned(r, 0, 0, &g));
        ck_assert(g.weight == EDGEFILE_WEIGHT_I32 && g.id_bytes == 4 && g.rows == 9);
        fd = open(graph, O_WRONLY | O_TRUNC);
        ck_assert_int_eq(write(fd, others[i], strlen(others[i])), (ssize_t)strlen(others[i]));
        close(fd);
        st = graphfile_read(r, 0, &first, &count, src, dst, weight);
        ck_assert_msg(st == EDGEFILE_ERR_IO || st == EDGEFILE_ERR_FORMAT, "%zu: %d", i, st);
        graphfile_close(r);
    }
}
END_TEST

START_TEST(vertices_asked_for)
{
    graphfile_reader *r = open_text("3 9\n", 4, GRAPHFILE_EL, 64);
    graphfile_graph g;

    ck_ok(scan_all(r));
    ck_ok(graphfile_scanned(r, 0, 0, &g));
    ck_assert(g.rows == 10 && g.cols == 10 && g.id_bytes == 4);
    ck_ok(graphfile_scanned(r, 4, 12, &g));
    ck_assert(g.rows == 4 && g.cols == 12);
    ck_ok(graphfile_scanned(r, (uint64_t)1 << 40, 0, &g));
    ck_assert(g.rows == (uint64_t)1 << 40 && g.cols == 10 && g.id_bytes == 8);
    ck_fails(graphfile_scanned(r, 3, 0, &g), EDGEFILE_ERR_ARG, "4 rows, more than the 3 asked for");
    ck_fails(graphfile_scanned(r, 0, 9, &g), EDGEFILE_ERR_ARG, "10 columns, more than the 9");
    graphfile_close(r);
}
END_TEST

/* The line of a fault, whatever was scanned before. */
START_TEST(line_numbers)
{
    char text[4096] = "";

    for (int i = 1; i <= 200; i++)
        sprintf(text + strlen(text), i == 157 ? "%d x\n" : i % 3 == 0 ? "# %d\n" : "%d 1\n", i);
    for (uint64_t piece = 1; piece < 2000; piece += 1 + piece / 3) {
        graphfile_reader *r = open_text(text, strlen(text), GRAPHFILE_EL, piece);

        ck_fails(scan_all(r), EDGEFILE_ERR_FORMAT,
                 ": line 157: '157 x': dst is 'x', expected 0 to");
        graphfile_close(r);
    }
}
END_TEST

START_TEST(long_lines)
{
    const size_t most = GRAPHFILE_LINE;
    char *text = malloc(4 * most);

    for (int k = 0; k < 2; k++) { /* as long as is allowed, and a byte more */
        size_t bytes = most + (size_t)k;

        for (uint64_t piece = 1000; piece <= GRAPHFILE_PIECE; piece *= 32) {
            graphfile_reader *r;
            int st;

            memset(text, 'x', 4 * most);
            memcpy(text, "1 2\n#", 5);
            memcpy(text + 4 + bytes - 1, "\n3 4\n", 5);
            r = open_text(text, bytes + 8, GRAPHFILE_EL, piece);
            st = scan_all(r);
            if (k == 0)
                ck_ok(st);
            else
                ck_fails(st, EDGEFILE_ERR_FORMAT,
                         ": line 2: '#xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': longer "
                         "than 65536 bytes");
            graphfile_close(r);
        }
    }
    free(text);
}
END_TEST

static void *scan_odd(void *reader)
{
    for (uint64_t i = 1; i < graphfile_pieces(reader); i += 2)
        if (graphfile_scan(reader, i) != EDGEFILE_OK)
            return reader;
    return NULL;
}

START_TEST(threads)
{
    static char text[200000];
    graphfile_reader *r;
    graphfile_graph g;
    pthread_t other;
    void *failed;
    size_t n = 0;

    for (int i = 0; i < 10000; i++)
        n += (size_t)sprintf(text + n, "%d %d\n", i, 10000 - i);
    r = open_text(text, n, GRAPHFILE_TSV, 100);
    ck_assert_int_eq(pthread_create(&other, NULL, scan_odd, r), 0);
    for (uint64_t i = 0; i < graphfile_pieces(r); i += 2)
        ck_ok(graphfile_scan(r, i));
    pthread_join(other, &failed);
    ck_assert_ptr_null(failed);
    ck_ok(graphfile_scanned(r, 0, 0, &g));
    ck_assert(g.edges == 10000 && g.rows == 10001 && g.weight == EDGEFILE_NO_WEIGHT);
    graphfile_close(r);
}
END_TEST

START_TEST(not_files)
{
    graphfile_reader *r = (graphfile_reader *)graph;

    ck_fails(graphfile_open(&r, scratch, GRAPHFILE_EL), EDGEFILE_ERR_FORMAT,
             ": is a directory, expected a regular file");
    ck_assert_ptr_null(r);
    ck_fails(graphfile_open(&r, graph, GRAPHFILE_EL), EDGEFILE_ERR_OPEN, "No such file");
    ck_assert_int_eq(mkfifo(graph, 0600), 0);
    ck_fails(graphfile_open(&r, graph, GRAPHFILE_EL), EDGEFILE_ERR_FORMAT, ": is a FIFO");
    ck_fails(graphfile_open(&r, "/dev/null", GRAPHFILE_BIN32), EDGEFILE_ERR_FORMAT,
             ": is a device");
    close(open(graph_partial, O_CREAT | O_WRONLY, 0600));
    ck_fails(graphfile_open(&r, graph_partial, GRAPHFILE_CSR), EDGEFILE_ERR_ARG,
             "cannot read the format csr");
    graphfile_close(NULL);
}
END_TEST

TEST_MAIN(graphfile_read)
{
    TCase *tc = tcase_create("graphfile_read");

    tcase_add_test(tc, every_piece_size);
    tcase_add_test(tc, weights_come_back);
    tcase_add_test(tc, numbers);
    tcase_add_test(tc, changed_meanwhile);
    tcase_add_test(tc, vertices_asked_for);
    tcase_add_test(tc, line_numbers);
    tcase_add_test(tc, long_lines);
    tcase_add_test(tc, threads);
    tcase_add_test(tc, not_files);
    return run_tests("graphfile_read", tc);
}
