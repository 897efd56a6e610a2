/*
 * rmat bench: measures the speed of this machine, each figure beside the hardware's limit.
 *
 * A table lists the cases: what each of them makes, of which model, beside which other case.  Cases
 * of the same backend, scale and width of ids are a group, which is measured in turns: a drift of
 * the machine's speed favors none of them.  After a warm-up turn, each turn measures every case
 * once, and begins with another case than the turn before.  A share of the limit is computed within
 * a turn; figures are medians over the turns.  Ranks leave a barrier together.  Their rate is the
 * work of all over the longest time.
 *
 * Edges are stored in arrays far larger than the caches, over and over again; a GPU has several
 * calls queued before the host waits.  On a CPU, one thread makes the models block after block in
 * its cache, as the pipeline does, and the time is that of its processor: other processes do not
 * count.  CSR counts the edges of the stream per second of all the work.
 */
#include "apps/bench/summary.h"
#include "apps/client/client.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include "rmat/try.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call of the CUDA runtime as an rmat_status.  Without CUDA no group is of a GPU. */
#ifdef RMAT_HAVE_CUDA
#include <cuda_runtime_api.h>
#define CUDA(call) rmat_gpu_status(call)
#else
#define CUDA(call) RMAT_ERR_NO_BACKEND
#endif

#define CPU        RMAT_BACKEND_CPU
#define GPU        RMAT_BACKEND_GPU
#define GPU_EDGES  ((uint64_t)1 << 29) /* of the arrays, and of a call */
#define HOST_EDGES ((uint64_t)1 << 24) /* of the arrays, at least; and of a call to the host */
#define CPU_EDGES  ((uint64_t)1 << 20) /* per thread in one call */

enum { GPU_CALLS = 4 /* before the host waits */, MAX_RUNS = 100, MAX_CASES = 16 };

/* --- Options --- */

/* In the order of their names. */
typedef enum { MEMORY, MODELS, CSR, RANKS } bench_part;

/* The values of the options.  Choices are positions in the lists of names. */
typedef struct {
    uint64_t runs, threads;
    int part, backend, id_type, rows;
    option_list scales;
    bool unique, json, help;
} values;

static const char *const part_names[] = {"memory", "models", "csr", "ranks", NULL};
static const char *const id_names[] = {"auto", "uint32", "uint64", NULL};
static const char *const stream_names[] = {"rmat", "rows", NULL};

enum { PART, RUNS, BACKEND, THREADS, STREAM, SCALE, ID_TYPE, UNIQUE, JSON, HELP, OPTIONS };

#define AT(field) offsetof(values, field)
#define GENERAL   "What to measure"
#define GRAPHS    "Graphs"
#define REPORT    "Report"

/* clang-format off */
static const option options[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "memory", .group = GENERAL,
        .help = "what is measured; memory: edges into memory, by CPU and GPU; models: what "
                "each option of the model costs; csr: graphs of 16 edges per vertex as CSR in memory; "
                "ranks: what the ranks of mpirun generate together, in memory, beside one of them alone"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = MAX_RUNS, .fallback = "5", .group = GENERAL,
        .help = "number of turns; each turn measures every case once; figures are medians"},
    [BACKEND] = OPTION_ROW_BACKEND(values, backend, GENERAL,
        "device that generates the edges; auto: the CPU, and the GPU if there is one; on several ranks, the GPU of a rank "
                "if it has one, else its CPU"),
    [THREADS] = OPTION_ROW_THREADS(values, threads, GENERAL, "maximum number of threads"),
    [STREAM] = {.name = "stream", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(rows),
        .choices = stream_names, .fallback = "rmat", .group = GRAPHS,
        .help = "stream of CSR's edges, as for 'rmat generate'; rows: also on several ranks"},
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,30,36; 22 with csr, 30 with ranks",
        .group = GRAPHS,
        .help = "scales of the graphs"},
    [ID_TYPE] = {.name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE", .offset = AT(id_type),
        .choices = id_names, .fallback = "auto", .group = GRAPHS,
        .help = "type of a vertex number; auto: both, or with csr and ranks uint32 where it suffices"},
    [UNIQUE] = OPTION_ROW_FLAG(values, unique, GRAPHS, "unique", 0,
        "keep each edge of CSR once"),
    [JSON] = OPTION_ROW_JSON(values, json, REPORT,
        "print one JSON object in place of the table"),
    [HELP] = OPTION_ROW_LONG_HELP(values, help, REPORT),
};
/* clang-format on */

const command_line bench_command_line = {
    .command = "bench",
    .synopsis = "bench [OPTION]...",
    .summary = "Measure how fast this machine generates edges in memory, or how fast the ranks of "
               "mpirun do so together. Each figure stands beside its limit: plain writes to the "
               "same memory, measured in turns with it.",
    .options = options,
    .n_options = OPTIONS,
    .common = "part runs backend scale json help",
    .examples = "rmat bench\n"
                "rmat bench --scale 30\n"
                "mpirun -n 4 rmat bench --part ranks",
    .notes = "Exit status: 0 success, 1 something could not be measured, 2 wrong usage, 128 + N "
             "stopped by signal N.",
};

static int parse_options(int argc, char **argv, values *o)
{
    bool given[OPTIONS_MAX];
    const int code = options_parse(&bench_command_line, argc, argv, o, given, NULL);
    const int most = o->id_type == 1 ? 32 : o->part == CSR ? 40 : RMAT_MAX_SCALE;

    if (code != EXIT_OK || o->help) {
        return code;
    }
    if (o->part != CSR && (given[STREAM] || given[UNIQUE])) {
        return usage_error("bench", "--%s: given with --part %s, allowed: with --part csr",
                           given[STREAM] ? "stream" : "unique", part_names[o->part]);
    }
    for (int s = 0; s < o->scales.count; s++) {
        if (o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: 1 to %d",
                               o->scales.item[s], part_names[o->part],
                               o->id_type == 1 ? " and --id-type uint32" : "", most);
        }
    }
    if (!given[SCALE]) {
        o->scales = o->part == RANKS ? (option_list){1, {30}}
                    : o->part == CSR ? (option_list){1, {22}}
                                     : (option_list){3, {20, 30, 36}};
    }
    return EXIT_OK;
}

/* --- Cases, and what they make --- */

struct group;

/* A line of the table of cases, and its copy in a group. */
typedef struct bench_case {
    bench_part part;
    const char *name;
    int (*make)(struct group *g, const struct bench_case *c);
    const char *beside; /* its limit: a case of the same part and number of threads, or NULL */
    rmat_backend on;    /* AUTO: both */
    double vertices;    /* as a share of 2^scale, of which a model has more than half; 0: all */
    bool to_host;       /* from a GPU into memory of the host */
    bool alone;         /* on rank 0 alone, times the number of ranks: what they could reach */
    rmat_config model;  /* what is not the default; in a group all, and threads 0 on a GPU */

    rmat_gen *gen;
    const struct bench_case *limit;
    double rates[MAX_RUNS]; /* edges per second */
} bench_case;

typedef struct {
    double edges, seconds;
} work;

typedef struct group {
    const values *o;
    int threads;   /* the most to use */
    uint64_t room; /* free bytes of the current GPU; 0: there is none */
    bool gpu;      /* whether the group is of the GPU */
    int scale, id_bytes, n_cases;
    bench_case cases[MAX_CASES];
    char *memory;      /* of the backend: src, dst and weights of `capacity` edges; or CSR */
    char *host;        /* pinned: src and dst of HOST_EDGES edges */
    uint64_t capacity; /* edges of these arrays; of CSR row pointers, before column numbers */
    uint64_t next;     /* the next edge of the stream */
    work done;         /* by this measurement */
    rmat_csr_spec csr;
    rmat_csr made;
    rmat_interval *interval;
    rmat_parts parts; /* of the sorted order: as few as memory allows */
} group;

/* The functions return an rmat_status.  On a GPU they only start the work. */

/* As many bytes as edges have. */
static int plain_writes(group *g, const bench_case *c)
{
    const size_t bytes = 2 * g->capacity * (size_t)g->id_bytes;

    g->done.edges += (double)g->capacity;
    if (g->gpu) {
        return CUDA(cudaMemsetAsync(g->memory, 1, bytes, NULL));
    }
#pragma omp parallel num_threads(c->model.threads)
    {
        const size_t share = bytes / (size_t)omp_get_num_threads();

        memset(g->memory + share * (size_t)omp_get_thread_num(), 1, share);
    }
    return RMAT_OK;
}

static int plain_copies(group *g, const bench_case *c)
{
    (void)c;
    g->done.edges += (double)HOST_EDGES;
    return CUDA(cudaMemcpyAsync(g->host, g->memory, 2 * HOST_EDGES * (size_t)g->id_bytes,
                                cudaMemcpyDeviceToHost, NULL));
}

/* Edges in the memory of the backend, or of the host. */
static int stored(group *g, const bench_case *c)
{
    const uint64_t capacity = c->to_host ? HOST_EDGES : g->capacity, width = (uint64_t)g->id_bytes;
    const uint64_t chunk = CPU_EDGES * (uint64_t)c->model.threads, first = g->next;
    const uint64_t n = g->gpu || chunk > capacity ? capacity : chunk;
    char *memory = c->to_host ? g->host : g->memory;
    char *src = memory + first / n % (capacity / n) * n * width;
    rmat_arrays to = {src, src + capacity * width, NULL, g->id_bytes};

    if (c->model.weights != RMAT_NO_WEIGHTS) {
        to.weight = memory + 2 * capacity * width;
    }
    g->next += n;
    g->done.edges += (double)n;
    return g->gpu && !c->to_host ? rmat_generate_arrays_device(c->gen, first, n, &to, NULL)
                                 : rmat_generate_arrays(c->gen, first, n, &to);
}

/* CSR by intervals, sorted and freed of copies with --unique, in memory that is there. */
static int by_intervals(group *g, const bench_case *c)
{
    uint64_t *pointers = (void *)g->memory, before = 0; /* edges of earlier intervals */
    const rmat_arrays to = {.dst = pointers + g->capacity, .id_bytes = g->id_bytes};
    rmat_interval *b = g->interval;

    (void)c;
    g->done.edges += (double)g->csr.edges;
    for (uint64_t i = 0; i < g->parts.n; i++) {
        RMAT_OR_RETURN(rmat_interval_make_part(b, &g->parts, i, g->csr.edges, g->csr.unique));

        const rmat_cell first = g->parts.cells[i], end = g->parts.cells[i + 1];
        const uint64_t n = end.src + (end.dst > 0) + 1 - first.src, kept = rmat_interval_edges(b);
        uint64_t *at = pointers + first.src;

        if (g->gpu) {
            RMAT_OR_RETURN(rmat_interval_pointers_device(b, first.src, n, before, at, NULL));
            RMAT_OR_RETURN(rmat_interval_read_device(b, 0, kept, &to, NULL));
        } else {
            RMAT_OR_RETURN(rmat_interval_pointers(b, first.src, n, before, at));
            RMAT_OR_RETURN(rmat_interval_read(b, 0, kept, &to));
        }
        before += kept;
    }
    return RMAT_OK;
}

/* CSR of this rank's rows, allocations included.  Rank 0 counts the edges of all ranks, which make
 * the graph once. */
static int by_rows(group *g, const bench_case *c)
{
    g->done.edges += dist_rank() == 0 ? (double)g->csr.edges : 0;
    return g->gpu ? rmat_csr_rank_device(c->gen, dist_rank(), dist_size(), &g->csr, &g->made)
                  : rmat_csr_rank(c->gen, dist_rank(), dist_size(), &g->csr, &g->made);
}

/* clang-format off */
static const bench_case table[] = {
    {MEMORY, "plain writes", plain_writes, .beside = NULL},
    {MEMORY, "plain copies to the host", plain_copies, .on = GPU},
    {MEMORY, "memory", stored, .beside = "plain writes", .on = GPU},
    {MEMORY, "to host", stored, .beside = "plain copies to the host", .on = GPU, .to_host = true},
    {MEMORY, "generic", stored, .beside = "plain writes", .on = CPU, .model.isa = RMAT_ISA_GENERIC},
    {MEMORY, "avx2", stored, .beside = "plain writes", .on = CPU, .model.isa = RMAT_ISA_AVX2},
    {MEMORY, "avx512", stored, .beside = "plain writes", .on = CPU, .model.isa = RMAT_ISA_AVX512},
    {MEMORY, "neon", stored, .beside = "plain writes", .on = CPU, .model.isa = RMAT_ISA_NEON},

    {MODELS, "plain", stored, .beside = NULL},
    {MODELS, "noise", stored, .beside = "plain", .model.noise = 0.1},
    {MODELS, "permuted", stored, .beside = "plain", .model.permute = 1},
    {MODELS, "no loops", stored, .beside = "plain", .model.no_self_loops = 1},
    {MODELS, "both directions", stored, .beside = "plain", .model.symmetrize = 1},
    {MODELS, "uniform weights", stored, .beside = "plain", .model.weights = RMAT_WEIGHTS_UNIFORM},
    {MODELS, "int weights", stored, .beside = "plain",
        .model = {.weights = RMAT_WEIGHTS_INT, .weight_min = 1, .weight_max = 255}},
    {MODELS, "7/8 of the vertices", stored, .beside = "plain", .vertices = 7. / 8},
    {MODELS, "1/2 of them and 1", stored, .beside = "plain", .vertices = 1. / 2},
    {MODELS, "the same, permuted", stored, .beside = "plain", .vertices = 1. / 2, .model.permute = 1},
    {MODELS, "graph500's stream", stored, .beside = "plain", .model.stream = RMAT_STREAM_GRAPH500},

    {CSR, "intervals", by_intervals, .beside = NULL},
    {CSR, "rows", by_rows, .model.stream = RMAT_STREAM_ROWS},

    {RANKS, "one rank, times all", stored, .alone = true},
    {RANKS, "all ranks", stored, .beside = "one rank, times all"},
};
/* clang-format on */

/* --- Groups: functions return an rmat_status --- */

static void free_memory(group *g)
{
    if (g->gpu) {
        (void)CUDA(cudaFree(g->memory));
        (void)CUDA(cudaFreeHost(g->host));
    } else {
        free(g->memory);
    }
    g->memory = g->host = NULL;
}

/* Replaces the memory of the group. */
static int allocate(group *g, size_t bytes)
{
    const size_t vector = 64; /* of AVX-512 */

    free_memory(g);
    return g->gpu ? CUDA(cudaMalloc((void **)&g->memory, bytes))
           : posix_memalign((void **)&g->memory, vector, bytes) != 0 ? RMAT_ERR_NOMEM
                                                                     : RMAT_OK;
}

/* Allocates far more than the caches hold, but at most a quarter of the free memory, of which a
 * rank has its share; for models on a CPU a block. */
static int open_edges(group *g)
{
    const size_t pair = 2 * (size_t)g->id_bytes, edge = pair + sizeof(float);
    const uint64_t usual = 4 * CPU_EDGES * (uint64_t)g->threads;
    const uint64_t half =
        g->gpu ? g->room / 2 / (uint64_t)dist_local_size() : sorted_default_memory();

    g->capacity = g->gpu ? GPU_EDGES : usual > HOST_EDGES ? usual : HOST_EDGES;
    while (g->capacity > HOST_EDGES && g->capacity * edge > half / 2) {
        g->capacity /= 2;
    }
    if (!g->gpu && g->o->part == MODELS) {
        g->capacity = PIPELINE_BLOCK;
    }
    RMAT_OR_RETURN(allocate(g, g->capacity * edge));
    if (g->gpu && g->o->part == MEMORY) {
        RMAT_OR_RETURN(CUDA(cudaMallocHost((void **)&g->host, HOST_EDGES * pair)));
    }
    /* By all threads, so that each has pages near it. */
    return plain_writes(g, &g->cases[g->n_cases - 1]);
}

/* Allocates CSR and an interval for it, or for as many parts as memory demands.  Parts differ in
 * size. */
static int open_intervals(group *g, const rmat_gen *gen)
{
    const uint64_t all = g->csr.edges;
    rmat_sample *sample;
    int status;

    g->capacity = (UINT64_C(1) << g->scale) + 16; /* then begins a line of a GPU's memory */
    do {
        const uint64_t share = g->parts.n++ == 0 ? all : all / g->parts.n / 8 * 9;
        uint64_t n = share + RMAT_INTERVAL_LEAST_EDGES, bytes;

        RMAT_OR_RETURN(rmat_interval_bytes(gen, n, &bytes));
        RMAT_OR_RETURN(rmat_interval_capacity(gen, bytes, &n)); /* a few more may fit */
        status = allocate(g, g->capacity * sizeof(uint64_t) + n * (uint64_t)g->id_bytes);
        status = status == RMAT_OK ? rmat_interval_create(&g->interval, gen, bytes) : status;
    } while (status == RMAT_ERR_NOMEM && g->parts.n < 64);
    RMAT_OR_RETURN(status);
    g->parts.cells = malloc((g->parts.n + 1) * sizeof *g->parts.cells);
    RMAT_OR_RETURN(g->parts.cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_OR_RETURN(rmat_sample_create_from(&sample, gen, 0));
    status = rmat_sample_cut(sample, (double)all, 0, g->parts.n, g->parts.cells);
    rmat_sample_destroy(sample);
    return status;
}

static int stop_at_signal(void *state)
{
    (void)state;
    return interrupt_signal();
}

/* Adds a case with its generator. */
static int add_case(group *g, const bench_case *like, int threads)
{
    const uint64_t all = UINT64_C(1) << g->scale;
    bench_case *c = &g->cases[g->n_cases++];
    rmat_config *model = &c->model, usual;

    *c = *like;
    for (const bench_case *other = g->cases; c->beside != NULL && other < c; other++) {
        if (other->model.threads == threads && strcmp(other->name, c->beside) == 0) {
            c->limit = other;
        }
    }
    rmat_config_default(&usual);
    model->matrix = usual.matrix;
    model->seed = usual.seed;
    model->rows_scale = model->cols_scale = g->scale;
    if (c->vertices > 0) {
        model->rows = c->vertices > 0.5 ? (uint64_t)(c->vertices * (double)all) : all / 2 + 1;
        model->cols = model->rows;
    }
    model->edges = c->make == by_rows ? g->csr.edges : 0;
    model->stop = c->part == CSR ? stop_at_signal : NULL;
    model->backend = g->gpu ? GPU : CPU;
    model->threads = threads;
    model->device = usual.device; /* the current one */
    return rmat_create(&c->gen, model);
}

/* Adds the cases of a group, and allocates what they need. */
static int open_group(group *g)
{
    const int threads = g->gpu ? 0 : g->o->part == MODELS ? 1 : g->threads;

    g->csr = (rmat_csr_spec){
        .edges = UINT64_C(16) << g->scale, .unique = g->o->unique, .id_bytes = g->id_bytes};
    for (const bench_case *c = table; c < table + sizeof table / sizeof *table; c++) {
        if ((int)c->part != g->o->part || c->on == (g->gpu ? CPU : GPU) ||
            c->make == (g->o->rows ? by_intervals : by_rows) || !rmat_cpu_has_isa(c->model.isa)) {
            continue;
        }
        if (c->part == MEMORY && threads > 1) {
            RMAT_OR_RETURN(add_case(g, c, 1));
        }
        RMAT_OR_RETURN(add_case(g, c, threads));
    }
    return g->o->part != CSR ? open_edges(g)
           : g->o->rows      ? RMAT_OK
                             : open_intervals(g, g->cases[0].gen);
}

static void close_group(group *g)
{
    rmat_interval_destroy(g->interval);
    for (int i = 0; i < g->n_cases; i++) {
        rmat_destroy(g->cases[i].gen);
    }
    free(g->parts.cells);
    free_memory(g);
}

/* --- Turns --- */

/* Returns EXIT_OK if every rank succeeded and no signal arrived.  Else returns the exit code of the
 * lowest rank that failed; rank 0 has printed its message.  status: an rmat_status, which becomes a
 * message, or an exit code after one.  Collective. */
static int agree(int status)
{
    const char *cuda = rmat_gpu_error();

    if (status < 0) {
        status = runtime_error("bench", "%s%s%s", rmat_strerror(status), *cuda != '\0' ? ": " : "",
                               cuda);
    } else if (status == EXIT_OK && interrupt_signal() != 0) {
        status = client_fail("bench", engine_stop_with(interrupt_signal()), NULL);
    }
    status = client_agree("bench", status);
    client_keep_message();
    return status;
}

/* The time; of models on a CPU that of the processor. */
static double seconds_now(const group *g)
{
    return g->gpu || g->o->part != MODELS ? clock_seconds() : (double)clock() / CLOCKS_PER_SEC;
}

/* Measures a case for a while, or CSR once.  Returns an rmat_status. */
static int measure_case(group *g, const bench_case *c)
{
    /* Ranks leave the barrier at slightly different times. */
    const double least = g->o->part == CSR ? 0 : g->o->part == RANKS ? 0.5 : 0.1;
    const int calls = g->gpu && g->o->part != CSR ? GPU_CALLS : 1;
    int status = RMAT_OK;

    do {
        const double begun = seconds_now(g);

        for (int i = 0; i < calls && status == RMAT_OK; i++) {
            status = c->make(g, c);
        }
        if (status == RMAT_OK && g->gpu) {
            status = CUDA(cudaDeviceSynchronize());
        }
        g->done.seconds += seconds_now(g) - begun;
        if (g->gpu) {
            rmat_csr_free_device(c->gen, &g->made);
        } else {
            rmat_csr_free(&g->made);
        }
    } while (status == RMAT_OK && g->done.seconds < least && interrupt_signal() == 0);
    return status == RMAT_ERR_STOPPED ? RMAT_OK /* agree() reports the signal */ : status;
}

/* All ranks measure together, or rank 0 does alone while the others wait.  The first measured turn
 * overwrites the warm-up turn.  Collective. */
static int measure_turns(group *g)
{
    work *all = calloc((size_t)dist_size(), sizeof *all); /* of each rank */
    int code = agree(all != NULL ? RMAT_OK : RMAT_ERR_NOMEM);

    for (int i = 0; i < ((int)g->o->runs + 1) * g->n_cases && code == EXIT_OK; i++) {
        const int turn = i / g->n_cases;
        bench_case *c = &g->cases[(turn + i) % g->n_cases];
        double edges = 0, seconds = 0;
        uint64_t barrier = 0;
        int status = RMAT_OK;

        g->done = (work){0};
        dist_sum(&barrier, 1);
        if (!c->alone || dist_rank() == 0) {
            status = measure_case(g, c);
        }
        dist_gather(&g->done, sizeof g->done, all);
        for (int r = 0; r < dist_size(); r++) {
            edges += all[r].edges;
            seconds = fmax(seconds, all[r].seconds);
        }
        c->rates[turn > 0 ? turn - 1 : 0] = edges / seconds * (c->alone ? dist_size() : 1);
        code = agree(status);
    }
    free(all);
    return code;
}

/* --- Reports: JSON, or a table if its stream is NULL --- */

/* The statistics of a case's rates, divided by those of `limit` unless NULL. */
static bench_stats stats_of(const group *g, const bench_case *c, const bench_case *limit)
{
    double rates[MAX_RUNS];

    for (size_t i = 0; i < g->o->runs; i++) {
        rates[i] = c->rates[i] / (limit != NULL ? limit->rates[i] : 1);
    }
    return bench_summary(rates, (size_t)g->o->runs);
}

/* CSR is made as a whole, so that its time is a figure, too. */
static void report_case(const group *g, const bench_case *c, json_object *cases)
{
    const bench_stats rate = stats_of(g, c, NULL);
    const double beside = c->limit != NULL ? stats_of(g, c->limit, NULL).median : 0;
    const double share = c->limit != NULL ? stats_of(g, c, c->limit).median : 0;
    const double seconds = (double)g->csr.edges / rate.median;
    const char *backend = g->gpu ? "gpu" : "cpu";
    char text[4][NUMBER_TEXT];
    json_object o;

    if (cases->stream != NULL) {
        json_object_begin(&o, cases, NULL);
        json_string(&o, "part", part_names[g->o->part]);
        json_string(&o, "case", c->name);
        json_string(&o, "backend", backend);
        json_u64(&o, "id_bits", 8 * (uint64_t)g->id_bytes);
        json_u64(&o, "scale", (uint64_t)g->scale);
        json_u64(&o, "threads", (uint64_t)c->model.threads);
        json_u64(&o, "runs", g->o->runs);
        json_f64(&o, "median", rate.median);
        json_f64(&o, "min", rate.min);
        json_f64(&o, "max", rate.max);
        if (c->limit != NULL) {
            json_string(&o, "beside", c->beside);
            json_f64(&o, "limit", beside);
            json_f64(&o, "of_limit", share);
        }
        if (g->o->part == CSR) {
            json_f64(&o, "seconds", seconds);
        }
        json_object_end(&o);
        return;
    }
    printf("%-26s %7s %4d %5d %7.0d %7s %7s %7s", c->name, backend, 8 * g->id_bytes, g->scale,
           c->model.threads /* 0: blank */, format_si(text[0], rate.median),
           format_si(text[1], rate.min), format_si(text[2], rate.max));
    if (c->limit != NULL) {
        printf(" %7s %3.0f %%", format_si(text[3], beside), 100 * share);
    }
    if (g->o->part == CSR) {
        printf("%19.0f ms", 1e3 * seconds);
    }
    printf("\n");
}

/* Reports the machine, and begins the list of cases. gpu: the name of the GPU, or why none is
 * used. */
static void report_machine(const group *g, uint64_t threads, const char *gpu, FILE *out,
                           json_object *cases)
{
    const time_t now = time(NULL);
    char cpu[256], date[32], heading[32];
    double load = NAN;
    json_object o;

    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    getloadavg(&load, 1);
    if (out != NULL) {
        json_begin(&o, out);
        json_string(&o, "version", rmat_version());
        json_string(&o, "time", date);
        json_string(&o, "cpu", cpu);
        json_string(&o, "gpu", g->room > 0 ? gpu : NULL);
        json_u64(&o, "threads", threads);
        json_u64(&o, "ranks", (uint64_t)dist_size());
        json_u64(&o, "hosts", (uint64_t)dist_host_count());
        json_f64(&o, "load", load);
        json_array_begin(cases, &o, "cases");
        return;
    }
    text_line(stdout, "rmat %s, %s, load %.2f, median of %d turns", rmat_version(), date, load,
              (int)g->o->runs);
    text_line(stdout, "%s, %d threads in all, ranks: %d, hosts: %d", cpu, (int)threads, dist_size(),
              dist_host_count());
    text_line(stdout, "GPU: %s", gpu);
    snprintf(heading, sizeof heading, "%s, edges/s", part_names[g->o->part]);
    printf("\n%-26s backend  ids scale threads  median     min     max   limit of it    time\n",
           heading);
    fflush(stdout);
}

/* --- The command: functions return an exit code --- */

/* Finds this rank's GPU, and makes it the current one. gpu: its name, or why none is used. */
static int find_gpu(group *g, char gpu[DEVICES_TEXT])
{
    const int count = g->o->backend == CPU ? 0 : devices_gpus(gpu);
    device_gpu found;

    if (count > 0 && devices_gpu(dist_local_rank() % count, &found, gpu)) {
        g->room = found.free;
        strcpy(gpu, found.name);
    } else if (g->o->backend == GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", gpu);
    }
    return EXIT_OK;
}

/* Measures and reports a group.  Collective. */
static int measure_group(group *g, json_object *cases)
{
    int code = agree(open_group(g));

    code = code == EXIT_OK ? measure_turns(g) : code;
    for (int i = 0; i < g->n_cases && code == EXIT_OK && dist_rank() == 0; i++) {
        report_case(g, &g->cases[i], cases);
    }
    fflush(stdout);
    close_group(g);
    return code;
}

/* Measures a group for each backend, width of ids, and scale.  Ranks use one backend each, so that
 * they work together; memory and models have both widths, unless the user chose one. */
static int measure(const values *o)
{
    const bool alone = o->part != RANKS && dist_size() == 1;
    const bool both = o->part == MEMORY || o->part == MODELS;
    const int n = o->scales.count;
    group all = {.o = o, .threads = cpu_threads(o->threads)};
    uint64_t threads = (uint64_t)all.threads;
    char gpu[DEVICES_TEXT] = "not used";
    json_object cases = {.stream = NULL};
    whole_file out = {.stream = NULL};
    int least, code = find_gpu(&all, gpu);

    if (code == EXIT_OK && o->json && dist_rank() == 0) {
        code = whole_file_open(&out, "bench", "json", "-", false, NULL);
    }
    code = agree(code);
    dist_sum(&threads, 1);
    if (code == EXIT_OK && dist_rank() == 0) {
        report_machine(&all, threads, gpu, out.stream, &cases);
    }
    for (int i = 0; i < 4 * n && code == EXIT_OK; i++) {
        group g = all;

        g.gpu = i / n >= 2;
        g.id_bytes = i / n % 2 == 0 ? 4 : 8;
        g.scale = o->scales.item[i % n];
        least = g.scale > 32 ? 8 : 4;
        if ((g.gpu ? g.room > 0 : g.room == 0 || (alone && o->backend != GPU)) &&
            g.id_bytes >= least &&
            (o->id_type > 0 ? g.id_bytes == 4 * o->id_type : both || g.id_bytes == least)) {
            code = measure_group(&g, &cases);
        }
    }
    if (cases.stream != NULL) {
        json_array_end(&cases);
        json_end(&cases);
    }
    return client_agree("bench", whole_file_close(&out, code));
}

int bench_main(int argc, char **argv)
{
    values o = {.runs = 5}, mine;
    int code = engine_start();

    if (code != ENGINE_OK) {
        return client_fail("bench", code, NULL);
    }
    interrupt_install();
    client_keep_message();
    code = agree(parse_options(argc, argv, &o));
    mine = o; /* all else is rank 0's (mpirun a : b) */
    dist_broadcast(&o, sizeof o);
    o.backend = mine.backend;
    o.threads = mine.threads;
    if (code == EXIT_OK && o.help) {
        if (dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
    } else if (code == EXIT_OK && dist_size() > 1 && o.part != RANKS && !o.rows) {
        code = agree(usage_error(
            "bench", "--part: '%s' given on %d ranks, allowed: ranks, csr with --stream rows",
            part_names[o.part], dist_size()));
    } else if (code == EXIT_OK) {
        code = measure(&o);
    }
    engine_stop();
    return code;
}
