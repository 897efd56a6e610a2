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
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* One rank's, in one round. */
typedef struct {
    double begin, end, device_seconds;
    uint64_t amount, backend;
} part;

int ranks_agree(int status, char text[RANKS_TEXT])
{
    if (status == 0 && interrupt_signal() != 0) {
        status = -1;
        snprintf(text, RANKS_TEXT, "stopped by %s", interrupt_name(interrupt_signal()));
    }
    if (status != 0 && strncmp(text, "rank ", 5) != 0) { /* edge files say it themselves */
        rank_name(text, RANKS_TEXT);
    }
    status = dist_agree(status, text, RANKS_TEXT, NULL);
    if (status == 0) {
        return EXIT_OK;
    }
    if (dist_rank() == 0) {
        message_print("bench_ranks", "%s", text);
    }
    return EXIT_RUNTIME;
}

/* parts[] of all ranks. */
static int take_round(ranks_work *work, int alone, const ranks_job *job, part *parts)
{
    part mine = {.backend = (uint64_t)job->backend};
    char text[RANKS_TEXT] = "";
    uint64_t barrier = 0;
    int status = 0;

    work->device_seconds = work->done = 0;
    dist_sum(&barrier, 1);
    if (alone < 0 || alone == dist_rank()) {
        mine.amount = work->amount;
        mine.begin = clock_seconds();
        status = work->run(work, work->amount, text, sizeof text);
        mine.end = work->done > 0 ? work->done : clock_seconds();
        mine.device_seconds = work->device_seconds;
    }
    dist_gather(&mine, sizeof mine, parts);
    return ranks_agree(status, text);
}

static double seconds_of(const part *parts)
{
    double longest = 0, first = 0, last = 0;

    for (int r = 0; r < dist_size(); r++) {
        const part *p = &parts[r];

        if (p->end > p->begin) {
            first = longest == 0 || p->begin < first ? p->begin : first;
            last = p->end > last ? p->end : last;
            longest = p->end - p->begin > longest ? p->end - p->begin : longest;
        }
    }
    return dist_host_count() == 1 ? last - first : longest;
}

int ranks_round(const ranks_job *job, ranks_work *work, int alone, uint64_t *amount,
                double *seconds)
{
    part *parts = malloc((size_t)dist_size() * sizeof *parts);
    char text[RANKS_TEXT] = "memory is exhausted";
    int status = ranks_agree(parts == NULL ? -1 : 0, text);

    status = status ? status : take_round(work, alone, job, parts);
    if (status == EXIT_OK) {
        *amount = 0;
        for (int r = 0; r < dist_size(); r++) {
            *amount += parts[r].amount;
        }
        *seconds = seconds_of(parts);
    }
    free(parts);
    return status;
}

int ranks_calibrate(const ranks_job *job, ranks_work *work, uint64_t least)
{
    part *parts = malloc((size_t)dist_size() * sizeof *parts);
    char text[RANKS_TEXT] = "memory is exhausted";
    int status = ranks_agree(parts == NULL ? -1 : 0, text);
    double wanted = (double)job->seconds, longest = 0;

    work->amount = job->edges > 0 ? job->edges : least;
    while (status == EXIT_OK) {
        double rate = 0;
        int same = 0;

        status = take_round(work, -1, job, parts);
        longest = 0;
        for (int r = 0; r < dist_size() && status == EXIT_OK; r++) {
            double seconds = parts[r].end - parts[r].begin;

            longest = seconds > longest ? seconds : longest;
            if (parts[r].backend == (uint64_t)job->backend) {
                rate += (double)parts[r].amount / seconds;
                same++;
            }
        }
        if (status != EXIT_OK || job->edges > 0) {
            break;
        }
        /* A quarter of the time is enough to go by. */
        if (longest > wanted / 4) {
            work->amount = (uint64_t)(wanted * rate / same / (double)least + 0.5) * least;
            work->amount = work->amount > least ? work->amount : least;
            break;
        }
        work->amount *= 2;
    }
    free(parts);
    return status;
}

void ranks_print_runs(json_object *o, const char *key, const double *values, uint64_t runs)
{
    json_key(o, key);
    for (uint64_t run = 0; run < runs; run++) {
        char text[NUMBER_TEXT];

        fprintf(o->stream, "%s%s", run > 0 ? ", " : "[", format_double(text, values[run]));
    }
    fprintf(o->stream, "]");
}

static void print(const ranks_job *job, const ranks_work *work, double *alone, double *together,
                  double *efficiency, double *device)
{
    char one[NUMBER_TEXT], all[NUMBER_TEXT];
    json_object row;
    bench_stats e;

    json_key(job->json, work->name);
    json_begin(&row, job->json->stream);
    json_u64(&row, "amount", work->amount);
    json_string(&row, "unit", work->unit);
    ranks_print_runs(&row, "one_rank_per_second", alone, job->runs);
    ranks_print_runs(&row, "all_ranks_per_second", together, job->runs);
    ranks_print_runs(&row, "efficiencies", efficiency, job->runs);
    ranks_print_runs(&row, "device_seconds", device, job->runs);
    e = bench_summary(efficiency, job->runs);
    format_si(one, bench_summary(alone, job->runs).median);
    format_si(all, bench_summary(together, job->runs).median);
    fprintf(job->table, "%-8s %9s%-8s %9s%-8s %6.1f %%   %5.1f-%.1f %%\n", work->name, one,
            work->unit, all, work->unit, 100 * e.median, 100 * e.min, 100 * e.max);
    fflush(job->table);
    json_f64(&row, "one_rank", bench_summary(alone, job->runs).median);
    json_f64(&row, "all_ranks", bench_summary(together, job->runs).median);
    json_f64(&row, "efficiency", e.median);
    json_f64(&row, "efficiency_lowest", e.min);
    json_f64(&row, "efficiency_highest", e.max);
    json_end(&row);
}

int ranks_measure(const ranks_job *job, ranks_work *work)
{
    double alone[RANKS_MAX_RUNS] = {0}, together[RANKS_MAX_RUNS], efficiency[RANKS_MAX_RUNS],
           device[RANKS_MAX_RUNS];
    int ranks = dist_size(), singles = ranks < RANKS_ALONE ? ranks : RANKS_ALONE;
    uint64_t amount;
    double seconds;
    int status = EXIT_OK;

    for (uint64_t run = 0; run < job->runs && status == EXIT_OK; run++) {
        for (int r = 0; r < singles && status == EXIT_OK; r++) {
            status = ranks_round(job, work, r, &amount, &seconds);
            alone[run] += status == EXIT_OK ? (double)amount / seconds / singles : 0;
        }
        if (status == EXIT_OK) {
            status = ranks_round(job, work, -1, &amount, &seconds);
        }
        if (status == EXIT_OK) {
            together[run] = (double)amount / seconds;
            efficiency[run] = together[run] / (ranks * alone[run]);
            device[run] = work->device_seconds;
        }
    }
    if (status == EXIT_OK && job->table != NULL) {
        print(job, work, alone, together, efficiency, device);
    }
    return status;
}
