/*
 * Distributes work by measured speed.
 *
 * A rank takes spans from the front of its own range.  When its range is used up, it helps the rank
 * that would finish last, from the end of that rank's range, so that an owner's work stays
 * contiguous.  The size of a span has these limits:
 *
 *   - The first span, the lead, is small, because no speed is known.  A later one is at most twice
 *     the one before.
 *   - At most the work of this rank in span_seconds, so that there are few messages, and stops are
 *     noticed soon.
 *   - At most half of the work of this rank until all are done, minus the work that it has.  So
 *     spans shrink towards the end (guided self-scheduling), and all ranks end together.
 *   - At least a few units, but one unit if even a few would take longer than all the rest.
 *
 * A rank does not help if the owner would be done earlier.
 */
#include "mpi/dist_job.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LEAD_UNITS   32
#define LEAD_PART    32 /* of a rank's even share, so that a slow rank has little to do */
#define FEWEST_UNITS 4
#define SPAN_SECONDS 0.5
#define MOST_SPANS   10000.0 /* per second, of all ranks together */
#define MEMORY       2.0     /* seconds after which a measured speed counts half */
#define SHORTEST     0.01    /* seconds over which a speed is measured */

typedef struct {
    uint64_t start, next, end; /* its own range; [next, end) is not distributed yet */
    uint64_t given, done;      /* items of any range, to and by this rank */
    uint64_t last;             /* requested size of its last span */
    uint64_t marked;           /* done at the time `since` */
    double since;
    double items, seconds; /* of its recent past, discounted by age */
} share;

struct dist_table {
    int ranks;
    uint64_t unit, lead;
    uint64_t total, done, left; /* left: not distributed yet */
    double span_seconds;
    double rates; /* sum of the known rates */
    int known;
    share shares[];
};

dist_table *dist_table_create(int ranks, const uint64_t *starts, uint64_t unit)
{
    const uint64_t total = starts[ranks] - starts[0];
    const uint64_t lead = total / LEAD_PART / (uint64_t)ranks / unit;
    dist_table *table = calloc(1, sizeof *table + (size_t)ranks * sizeof table->shares[0]);

    if (table == NULL) {
        return NULL;
    }
    table->ranks = ranks;
    table->unit = unit;
    table->lead = (lead > LEAD_UNITS ? LEAD_UNITS : lead > 0 ? lead : 1) * unit;
    table->total = table->left = total;
    table->span_seconds = ranks / MOST_SPANS > SPAN_SECONDS ? ranks / MOST_SPANS : SPAN_SECONDS;
    for (int r = 0; r < ranks; r++) {
        table->shares[r] = (share){.start = starts[r], .next = starts[r], .end = starts[r + 1]};
    }
    return table;
}

void dist_table_destroy(dist_table *table)
{
    free(table);
}

/* Items per second; 0 as long as it is unknown. */
static double rate_of(const share *s)
{
    return s->items > 0 ? s->items / s->seconds : 0;
}

void dist_table_report(dist_table *table, int rank, uint64_t done, double now)
{
    share *s = &table->shares[rank];
    double before = rate_of(s), elapsed = now - s->since, keep = MEMORY / (MEMORY + elapsed);

    if (done > s->done) {
        table->done += done - s->done;
        s->done = done;
    }
    if (s->marked == s->given || elapsed < SHORTEST) {
        return; /* it had no work, or not for long enough */
    }
    s->items = s->items * keep + (double)(s->done - s->marked);
    s->seconds = s->seconds * keep + elapsed;
    s->marked = s->done;
    s->since = now;
    table->rates += rate_of(s) - before;
    table->known += (rate_of(s) > 0) - (before > 0);
}

static uint64_t in_hand(const share *s)
{
    return s->given > s->done ? s->given - s->done : 0;
}

/* The number of items that the rank should get now, a multiple of the unit. */
static uint64_t items_wanted(const dist_table *table, const share *s)
{
    const double speed = rate_of(s), unit = (double)table->unit;
    double seconds, room, most, fewest;

    if (speed <= 0) {
        return table->lead;
    }
    /* Ranks of unknown speed count as the average. */
    seconds = (double)(table->total - table->done) / table->rates * table->known / table->ranks;
    room = speed * seconds - (double)in_hand(s);
    fewest = FEWEST_UNITS * unit <= room ? FEWEST_UNITS * unit : unit;
    most = fmin(fmin(room / 2, speed * table->span_seconds), 2 * (double)s->last);
    return (uint64_t)(fmax(most, fewest) / unit) * table->unit;
}

/* The seconds until the rank is done with its own range. */
static double ends_in(const share *s)
{
    double speed = rate_of(s);

    return speed > 0 ? (double)(in_hand(s) + s->end - s->next) / speed : DBL_MAX;
}

/* The rank that would finish last among those with items left in their ranges. */
static share *last_to_end(dist_table *table, double *seconds)
{
    share *last = NULL;

    for (int r = 0; r < table->ranks; r++) {
        share *s = &table->shares[r];
        double t;

        if (s->next == s->end) {
            continue;
        }
        t = ends_in(s);
        if (last == NULL || t > *seconds ||
            (t == *seconds && s->end - s->next > last->end - last->next)) {
            last = s;
            *seconds = t;
        }
    }
    return last;
}

int dist_table_take(dist_table *table, int rank, double now, uint64_t *first, uint64_t *count)
{
    share *s = &table->shares[rank];
    const double speed = rate_of(s);
    uint64_t want = items_wanted(table, s);

    if (s->next < s->end) {
        *first = s->next;
        *count = want < s->end - s->next ? want : s->end - s->next;
        s->next += *count;
    } else if (table->left == 0) {
        return 0;
    } else {
        double seconds = 0;
        share *owner = last_to_end(table, &seconds);
        uint64_t rest = owner->end - owner->next;

        if (want < rest) {
            *first = owner->end - want;
            *first -= (*first - owner->start) % table->unit;
        } else {
            *first = owner->next;
        }
        *count = owner->end - *first;
        /* A rank of unknown speed tries one span. */
        if (speed > 0 ? (double)(in_hand(s) + *count) / speed > seconds : in_hand(s) > 0) {
            return -1;
        }
        owner->end = *first;
    }
    if (s->marked == s->given) {
        s->since = now; /* it had no work until now */
    }
    s->given += *count;
    s->last = want;
    table->left -= *count;
    return 1;
}

uint64_t dist_table_done(const dist_table *table)
{
    return table->done;
}
