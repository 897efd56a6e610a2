/*
 * test_io_roundtrip.c - lists and CSR files: written data is read back, the bytes do not depend on
 * who writes which pieces in what order, files of others stay, and attributes keep their values.
 * cli/test_formats.py tests the types that other programs see.
 */
#include "tests/support/io_group.h"

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

/* Around a page of either width, around 1 MiB of data (where alignment sets in), and odd. */
static const uint64_t sizes[] = {0,    1,    3,      511,    512,    513,    1023,   1024,
                                 1025, 4097, 131071, 131072, 131073, 262144, 1000003};
static const uint64_t weighted_sizes[] = {1, 1025, 131072, 262143, 300001};
static const struct {
    uint64_t rows, edges;
} csr_sizes[] = {{1, 0},      {1, 1},      {2, 3},      {7, 1},           {1, 300001},
                 {200000, 0}, {513, 1025}, {3, 262144}, {131071, 131072}, {200000, 400001}};

enum {
    PLAIN = 2 * sizeof sizes / sizeof *sizes,
    WEIGHTED = 4 * sizeof weighted_sizes / sizeof *weighted_sizes,
    CSR = 2 * sizeof csr_sizes / sizeof *csr_sizes,
    GRAPHS = PLAIN + WEIGHTED + CSR
};

/* Lists of every size and width, lists with weights of each kind, and CSR of every size and width
 * with every kind of weight. */
static graphfile_spec spec_of(int i)
{
    const int j = i - PLAIN, k = j - WEIGHTED, id_bytes = i % 2 ? 8 : 4;

    if (j < 0)
        return plain_spec(sizes[i / 2], id_bytes);
    if (k < 0)
        return weighted(plain_spec(weighted_sizes[j / 4], id_bytes),
                        j % 4 < 2 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32);
    return weighted(csr_spec(csr_sizes[k / 2].rows, csr_sizes[k / 2].edges, id_bytes),
                    (edgefile_weight)((k / 2 + k % 2) % 3));
}

/* Of one process, or of a group of them. */
static const struct {
    int processes, threads;
    deal deal;
    uint64_t cuts, least; /* pieces of at most least + length / cuts elements, or whole units */
} ways[] = {
    {0, 1, DEAL_ANY, 7, 1},
    {0, 1, DEAL_ANY, 200, 100},
    {0, 5, DEAL_ANY, 400, 37},
    {1, 1, DEAL_OWN, 0, 0},
    {3, 1, DEAL_OWN, 0, 0},
    {8, 1, DEAL_ANY, 0, 0},
    /* ranges of rows end anywhere: neighbors write both sides of most pages at the same time */
    {2, 1, DEAL_IN_TURN, 400, 200},
    {3, 2, DEAL_ANY, 100, 100},
};

/* A CSR file has one value for all where there are no weights. */
static void check_length(const graphfile_spec *spec)
{
    const int64_t slack = (spec->graph.weight ? 2 : 1) << 20;
    struct stat st;
    int exact;
    const int64_t estimate = (int64_t)graphfile_most_bytes(spec, &exact);

    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_ge(estimate, st.st_size);
    ck_assert_int_le(estimate, st.st_size + slack + (spec->format == GRAPHFILE_CSR));
    ck_assert_int_eq(exact, 0);
}

enum { EACH = SANITIZED ? 3 : 1 }; /* of the graphs: a sanitizer takes longer */

/* Written at once, past the page cache and through it, and in every way. */
START_TEST(all_ways_give_the_same_file)
{
    graphfile_spec spec = spec_of(_i * EACH);
    const uint64_t longest =
        spec.graph.edges > spec.graph.rows ? spec.graph.edges : spec.graph.rows;

    write_graph(graph, buffered(spec, 1));
    check_graph(graph, spec);
    check_length(&spec);
    write_graph(twin, buffered(spec, 0));
    check_same_bytes(graph, twin);
    for (int w = 0; w < COUNT(ways); w++) {
        crew_job job = {.name = twin,
                        .spec = buffered(replacing(spec), (w + _i / 2) % 2),
                        .deal = ways[w].deal,
                        .threads = ways[w].threads,
                        .seed = (uint64_t)(1000 * _i + w)};

        if (ways[w].cuts > 0)
            job.most = longest <= 5000 && w == _i % 3 ? 1 : ways[w].least + longest / ways[w].cuts;
        else if (spec.format == GRAPHFILE_CSR)
            job.most = 3000; /* it has no units */
        if (ways[w].processes == 0)
            write_together(NULL, &job);
        else if ((w + _i) % 2 == 0) /* of each size one width of ids: syncs take the time */
            run_crew(ways[w].processes, 1, write_together, &job);
        check_same_bytes(graph, twin);
    }
    ck_assert(!exists(graph_partial));
}

START_TEST(data_starts_on_a_mebibyte)
{
    size_t size;
    uint32_t first = (uint32_t)mix(0), weight = made_weight(0, EDGEFILE_WEIGHT_I32);
    scoped(free) char *bytes = NULL;

    write_graph(graph, weighted(plain_spec(300000, 4), EDGEFILE_WEIGHT_I32));
    bytes = slurp(graph, &size);
    ck_assert_int_eq(memcmp(bytes + (1 << 20), &first, sizeof first), 0);
    ck_assert_int_eq(memcmp(bytes + (5 << 20), &weight, sizeof weight), 0);
}

START_TEST(small_graphs_make_small_files)
{
    graphfile_spec spec = plain_spec(10, 8);
    static const uint64_t value = 1;
    edgefile_attr attrs[20];
    char names[20][12];
    struct stat st;

    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "a%d", i);
        attrs[i] = (edgefile_attr){names[i], EDGEFILE_U64, 1, &value};
    }
    spec.attrs = attrs;
    spec.n_attrs = 20;
    write_graph(graph, spec);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_lt(st.st_size, 3000);
}

/* Pages of the first `bytes` of the file that lie in the page cache, the first one left out. */
static size_t cached_pages(const char *path, size_t bytes)
{
    size_t page = edgefile_alignment(), pages = bytes / page, n = 0;
    unsigned char *resident = calloc(pages, 1);
    int fd = open(path, O_RDONLY);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    ck_assert_ptr_ne(map, MAP_FAILED);
    ck_assert_int_eq(mincore(map, bytes, resident), 0);
    for (size_t i = 1; i < pages; i++)
        n += resident[i] & 1;
    munmap(map, bytes);
    close(fd);
    free(resident);
    return n;
}

START_TEST(direct_is_direct)
{
    size_t bytes = 4 << 20;
    graphfile_spec spec = plain_spec(2 * bytes / 8, 8);
    void *base, *ids = skewed_alloc(bytes, 0, &base);
    graphfile_writer *w;
    int direct = open(scratch, O_TMPFILE | O_RDWR | O_DIRECT, 0600);

    memset(ids, 1, bytes);
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, bytes / 8, ids, ids, NULL, 0));
    ck_ok(put_edges(w, bytes / 8, bytes / 8, ids, ids, NULL, 0));
    if (direct >= 0)
        ck_assert_uint_eq(cached_pages(graph_partial, 8 << 20), 0);
    close(direct);
    ck_ok(commit_graph(&w, NULL));
    free(base);
}

/* --- parts --- */

/* Every part of a list and of CSR, with weights or without, and nothing beyond the end. */
START_TEST(parts_are_read)
{
    const int is_csr = _i % 2;
    const edgefile_weight weight = (edgefile_weight)(_i / 2);
    const graphfile_spec spec =
        weighted(is_csr ? csr_spec(5000, 100000, 8) : plain_spec(100000, 8), weight);
    uint64_t src[100], dst[100], pointers[100], *sources = is_csr ? NULL : src;
    uint32_t weights[100];
    edgefile_reader *r;

    write_graph(graph, spec);
    ck_ok(edgefile_open(&r, graph));
    for (uint64_t first = 0; first < 100000 - 100; first += 997) {
        uint64_t row = first % 4900;
        uint32_t *wanted = weight != EDGEFILE_NO_WEIGHT && first % 5 > 0 ? weights : NULL;
        ck_ok(edgefile_read(r, first, 100, sources, dst, wanted));
        ck_assert_uint_eq(differences(&spec, first, 100, sources, dst, wanted), 0);
        if (!is_csr)
            continue;
        ck_ok(edgefile_read_pointers(r, row, 100, pointers));
        for (uint64_t i = 0; i < 100; i++)
            ck_assert_uint_eq(pointers[i], made_pointer(&spec, row + i));
    }
    if (weight == EDGEFILE_NO_WEIGHT) {
        ck_fails(edgefile_read(r, 0, 1, sources, dst, weights), EDGEFILE_ERR_ARG, "has no weights");
        ck_fails(edgefile_read(r, 0, 0, NULL, NULL, weights), EDGEFILE_ERR_ARG, "has no weights");
    }
    ck_ok(edgefile_read(r, 100000, 0, NULL, NULL, NULL));
    ck_fails(edgefile_read(r, 99999, 2, sources, dst, NULL), EDGEFILE_ERR_RANGE,
             "2 edges at 99999");
    ck_fails(edgefile_read(r, UINT64_MAX, 1, sources, dst, NULL), EDGEFILE_ERR_RANGE,
             "the file has 100000");
    ck_fails(edgefile_read(r, 1, UINT64_MAX, sources, dst, NULL), EDGEFILE_ERR_RANGE,
             "the file has 100000");
    ck_fails(edgefile_read(r, 0, 1, is_csr ? src : NULL, dst, NULL), EDGEFILE_ERR_ARG,
             is_csr ? "src is not NULL" : "NULL");
    ck_fails(edgefile_read(r, 0, 1, sources, NULL, NULL), EDGEFILE_ERR_ARG, "dst is NULL");
    if (is_csr) {
        ck_ok(edgefile_read_pointers(r, 5001, 0, NULL));
        ck_fails(edgefile_read_pointers(r, 5001, 1, pointers), EDGEFILE_ERR_RANGE,
                 "1 pointers at 5001, the file has 5001");
        ck_fails(edgefile_read_pointers(r, 1, UINT64_MAX, pointers), EDGEFILE_ERR_RANGE,
                 "the file has 5001");
        ck_fails(edgefile_read_pointers(r, 0, 1, NULL), EDGEFILE_ERR_ARG, "pointers is NULL");
        ck_fails(edgefile_read_pointers(NULL, 0, 1, pointers), EDGEFILE_ERR_ARG, "NULL");
    } else
        ck_fails(edgefile_read_pointers(r, 0, 1, pointers), EDGEFILE_ERR_ARG, "is not CSR");
    edgefile_close(r);
}

/* What is cut off after the file was opened is missed, not made up. */
START_TEST(becomes_shorter)
{
    graphfile_spec spec = buffered(plain_spec(400001, 8), 1);
    uint64_t src[10], dst[10];
    edgefile_reader *r;

    write_graph(graph, spec);
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(truncate(graph, 4 * 400001), 0);
    ck_fails(edgefile_read(r, 400001 - 10, 10, src, dst, NULL), EDGEFILE_ERR_IO,
             "src: the file has become shorter");
    edgefile_close(r);
}

/* --- threads --- */

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
    int numbers[] = {0, 1, 2, 3, 4};

    in_threads(COUNT(numbers), whole_file, numbers, sizeof *numbers);
}

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

    ck_fails(edgefile_open(&r, scratch), EDGEFILE_ERR_FORMAT, "is a directory");
    in_threads(1, fail_once, text, 0);
    ck_assert_ptr_nonnull(strstr(text, "/nonexistent/graph.h5"));
    ck_assert_ptr_nonnull(strstr(edgefile_detail(), "is a directory"));
}

/* --- attributes --- */

START_TEST(attributes)
{
    static const double levels[] = {0.57, 0.19, 0.19, 0.05, 1e-300};
    static const uint64_t seed = UINT64_MAX, many[] = {1, 2, 3};
    static const double a = 0.1;
    scoped(free) char *longest = malloc(200001), *back = malloc(200001);
    char text[8];
    double values[8] = {0}, value;
    uint64_t count, number;
    edgefile_reader *r;
    graphfile_spec spec = plain_spec(10, 4);

    memset(longest, 'x', 200000);
    longest[200000] = '\0';
    spec.attrs = (edgefile_attr[]){{"seed", EDGEFILE_U64, 1, &seed},
                                   {"a", EDGEFILE_F64, 1, &a},
                                   {"levels", EDGEFILE_F64, 5, levels},
                                   {"many", EDGEFILE_U64, 3, many},
                                   {"command", EDGEFILE_STRING, 1, "rmat générate"},
                                   {"nothing", EDGEFILE_STRING, 1, ""},
                                   {"longest", EDGEFILE_STRING, 1, longest}};
    spec.n_attrs = 7;
    write_graph(graph, spec);

    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_get_u64(r, "seed", &number));
    ck_assert_uint_eq(number, seed);
    ck_ok(edgefile_get_f64(r, "a", &value));
    ck_assert_double_eq(value, a);
    ck_ok(edgefile_get_f64s(r, "levels", values, 8, &count));
    ck_assert_uint_eq(count, 5);
    ck_assert_mem_eq(values, levels, sizeof levels);
    memset(values, 0, sizeof values);
    ck_ok(edgefile_get_f64s(r, "levels", values, 2, &count));
    ck_assert_uint_eq(count, 5);
    ck_assert_double_eq(values[1], 0);
    ck_ok(edgefile_get_f64s(r, "levels", NULL, 0, &count));
    ck_assert_uint_eq(count, 5);
    ck_ok(edgefile_get_string(r, "command", back, 100));
    ck_assert_str_eq(back, "rmat générate");
    ck_ok(edgefile_get_string(r, "format", text, sizeof text));
    ck_assert_str_eq(text, "rmat-ed");
    ck_ok(edgefile_get_string(r, "format", text, 1));
    ck_assert_str_eq(text, "");
    ck_ok(edgefile_get_string(r, "nothing", back, 100));
    ck_assert_str_eq(back, "");
    ck_ok(edgefile_get_string(r, "longest", back, 200001));
    ck_assert_str_eq(back, longest);

    ck_fails(edgefile_get_u64(r, "none", &number), EDGEFILE_ERR_ATTR, "'none' is missing");
    ck_fails(edgefile_get_u64(r, "a", &number), EDGEFILE_ERR_ATTR, "not an unsigned integer");
    ck_fails(edgefile_get_u64(r, "many", &number), EDGEFILE_ERR_ATTR, "'many' is not an unsigned");
    ck_fails(edgefile_get_u64(r, "command", &number), EDGEFILE_ERR_ATTR, "'command' is not");
    ck_fails(edgefile_get_f64(r, "seed", &value), EDGEFILE_ERR_ATTR, "'seed' is not a floating");
    ck_fails(edgefile_get_f64(r, "levels", &value), EDGEFILE_ERR_ATTR, "'levels' is not");
    ck_fails(edgefile_get_f64s(r, "a", values, 8, &count), EDGEFILE_ERR_ATTR, "'a' is not a 1-D");
    ck_fails(edgefile_get_f64s(r, "many", values, 8, &count), EDGEFILE_ERR_ATTR, "'many' is not");
    ck_fails(edgefile_get_string(r, "seed", text, 8), EDGEFILE_ERR_ATTR, "'seed' is not a string");
    ck_fails(edgefile_get_string(r, "format", text, 0), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_get_u64(r, NULL, &number), EDGEFILE_ERR_ARG, "NULL");
    edgefile_close(r);
}

/* --- replacing: a graph does not replace a file that another program made meanwhile, links stay,
 * and a writer removes only its own files.  cli/test_stop.py, test_concurrent.py,
 * test_mpi_failures.py and test_mpi_stops.py test the rest, for one process and several: files are
 * replaced where allowed, a dead job's files are replaced, and a living job's files stay. --- */

static void check_only(void)
{
    check_graph(graph, plain_spec(1000, 8));
    ck_assert(!exists(graph_partial));
}

/* Comes into being while the job runs. */
START_TEST(that_appears_meanwhile)
{
    graphfile_spec spec = buffered(plain_spec(1000, 8), _i);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert(exists(graph_partial) && !exists(graph));
    ck_ok(write_made(w, &spec, 0, 1000, NULL));
    spew(graph, "mine", 4);
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_EXISTS, "in the meantime");
    check_content(graph, "mine");
    ck_assert(!exists(graph_partial));
}

/* A link stays one, absolute or relative: what it leads to is replaced. */
START_TEST(through_a_link)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;
    char target[128];

    spew(graph, "old", 3);
    ck_assert_int_eq(symlink(_i == 0 ? graph : "graph.h5", twin), 0);
    write_graph(twin, replacing(spec));
    check_only();
    ck_assert_int_gt(readlink(twin, target, sizeof target), 0);
    ck_fails(graphfile_create(&w, twin, &spec), EDGEFILE_ERR_EXISTS, "already exists");
}

/* In a process of its own: from edgefile_abandon() on nothing can be written. */
static void abandon_in_child(graphfile_writer *w, const graphfile_spec *spec)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (w == NULL && graphfile_create(&w, graph, spec) != EDGEFILE_OK)
            _exit(1);
        edgefile_abandon();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* What a process has under construction goes; what its parent has stays. */
START_TEST(abandoned)
{
    graphfile_spec spec = plain_spec(1000, 8);
    graphfile_writer *w;

    abandon_in_child(NULL, &spec);
    ck_assert(!exists(graph_partial));
    ck_ok(graphfile_create(&w, graph, &spec));
    abandon_in_child(w, &spec);
    ck_assert(exists(graph_partial));
    ck_ok(write_made(w, &spec, 0, 1000, NULL));
    ck_ok(commit_graph(&w, NULL));
    check_only();
}

/* --- arrays of more than 1 GiB in one call, which the library has to cut.  The memory is zero
 * except for marks around the cuts, so it costs little; the files take 2.2 GB each. --- */

#define MANY (((uint64_t)1 << 27) + 70003)

static const uint64_t marks[] = {
    0, 1, (1 << 27) - 1, 1 << 27, (1 << 27) + 1, MANY / 2, MANY - 70000, MANY - 2, MANY - 1};
#define MARKS (sizeof marks / sizeof *marks)

static uint64_t *zeros(void)
{
    uint64_t *ids = mmap(NULL, MANY * 8, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(ids, MAP_FAILED);
    return ids;
}

START_TEST(beyond_one_call)
{
    graphfile_spec spec = weighted(buffered(plain_spec(MANY, 8), _i), EDGEFILE_WEIGHT_I32);
    int32_t weight;
    uint64_t *src = zeros(), *dst = zeros(), sum = 0, expected = 0;
    graphfile_writer *w;
    edgefile_reader *r;
    struct statvfs fs;

    ck_assert_int_eq(statvfs(scratch, &fs), 0);
    if (fs.f_bavail * fs.f_frsize < 5 * MANY * 8) {
        fprintf(stderr, "large file: skipped, too little room in %s\n", scratch);
        return;
    }
    for (size_t m = 0; m < MARKS; m++) {
        src[marks[m]] = mix(2 * m + 1);
        dst[marks[m]] = mix(2 * m + 2);
    }
    ck_ok(graphfile_create(&w, graph, &spec));
    /* the first half of dst serves as weights */
    ck_ok(put_edges(w, 0, MANY, src, dst, dst, 0));
    ck_ok(commit_graph(&w, NULL));

    ck_ok(edgefile_open(&r, graph));
    munmap(dst, MANY * 8);
    for (size_t m = 0; m < MARKS; m++) {
        uint64_t one, other;
        ck_ok(edgefile_read(r, marks[m], 1, &one, &other, NULL));
        ck_assert_uint_eq(one, mix(2 * m + 1));
        ck_assert_uint_eq(other, mix(2 * m + 2));
        if (2 * marks[m] < MANY) {
            ck_ok(edgefile_read(r, 2 * marks[m], 1, &one, &other, &weight));
            ck_assert_int_eq(weight, (int32_t)mix(2 * m + 2));
        }
    }
    /* all at once, dst over src to save memory */
    memset(src, 0xff, MANY * 8);
    ck_ok(edgefile_read(r, 0, MANY, src, src, NULL));
    for (uint64_t i = 0; i < MANY; i++)
        sum += src[i];
    for (size_t m = 0; m < MARKS; m++) {
        expected += mix(2 * m + 2);
        ck_assert_uint_eq(src[marks[m]], mix(2 * m + 2));
    }
    ck_assert_uint_eq(sum, expected);
    munmap(src, MANY * 8);
    edgefile_close(r);
}

FOLDER_CASES(io_roundtrip, LOOP(all_ways_give_the_same_file, 0, GRAPHS / EACH),
             ONCE(data_starts_on_a_mebibyte), ONCE(small_graphs_make_small_files),
             ONCE(direct_is_direct), LOOP(parts_are_read, 0, 6), ONCE(becomes_shorter),
             ONCE(many_files_at_once), ONCE(messages_belong_to_their_thread), ONCE(attributes),
             ONCE(abandoned), LOOP(that_appears_meanwhile, 0, 2), LOOP(through_a_link, 0, 2),
             LOOP(beyond_one_call, 0, getenv("RMAT_TEST_LARGE") != NULL ? 2 : 0))
