/*
 * rmat updates: a graph that changes, as a file of updates or as the graph after some of them.
 *
 * The model's options say which edges there are and with how many the graph begins;
 * rmat/rmat_updates.h makes the updates of them, and the engine writes those as it writes the edges
 * of any source.  With --symmetrize the updates are those of pairs: the engine adds the reverse of
 * each, as it does for edges.
 */
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/client/edge_options.h"
#include "apps/common/devices.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include "apps/engine/attributes/foreign.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/generate/generate.h"
#include "apps/generate/model.h"
#include "apps/updates/graph.h"
#include "mpi/dist.h"
#include "rmat/rmat_updates.h"
#include <inttypes.h>
#include <string.h>

typedef struct {
    generate_values model; /* those of the output, too */
    uint64_t batches, from, insertions, deletions, gap, snapshot;
    int order, arrivals;
    const char *file;
} updates_values;

/* What is to be made.  Not to be copied: it points into itself. */
typedef struct {
    generate_options options; /* the model without what becomes of its edges */
    engine_job job;
    engine_source source;
    edgefile_attr attrs[24];
    rmat_gen *gen;
    updates_graph graph; /* of a file, else zero */
    rmat_updates updates;
    uint64_t batches, from, version, snapshot, scale[2]; /* batches [from, from + batches), or: */
    bool is_snapshot;                                    /* the graph after so many batches */
    char edges_of[MODEL_COMMAND], command[MODEL_COMMAND], default_output[64];
} updates_job;

enum {
    BATCHES,
    FROM_BATCH,
    INSERTIONS,
    DELETIONS,
    ORDER,
    ARRIVALS,
    GAP,
    SNAPSHOT,
    FORMAT,
    COLUMNS,
    BASE,
    COMPRESS,
    ENCODING,
    ROW_GROUP,
    SORTED,
    ID_TYPE,
    OUTPUT,
    FORCE,
    JSON,
    QUIET,
    THREADS,
    TIMEOUT,
    HELP,
    N_OPTIONS
};

static const char *const order_names[] = {"random", "oldest", NULL}; /* as rmat_deletions */
static const char *const arrival_names[] = {"uniform", "poisson", "bursty", NULL};

#define AT(field) offsetof(updates_values, field)
#define UPDATES   "Updates"
#define FILES     "Output"
#define RUNNING   "Running"
#define HUNDREDTH "one in a hundred of the edges at first, at least 1"
#define UP_TO     "0 to 2147483648 (2^31)"

/* clang-format off */
static const option table[] = {
    [BATCHES] = {.name = "batches", .kind = OPTION_COUNT, .argument = "N", .offset = AT(batches),
        .min = 1, .max = RMAT_MAX_EDGES, .allowed = "1 to 4611686018427387904 (2^62)",
        .fallback = "10", .group = UPDATES, .help = "write N batches"},
    [FROM_BATCH] = {.name = "from-batch", .kind = OPTION_COUNT, .argument = "K", .offset = AT(from),
        .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)", .fallback = "0",
        .group = UPDATES,
        .help = "begin with batch K, which is made without those before it"},
    [INSERTIONS] = {.name = "insertions", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(insertions), .max = RMAT_UPDATES_MAX, .allowed = UP_TO, .fallback = HUNDREDTH,
        .group = UPDATES,
        .help = "insert N edges in each batch; with --symmetrize, N pairs of an edge and its reverse"},
    [DELETIONS] = {.name = "deletions", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(deletions), .max = RMAT_UPDATES_MAX, .allowed = UP_TO, .fallback = HUNDREDTH,
        .group = UPDATES,
        .help = "delete N edges in each batch that were there before it"},
    [ORDER] = {.name = "deletion-order", .kind = OPTION_CHOICE, .argument = "ORDER",
        .offset = AT(order), .choices = order_names, .fallback = "random", .group = UPDATES,
        .help = "which edges are deleted: in rounds, in each of which all edges that were there when it "
            "began are deleted at random (random), or always the oldest ones (oldest)"},
    [ARRIVALS] = {.name = "arrivals", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(arrivals), .choices = arrival_names, .fallback = "uniform", .group = UPDATES,
        .help = "times of updates: at equal distances (uniform), at random (poisson), or at random and "
            "in bursts of bursts (bursty)"},
    [GAP] = {.name = "gap", .kind = OPTION_COUNT, .argument = "TICKS", .offset = AT(gap), .min = 1,
        .max = RMAT_UPDATES_MAX_GAP, .allowed = "1 to 1048576 (2^20)", .fallback = "1000",
        .group = UPDATES, .help = "time between two updates, on average"},
    [SNAPSHOT] = {.name = "snapshot", .kind = OPTION_COUNT, .argument = "K", .offset = AT(snapshot),
        .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)", .group = UPDATES,
        .help = "write the graph after the first K batches instead, in any format; it is made "
            "without the updates"},
    [FORMAT] = {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(model.format), .choices = graphfile_names,
        .fallback = "h5, or what FILE's suffix says", .group = FILES,
        .help = "format of FILE; updates can be h5, csv and parquet, a snapshot any format"},
    [COLUMNS] = {.name = "columns", .kind = OPTION_TEXT, .argument = "NAMES",
        .offset = AT(model.columns), .allowed = "two or three names with commas between them",
        .fallback = "source,destination,operation; of a snapshot src,dst,weight", .group = FILES,
        .help = "names of the columns, in formats that have them: csv, parquet"},
    [BASE] = OPTION_ROW_BASE(updates_values, model.base, FILES),
    [COMPRESS] = OPTION_ROW_COMPRESS(updates_values, model.compress, FILES),
    [ENCODING] = EDGE_ROW_ENCODING(updates_values, model.encoding, FILES),
    [ROW_GROUP] = EDGE_ROW_ROW_GROUP(updates_values, model.row_group, FILES),
    [SORTED] = OPTION_ROW_FLAG(updates_values, model.sorted, FILES, "sorted", 0,
        "sort the edges of a snapshot by source, then by destination"),
    [ID_TYPE] = EDGE_ROW_ID_TYPE(updates_values, model.id_type, FILES,
        "uint32 up to 2^32 vertices, uint64 beyond; in parquet int32 up to 2^31, int64 beyond"),
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_REPORT, .argument = "FILE",
        .offset = AT(model.output), .fallback = "updates.h5, of a snapshot graph.h5, or with the suffix of the format",
        .group = FILES,
        .help = "file to write; it is called FILE.partial until it is complete. - is standard output, "
            "for csv"},
    [FORCE] = OPTION_ROW_FORCE(updates_values, model.force, FILES, "replace FILE if it exists"),
    [JSON] = OPTION_ROW_JSON(updates_values, model.json, RUNNING, "print the summary as one JSON object"),
    [QUIET] = OPTION_ROW_QUIET(updates_values, model.quiet, RUNNING, "print no progress and no summary"),
    [THREADS] = OPTION_ROW_THREADS(updates_values, model.threads, RUNNING, "number of threads"),
    [TIMEOUT] = {.name = "timeout", .kind = OPTION_COUNT, .argument = "SECONDS",
        .offset = AT(model.timeout), .min = 1, .max = MAX_TIMEOUT, .fallback = "60", .group = RUNNING,
        .help = "time without a sign of life after which a rank counts as lost"},
    [HELP] = OPTION_ROW_LONG_HELP(updates_values, model.help, RUNNING),
};
/* clang-format on */

const command_line updates_command_line = {
    .command = "updates",
    .synopsis = "updates [FILE] [OPTION]...",
    .summary =
        "Write a stream of updates of an R-MAT graph, in batches of insertions and deletions, with "
        "the columns source, destination, operation (1 inserts, -1 deletes) and time. Each "
        "deletion is of an edge that is there. Any batch, and the graph after any batch, is "
        "made without those before it. The graph begins with --edges edges. With FILE, all edges "
        "are "
        "those of a graph in a file, in random order.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "scale edges seed batches insertions deletions snapshot output force help",
    .examples = "rmat updates --scale 20 --insertions 100K --deletions 100K -o u.parquet\n"
                "rmat updates --scale 20 --from-batch 7 --batches 1 -o batch7.csv\n"
                "rmat updates g.h5 -o u.csv",
    .borrowed = generate_table,
    .n_borrowed = GENERATE_FORMAT,
    .borrowed_offset = AT(model),
    .borrowed_group = "Model (these options decide which edges there are, and how many at first)",
    .notes =
        "rmat/UPDATES.md defines which updates and times belong to which options. Edges are "
        "counted as often as they occur: an edge that was inserted twice is there until it "
        "was deleted twice. Of a FILE that has each edge once, such as one of 'rmat generate "
        "--unique', each is inserted once: --unique asks for that. FILE is any graph that 'rmat "
        "convert' reads, and lies in memory; --seed, --edges (by default half of its edges) and "
        "--symmetrize are then the only options of the model.",
};

/* Sources: of the updates, and of the edges of a snapshot. */

static uint64_t first_update(const updates_job *j)
{
    return j->from * (j->updates.config.insertions + j->updates.config.deletions);
}

static int fill_updates(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const updates_job *j = state;

    return rmat_updates_fill(&j->updates, first_update(j) + first, count, to);
}

static void fill_times(void *state, uint64_t first, uint64_t count, int64_t *to)
{
    const updates_job *j = state;

    rmat_updates_times(&j->updates, first_update(j) + first, count, to);
}

static int fill_snapshot(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const updates_job *j = state;

    return rmat_updates_snapshot(&j->updates, j->snapshot, first, count, to);
}

static void add_attr(updates_job *j, const char *name, edgefile_type type, const void *value)
{
    j->attrs[j->source.n_attrs++] = (edgefile_attr){name, type, 1, value};
}

/* The command that makes the file again, and what a file in HDF5 says of it. */
static void describe(updates_job *j)
{
    const rmat_updates_config *c = &j->updates.config;
    const rmat_config *m = &j->options.job.model;
    static model_attrs of; /* too large for the stack of a thread */

    model_attrs_fill(&of, m, c->edges, (model_ids){4, false}, NULL);
    if (j->graph.edges > 0) {
        snprintf(of.command, sizeof of.command,
                 "rmat generate FILE --edges %" PRIu64 " --seed %" PRIu64, c->edges, m->seed);
    }
    j->scale[0] = (uint64_t)rmat_scale_of(j->source.edges.rows);
    j->scale[1] = (uint64_t)rmat_scale_of(j->source.edges.cols);
    snprintf(j->edges_of, sizeof j->edges_of, "%s",
             j->graph.edges == 0 ? of.command
             : *j->graph.made_by ? j->graph.made_by
                                 : "FILE");
    j->command[0] = '\0';
    text_append(j->command, sizeof j->command, "rmat updates%s",
                of.command + strlen("rmat generate"));
    text_append(j->command, sizeof j->command,
                " --insertions %" PRIu64 " --deletions %" PRIu64 " --deletion-order %s",
                c->insertions, c->deletions, order_names[c->order]);
    if (j->is_snapshot) {
        text_append(j->command, sizeof j->command, " --snapshot %" PRIu64, j->snapshot);
    } else {
        text_append(j->command, sizeof j->command,
                    " --arrivals %s --gap %" PRIu64 " --from-batch %" PRIu64 " --batches %" PRIu64,
                    arrival_names[c->arrivals], c->gap, j->from, j->batches);
    }
    j->version = RMAT_UPDATES_VERSION;
    j->source.attrs = j->attrs;
    add_attr(j, "generator", EDGEFILE_STRING, FOREIGN_UPDATES);
    add_attr(j, "library_version", EDGEFILE_STRING, rmat_version());
    add_attr(j, "updates_version", EDGEFILE_U64, &j->version);
    add_attr(j, "edges_of", EDGEFILE_STRING, j->edges_of);
    add_attr(j, "rows_scale", EDGEFILE_U64, &j->scale[0]);
    add_attr(j, "cols_scale", EDGEFILE_U64, &j->scale[1]);
    add_attr(j, "num_rows", EDGEFILE_U64, &j->source.edges.rows);
    add_attr(j, "num_cols", EDGEFILE_U64, &j->source.edges.cols);
    add_attr(j, "seed", EDGEFILE_U64, &m->seed);
    add_attr(j, "initial_edges", EDGEFILE_U64, &c->edges);
    add_attr(j, "insertions", EDGEFILE_U64, &c->insertions);
    add_attr(j, "deletions", EDGEFILE_U64, &c->deletions);
    add_attr(j, "deletion_order", EDGEFILE_STRING, order_names[c->order]);
    if (j->is_snapshot) {
        add_attr(j, "snapshot", EDGEFILE_U64, &j->snapshot);
        return;
    }
    add_attr(j, "arrivals", EDGEFILE_STRING, arrival_names[c->arrivals]);
    add_attr(j, "gap", EDGEFILE_U64, &c->gap);
    add_attr(j, "first_batch", EDGEFILE_U64, &j->from);
    add_attr(j, "batches", EDGEFILE_U64, &j->batches);
}

/* The options. */

static int check_batches(const updates_values *raw, const bool *given, const updates_job *j)
{
    const uint64_t most = j->updates.batches;
    const rmat_updates_config *c = &j->updates.config;

    if (c->edges < c->deletions) {
        return usage_error("updates",
                           "--deletions: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", the edges of the graph at first",
                           c->deletions, c->edges);
    }
    if (given[SNAPSHOT] && raw->snapshot > most) {
        return usage_error("updates",
                           "--snapshot: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", as there are no more batches",
                           raw->snapshot, most);
    }
    if (given[SNAPSHOT]) {
        return EXIT_OK;
    }
    if (most == 0) {
        return usage_error("updates",
                           "--insertions: '%" PRIu64 "' is more than the edges that are left, "
                           "allowed: fewer, or fewer --edges",
                           c->insertions);
    }
    if (raw->from >= most) {
        return usage_error("updates",
                           "--from-batch: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", the last batch",
                           raw->from, most - 1);
    }
    if (raw->batches > most - raw->from) {
        return usage_error("updates",
                           "--batches: '%" PRIu64 "' is out of range, allowed: 1 to %" PRIu64
                           ", as then too few edges or numbers are left",
                           raw->batches, most - raw->from);
    }
    return EXIT_OK;
}

/* What is for graphs alone, or for updates alone. */
static int check_kind(const updates_values *raw, const bool *given)
{
    static const int of_updates[] = {BATCHES, FROM_BATCH, ARRIVALS, GAP};
    const bool *model = given + N_OPTIONS;

    for (size_t i = 0; given[SNAPSHOT] && i < sizeof of_updates / sizeof *of_updates; i++) {
        if (given[of_updates[i]]) {
            return usage_error("updates", "--%s: given with --snapshot, allowed: for updates",
                               table[of_updates[i]].name);
        }
    }
    if (raw->model.stream == RMAT_STREAM_ROWS) {
        return usage_error("updates",
                           "--stream: '%s' given for updates, allowed: rmat, graph500, gapbs, "
                           "whose edges go on behind those of the graph",
                           option_stream_name(raw->model.stream));
    }
    for (int i = 0; raw->file != NULL && i < GENERATE_FORMAT; i++) {
        if (model[i] && i != GENERATE_SEED && i != GENERATE_EDGES && i != GENERATE_SYMMETRIZE &&
            i != GENERATE_UNIQUE) {
            return usage_error("updates",
                               "--%s: given with FILE, allowed: --seed, --edges, --symmetrize and "
                               "--unique",
                               generate_option_name(i));
        }
    }
    if ((model[GENERATE_UNIQUE] && raw->file == NULL) ||
        (!given[SNAPSHOT] && (raw->model.dedup || raw->model.simple))) {
        return usage_error("updates",
                           "--%s: given for updates, which count an edge as often as it occurs, "
                           "allowed: --unique with a FILE that has each edge once, --dedup and "
                           "--simple with --snapshot",
                           raw->model.unique   ? "unique"
                           : raw->model.simple ? "simple"
                                               : "dedup");
    }
    if (raw->model.stream != RMAT_STREAM_RMAT && (raw->model.no_self_loops || raw->model.simple)) {
        return usage_error("updates",
                           "--%s: given with --stream %s, whose edges are not drawn again, "
                           "allowed: with --stream rmat",
                           raw->model.simple ? "simple" : "no-self-loops",
                           option_stream_name(raw->model.stream));
    }
    if (!given[SNAPSHOT] && model[GENERATE_WEIGHTS]) {
        return usage_error("updates", "--weights: given for updates, allowed: with --snapshot");
    }
    return EXIT_OK;
}

/* The file, by the options that `rmat generate` has for it. */
static int resolve_output(updates_values *raw, const bool *given, updates_job *j)
{
    bool of_generate[GENERATE_N_OPTIONS] = {false};
    int status;

    memcpy(of_generate, given + N_OPTIONS, GENERATE_FORMAT * sizeof *given);
    of_generate[GENERATE_FORMAT] = given[FORMAT];
    of_generate[GENERATE_OUTPUT] = given[OUTPUT];
    status = generate_resolve_output(&raw->model, of_generate, &j->options);
    if (status == EXIT_OK && !given[OUTPUT] && !given[SNAPSHOT]) {
        snprintf(j->default_output, sizeof j->default_output, "updates%s",
                 graphfile_table[j->options.job.format]->suffix);
        j->options.job.output = j->default_output;
    }
    return status;
}

/* The edges of FILE, if it is given. */
static int open_graph(updates_values *raw, updates_job *j)
{
    static const engine_watch none;
    int status;

    if (raw->file == NULL) {
        return EXIT_OK;
    }
    status = updates_graph_open(&j->graph, raw->file,
                                raw->model.threads > 0 ? (int)raw->model.threads : cpu_usable(),
                                raw->model.seed, &none);
    if (status != ENGINE_OK) {
        return client_keep("updates", status);
    }
    if (raw->model.edges > j->graph.edges) {
        return usage_error("updates",
                           "--edges: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", those of FILE",
                           raw->model.edges, j->graph.edges);
    }
    if (raw->model.unique && !j->graph.unique) {
        return usage_error("updates",
                           "--unique: FILE '%s' is not known to have each edge once, allowed: with "
                           "one that rmat generate --unique, --dedup or --simple made",
                           raw->file);
    }
    raw->model.unique = false; /* the source is */
    return EXIT_OK;
}

/* The generator of the edges that are inserted: one of each pair, without weights. */
static int open_updates(const updates_values *raw, const bool *given, updates_job *j)
{
    rmat_config *m = &j->options.job.model;
    const bool half = raw->file != NULL && !given[N_OPTIONS + GENERATE_EDGES];
    const uint64_t edges = half ? j->graph.edges / 2 : j->options.job.edges;
    const uint64_t some = edges / 100 > 0 ? edges / 100 : 1;
    const uint64_t least = edges > 0 && some < RMAT_UPDATES_MAX ? some : RMAT_UPDATES_MAX;
    const rmat_updates_config config = {
        .edges = edges,
        .insertions = given[INSERTIONS] ? raw->insertions : least,
        .deletions = given[DELETIONS] ? raw->deletions : least,
        .order = (rmat_deletions)raw->order,
        .arrivals = (rmat_arrivals)raw->arrivals,
        .gap = raw->gap,
    };
    int status;

    if (config.insertions + config.deletions == 0) {
        return usage_error(
            "updates",
            MESSAGE_OPTIONS("--insertions --deletions") ": both are 0, allowed: one of them");
    }
    j->job = j->options.job;
    m->symmetrize = 0;
    m->weights = RMAT_NO_WEIGHTS;
    m->backend = RMAT_BACKEND_CPU;
    m->threads = 1;
    if (raw->file != NULL) {
        j->job.model.rows = j->graph.source.rows;
        j->job.model.cols = j->graph.source.cols;
    }
    status = raw->file != NULL ? rmat_create_from(&j->gen, &j->graph.source, m)
                               : rmat_create(&j->gen, m);
    if (status == RMAT_OK) {
        status = rmat_updates_of(&j->updates, j->gen, &config);
    }
    return status == RMAT_OK ? EXIT_OK : usage_error("updates", "%s", rmat_strerror(status));
}

/* The source, and the job that writes it.  What becomes of the edges of the model is done with, but
 * for their reverse and, of a snapshot, weights. */
static int make_job(updates_job *j)
{
    const rmat_updates_config *c = &j->updates.config;
    rmat_config *m = &j->job.model;

    j->source.edges = (rmat_source){.rows = m->rows,
                                    .cols = m->cols,
                                    .edges = j->batches * (c->insertions + c->deletions),
                                    .weights = RMAT_WEIGHTS_INT,
                                    .weight_min = -1,
                                    .weight_max = 1,
                                    .fill = fill_updates,
                                    .times = fill_times,
                                    .state = j};
    if (j->is_snapshot) {
        j->source.edges = (rmat_source){.rows = m->rows,
                                        .cols = m->cols,
                                        .edges = rmat_updates_live(&j->updates, j->snapshot),
                                        .fill = fill_snapshot,
                                        .state = j};
    }
    m->permute = m->no_self_loops = 0;
    m->direction = RMAT_DIRECTED;
    m->first = 0;
    m->stream = RMAT_STREAM_RMAT;
    m->backend = RMAT_BACKEND_CPU;
    j->source.unique = j->is_snapshot && j->graph.unique;
    j->source.command = j->command;
    j->source.csr_option = " --format csr";
    j->job.source = &j->source;
    j->job.edges = j->source.edges.edges;
    describe(j);
    return engine_complete(&j->job) == ENGINE_OK ? EXIT_OK : client_keep("updates", ENGINE_ERR_JOB);
}

static int resolve(updates_values *raw, const bool *given, updates_job *j)
{
    engine_job *job = &j->options.job;
    int status;

    j->is_snapshot = given[SNAPSHOT];
    j->snapshot = raw->snapshot;
    j->batches = raw->batches;
    j->from = raw->from;
    engine_id_type(raw->model.id_type, &job->id_bytes, &job->id_sign);
    job->threads = (int)raw->model.threads;
    if ((status = check_kind(raw, given)) != EXIT_OK ||
        (status = generate_resolve_model(&raw->model, given + N_OPTIONS, &j->options)) != EXIT_OK ||
        (status = open_graph(raw, j)) != EXIT_OK ||
        (status = resolve_output(raw, given, j)) != EXIT_OK ||
        (status = open_updates(raw, given, j)) != EXIT_OK ||
        (status = check_batches(raw, given, j)) != EXIT_OK) {
        return status;
    }
    client_obey_tests(&j->job);
    return make_job(j);
}

static int parse(int argc, char **argv, updates_job *j)
{
    updates_values raw = {.model = {.scale = 20, .seed = 1, .timeout = 60, .weights = "none"},
                          .batches = 10,
                          .gap = 1000};
    bool given[OPTIONS_MAX];
    int status = options_parse(&updates_command_line, argc, argv, &raw, given, &raw.file);
    generate_options *o = &j->options;

    engine_job_default(&o->job);
    o->job.timeout = (double)raw.model.timeout; /* needed even after an error */
    o->job.output = raw.model.output != NULL ? raw.model.output : "";
    o->job.replace = raw.model.force;
    o->quiet = raw.model.quiet;
    o->json = raw.model.json;
    o->help = raw.model.help;
    return status != EXIT_OK || o->help ? status : resolve(&raw, given, j);
}

/* The work, and what is printed of it. */

static void print_summary(const updates_job *j, const engine_result *r)
{
    const rmat_updates_config *c = &j->updates.config;
    FILE *f = strcmp(j->job.output, "-") == 0 ? stderr : stdout;
    const uint64_t end = j->is_snapshot ? j->snapshot : j->from + j->batches;
    const uint64_t live = rmat_updates_live(&j->updates, end) << j->job.model.symmetrize;
    char rate[NUMBER_TEXT], size[NUMBER_TEXT];
    json_object o;

    if (j->options.json) {
        json_begin(&o, f);
        json_string(&o, "file", j->job.output);
        json_u64(&o, "file_bytes", r->file_bytes);
        json_string(&o, "format", graphfile_names[j->job.format]);
        json_u64(&o, j->is_snapshot ? "edges" : "updates", r->edges);
        json_u64(&o, "insertions", c->insertions);
        json_u64(&o, "deletions", c->deletions);
        json_u64(&o, "from_batch", j->is_snapshot ? end : j->from);
        json_u64(&o, "batches", j->is_snapshot ? 0 : j->batches);
        json_u64(&o, "most_batches", j->updates.batches);
        json_u64(&o, "edges_after", live);
        json_string(&o, "command", r->command);
        json_f64(&o, "seconds", r->seconds);
        json_end(&o);
        return;
    }
    text_line(f, "file         %s (%s)", j->job.output, format_bytes(size, (double)r->file_bytes));
    if (!j->is_snapshot) {
        fprintf(f,
                "batches      %" PRIu64 " to %" PRIu64 ", each of %" PRIu64
                " insertions and %" PRIu64 " deletions\n",
                j->from, end - 1, c->insertions, c->deletions);
        fprintf(f, "updates      %" PRIu64 "\n", r->edges);
    }
    fprintf(f, "edges        %" PRIu64 " after batch %" PRIu64 "\n", live, end);
    fprintf(f, "time         %.3f s, %s/s\n", r->seconds,
            format_si(rate, (double)r->edges / r->seconds));
}

static int run(updates_job *j)
{
    engine_result result = {0};
    client c;
    int status;

    client_begin(&c, "updates", j->job.output, j->options.quiet);
    j->job.watch = c.watch;
    client_note_suffix(&c, j->job.output, j->job.format);
    status = engine_write_file(&j->job, &result);
    status = client_end(&c, status, j->job.output, result.edges,
                        result.edges > 0 ? (double)result.file_bytes / (double)result.edges : 0);
    if (status == EXIT_OK && dist_rank() == 0 && (j->options.json || !j->options.quiet)) {
        print_summary(j, &result);
    }
    return status;
}

int updates_main(int argc, char **argv)
{
    static updates_job j;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("updates", status, NULL);
    }
    message_command("updates");
    if (dist_size() > 1) {
        message_keep();
    }
    status = parse(argc, argv, &j);
    status = client_parsed("updates", status, j.options.job.timeout, NULL, NULL, 0);
    if (status == EXIT_OK && !j.options.help) {
        status = run(&j);
    } else if (status == EXIT_OK && dist_rank() == 0) {
        options_help(&updates_command_line, stdout);
    }
    rmat_destroy(j.gen);
    updates_graph_close(&j.graph);
    engine_stop();
    return status;
}
