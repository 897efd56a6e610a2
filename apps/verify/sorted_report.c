/* rmat verify: the findings about a sorted graph, except for its edges, in words. */
#include "apps/verify/sorted.h"
#include <inttypes.h>

/* edges: of the whole graph, as far as the file tells. */
static void report_count(verify_report *report, const sorted_results *r, const model_order *order,
                         uint64_t edges, bool pairs, uint64_t base_edges)
{
    if (!r->counted) {
        verify_skipped(report, "count", "a sample does not suffice for this check");
    } else if (r->made != edges) {
        verify_wrong(report, "count",
                     "%" PRIu64 " edges, expected %" PRIu64 " of the first %" PRIu64
                     " of the stream",
                     edges, r->made, order->stream_edges);
    } else if (pairs && r->pairs != base_edges) {
        verify_wrong(report, "count",
                     "%" PRIu64 " pairs of vertices, expected %" PRIu64 ", as the command says",
                     r->pairs, base_edges);
    } else {
        verify_ok(report, "count", "the first %" PRIu64 " edges of the stream are %" PRIu64 "%s",
                  order->stream_edges, r->made, order->unique ? " distinct ones" : "");
    }
}

static void report_last(verify_report *report, const sorted_results *r, uint64_t stream_edges)
{
    if (r->copies > 0) {
        verify_wrong(report, "stream",
                     "stream_edges is %" PRIu64 ", expected less: its last edge %" PRIu64
                     " - %" PRIu64 " occurred before",
                     stream_edges, r->last.src, r->last.dst);
    } else if (r->last_known) {
        verify_ok(report, "stream",
                  "its edge %" PRIu64 " - %" PRIu64
                  ", the last one needed, did not occur before",
                  r->last.src, r->last.dst);
    }
}

static void report_misplaced(verify_report *report, const misplaced_edges *m)
{
    if (m->count == 0) {
        return;
    }
    if (!m->counted) {
        verify_wrong(report, "place",
                     "edges %" PRIu64 " to %" PRIu64
                     ": the last one belongs before the first one, or one of them nowhere; %" PRIu64
                     " such chunk%s in all",
                     m->first, m->first + m->edges - 1, m->count, m->count == 1 ? "" : "s");
    } else {
        verify_wrong(
            report, "place",
            "edges %" PRIu64 " to %" PRIu64 ": from the first to the last of them there are "
            "expected edges %" PRIu64 " to before %" PRIu64 "; %" PRIu64 " such chunk%s in all",
            m->first, m->first + m->edges - 1, m->place, m->place + m->between, m->count,
            m->count == 1 ? "" : "s");
    }
}

void verify_sorted_report(verify_report *report, const sorted_results *r, const file_model *model,
                          const edge_file *file, uint64_t base_edges)
{
    const verify_part *last = &file->parts[file->n_parts - 1];
    const uint64_t end = last->first + last->edges;
    const int twice = model->drawn.symmetrize != 0;
    bool pairs = model->order.unique && twice && !model->order.dedup;
    uint64_t edges = end;

    if (r->is_shard) { /* of pairs the number of loops is not told, nor that of copies */
        edges = !pairs && !model->order.dedup ? base_edges << twice : r->made > end ? r->made : end;
    }
    if (file->rows > 0) {
        verify_pointers_report(report, &r->pointers, file->rows, end, r->edges.sample == 0);
    }
    report_count(report, r, &model->order, edges, pairs, base_edges);
    report_misplaced(report, &r->misplaced);
    if (model->order.unique && !model->order.dedup) {
        report_last(report, r, model->order.stream_edges);
    }
}
