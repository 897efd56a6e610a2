/*
 * convert.c - converts an HDF5 file of ours to any format, on all ranks.  `rmat convert` uses it,
 * and so do sorted graphs in formats that cannot take the intervals one by one.  Formats with row
 * pointers need the edges more than once, and several ranks make intervals out of order.  The
 * engine then writes the graph to an HDF5 file beside the output first, and converts that file.
 */
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The attributes of an h5 file, as `rmat generate` would write them of a list of these edges;
 * versions and matrices are those of the source. */
static void describe_model(model_attrs *a, const edge_source_facts *f, const graphfile_spec *spec)
{
    edgefile_reader *r = f->reader;
    const file_model *m = f->model;
    model_order order = m->order;

    order.csr = false;
    order.id_bytes = spec->graph.id_bytes;
    order.signed_ids = spec->graph.signed_ids;
    model_attrs_fill(a, &m->given, m->base_edges, &order);
    memcpy(a->levels, m->levels, sizeof a->levels);
    (void)edgefile_get_string(r, "library_version", a->version, sizeof a->version);
    (void)edgefile_get_u64(r, "stream_version", &a->stream_version);
}

const char *format_lost(const graphfile_graph *g, graphfile_format to)
{
    const unsigned traits = graphfile_table[to]->traits;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS);
    const bool vertices = !(traits & GRAPHFILE_HAS_VERTICES);
    static const char *const lost[] = {"", "the number of vertices", "weights",
                                       "weights, the number of vertices"};

    return lost[2 * weights + vertices];
}

/*
 * The in-neighbors of a serialized graph, by counting sort, in bounded memory.
 *
 * Half of the memory holds counters of a range of destinations, at best of all.  One pass over the
 * edges counts those of the range.  It is then divided into parts whose in-neighbors fit into the
 * rest of the memory, at least one destination each.  For each part the edges are read once more.
 * One thread places the edges, so in-neighbors have the order of the edges' sources.  The writer
 * has checked all vertices by then.
 */

enum { WRITE_BYTES = 16 << 20, AHEAD = 16 };

typedef struct {
    edge_source *source;
    graphfile_writer *writer;
    engine_meter *meter;
    uint64_t vertices;
    size_t width; /* bytes of a neighbor */

    uint64_t first, end; /* destinations of the range, or of a part of it: */
    uint64_t before;     /* edges of those before it */
    uint64_t *place;     /* by destination: edges; then the place of the next in-neighbor */
    void *neighbors;     /* from `before` on */
} transposed;

static int count_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const transposed *t = state;
    const uint64_t length = t->end - t->first;

    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes) - t->first;

        if (dst < length) {
            __atomic_fetch_add(&t->place[dst], 1, __ATOMIC_RELAXED);
        }
    }
    return 0;
}

static int place_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const transposed *t = state;
    const uint64_t length = t->end - t->first;

    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes) - t->first;

        if (i + AHEAD < e->count) {
            const uint64_t later = edge_id(e->dst, i + AHEAD, e->id_bytes) - t->first;

            __builtin_prefetch(&t->place[later < length ? later : 0], 1);
        }
        if (dst < length) {
            const uint64_t at = t->place[dst]++ - t->before;
            uint32_t *to = (uint32_t *)t->neighbors + at * (t->width / 4);

            to[0] = (uint32_t)edge_id(e->src, i, e->id_bytes);
            if (t->width == 8) {
                to[1] = ((const uint32_t *)e->weight)[i];
            }
        }
    }
    return 0;
}

/* Writes n elements of `bytes` bytes, from number `first` on, in steps, as a write may take long.
 */
static int write_part(const transposed *t, graphfile_part part, uint64_t first, uint64_t n,
                      const void *elements, size_t bytes)
{
    const uint64_t step = WRITE_BYTES / bytes;

    for (uint64_t i = 0; i < n; i += step) {
        const int status = engine_meter_tick(t->meter, 0, 0);

        if (status != ENGINE_OK) {
            return status;
        }
        if (graphfile_write_part(t->writer, part, first + i, n - i < step ? n - i : step,
                                 (const char *)elements + i * bytes) != EDGEFILE_OK) {
            return engine_fail("%s", edgefile_detail());
        }
    }
    return ENGINE_OK;
}

/* Writes the part's in-neighbors, `edges` of them; its counts become places. */
static int place_part(transposed *t, uint64_t edges)
{
    const uint64_t n = t->end - t->first;
    int status;

    t->neighbors = huge_alloc((edges + 1) * t->width);
    if (t->neighbors == NULL) {
        return engine_fail("memory is exhausted");
    }
    for (uint64_t i = 0, at = t->before; i < n; i++) { /* counts become places */
        const uint64_t own = t->place[i];

        t->place[i] = at;
        at += own;
    }
    status = write_part(t, GRAPHFILE_IN_POINTERS, t->first, n, t->place, sizeof *t->place);
    if (status == ENGINE_OK && edges > 0) {
        status = edge_walk(t->source, 1, place_piece, t, t->meter);
    }
    if (status == ENGINE_OK) {
        status = write_part(t, GRAPHFILE_IN_NEIGHBORS, t->before, edges, t->neighbors, t->width);
    }
    free(t->neighbors);
    t->before += edges;
    return status;
}

static int transpose(edge_source *source, graphfile_writer *writer, const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const uint64_t memory = options->memory != 0 ? options->memory : sorted_default_memory();
    engine_meter meter = engine_meter_of(options->watch, "collecting in-neighbors", g->edges, 0);
    transposed t = {.source = source,
                    .writer = writer,
                    .meter = &meter,
                    .vertices = g->rows > g->cols ? g->rows : g->cols,
                    .width = graphfile_in_bytes(writer)};
    const uint64_t fit = memory / 2 / sizeof(uint64_t) + 1; /* one in any case */
    const uint64_t most = fit < t.vertices ? fit : t.vertices;
    uint64_t range_end = 0, *counts = huge_alloc((most + 1) * sizeof *counts);
    int status = counts != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    while (t.end < t.vertices && status == ENGINE_OK) {
        const uint64_t room = memory - most * sizeof *counts;
        uint64_t edges = 0, i = 0;

        t.first = t.end;
        if (t.first == range_end) {
            t.end = range_end = t.vertices - t.first < most ? t.vertices : t.first + most;
            t.place = counts;
            memset(counts, 0, most * sizeof *counts);
            status = edge_walk(source, options->threads, count_piece, &t, &meter);
        }
        while (t.first + i < range_end && (i == 0 || (edges + t.place[i]) * t.width <= room)) {
            edges += t.place[i++];
        }
        t.end = t.first + i;
        status = status == ENGINE_OK ? place_part(&t, edges) : status;
        t.place += i;
    }
    free(counts);
    return status == ENGINE_OK
               ? write_part(&t, GRAPHFILE_IN_POINTERS, t.vertices, 1, &t.before, sizeof t.before)
               : status;
}

/* The file. */

/* Collective, if there is a group. */
static int write_edges(edge_source *source, graphfile_writer *writer, const graphfile_spec *spec,
                       const format_options *options)
{
    edge_readers readers = {.source = source};
    pipeline_plan buffers;
    const pipeline_producer producer =
        edge_pipeline(&readers, spec->graph.id_bytes, options->threads, &buffers);
    const engine_rounds rounds = {options->threads, &buffers, &producer,
                                  writer,           spec,     options->watch};
    pipeline_result done = {.done = 0};
    int status = engine_write_rounds(&rounds, &done);

    if (status == ENGINE_OK) {
        dist_sum(&done.fingerprint, 1);
        status = edge_source_check(source, done.fingerprint);
    }
    if (status != ENGINE_OK) {
        return status;
    }
    /* In-neighbors need all edges, and are less work than they were. */
    return engine_agree(dist_rank() == 0 && graphfile_in_bytes(writer) > 0
                            ? transpose(source, writer, options)
                            : ENGINE_OK);
}

/* Fills in the properties of the file that the options leave to the source. */
static int complete_spec(graphfile_spec *spec, const edge_source_facts *f,
                         const format_options *options)
{
    const int weight_text = spec->graph.weight_text;
    const uint64_t rows = f->graph.rows, cols = f->graph.cols;
    const int status = engine_check_ids(spec->format, options->id_bytes, options->id_sign,
                                        rows > cols ? rows : cols);

    if (status != ENGINE_OK) {
        return status;
    }
    spec->graph = f->graph;
    spec->graph.weight_text = weight_text;
    if (options->id_bytes != 0) {
        spec->graph.id_bytes = options->id_bytes;
    }
    if (options->id_sign != ENGINE_SIGN_AUTO) {
        spec->graph.signed_ids = options->id_sign == ENGINE_SIGNED;
    }
    return graphfile_check(spec->format, &spec->graph) == EDGEFILE_OK
               ? ENGINE_OK
               : engine_refuse("format", "%s", edgefile_detail());
}

int format_write(edge_source *source, const char *out, const format_options *options,
                 uint64_t *bytes)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    graphfile_spec spec = *options->spec;
    graphfile_committed committed = {0};
    graphfile_writer *writer;
    model_attrs attrs;
    int status = complete_spec(&spec, f, options);

    if (status != ENGINE_OK) {
        return status;
    }
    if (f->model != NULL) {
        describe_model(&attrs, f, &spec);
    } else {
        model_attrs_foreign(&attrs, &spec.graph);
        attrs.list[attrs.n++] = (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    }
    spec.attrs = attrs.list;
    spec.n_attrs = attrs.n;
    status = engine_file_status(graphfile_create(&writer, out, &spec));
    status = status == ENGINE_OK ? write_edges(source, writer, &spec, options) : status;
    status =
        status == ENGINE_OK ? engine_file_status(graphfile_commit(&writer, &committed)) : status;
    graphfile_abort(&writer);
    *bytes = committed.bytes;
    return status;
}

/* A sorted graph, by way of an HDF5 file. */

graphfile_spec engine_sorted_spec(const engine_plan *p, const graphfile_spec *output)
{
    graphfile_spec spec = *output;

    spec.format = p->hdf5_format;
    spec.replace = 1;
    return spec;
}

static const char *sorted_file; /* the sorted file, while it has its name; NULL: there is none */

static void remove_sorted(void)
{
    if (sorted_file != NULL) {
        unlink(sorted_file);
    }
    sorted_file = NULL;
}

int engine_abandon(void)
{
    remove_sorted();
    return edgefile_abandon();
}

int engine_write_converted(engine_work *work)
{
    const engine_job *job = &work->plan->job;
    const graphfile_spec spec = engine_sorted_spec(work->plan, work->spec);
    const format_options options = {.threads = job->threads,
                                    .spec = work->spec,
                                    .id_bytes = job->id_bytes,
                                    .id_sign = job->id_sign,
                                    .watch = &job->watch};
    const uint64_t bytes =
        graphfile_most_bytes(work->spec, NULL) + graphfile_most_bytes(&spec, NULL);
    engine_work sorted = *work;
    edge_source *source;
    char name[PATH_MAX];
    double start;
    int status = engine_check_output(job, bytes);

    /* Beside the output, as that is where room is; formats that need it cannot go to a pipe. */
    if (status == ENGINE_OK &&
        snprintf(name, sizeof name, "%s.sorted.partial", work->file) >= PATH_MAX) {
        status = engine_fail("%s: %s", work->file, strerror(ENAMETOOLONG));
    }
    sorted.spec = &spec;
    sorted.file = name;
    status = status == ENGINE_OK ? engine_write_sorted(&sorted) : status;
    if (status != ENGINE_OK) {
        return status;
    }
    start = clock_seconds();
    status = engine_agree(edge_source_open(&source, name));
    sorted_file = name;
    /* All ranks have the file open.  On one host it can lose its name, so that nothing is left of
     * it however the processes end.  Over NFS, other hosts would then lose the file. */
    if (dist_host_count() == 1) {
        remove_sorted();
    }
    dist_hold_poll(0); /* what got its name is not the file that was asked for */
    if (status == ENGINE_OK) {
        status = format_write(source, job->output, &options, &work->result->file_bytes);
    }
    work->result->convert_seconds = clock_seconds() - start;
    edge_source_close(source);
    remove_sorted();
    return status;
}
