/* rmat verify: the findings about the edges, in words. */
#include "apps/common/interrupt.h"
#include "apps/verify/edges.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

static void report_kept_promises(verify_report *report, const rmat_config *m,
                                 const model_order *order)
{
    if (m->no_self_loops) {
        verify_ok(report, "promises", "no self loops");
    }
    if (m->direction != RMAT_DIRECTED && (order == NULL || !m->symmetrize)) {
        verify_ok(report, "promises", "src %s dst%s", m->direction == RMAT_LOWER ? ">=" : "<=",
                  m->symmetrize ? ", for every edge that is not a reverse one" : "");
    }
    if (m->symmetrize && order == NULL) {
        verify_ok(report, "promises", "every second edge is the reverse of the edge before it");
    }
    if (order != NULL) {
        verify_ok(report, "promises", "in order of src, then dst%s",
                  order->unique ? ", and none twice" : "");
    }
}

static void report_promises(verify_report *report, const edge_results *r, const rmat_config *m,
                            const model_order *order)
{
    static const struct {
        const char *check, *text;
    } broken[] = {
        [BAD_SRC_RANGE] = {"ids", "src is not below num_rows"},
        [BAD_DST_RANGE] = {"ids", "dst is not below num_cols"},
        [BAD_LOOP] = {"promises", "is a self loop, although the attributes exclude them"},
        [BAD_DIRECTION] = {"promises", "has its ends in the other order"},
        [BAD_REVERSE] = {"promises", "is not the reverse of the edge before it"},
        [BAD_ORDER] = {"promises", "is not in order: it belongs before the preceding edge"},
        [BAD_TWICE] =
            {"promises",
             "is a duplicate of the preceding edge, although the attributes exclude duplicates"},
    };
    int ids = 0, promises = 0;

    for (int i = 0; i <= BAD_TWICE; i++) {
        if (r->bad[i].count == 0) {
            continue;
        }
        (*(i <= BAD_DST_RANGE ? &ids : &promises))++;
        verify_wrong(report, broken[i].check,
                     "edge %" PRIu64 ": %s; %" PRIu64 " such edge%s in all", r->bad[i].first,
                     broken[i].text, r->bad[i].count, r->bad[i].count == 1 ? "" : "s");
    }
    if (ids == 0) {
        verify_ok(report, "ids", "all are below num_rows and num_cols");
    }
    if (promises == 0) {
        report_kept_promises(report, m, order);
    }
}

static void report_fingerprint(verify_report *report, const edge_results *r, const edge_file *file,
                               const char *name)
{
    if (r->sample > 0) {
        verify_skipped(report, "fingerprint",
                       "it covers all edges, so that a sample does not suffice");
    } else if (r->fingerprint != file->fingerprint) {
        verify_wrong(report, "fingerprint",
                     "%s: that of the edges is 0x%016" PRIx64 ", the attribute says 0x%016" PRIx64,
                     name, r->fingerprint, file->fingerprint);
    } else {
        verify_ok(report, "fingerprint", "the fingerprint of the edges equals the attribute");
    }
}

/* How likely two edges of the model are the same: edges of another seed would agree so often. */
static double coincidence(const rmat_config *m)
{
    int scale = m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale;
    rmat_expectation expected;
    double chance = 1;

    if (rmat_expect(m, &expected) != RMAT_OK) {
        return 1;
    }
    for (int l = 0; l < scale; l++) {
        double sum = 0;

        for (int k = 0; k < 4; k++) {
            sum += expected.quadrants[l][k] * expected.quadrants[l][k];
        }
        chance *= sum;
    }
    return chance;
}

static const char *cause(const edge_results *r, const rmat_config *m, const model_order *order,
                         bool fits)
{
    uint64_t ids = r->bad[BAD_SRC].count + r->bad[BAD_DST].count;
    bool most = r->edges >= 16 &&
                (double)r->bad[BAD_EDGE].count > 0.5 * (double)r->edges * (1 - coincidence(m)) + 1;

    if (ids == 0) {
        return most ? "the weights are those of another seed or kind" : "only weights are damaged";
    }
    if (most && order != NULL) {
        return "the edges are those of another seed or model, or are shifted because others are "
               "missing";
    }
    if (most) {
        return fits && !m->permute
                   ? "the edges fit the model, but are those of another seed or in another order"
               : fits ? "the edges are in another order"
                      : "the edges are those of another seed or model";
    }
    return r->surplus == 0 ? "the edges are the right ones, but in another order" : "damage";
}

static const char *value_text(char text[TEXT], bad_edge which, const rmat_config *m, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    int32_t integer;
    float number;

    memcpy(&integer, &low, sizeof integer);
    memcpy(&number, &low, sizeof number);
    if (which != BAD_WEIGHT) {
        snprintf(text, TEXT, "%" PRIu64, bits);
    } else if (m->weights == RMAT_WEIGHTS_INT) {
        snprintf(text, TEXT, "%" PRId32, integer);
    } else {
        snprintf(text, TEXT, "%.9g", (double)number);
    }
    return text;
}

static void report_differences(verify_report *report, const edge_results *r, const rmat_config *m,
                               const model_order *order, bool fits)
{
    const char *const names[] = {[BAD_SRC] = order != NULL && order->csr ? "row" : "src",
                                 [BAD_DST] = "dst",
                                 [BAD_WEIGHT] = "weight"};
    const bad_edges *all = &r->bad[BAD_EDGE];
    char found[TEXT], expected[TEXT];
    int which = BAD_SRC;

    while (r->bad[which].count == 0 || r->bad[which].first != all->first) {
        which++;
    }
    verify_wrong(report, "edges",
                 "edge %" PRIu64 ": %s is %s, expected %s; %" PRIu64 " of %" PRIu64
                 " edges differ (src of %" PRIu64 ", dst of %" PRIu64 ", weight of %" PRIu64
                 "), in %" PRIu64 " place%s: %s",
                 all->first, names[which],
                 value_text(found, (bad_edge)which, m, r->bad[which].found),
                 value_text(expected, (bad_edge)which, m, r->bad[which].expected), all->count,
                 r->edges, r->bad[BAD_SRC].count, r->bad[BAD_DST].count, r->bad[BAD_WEIGHT].count,
                 r->places, r->places == 1 ? "" : "s", cause(r, m, order, fits));
}

/* Of a sorted graph the fit is of all edges: with both directions as if each pair were one edge. */
static bool fit_sorted(verify_report *report, const edge_results *r, const rmat_config *m,
                       const model_order *order)
{
    rmat_config model = *m;
    fit_totals t = r->fit;

    if (order->unique || r->sample > 0) {
        verify_skipped(report, "levels", "%s do not determine whether they fit the model",
                       order->unique ? "edges whose duplicates were removed" : "a few rows");
        return true;
    }
    if (m->symmetrize) {
        model.direction = m->direction == RMAT_DIRECTED ? RMAT_LOWER : m->direction;
        t.looked_at /= 2;
        t.loops /= 2;
        t.both_directions = true;
    }
    return verify_fit(report, &model, &t);
}

static void report_pointers(verify_report *report, const pointer_findings *t, uint64_t rows,
                            uint64_t edges, bool all)
{
    int before = report->wrong;

    if (all && t->begin != 0) {
        verify_wrong(report, "pointers", "row 0 begins at edge %" PRIu64 ", expected 0", t->begin);
    }
    if (t->descents > 0) {
        verify_wrong(report, "pointers",
                     "row %" PRIu64 " begins before the one before it; %" PRIu64
                     " such row%s in all",
                     t->row, t->descents, t->descents == 1 ? "" : "s");
    }
    if (all && t->end != edges) {
        verify_wrong(report, "pointers", "the last row ends at edge %" PRIu64 ", expected %" PRIu64,
                     t->end, edges);
    }
    if (t->wrong > 0) {
        verify_wrong(report, "pointers",
                     "row %" PRIu64 ": pointers_to_1 is %" PRIu64 ", expected %" PRIu64 "; %" PRIu64
                     " of %" PRIu64 " differ",
                     t->first, t->found, t->expected, t->wrong, t->looked_at);
    }
    if (report->wrong == before && all) {
        verify_ok(report, "pointers", "of all %" PRIu64 " rows, from 0 to %" PRIu64 ", as made",
                  rows, edges);
    } else if (report->wrong == before) {
        verify_ok(report, "pointers", "of %" PRIu64 " rows, as made", t->looked_at);
    }
}

/* Of a sorted graph: has it as many edges, and takes it as many of the stream, as the file says? */
static void report_count(verify_report *report, const edge_results *r, const model_order *order,
                         const edge_file *file)
{
    if (!r->counted) {
        verify_skipped(report, "count", "a sample does not suffice for this check");
    } else if (r->stream_edges != order->stream_edges) {
        verify_wrong(report, "count",
                     "stream_edges is %" PRIu64 ", expected %" PRIu64
                     ": the edges are made of so many of the stream",
                     order->stream_edges, r->stream_edges);
    } else if (r->made != file->edges) {
        verify_wrong(report, "count",
                     "%" PRIu64 " edges, expected %" PRIu64 " of the first %" PRIu64
                     " of the stream",
                     file->edges, r->made, order->stream_edges);
    } else {
        verify_ok(report, "count", "the first %" PRIu64 " edges of the stream are %" PRIu64 "%s",
                  order->stream_edges, r->made, order->unique ? " distinct ones" : "");
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

static void report_order(verify_report *report, const edge_results *r, const model_order *order,
                         const edge_file *file)
{
    if (file->rows > 0) {
        report_pointers(report, &r->pointers, file->rows, file->edges, r->sample == 0);
    }
    report_count(report, r, order, file);
    report_misplaced(report, &r->misplaced);
}

static void report_found(verify_report *report, const edge_results *r,
                         const verify_options *options, const file_model *model)
{
    const rmat_config *m = &model->drawn;
    const model_order *order = model->order.sorted ? &model->order : NULL;
    const bool fits =
        order != NULL ? fit_sorted(report, r, m, order) : verify_fit(report, m, &r->fit);

    if (r->bad[BAD_EDGE].count > 0) {
        report_differences(report, r, m, order, fits);
    } else if (r->sample > 0) {
        verify_ok(report, "edges",
                  "%" PRIu64 " in %" PRIu64 " chunks, --sample-seed %" PRIu64
                  ", equal those that the attributes describe",
                  r->edges, r->sample, options->sample_seed);
    } else {
        verify_ok(report, "edges", "all %" PRIu64 " equal those that the attributes describe",
                  r->edges);
    }
}

void verify_edges_report(verify_report *report, const edge_results *r,
                         const verify_options *options, const file_model *model,
                         const edge_file *file)
{
    const model_order *order = model != NULL && model->order.sorted ? &model->order : NULL;

    if (r->error != NULL) {
        (r->damaged || r->impossible ? verify_wrong : verify_failed)(report, "edges", "%s",
                                                                     r->error);
        return;
    }
    if (r->signal != 0) {
        verify_failed(report, "edges", "stopped by %s", interrupt_name(r->signal));
        return;
    }
    if (order != NULL) {
        report_order(report, r, order, file);
    }
    report_fingerprint(report, r, file, options->file);
    if (file->maker != NULL) {
        report_promises(report, r, file->promised, file->order);
        verify_skipped(report, "edges",
                       "made by %s, and not by an R-MAT model; %sweights are not checked",
                       file->maker, file->order == NULL ? "order and " : "");
    } else if (model == NULL) {
        verify_skipped(report, "edges",
                       "the attributes do not describe a graph that can be generated");
    } else {
        report_promises(report, r, &model->drawn, order);
        report_found(report, r, options, model);
    }
}
