/* rmat verify: the row pointers of a CSR file, compared with those of the generated graph. */
#include "apps/verify/pointers.h"
#include "apps/verify/rows.h"
#include <inttypes.h>

/* Of rows [first, first + count). */
static void compare(pointer_tally *t, uint64_t first, uint64_t count, const uint64_t *found,
                    const uint64_t *made)
{
    for (uint64_t i = 0; i < count; i++) {
        if (first + i == 0) {
            t->begin = found[i];
        } else if (t->looked_at + i > 0 && found[i] < t->last && t->descents++ == 0) {
            t->row = first + i;
        }
        t->last = found[i];
        if (found[i] != made[i] && t->wrong++ == 0) {
            t->first = first + i;
            t->found = found[i];
            t->expected = made[i];
        }
    }
    t->looked_at += count;
}

int verify_pointers(pointer_tally *t, edgefile_reader *r, const rmat_interval *b, uint64_t first,
                    uint64_t count, uint64_t add)
{
    uint64_t found[VERIFY_POINTERS], made[VERIFY_POINTERS];
    int status = 0;

    for (uint64_t at = 0, n; status == 0 && at < count; at += n) {
        n = count - at < VERIFY_POINTERS ? count - at : VERIFY_POINTERS;
        status = edgefile_read_pointers(r, first + at, n, found);
        if (status == 0) {
            status = rmat_interval_pointers(b, first + at, n, add, made);
        }
        if (status == 0) {
            compare(t, first + at, n, found, made);
        }
    }
    t->end = t->last;
    return status;
}

void verify_pointers_report(verify_report *report, const pointer_tally *t, uint64_t rows,
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
