/* Work by measured speed, with simulated ranks: every item is done once, and all ranks end
 * together. */
#include "mpi/dist_job.h"
#include "tests/support/run_suite.h"
#include <stdint.h>

enum { MOST_RANKS = 64, TELL_MS = 100, LATENCY_MS = 2 };

/* As a rank works: one span in hand, one asked for ahead; it reports what it has done ten times a
 * second and when it asks. */
typedef struct {
    double speed; /* items per millisecond */
    int from_ms;  /* it starts late, */
    int slow_ms;  /* and from then on has a tenth of its speed */
    double work;  /* items done, with a fraction */
    uint64_t hand, ahead, done;
    int asks_ms; /* when its next request arrives, 0: none */
    bool through;
} rank_state;

typedef struct {
    int ranks;
    uint64_t first, unit;
    const uint64_t *starts;
    rank_state rank[MOST_RANKS];
    unsigned char *times; /* each item was given out, or NULL */
    uint64_t largest;
    int spans;
} simulation;

static void check_span(const simulation *s, uint64_t first, uint64_t count)
{
    int r = 0;

    must(count > 0, "an empty span");
    while (s->starts[r + 1] <= first) {
        r++;
    }
    must(first >= s->starts[r] && count <= s->starts[r + 1] - first, "a span over two ranges");
    must((first - s->starts[r]) % s->unit == 0, "a span begins within a unit");
    must(first + count == s->starts[r + 1] || (first + count - s->starts[r]) % s->unit == 0,
         "a span ends within a unit");
    for (uint64_t i = first; s->times != NULL && i < first + count; i++) {
        must(s->times[i - s->first]++ == 0, "item %ju twice", (uintmax_t)i);
    }
}

static void ask(simulation *s, dist_table *table, int rank, int ms)
{
    rank_state *r = &s->rank[rank];
    uint64_t first, count;
    int status;

    dist_table_report(table, rank, r->done, 1e-3 * ms);
    status = dist_table_take(table, rank, 1e-3 * ms, &first, &count);
    r->asks_ms = status == -1 ? ms + TELL_MS / 2 : 0;
    r->through = status == 0;
    if (status == 1) {
        check_span(s, first, count);
        r->ahead = count;
        s->largest = count > s->largest ? count : s->largest;
        s->spans++;
    }
}

static void step(simulation *s, dist_table *table, int rank, int ms)
{
    rank_state *r = &s->rank[rank];
    double step = ms < r->from_ms ? 0 : r->speed * (r->slow_ms > 0 && ms > r->slow_ms ? 0.1 : 1);

    r->work += step;
    if (r->hand > 0 && r->work >= 1) {
        uint64_t items = (uint64_t)r->work < r->hand ? (uint64_t)r->work : r->hand;

        r->work -= (double)items;
        r->done += items;
        r->hand -= items;
    }
    if (r->hand == 0) {
        r->hand = r->ahead;
        r->ahead = 0;
        r->work = r->hand > 0 ? r->work : 0; /* idle time is lost */
    }
    if (ms % TELL_MS == rank % TELL_MS) {
        dist_table_report(table, rank, r->done, 1e-3 * ms);
    }
    if (r->asks_ms == ms && ms > 0) {
        ask(s, table, rank, ms);
    } else if (r->asks_ms == 0 && r->ahead == 0 && !r->through) {
        r->asks_ms = ms + LATENCY_MS;
    }
}

/* How many milliseconds until all is done. */
static int simulate(simulation *s)
{
    uint64_t total = s->starts[s->ranks] - s->starts[0], done = 0;
    dist_table *table = dist_table_create(s->ranks, s->starts, s->unit);
    int ms = 0;

    ck_assert_ptr_nonnull(table);
    s->first = s->starts[0];
    for (; done < total; ms++) {
        must(ms < 100000, "%ju of %ju items in 100 s", (uintmax_t)done, (uintmax_t)total);
        done = 0;
        for (int r = 0; r < s->ranks; r++) {
            step(s, table, r, ms);
            done += s->rank[r].done;
        }
    }
    for (int r = 0; r < s->ranks; r++) {
        dist_table_report(table, r, s->rank[r].done, 1e-3 * ms);
        must(s->rank[r].hand == 0 && s->rank[r].ahead == 0, "a span that nobody counted");
    }
    must(dist_table_done(table) == total, "what is reported adds up");
    dist_table_destroy(table);
    return ms;
}

static void split(uint64_t *starts, int ranks, uint64_t first, uint64_t total, uint64_t unit)
{
    for (int r = 0; r <= ranks; r++) {
        starts[r] = first + total / unit * (uint64_t)r / (uint64_t)ranks * unit;
    }
    starts[ranks] = first + total;
}

/* --- all end together --- */

static const struct {
    const char *what;
    int ranks;
    double speed[4];      /* items per ms; the last one is that of all further ranks, too */
    int late_ms, slow_ms; /* of rank 0 */
    uint64_t unit;
    int ms;      /* that all take together */
    bool skewed; /* all of it is the last rank's own */
    double over; /* at most so much longer than the ideal */
} races[] = {
    {"alike", 4, {1000, 1000, 1000, 1000}, 0, 0, 100, 10000, false, 0.007},
    {"one is 20 times as fast", 4, {20000, 1000, 1000, 1000}, 0, 0, 100, 10000, false, 0.007},
    {"one has a twentieth", 4, {50, 1000, 1000, 1000}, 0, 0, 100, 10000, false, 0.007},
    {"all differ", 4, {2000, 300, 700, 4100}, 0, 0, 100, 10000, false, 0.007},
    {"a thousand times", 2, {20000, 20, 0, 0}, 0, 0, 100, 10000, false, 0.007},
    {"one starts after 2 s", 4, {1000, 1000, 1000, 1000}, 2000, 0, 100, 10000, false, 0.007},
    {"one slows down", 4, {1000, 1000, 1000, 1000}, 0, 3000, 100, 10000, false, 0.045},
    {"many", 64, {3000, 1000, 100, 1000}, 0, 0, 100, 10000, false, 0.007},
    {"two", 2, {1000, 3000, 0, 0}, 0, 0, 100, 10000, false, 0.007},
    {"coarse units", 4, {50, 1000, 1000, 1000}, 0, 0, 50000, 10000, false, 0.11},
    {"one range, short", 4, {1000, 1000, 1000, 1000}, 0, 0, 100, 500, true, 0.12},
};

START_TEST(test_race)
{
    uint64_t starts[MOST_RANKS + 1];
    double speed = 0, ideal, lost = 0;
    simulation s = {.ranks = races[_i].ranks, .unit = races[_i].unit, .starts = starts};
    int ms;

    for (int r = 0; r < s.ranks; r++) {
        s.rank[r].speed = races[_i].speed[r < 4 ? r : 3];
        speed += s.rank[r].speed;
    }
    s.rank[0].from_ms = races[_i].late_ms;
    s.rank[0].slow_ms = races[_i].slow_ms;
    split(starts, s.ranks, 12345, (uint64_t)(races[_i].ms * speed) + 17, s.unit);
    for (int r = 1; r < s.ranks && races[_i].skewed; r++) {
        starts[r] = starts[0];
    }
    lost += s.rank[0].speed * races[_i].late_ms;
    ideal = races[_i].ms + lost / speed;
    if (races[_i].slow_ms > 0) {
        double slower = speed - 0.9 * s.rank[0].speed;

        ideal = races[_i].slow_ms + (races[_i].ms - races[_i].slow_ms) * speed / slower;
    }
    ms = simulate(&s);
    ck_assert_msg(ms <= ideal * (1 + races[_i].over) && ms >= ideal * 0.999,
                  "%s: %d ms, ideal %.0f", races[_i].what, ms, ideal);
    /* Half a second's worth at most: a stop is soon noticed, and no more messages than that. */
    for (int r = 0; r < s.ranks; r++) {
        ck_assert(s.largest <= 0.6 * 1000 * 20000);
    }
    ck_assert_int_le(s.spans, 100 * s.ranks);
}

/* --- every item once --- */

static uint64_t random_state = 42;

static uint64_t below(uint64_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % n;
}

START_TEST(test_every_item_once)
{
    static unsigned char times[20000];

    for (int round = 0; round < 300; round++) {
        uint64_t starts[MOST_RANKS + 1], total = below(sizeof times) >> below(12);
        simulation s = {
            .ranks = 1 + (int)below(9), .unit = 1 + below(70), .starts = starts, .times = times};

        memset(times, 0, sizeof times);
        split(starts, s.ranks, below(1000), total, 1);
        for (int r = 1; r < s.ranks; r++) { /* ranges of any length, some empty */
            starts[r] = below(3) == 0 ? starts[r - 1] : starts[r];
        }
        for (int r = 0; r < s.ranks; r++) {
            s.rank[r].speed = 1 + (double)below(1000) / (double)(1 + below(100));
            s.rank[r].from_ms = below(4) == 0 ? (int)below(300) : 0;
        }
        simulate(&s);
        for (uint64_t i = 0; i < total; i++) {
            must(times[i] == 1, "round %d: item %ju of %ju", round, (uintmax_t)i, (uintmax_t)total);
        }
    }
}

TEST_CASES(dist_race, 120, LOOP(test_race, 0, COUNT(races)), ONCE(test_every_item_once))
