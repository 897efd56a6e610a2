/*
 * The official streams, on a CPU and on a GPU, against edges of the programs that they reproduce:
 * Graph500's (graph500/graph500, commit f89d643, generator/, built with -DSSSP) and GAPBS's
 * (sbeamer/gapbs, commit b5e3e19, built with GCC 12).  Ranges of their lists as fingerprints of the
 * edges, hashes of the weights' bits, and single edges; all instruction sets; ranges cut anywhere;
 * both directions of edges; errors.  For GAPBS, also pieces, a rejected weight, and numbers of
 * vertices.
 */
#include "rmat/model/official.h"
#include "rmat/rmat_source.h"
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

enum { GRAPH500, GAPBS, BOTH };
enum { ISAS = ON_GPU ? 1 : RMAT_ISA_NEON + 1, MOST = ON_GPU ? 3 << 20 : 900000 };

static uint64_t src[MOST], dst[MOST], x[MOST], y[MOST];
static uint32_t weight[MOST], w[MOST]; /* bits of floats or of ints */

/* A list with weights, of a generator on a CPU. */
typedef struct {
    int kind, scale;
    rmat_gen *gen;
    rmat_source source;
} stream;

static int create(rmat_gen **gen, int kind, int scale, rmat_isa isa, int threads)
{
    rmat_config c = square_model(scale);

    c.stream = kind == GAPBS ? RMAT_STREAM_GAPBS : RMAT_STREAM_GRAPH500;
    c.seed = kind == GAPBS ? RMAT_GAPBS_SEED : RMAT_GRAPH500_SEED1;
    c.seed2 = RMAT_GRAPH500_SEED2;
    c.weights = kind == GAPBS ? RMAT_WEIGHTS_INT : RMAT_WEIGHTS_UNIFORM;
    c.weight_min = 1;
    c.weight_max = 255;
    c.backend = RMAT_BACKEND_CPU;
    c.isa = isa;
    c.threads = threads;
    return rmat_create(gen, &c);
}

static stream open_stream(int kind, int scale, rmat_isa isa, uint64_t edges)
{
    stream s = {.kind = kind, .scale = scale};

    ok(create(&s.gen, kind, scale, isa, 0));
    s.source = rmat_source_of(s.gen);
    s.source.edges = edges;
    return s;
}

static void close_stream(stream s)
{
    rmat_destroy(s.gen);
}
SCOPED(close_stream, stream)

static rmat_gen *create_from(const stream *s, int symmetrize)
{
    rmat_config config = square_model(1);
    rmat_gen *gen;

    config.backend = TESTED;
    config.symmetrize = symmetrize;
    ok(rmat_create_from(&gen, &s->source, &config));
    return gen;
}

/* Edges by the source on a CPU, and by a generator of it on a GPU. */
static void make(const stream *s, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    if (ON_GPU) {
        scoped(rmat_destroy) rmat_gen *gen = create_from(s, 0);

        ok(rmat_generate_arrays(gen, first, count, to));
    } else {
        ok(s->source.fill(s->source.state, first, count, to));
    }
}

/* Edges to compare with: of Graph500 one at a time on a CPU, and else by the source. */
static void expect(const stream *s, uint64_t first, uint64_t count)
{
    const mrg_view *v = &((const rmat_graph500 *)s->source.state)->view;

    if (ON_GPU || s->kind == GAPBS) {
        ok(s->source.fill(s->source.state, first, count, &(rmat_arrays){src, dst, weight, 8}));
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t z[5];
        float f;

        mrg_state(v, first + i, 1, z);
        mrg_edge(v, z, &src[i], &dst[i]);
        f = mrg_weight(mrg_next(z));
        memcpy(&weight[i], &f, sizeof f);
    }
}

/* Edges [first + at, +count) are those expected from `first` on. */
static void compare(const stream *s, uint64_t first, uint64_t at, uint64_t count, int id_bytes,
                    bool weights)
{
    make(s, first + at, count, &(rmat_arrays){x, y, weights ? w : NULL, id_bytes});
    for (uint64_t i = 0; i < count; i++) {
        must(id_of(x, i, id_bytes) == src[at + i] && id_of(y, i, id_bytes) == dst[at + i] &&
                 (!weights || w[i] == weight[at + i]),
             "scale %d, edges [%lu, +%lu), %d bytes: edge %lu", s->scale, at, count, id_bytes, i);
    }
}

/* Of weights in their order. */
static uint64_t weight_hash(uint64_t n)
{
    uint64_t h = 0;

    for (uint64_t i = 0; i < n; i++) {
        h = h * 1099511628211u + weight[i];
    }
    return h;
}

/* Weights and last edges: of GAPBS alone. */
static const struct {
    int kind, scale;
    uint64_t first, count, fingerprint, weights, src, dst, weight, last_src, last_dst, last_weight;
} references[] = {
    {GRAPH500, 10, 0, 16384, 0x61c105b8ab99b790, 0x72af448d398d71d3, 299, 797, 0, 0, 0, 0},
    {GRAPH500, 20, 1000, 100000, 0x85c7f71aa09c61da, 0xea8898b450b75e3c, 702916, 407211, 0, 0, 0,
     0},
    {GRAPH500, 26, 123456789, 10000, 0x0827901083482ba5, 0x33d8426dee042144, 55976335, 33504929, 0,
     0, 0, 0},
    {GRAPH500, 30, 5000000001, 10000, 0x483379c0b3843445, 0x483566eeb8b2e16d, 949769536, 173397595,
     0, 0, 0, 0},
    {GRAPH500, 36, 700000000123, 10000, 0x9abeb62c6284dc8a, 0xf5736df12fde41cc, 51675995097,
     39877321679, 0, 0, 0, 0},
    {GRAPH500, 42, 50000000000077, 10000, 0x3f7282ee981395b0, 0x44b3f9546827fcc3, 2845443106783,
     1786349910311, 0, 0, 0, 0},
    {GAPBS, 5, 0, 512, 0x4be4345d903b267b, 0xa267da656ca06df4, 16, 25, 235, 28, 3, 130},
    {GAPBS, 10, 0, 16384, 0xe4055724036daf68, 0x7b022b96625ff4f3, 53, 536, 235, 224, 618, 222},
    {GAPBS, 14, 0, 262144, 0xc81c702129e7ca55, 0xfcd2e176fe0f5130, 11694, 9631, 235, 5451, 9143,
     24},
    {GAPBS, 14, 123457, 100001, 0x6dfe96fd5d4df6ed, 0x7c0b289876c84bb7, 1808, 5526, 202, 9526, 2897,
     155},
    {GAPBS, 16, 200000, 700001, 0xb796ce00bc30fa1e, 0x0e2a65e9192a2ab4, 30959, 56089, 5, 59556,
     57173, 173},
    {GAPBS, 18, 262100, 100, 0x08439acaa01f88c2, 0x7eaacc387357a969, 218415, 25837, 84, 161144,
     32459, 20},
    {GAPBS, 18, 1000003, 600000, 0xabba3cd0feda899d, 0x854a77f93f5d0344, 261551, 236973, 14, 169465,
     149170, 50},
    {GAPBS, 20, 0, 100000, 0xfb7c19fd54081090, 0x9a4fb9fea6228075, 598870, 237606, 235, 260886,
     831812, 21},
    {GAPBS, 20, 777777, 900000, 0xb678dad322611ffe, 0x5f322b9afca95cd0, 839489, 113628, 49, 239313,
     598128, 192},
    {GAPBS, 20, 16000000, 777216, 0xb1dd9870c8bbe558, 0x7ff5f76e9bc46c45, 455800, 501348, 232,
     1020922, 606824, 177}};

START_TEST(as_the_reference)
{
    for (int k = 0; k < COUNT(references); k++) {
        const uint64_t first = references[k].first, n = references[k].count;
        const bool gapbs = references[k].kind == GAPBS;

        if (rmat_cpu_has_isa((rmat_isa)_i) && !(small_run() && n > 20000)) {
            scoped(close_stream) stream s =
                open_stream(references[k].kind, references[k].scale, (rmat_isa)_i, RMAT_MAX_EDGES);

            make(&s, first, n, &(rmat_arrays){src, dst, weight, 8});
            must(src[0] == references[k].src && dst[0] == references[k].dst &&
                     (!gapbs || weight[0] == references[k].weight),
                 "range %d: the first edge", k);
            must(!gapbs || (src[n - 1] == references[k].last_src &&
                            dst[n - 1] == references[k].last_dst &&
                            weight[n - 1] == references[k].last_weight),
                 "range %d: the last edge", k);
            must(rmat_fingerprint(src, dst, n, 8) == references[k].fingerprint, "%d: edges", k);
            must(weight_hash(n) == references[k].weights, "range %d: weights", k);
            compare(&s, first, 0, n, s.scale <= 32 ? 4 : 8, true);
        }
    }
}

/* Of Graph500 scales of every number of levels that a GPU's kernel treats by itself, with edges
 * enough for a dozen rejected numbers at scale 62; of GAPBS every scale, over the end of a block.
 */
START_TEST(cuts)
{
    static const int scales[] = {1, 2, 31, 32, 33, 62, /* and on a GPU */
                                 3, 4, 5,  6,  20, 26, 30, 36, 42, 60};
    const int kind = _i % BOTH, cases = kind == GAPBS ? 20 : ON_GPU ? 16 : 6;
    const uint64_t many = kind == GRAPH500         ? ON_GPU      ? MOST
                                                     : SANITIZED ? 20000
                                                                 : 100000
                          : ON_GPU && !small_run() ? 600000
                                                   : 5000;
    const uint64_t far = kind == GAPBS ? 5 * GAPBS_BLOCK - 3000 : RMAT_MAX_EDGES / 3 + 100;
    const size_t before = free_device_memory();

    if (!rmat_cpu_has_isa((rmat_isa)(_i / BOTH)) || (kind == GAPBS && _i != GAPBS)) {
        return; /* GAPBS's numbers are made in whole blocks: one instruction set will do */
    }
    for (int k = 0; k < cases; k += kind == GAPBS && small_run() ? 9 : 1) {
        scoped(close_stream) stream s = open_stream(kind, kind == GAPBS ? k + 1 : scales[k],
                                                    (rmat_isa)(_i / BOTH), RMAT_MAX_EDGES);

        for (int start = ON_GPU && kind == GRAPH500 ? 0 : 1; start < 2; start++) {
            const uint64_t first = start ? far : 0;

            expect(&s, first, many);
            for (int bytes = s.scale <= 32 ? 4 : 8; bytes <= 8; bytes += 4) {
                compare(&s, first, 0, many, bytes, true);
                for (uint64_t at = 0; at < 4000; at += (kind == GAPBS ? 211 : 1) + at % 300) {
                    compare(&s, first, at, 1 + at * 7 % 900, bytes, at % 2);
                }
            }
        }
        if (kind == GAPBS) {
            must(s.source.piece_end(s.source.state, far) == 5 * GAPBS_BLOCK &&
                     s.source.piece_end(s.source.state, 5 * GAPBS_BLOCK) == 6 * GAPBS_BLOCK,
                 "pieces");
        }
    }
    if (kind == GAPBS) { /* Graph500 loads more kernels with each scale */
        check_no_leak(before);
    }
}

/* In blocks 16571 and 17131 of GAPBS a number is rejected: number 198025, which moves the weights
 * from edge 198025 on, and number 73043. */
START_TEST(rejected_weights)
{
    scoped(close_stream) stream s = open_stream(GAPBS, 1, RMAT_ISA_AUTO, RMAT_MAX_EDGES);

    make(&s, 16571 * GAPBS_BLOCK + 198000, 100, &(rmat_arrays){x, y, weight, 4});
    must(weight_hash(100) == 0xe917044ad69b9878, "a rejected number among them");
    make(&s, 16571 * GAPBS_BLOCK + 198050, 50, &(rmat_arrays){x, y, w, 4});
    must(!memcmp(weight + 50, w, 50 * sizeof *weight), "a rejected number before them");
    make(&s, 17131 * GAPBS_BLOCK + 73043, 100, &(rmat_arrays){x, y, weight, 4});
    must(weight_hash(100) == 0x86736297ccbfe20c, "the first number is rejected");
}

/* The sizes of the graphs of GAPBS's converter. */
START_TEST(vertices)
{
    static const uint64_t graphs[][3] = {{5, 512, 32},
                                         {10, 16384, 1024},
                                         {14, 262144, 16381},
                                         {18, 4194304, 262143},
                                         {20, 16777216, 1048576}};

    for (int k = 0; k < (small_run() ? 3 : COUNT(graphs)); k++) {
        uint64_t n = 0;

        for (int threads = 1; threads <= 3; threads++) {
            scoped(rmat_destroy) rmat_gen *gen = NULL;

            ok(create(&gen, GAPBS, (int)graphs[k][0], RMAT_ISA_AUTO, threads));
            ok(rmat_gapbs_vertices(gen, 0, graphs[k][1], &n));
            must(n == graphs[k][2], "scale %lu: %lu", graphs[k][0], n);
            ok(rmat_gapbs_vertices(gen, 0, 0, &n));
            must(n == 1, "none");
            gives(RMAT_ERR_RANGE, rmat_gapbs_vertices(gen, 1, RMAT_MAX_EDGES, &n));
            gives(RMAT_ERR_ARG, rmat_gapbs_vertices(NULL, 0, 1, &n));
            gives(RMAT_ERR_ARG, rmat_gapbs_vertices(gen, 0, 1, NULL));
        }
    }
}

/* A generator of the source makes both directions, with the weights of the list, in 32 bits. */
START_TEST(both_directions)
{
    const int scale = _i == GAPBS ? 14 : 20;
    const uint64_t first = _i == GAPBS ? 100 : 1000, count = _i == GAPBS ? 150000 : 500;
    const uint32_t *from = (uint32_t *)x, *to = (uint32_t *)y;
    scoped(close_stream) stream s =
        open_stream(_i, scale, RMAT_ISA_AUTO, _i == GAPBS ? 1 << 18 : 1 << 20);
    scoped(rmat_destroy) rmat_gen *gen = create_from(&s, 1);

    ok(s.source.fill(s.source.state, first, count + 1, &(rmat_arrays){src, dst, weight, 8}));
    ok(rmat_generate_arrays(gen, 2 * first + 1, 2 * count, &(rmat_arrays){x, y, w, 4}));
    for (uint64_t i = 1; i <= 2 * count; i++) {
        must(from[i - 1] == (i % 2 ? dst : src)[i / 2] && to[i - 1] == (i % 2 ? src : dst)[i / 2] &&
                 w[i - 1] == weight[i / 2],
             "edge %lu", i);
    }
}

START_TEST(arguments)
{
    const struct {
        int scale;
        rmat_isa isa;
        int status;
    } wrong[] = {{0, RMAT_ISA_AUTO, RMAT_ERR_SCALE},
                 {_i == GAPBS ? 31 : 63, RMAT_ISA_AUTO, RMAT_ERR_SCALE},
                 {20, (rmat_isa)9, RMAT_ERR_ARG}};

    for (int k = 0; k < 3; k++) {
        rmat_gen *gen = (rmat_gen *)&gen; /* must be overwritten */

        gives(wrong[k].status, create(&gen, _i, wrong[k].scale, wrong[k].isa, 0));
        must(gen == NULL, "a list");
    }
}

TEST_CASES(rmat_official, 60, LOOP(as_the_reference, 0, ISAS), LOOP(cuts, 0, BOTH *ISAS),
           ONCE(rejected_weights), LOOP(vertices, 0, !ON_GPU), LOOP(both_directions, 0, BOTH),
           LOOP(arguments, 0, BOTH))
