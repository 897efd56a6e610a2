/* edges.c - rmat verify: chooses the edges to check, and reports the results as text. */
#include "apps/verify/edges.h"
#include "apps/client/client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 }; /* edges of a chunk of a sample */

/* A hash value (splitmix64): the same for the same seed. */
static uint64_t scramble(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The chunk that represents part k of `sample` equal parts of the file: the file's first chunk for
 * the first part, its last chunk for the last part, else a random one. */
static uint64_t sampled_chunk(uint64_t chunks, uint64_t k, uint64_t sample, uint64_t seed)
{
    uint64_t low = (uint64_t)((unsigned __int128)k * chunks / sample);
    uint64_t high = (uint64_t)((unsigned __int128)(k + 1) * chunks / sample);

    return k == 0 ? 0 : k + 1 == sample ? chunks - 1 : low + scramble(seed + k) % (high - low);
}

/* The chunks of a sample, or all edges; *n of them.  NULL: memory is exhausted. */
static pipeline_span *choose_spans(const verify_options *options, uint64_t edges, size_t *n)
{
    const uint64_t chunks = edges / CHUNK + (edges % CHUNK != 0);
    const bool sample = options->sample > 0 && options->sample < chunks;
    pipeline_span *spans;

    *n = sample ? (size_t)options->sample : 1;
    spans = calloc(*n, sizeof *spans);
    if (spans != NULL && !sample) {
        spans[0].count = edges;
    }
    for (size_t k = 0; spans != NULL && sample && k < *n; k++) {
        spans[k].first = CHUNK * sampled_chunk(chunks, k, options->sample, options->sample_seed);
        spans[k].count = edges - spans[k].first < CHUNK ? edges - spans[k].first : CHUNK;
    }
    return spans;
}

static void report_fingerprint(verify_report *report, const edge_results *r, uint64_t attribute,
                               const char *name)
{
    if (r->found_edges.looked_at < r->edges) {
        verify_skipped(report, "fingerprint", "it covers all edges, and not all were looked at");
    } else if (r->pointers.wrong > 0) {
        verify_skipped(report, "fingerprint", "the pointers, which give the sources, are wrong");
    } else if (r->fingerprint != attribute) {
        verify_wrong(report, "fingerprint",
                     "%s: that of the edges is 0x%016" PRIx64 ", the attribute says 0x%016" PRIx64,
                     name, r->fingerprint, attribute);
    } else {
        verify_ok(report, "fingerprint", "the fingerprint of the edges equals the attribute");
    }
}

/* For a sorted graph: checks that it has as many edges, and takes as many edges of the stream, as
 * the file says. */
static void report_count(verify_report *report, const edge_results *r, const model_order *order)
{
    if (r->stream_edges != order->stream_edges) {
        verify_wrong(report, "count",
                     "stream_edges is %" PRIu64 ", expected %" PRIu64
                     ": the edges are made of this number of the stream",
                     order->stream_edges, r->stream_edges);
    } else if (r->made != r->edges) {
        verify_wrong(report, "count",
                     "%" PRIu64 " edges, expected %" PRIu64 " of the first %" PRIu64
                     " of the stream",
                     r->edges, r->made, order->stream_edges);
    } else {
        verify_ok(report, "count", "the first %" PRIu64 " edges of the stream are %" PRIu64 "%s",
                  order->stream_edges, r->made, order->unique ? " distinct ones" : "");
    }
}

static void report_pointers(verify_report *report, const edge_results *r)
{
    const element_findings *f = &r->pointers;

    if (f->wrong > 0) {
        verify_wrong(report, "pointers",
                     "row %" PRIu64 ": pointers_to_1 is %s, expected %s; %" PRIu64 " of %" PRIu64
                     " differ",
                     f->first, f->found, f->expected, f->wrong, f->looked_at);
    } else {
        verify_ok(report, "pointers", "of all %" PRIu64 " rows, as made", r->rows);
    }
}

static void report_made(verify_report *report, const edge_results *r, const verify_options *options,
                        const model_order *order)
{
    const element_findings *f = &r->found_edges;

    if (order->sorted) {
        report_count(report, r, order);
    }
    if (r->rows > 0) {
        report_pointers(report, r);
    }
    if (f->wrong > 0) {
        verify_wrong(report, "edges",
                     "edge %" PRIu64 ": %s is %s, expected %s; %" PRIu64 " of %" PRIu64
                     " edges differ",
                     f->first, f->what, f->found, f->expected, f->wrong, f->looked_at);
    } else if (f->looked_at < r->edges && r->made >= r->edges) {
        verify_ok(report, "edges",
                  "%" PRIu64 " in %" PRIu64 " chunks, --sample-seed %" PRIu64
                  ", equal those that the attributes describe",
                  f->looked_at, options->sample, options->sample_seed);
    } else {
        verify_ok(report, "edges", "all %" PRIu64 " equal those that the attributes describe",
                  f->looked_at);
    }
}

static void report_read(verify_report *report, const edge_results *r, const char *maker)
{
    const element_findings *f = &r->found_edges;

    if (maker == NULL) {
        verify_skipped(report, "edges",
                       "the attributes do not describe a graph that can be generated");
        return;
    }
    if (f->wrong > 0) {
        verify_wrong(report, "promises", "edge %" PRIu64 ": %s; %" PRIu64 " such edge%s in all",
                     f->first, f->what, f->wrong, f->wrong == 1 ? "" : "s");
    } else {
        verify_ok(report, "promises", "all that the attributes say of ids, loops and order");
    }
    verify_skipped(report, "edges",
                   "made by %s, and not by an R-MAT model; weights are not checked", maker);
}

int verify_edges(verify_report *report, edgefile_reader *reader, const verify_options *options,
                 const file_model *model, const file_model *promised, const char *maker)
{
    edge_results r = {.reader = reader,
                      .edges = edgefile_edges(reader),
                      .rows = edgefile_rows(reader),
                      .id_bytes = edgefile_id_bytes(reader)};
    uint64_t attribute;
    size_t n;
    pipeline_span *spans = choose_spans(options, r.edges, &n);
    const int status = edgefile_get_u64(reader, "fingerprint", &attribute);

    if (status != EDGEFILE_OK) {
        verify_blame_file(report, "attributes", status);
        verify_skipped(report, "edges", "their fingerprint cannot be read");
    } else if (spans == NULL) {
        verify_failed(report, "edges", "memory is exhausted");
    } else {
        if (model != NULL) {
            r.weights = verify_weights(&model->given) == edgefile_weight_of(reader)
                            ? edgefile_weight_of(reader)
                            : EDGEFILE_NO_WEIGHT; /* attrs.c has reported the difference */
            compare_edges(&r, options, model, spans, n);
        } else {
            read_edges(&r, options, promised, spans, n);
        }
        if (r.failed) {
            (r.damaged ? verify_wrong : verify_failed)(report, "edges", "%s", r.text);
        } else if (interrupt_signal() != 0) {
            verify_failed(report, "edges", "stopped by %s", interrupt_name(interrupt_signal()));
        } else {
            if (model != NULL) {
                report_made(report, &r, options, &model->order);
            } else {
                report_read(report, &r, maker);
            }
            report_fingerprint(report, &r, attribute, options->file);
        }
    }
    free(spans);
    return r.failed ? 0 : interrupt_signal();
}
