/*
 * convert.c - converts an HDF5 file of ours to any format, on all ranks.  `rmat convert` uses it,
 * and so do sorted graphs in formats that cannot take the intervals one by one.  Formats with row
 * pointers need the edges more than once, and several ranks make intervals out of order.  The
 * engine then writes the graph to an HDF5 file beside the output first, and converts that file.
 */
#include "apps/common/system.h"
#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The attributes of an h5 file: the source's model, where it has one. */

enum { VERSION = 64 };

typedef struct {
    model_attrs model;
    char version[VERSION];
    uint64_t stream;
} list_attrs;

/* What `rmat generate` would say of a list of these edges; versions are those of the source. */
static void describe_model(list_attrs *a, const edge_source_facts *f, const graphfile_spec *spec)
{
    edgefile_reader *r = f->reader;
    const file_model *m = f->model;
    const model_ids ids = {spec->graph.id_bytes, spec->graph.signed_ids};
    model_order order = m->order;

    order.csr = false;
    model_attrs_fill(&a->model, &m->given, model_base_edges(r, m), ids,
                     order.sorted ? &order : NULL);
    for (size_t i = 0; i < a->model.n; i++) {
        edgefile_attr *attr = &a->model.list[i];

        if (strcmp(attr->name, "matrices") == 0) {
            attr->value = m->levels;
        } else if (strcmp(attr->name, "library_version") == 0 &&
                   edgefile_get_string(r, attr->name, a->version, sizeof a->version) ==
                       EDGEFILE_OK) {
            attr->value = a->version;
        } else if (strcmp(attr->name, "stream_version") == 0 &&
                   edgefile_get_u64(r, attr->name, &a->stream) == EDGEFILE_OK) {
            attr->value = &a->stream;
        }
    }
}

const char *format_lost(const graphfile_graph *g, graphfile_format to)
{
    const unsigned traits = graphfile_table[to]->traits;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS);
    const bool vertices = !(traits & GRAPHFILE_HAS_VERTICES);

    return weights ? (vertices ? "weights, the number of vertices" : "weights")
                   : (vertices ? "the number of vertices" : "");
}

/*
 * The in-neighbors of a serialized graph, by counting sort, in bounded memory.
 *
 * Destinations are processed in ranges whose counters take at most half of the memory.  If all fit,
 * there is one range.  The edges of a range are counted by destination.  The range is then divided
 * into parts whose in-neighbors fit into the rest of the memory.  For each part the edges are read
 * once more.  A part has at least one destination.  One thread places the edges, so in-neighbors
 * have the order of the edges' sources.
 */

enum { WRITE_BYTES = 16 << 20, AHEAD = 16 };

typedef struct {
    edge_source *source;
    graphfile_writer *writer;
    engine_meter *meter;
    int threads;
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

    (void)thread;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes);

        if (dst - t->first < length) {
            __atomic_fetch_add(&t->place[dst - t->first], 1, __ATOMIC_RELAXED);
        } else if (dst >= t->vertices) {
            snprintf(text, size,
                     "an edge has the destination %" PRIu64 ", but there are only %" PRIu64
                     " vertices",
                     dst, t->vertices);
            return -1;
        }
    }
    return 0;
}

static void place_edge(const transposed *t, const edge_block *e, uint64_t i, uint64_t dst)
{
    const uint64_t at = t->place[dst]++ - t->before;
    const uint32_t src = (uint32_t)edge_id(e->src, i, e->id_bytes);

    if (t->width == 4) {
        ((uint32_t *)t->neighbors)[at] = src;
    } else {
        ((uint32_t *)t->neighbors)[2 * at] = src;
        ((uint32_t *)t->neighbors)[2 * at + 1] = ((const uint32_t *)e->weight)[i];
    }
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
            place_edge(t, e, i, dst);
        }
    }
    return 0;
}

/* Counts become places. */
static void add_up(uint64_t *count, uint64_t n, uint64_t before)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t own = count[i];

        count[i] = before;
        before += own;
    }
}

/* Writes n elements of `bytes` bytes, from number `first` on, in steps, as a write may take long.
 */
static int write_part(const transposed *t, graphfile_part part, uint64_t first, uint64_t n,
                      const void *elements, size_t bytes)
{
    const uint64_t step = WRITE_BYTES / bytes;

    for (uint64_t i = 0; i < n; i += step) {
        const int reason = engine_meter_tick(t->meter, 0, 0);

        if (reason != 0) {
            return engine_stop_with(reason);
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
    add_up(t->place, n, t->before);
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

/* The range of n destinations from t->first on, with these counters. */
static int transpose_range(transposed *t, uint64_t *count, uint64_t n, uint64_t room)
{
    const uint64_t first = t->first;
    int status;

    memset(count, 0, n * sizeof *count);
    t->place = count;
    t->end = first + n;
    status = edge_walk(t->source, t->threads, count_piece, t, t->meter);
    for (uint64_t i = 0, begin = 0; i < n && status == ENGINE_OK; begin = i) {
        uint64_t edges = count[i++];

        while (i < n && (edges + count[i]) * t->width <= room) {
            edges += count[i++];
        }
        t->first = first + begin;
        t->end = first + i;
        t->place = count + begin;
        status = place_part(t, edges);
    }
    return status;
}

static int transpose(transposed *t, uint64_t memory)
{
    const uint64_t fit = memory / 2 / sizeof *t->place;
    const uint64_t most = fit < 1 ? 1 : fit < t->vertices ? fit : t->vertices;
    const uint64_t room = memory - most * sizeof *t->place;
    uint64_t *count = huge_alloc((most + 1) * sizeof *count);
    int status = count != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    while (t->end < t->vertices && status == ENGINE_OK) {
        t->first = t->end;
        status = transpose_range(
            t, count, t->vertices - t->first < most ? t->vertices - t->first : most, room);
    }
    free(count);
    return status == ENGINE_OK
               ? write_part(t, GRAPHFILE_IN_POINTERS, t->vertices, 1, &t->before, sizeof t->before)
               : status;
}

static int write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    engine_meter meter = engine_meter_of(options->watch, "collecting in-neighbors", g->edges, 0);
    transposed t = {.source = source,
                    .writer = writer,
                    .meter = &meter,
                    .threads = options->threads,
                    .vertices = g->rows > g->cols ? g->rows : g->cols,
                    .width = graphfile_in_bytes(writer)};

    return t.width == 0
               ? ENGINE_OK
               : transpose(&t, options->memory != 0 ? options->memory : sorted_default_memory());
}

/* The file. */

/* Collective, if there is a group. */
static int write_edges(edge_source *source, graphfile_writer *writer, const graphfile_spec *spec,
                       const format_options *options)
{
    const pipeline_plan buffers =
        edge_pipeline_plan(source, spec->graph.id_bytes, options->threads);
    edge_readers readers = {.source = source,
                            .fingerprints =
                                graphfile_table[spec->format]->traits & GRAPHFILE_EDGEFILE};
    const pipeline_producer producer = edge_producer(&readers, options->threads);
    const engine_rounds rounds = {&buffers, &producer, writer, spec, options->watch};
    pipeline_result done;
    int status = engine_write_rounds(
        &rounds, dist_size() > 1 ? engine_round_edges(options->threads) : spec->graph.edges, &done);

    return status == ENGINE_OK ? engine_agree(edge_source_check_ranks(source)) : status;
}

static int write_file(edge_source *source, const char *out, const graphfile_spec *spec,
                      const format_options *options, uint64_t *bytes)
{
    graphfile_committed committed;
    graphfile_writer *writer;
    int status = engine_file_status(graphfile_create(&writer, out, spec));

    if (status != ENGINE_OK) {
        return status;
    }
    status = write_edges(source, writer, spec, options);
    if (status == ENGINE_OK && graphfile_table[spec->format]->traits & GRAPHFILE_NEEDS_POINTERS) {
        /* It needs all edges, and is less work than they were. */
        status =
            engine_agree(dist_rank() == 0 ? write_pointers(source, writer, options) : ENGINE_OK);
    }
    if (status != ENGINE_OK) {
        graphfile_abort(&writer);
        return status;
    }
    status = engine_file_status(graphfile_commit(&writer, &committed));
    *bytes = committed.bytes;
    return status;
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
    list_attrs attrs;
    int status = complete_spec(&spec, f, options);

    if (status != ENGINE_OK) {
        return status;
    }
    if (f->model != NULL) {
        describe_model(&attrs, f, &spec);
    } else {
        model_attrs_foreign(&attrs.model, &spec.graph);
        attrs.model.list[attrs.model.n++] =
            (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    }
    spec.attrs = attrs.model.list;
    spec.n_attrs = attrs.model.n;
    return write_file(source, out, &spec, options, bytes);
}

/* A sorted graph, by way of an HDF5 file. */

graphfile_spec engine_sorted_spec(const engine_plan *p, const graphfile_spec *output)
{
    return (graphfile_spec){.format = p->hdf5_format,
                            .graph = output->graph,
                            .replace = 1,
                            .group = output->group,
                            .attrs = output->attrs,
                            .n_attrs = output->n_attrs,
                            .buffered = p->job.buffered,
                            .unaligned = 1};
}

/* Collective; the same on all ranks. */
static int convert_sorted(const char *name, engine_work *run)
{
    const engine_job *o = &run->plan->job;
    const format_options options = {.threads = o->threads,
                                    .spec = run->spec,
                                    .id_bytes = o->id_bytes,
                                    .id_sign = o->id_sign,
                                    .watch = &o->watch};
    const double start = clock_seconds();
    edge_source *source;
    int status = engine_agree(edge_source_open(&source, name));

    if (status == ENGINE_OK) {
        status = format_write(source, o->output, &options, &run->result->file_bytes);
    }
    run->result->convert_seconds = clock_seconds() - start;
    edge_source_close(source);
    return status;
}

/* Removes the sorted file, which nothing reads after the conversion or the end of the job. */
static struct {
    char name[PATH_MAX];
    struct stat ours; /* st_ino 0: it is not there yet */
} sorted_file;

/* Unless another process has put its own there. */
static void remove_sorted(void)
{
    struct stat now;

    if (sorted_file.ours.st_ino != 0 && stat(sorted_file.name, &now) == 0 &&
        now.st_ino == sorted_file.ours.st_ino && now.st_dev == sorted_file.ours.st_dev) {
        unlink(sorted_file.name);
    }
    sorted_file.ours.st_ino = 0;
}

int engine_abandon(void)
{
    remove_sorted();
    return edgefile_abandon();
}

int engine_write_converted(engine_work *run)
{
    const engine_job *o = &run->plan->job;
    const graphfile_spec spec = engine_sorted_spec(run->plan, run->spec);
    engine_work sorted = *run;
    graphfile_writer *writer = NULL;
    char *name = sorted_file.name;
    int status;

    /* Checks, before hours of work, that the output can be created. */
    status = engine_file_status(graphfile_create(&writer, run->file, run->spec));
    graphfile_abort(&writer);
    if (status == ENGINE_OK) {
        /* Beside the output, as that is where room is; formats that need it cannot go to a pipe. */
        const int n = snprintf(name, PATH_MAX, "%s.sorted.partial", o->output);

        if (n >= PATH_MAX) {
            status = engine_fail("%s: %s", o->output, strerror(ENAMETOOLONG));
        }
    }
    status = engine_agree(status);
    if (status != ENGINE_OK) {
        return status;
    }
    sorted.spec = &spec;
    sorted.file = name;
    status = engine_write_sorted(&sorted);
    if (status == ENGINE_OK) {
        dist_hold_poll(0); /* it is not the file that was asked for */
        (void)stat(name, &sorted_file.ours);
        status = convert_sorted(name, run);
    }
    if (dist_rank() == 0) {
        remove_sorted();
    }
    return status;
}
