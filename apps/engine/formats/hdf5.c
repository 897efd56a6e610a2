/* HDF5 files of our own from an edge source: the attributes of a list, with the model of the source
 * where it has one; and the row pointers of a sorted graph. */
#include "apps/engine/formats/formats.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void describe_graph(format_attrs *a, const graphfile_graph *g)
{
    foreign_attrs_fill(&a->foreign, g);
    a->foreign.list[a->foreign.n++] =
        (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    a->attrs = a->foreign.list;
    a->n = a->foreign.n;
}

/* What `rmat generate` would say of a list of these edges; versions are those of IN. */
static void describe_model(format_attrs *a, const edge_source_facts *f)
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

void format_describe(format_attrs *a, const edge_source_facts *f)
{
    uint64_t shard;

    /* A shard alone is not the graph that its model makes. */
    if (f->model != NULL && edgefile_get_u64(f->reader, "shard", &shard) != EDGEFILE_OK) {
        describe_model(a, f);
    } else {
        describe_graph(a, &f->graph);
    }
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
static int copy_pointers(const edge_source_facts *f, graphfile_writer *writer, uint64_t first,
                         uint64_t count, uint64_t *room)
{
    const uint64_t before = first > 0;
    int status =
        edgefile_read_pointers(f->reader, first - before, count + before, room + 1 - before);

    if (status == EDGEFILE_OK && check_pointers(f, first, count, room) != ENGINE_OK) {
        return ENGINE_ERR_RUN;
    }
    if (status == EDGEFILE_OK) {
        status = graphfile_write_pointers(writer, first, count, room + 1);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail_file(status);
}

/* Chunk after chunk in turn. */
int format_copy_pointers(const edge_source_facts *f, graphfile_writer *writer)
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
        if (status == ENGINE_OK && graphfile_end_round(writer) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    free(pointers);
    return status;
}
