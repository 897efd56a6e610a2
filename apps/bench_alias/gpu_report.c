/*
 * The summary: what is asked of this code on one H200, and what was measured.  The figures of
 * others are quoted, not measured here: the public code of the papers ("Weighted Random Sampling on
 * GPUs", its best variant) on an H200, and its authors' V100 for energy (with 40 W added for the
 * host).
 */
#include "apps/bench_alias/gpu.h"

#include <string.h>

typedef struct {
    const gpu_bench *b;
    unsigned rows, met, asked;
} report;

/* asked 0: nothing; less: at most so much, else at least; quoted 0: nothing known. */
static void line(report *r, const char *what, const char *by, const char *unit, double asked,
                 bool less, double measured, double quoted)
{
    bool met = less ? measured <= asked : measured >= asked;
    FILE *json = r->b->json;
    json_object o;

    if (measured == 0) {
        return; /* not among the cases of this run */
    }
    if (r->rows++ == 0) {
        fprintf(stderr, "\n%-58s %11s %11s %5s %12s\n", "asked of one H200", "asked", "measured",
                "", "public code");
    }
    fprintf(json, "%s\n  ", r->rows > 1 ? "," : "");
    json_begin(&o, json);
    json_string(&o, "what", what);
    json_string(&o, "by", by);
    json_string(&o, "unit", unit);
    json_f64(&o, "measured", measured);
    fprintf(stderr, "%-30s %-18s %8s ", what, by, unit);
    if (asked > 0) {
        r->asked++;
        r->met += met;
        json_string(&o, "bound", less ? "at most" : "at least");
        json_f64(&o, "asked", asked);
        json_bool(&o, "met", met);
        fprintf(stderr, "%s %9.4g", less ? "<=" : ">=", asked);
    } else {
        fprintf(stderr, "%12s", "");
    }
    fprintf(stderr, " %11.4g %5s", measured, asked <= 0 ? "" : met ? "met" : "MISS");
    if (quoted > 0) {
        json_f64(&o, "quoted", quoted);
        fprintf(stderr, " %12.4g", quoted);
    }
    fputc('\n', stderr);
    json_end(&o);
}

/* The least time of the builders whose names begin so. */
static double best_build(const gpu_bench *b, const char *prefix, const char *family, const char *n,
                         const char **by)
{
    static const char *const names[] = {
        "merge",           "psa-binary-baseline", "psa-pary-baseline", "psa-binary-shared",
        "psa-pary-shared", "psa-binary-chunked",  "psa-pary-chunked",  "psa+"};
    double best = 0;

    *by = "";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        double ms = gpu_recall(b, "build/%s/%s/%s", names[i], family, n);

        if (strncmp(names[i], prefix, strlen(prefix)) == 0 && ms > 0 && (best == 0 || ms < best)) {
            best = ms;
            *by = names[i];
        }
    }
    return best;
}

static void construction(report *r)
{
    static const struct {
        const char *n;
        double best, quoted[2];
    } sizes[] = {
        {"1e6", 0.050, {0.19, 0.20}}, {"1e7", 0.20, {0.54, 0.69}}, {"1e8", 1.5, {3.9, 5.4}}};
    static const char *const families[] = {"uniform", "power1"};
    const char *by;
    char what[64];
    double ms;

    for (int f = 0; f < 2; f++) {
        for (int s = 0; s < 3; s++) {
            double quoted = sizes[s].quoted[f];

            snprintf(what, sizeof(what), "build, %s, %s", families[f], sizes[s].n);
            ms = best_build(r->b, "", families[f], sizes[s].n, &by);
            line(r, what, by, "ms", sizes[s].best, true, ms, quoted);
            ms = best_build(r->b, "psa-", families[f], sizes[s].n, &by);
            line(r, what, by, "ms", quoted, true, ms, quoted);
            ms = best_build(r->b, "psa+", families[f], sizes[s].n, &by);
            line(r, what, by, "ms", quoted, true, ms, quoted);
        }
    }
}

static void splits(report *r)
{
    static const char *const numbers[] = {"1e3", "2e3", "3e3", "5e3", "1e4"};
    static const char *const families[] = {"uniform", "power1"};
    static const char *const caches[] = {"", "/cold"};
    char what[64];

    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < 5; i++) {
            for (int c = 0; c < 2; c++) {
                double binary =
                    gpu_recall(r->b, "split/binary/%s/%s%s", families[f], numbers[i], caches[c]);
                double pary =
                    gpu_recall(r->b, "split/pary/%s/%s%s", families[f], numbers[i], caches[c]);

                snprintf(what, sizeof(what), "%s splits, %s%s", numbers[i], families[f],
                         c == 0 ? "" : ", cold");
                line(r, what, "p-ary over binary", "times", 1.3, false,
                     binary > 0 && pary > 0 ? binary / pary : 0, 1.5);
            }
        }
    }
}

static void sampling(report *r)
{
    static const struct {
        const char *n;
        double reduced, written, baseline, quoted, quoted_baseline;
    } sizes[] = {{"1e6", 700, 650, 150, 514, 38},
                 {"1e7", 700, 650, 65, 272, 15},
                 {"1e8", 600, 500, 40, 167, 14},
                 {"1e9", 300, 250, 35, 0, 0}};
    char what[64];

    for (int s = 0; s < 4; s++) {
        const char *n = sizes[s].n;

        snprintf(what, sizeof(what), "draws reduced, %s", n);
        line(r, what, "auto", "G/s", sizes[s].reduced, false,
             1e-9 * gpu_recall(r->b, "sample/reduced/auto/power1/%s", n), sizes[s].quoted);
        snprintf(what, sizeof(what), "draws written, %s", n);
        line(r, what, "auto", "G/s", sizes[s].written, false,
             1e-9 * gpu_recall(r->b, "sample/written/auto/power1/%s", n), 0);
        snprintf(what, sizeof(what), "draws reduced, %s", n);
        line(r, what, "baseline", "G/s", sizes[s].baseline, false,
             1e-9 * gpu_recall(r->b, "sample/reduced/baseline/power1/%s", n),
             sizes[s].quoted_baseline);
        snprintf(what, sizeof(what), "xorwow reduced, %s", n);
        line(r, what, "baseline", "G/s", 0, false,
             1e-9 * gpu_recall(r->b, "xorwow/baseline/power1/%s", n), sizes[s].quoted_baseline);
        line(r, what, "limited", "G/s", 0, false,
             1e-9 * gpu_recall(r->b, "xorwow/limited/power1/%s", n), 0);
        line(r, what, "shared", "G/s", 0, false,
             1e-9 * gpu_recall(r->b, "xorwow/shared/power1/%s", n), sizes[s].quoted);
    }
}

static void energy(report *r)
{
    const gpu_bench *b = r->b;

    line(r, "1e8 items built, uniform", "auto", "J", 0, true,
         gpu_recall(b, "energy/build/uniform/1e8"), 0);
    line(r, "1e8 items built, power1", "auto", "J", 0, true,
         gpu_recall(b, "energy/build/power1/1e8"), 5);
    line(r, "1e9 draws reduced, 1e6", "auto", "J", 0, true,
         gpu_recall(b, "energy/sample/reduced/1e6"), 0);
    line(r, "1e9 draws reduced, 1e8", "auto", "J", 0, true,
         gpu_recall(b, "energy/sample/reduced/1e8"), 28);
    line(r, "1e9 draws written, 1e8", "auto", "J", 0, true,
         gpu_recall(b, "energy/sample/written/1e8"), 0);
}

void gpu_report(const gpu_bench *b)
{
    report r = {b, 0, 0, 0};

    fprintf(b->json, ",\n\"asked\": [");
    construction(&r);
    splits(&r);
    sampling(&r);
    energy(&r);
    fprintf(b->json, "\n]");
    if (r.rows > 0) {
        fprintf(
            stderr,
            "%u of %u met.  \"Public code\" is quoted: the papers' code on an H200, best variant;"
            "\nfor p-ary search the paper's \"up to\", for energy its V100 with 40 W for the host."
            "\n\n",
            r.met, r.asked);
    }
}
