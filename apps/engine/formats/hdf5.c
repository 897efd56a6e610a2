/* From an edge source to an HDF5 list, with the model of the source where it has one; or to what
 * the engine asks for, which several ranks write in rounds. */
#include "apps/engine/attributes/foreign.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 64 };

/* What the attributes of OUT point to. */
typedef struct {
    foreign_attrs foreign; /* without a model */
    model_attrs model;
    char version[VERSION];
    uint64_t stream;
    const edgefile_attr *attrs;
    size_t n;
} out_attrs;

static void describe_graph(out_attrs *a, const graphfile_graph *g)
{
    foreign_attrs_fill(&a->foreign, g);
    a->foreign.list[a->foreign.n++] =
        (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    a->attrs = a->foreign.list;
    a->n = a->foreign.n;
}

/* What `rmat generate` would say of a list of these edges; versions are those of IN. */
static void describe_model(out_attrs *a, const edge_source_facts *f)
{
    edgefile_reader *r = f->reader;
    const file_model *m = f->model;
    const model_ids ids = {f->graph.id_bytes, f->graph.signed_ids};
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
    a->attrs = a->model.list;
    a->n = a->model.n;
}

static void describe(out_attrs *a, const edge_source_facts *f)
{
    uint64_t shard;

    /* A shard alone is not the graph that its model makes. */
    if (f->model != NULL && edgefile_get_u64(f->reader, "shard", &shard) != EDGEFILE_OK) {
        describe_model(a, f);
    } else {
        describe_graph(a, &f->graph);
    }
}

typedef struct {
    edgefile_writer *writer;
    bool csr;
} conversion;

static int visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    conversion *c = state;
    const edge_block *e = &m->edges;
    const uint64_t fingerprint = rmat_fingerprint(e->src, e->dst, e->count, e->id_bytes);
    const void *src = c->csr ? NULL : e->src;

    (void)thread;
    if (edgefile_write(c->writer, e->first, e->count, src, e->dst, e->weight, fingerprint) !=
        EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
        return -1;
    }
    return 0;
}

static int end_round(void *writer)
{
    return edgefile_end_round(writer);
}

/* The fingerprint does not tell of the pointers of rows without edges.  Pointers [first, first +
 * count), behind the one before them. */
static int check_pointers(const edge_source_facts *f, uint64_t first, uint64_t count,
                          const uint64_t *before)
{
    const uint64_t last = first + count - 1;
    bool right =
        (first > 0 || before[1] == 0) && (last < f->graph.rows || before[count] == f->graph.edges);

    for (uint64_t i = first > 0 ? 0 : 1; i < count; i++) {
        right = right && before[i] <= before[i + 1];
    }
    return right ? ENGINE_OK
                 : engine_fail("dataset 'pointers_to_1' of the sorted edges is not in order from "
                               "element %" PRIu64 " "
                               "on: it is damaged",
                               first);
}

/* Reads and writes pointers [first, first + count); *room takes one more. */
static int copy_pointers(const edge_source_facts *f, edgefile_writer *writer, uint64_t first,
                         uint64_t count, uint64_t *room)
{
    const uint64_t before = first > 0;
    int status =
        edgefile_read_pointers(f->reader, first - before, count + before, room + 1 - before);

    if (status == EDGEFILE_OK && check_pointers(f, first, count, room) != ENGINE_OK) {
        return ENGINE_ERR_RUN;
    }
    if (status == EDGEFILE_OK) {
        status = edgefile_write_pointers(writer, first, count, room + 1);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail_file(status);
}

/* Of a CSR source, by all ranks: chunk after chunk in turn. */
static int write_pointers(const edge_source_facts *f, edgefile_writer *writer)
{
    const uint64_t length = f->graph.rows + 1, rank = (uint64_t)dist_rank();
    uint64_t *pointers = malloc((EDGEFILE_ROUND + 1) * sizeof *pointers);
    int status = format_agree(pointers != NULL ? ENGINE_OK : engine_fail("memory is exhausted"));

    for (uint64_t at = 0; at < length && status == ENGINE_OK;
         at += EDGEFILE_ROUND * (uint64_t)dist_size()) {
        const uint64_t first = at + rank * EDGEFILE_ROUND;
        const uint64_t left = first < length ? length - first : 0;
        const uint64_t count = left < EDGEFILE_ROUND ? left : EDGEFILE_ROUND;

        status = count > 0 ? copy_pointers(f, writer, first, count, pointers) : ENGINE_OK;
        status = format_agree(status);
        if (status == ENGINE_OK && edgefile_end_round(writer) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    free(pointers);
    return status;
}

static int write_rounds(edge_source *source, conversion *c, const edge_walk_body *body,
                        const format_options *options, double edge_bytes)
{
    const format_rounds rounds = {EDGEFILE_ROUND, end_round, c->writer};
    int status = format_write_rounds(source, 0, &rounds, body, options, edge_bytes);

    if (status == ENGINE_OK && c->csr) {
        status = write_pointers(edge_source_facts_of(source), c->writer);
    }
    return status;
}

static int write_all(edge_source *source, conversion *c, const format_options *options)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const edge_walk_body body = {visit, NULL, c};
    engine_meter meter =
        engine_meter_of(options->watch, "", f->graph.edges,
                        2 * f->graph.id_bytes + (f->graph.weight != EDGEFILE_NO_WEIGHT ? 4 : 0));
    int status = options->group != NULL
                     ? write_rounds(source, c, &body, options, meter.now.edge_bytes)
                     : edge_walk(source, options->threads, &body, &meter);

    if (status == ENGINE_OK) {
        int st = edgefile_commit(&c->writer, NULL);

        status = st == EDGEFILE_OK ? ENGINE_OK : engine_fail_file(st);
    }
    return status;
}

int format_write_hdf5(edge_source *source, const char *out, const format_options *options,
                      format_result *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    edgefile_spec spec = {.edges = f->graph.edges,
                          .id_bytes = f->graph.id_bytes,
                          .signed_ids = f->graph.signed_ids,
                          .weight = f->graph.weight,
                          .replace = options->replace,
                          .compress = options->compress,
                          .layout = EDGEFILE_LAYOUT_SINGLE};
    conversion c = {0};
    out_attrs attrs;
    struct stat st;
    int status;

    if (options->hdf5 != NULL) {
        spec = *options->hdf5;
    } else {
        describe(&attrs, f);
        spec.attrs = attrs.attrs;
        spec.n_attrs = attrs.n;
    }
    c.csr = spec.format == EDGEFILE_CSR;
    status = edgefile_create(&c.writer, out, &spec);
    if (status == EDGEFILE_OK) {
        result->io = edgefile_used_path(c.writer);
        status = write_all(source, &c, options);
    } else {
        status = engine_fail_file(status);
    }
    edgefile_abort(&c.writer);
    if (status == ENGINE_OK) {
        result->edges = f->graph.edges;
        result->bytes = stat(out, &st) == 0 ? (uint64_t)st.st_size : 0;
    }
    return status;
}
