/*
 * Rounds of all ranks at once.
 *
 * Every rank leaves the barrier, works, and takes the time of its own part.  The rate of all is the
 * work of all over the time from the first beginning to the last end; over several hosts, whose
 * clocks differ, over the longest part.  One rank alone is measured in the same turn, while the
 * others wait: n times that rate is what n ranks can reach at best.
 */
#include "apps/bench/ranks.h"
#include "apps/common/clock.h"
#include "apps/common/numbers.h"
#include "mpi/dist.h"
#include <stdlib.h>

/* One rank's, in one round. */
typedef struct {
    double begin, end;
    uint64_t amount;
    bool gpu, fixed; /* fixed: the amount is what the rank was asked for */
} rank_part;

/* *parts, which the caller frees, are those of all ranks. */
static int take_round(ranks_work *work, int alone, rank_part **parts)
{
    rank_part mine = {.gpu = work->gpu, .fixed = work->fixed};
    uint64_t barrier = 0;
    int status;

    *parts = calloc((size_t)dist_size(), sizeof **parts);
    status = bench_agree(*parts != NULL ? EXIT_OK : bench_failed(RMAT_ERR_NOMEM));
    if (status != EXIT_OK) {
        return status;
    }
    dist_sum(&barrier, 1);
    work->device_seconds = work->done = 0;
    if (alone < 0 || alone == dist_rank()) {
        mine.amount = work->amount;
        mine.begin = clock_seconds();
        status = work->run(work, work->amount);
        mine.end = work->done > 0 ? work->done : clock_seconds();
    }
    dist_gather(&mine, sizeof mine, *parts);
    return bench_agree(status);
}

int ranks_round(ranks_work *work, int alone, double *rate)
{
    double longest = 0, first = 0, last = 0, amount = 0;
    rank_part *parts;
    int status = take_round(work, alone, &parts);

    for (int r = 0; r < dist_size() && status == EXIT_OK; r++) {
        const rank_part *p = &parts[r];

        if (p->end > p->begin) {
            first = longest == 0 || p->begin < first ? p->begin : first;
            last = p->end > last ? p->end : last;
            longest = p->end - p->begin > longest ? p->end - p->begin : longest;
            amount += (double)p->amount;
        }
    }
    *rate = amount / (dist_host_count() == 1 ? last - first : longest);
    free(parts);
    return status;
}

/* Find the amount for rounds of `slice` seconds. Ranks with the same backend make the same amount.
 */
static int calibrate(ranks_work *work, uint64_t asked, double slice, uint64_t least)
{
    bool found = false;
    int status = EXIT_OK;

    work->fixed = asked > 0;
    for (work->amount = asked > 0 ? asked : least; status == EXIT_OK && !found;) {
        double rate = 0, longest = 0;
        bool all_fixed = true;
        rank_part *parts;
        int same = 0;

        status = take_round(work, -1, &parts);
        for (int r = 0; r < dist_size() && status == EXIT_OK; r++) {
            double seconds = parts[r].end - parts[r].begin;

            longest = seconds > longest ? seconds : longest;
            all_fixed = all_fixed && parts[r].fixed;
            if (parts[r].gpu == work->gpu) {
                rate += (double)parts[r].amount / seconds;
                same++;
            }
        }
        free(parts);
        found = all_fixed || longest > slice / 4; /* which is enough to go by; on all ranks alike */
        if (!found && !work->fixed) {
            work->amount *= 2;
        } else if (!work->fixed && status == EXIT_OK) {
            work->amount = (uint64_t)(slice * rate / same / (double)least + 0.5) * least;
            work->amount = work->amount > least ? work->amount : least;
        }
    }
    return status;
}

typedef struct {
    double alone[BENCH_MAX_RUNS], together[BENCH_MAX_RUNS]; /* edges per second */
    double efficiency[BENCH_MAX_RUNS], device_seconds[BENCH_MAX_RUNS];
} ranks_figures;

static void print(const bench_job *job, const ranks_work *work, const ranks_figures *f)
{
    const size_t runs = (size_t)job->o->runs;
    const bench_stats alone = bench_stats_of(f->alone, NULL, runs),
                      together = bench_stats_of(f->together, NULL, runs),
                      efficiency = bench_stats_of(f->efficiency, NULL, runs);
    char one[NUMBER_TEXT], all[NUMBER_TEXT], key[64];
    json_object row;

    snprintf(key, sizeof key, "ranks_%s", work->name);
    json_object_begin(&row, job->json, key);
    json_u64(&row, "edges_of_rank_0", work->amount);
    bench_json_values(&row, "one_rank_runs", f->alone, runs);
    bench_json_values(&row, "all_ranks_runs", f->together, runs);
    bench_json_values(&row, "efficiencies", f->efficiency, runs);
    bench_json_values(&row, "device_seconds", f->device_seconds, runs);
    bench_json_stats(&row, "one_rank", "one_rank_", alone);
    bench_json_stats(&row, "all_ranks", "all_ranks_", together);
    bench_json_stats(&row, "efficiency", "efficiency_", efficiency);
    json_object_end(&row);
    fprintf(job->table, "%-8s %9sedges/s  %9sedges/s  %6.1f %%   %5.1f-%.1f %%\n", work->name,
            format_si(one, alone.median), format_si(all, together.median), 100 * efficiency.median,
            100 * efficiency.min, 100 * efficiency.max);
    fflush(job->table);
}

int ranks_measure(const bench_job *job, ranks_work *work, double slice, uint64_t least)
{
    const int ranks = dist_size(), singles = ranks < RANKS_ALONE ? ranks : RANKS_ALONE;
    ranks_figures f = {.alone = {0}};
    double rate;
    int status = calibrate(work, job->o->edges, slice, least);

    for (uint64_t run = 0; run < job->o->runs && status == EXIT_OK; run++) {
        for (int r = 0; r < singles && status == EXIT_OK; r++) {
            status = ranks_round(work, r, &rate);
            f.alone[run] += rate / singles;
        }
        if (status == EXIT_OK) {
            status = ranks_round(work, -1, &f.together[run]);
            f.efficiency[run] = f.together[run] / (ranks * f.alone[run]);
            f.device_seconds[run] = work->device_seconds;
        }
    }
    if (status == EXIT_OK) {
        print(job, work, &f);
    }
    return status;
}
