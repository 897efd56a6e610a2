/*
 * Energy (the papers' Table 4): joules per 1e8 items built and per 1e9 samples, for the card as
 * NVML counts it, with nothing added for the host.  "net" is what is beyond the idle card.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/bench_alias/gpu_sample.h"

/* Seconds that are measured, and that a turn between two looks at the counter takes. */
#define LONG  2.0
#define SHORT 0.02

typedef struct {
    gpu_bench *b;
    gpu_run run;
    void *arg;
    int runs; /* in a turn */
} loop;

static int turn(void *arg)
{
    const loop *l = arg;

    for (int r = 0; r < l->runs; r++) {
        if (l->run(l->b, l->arg, r)) {
            return 1;
        }
    }
    return gpu_failed(l->b, "energy", cudaStreamSynchronize(l->b->stream));
}

/* items: of one run; unit: how many of them the joules are for. */
static int one_case(gpu_bench *b, gpu_run run, void *arg, double items, double unit,
                    const char *unit_name)
{
    loop l = {b, run, arg, 1};
    bench_energy_use use;
    bench_stats ms;
    double seconds = b->o->repeats > 1 ? LONG : SHORT;

    if (gpu_time(b, GPU_WARM, run, arg, &ms)) {
        return 1;
    }
    l.runs = ms.median < 1e3 * SHORT ? (int)(1e3 * SHORT / ms.median) : 1;
    if (bench_energy_measure(b->energy, seconds, turn, &l, &use)) {
        return 1;
    }
    if (use.seconds > 0) {
        double per_unit = unit / (use.runs * l.runs * items);
        double gross = use.joules * per_unit, idle = b->idle * use.seconds * per_unit;

        gpu_row_begin(b);
        json_string(&b->row, "unit", unit_name);
        json_f64(&b->row, "joules", gross);
        json_f64(&b->row, "net_joules", gross - idle);
        json_f64(&b->row, "watts", use.joules / use.seconds);
        json_f64(&b->row, "clock_mhz", bench_energy_clock(b->energy));
        json_f64(&b->row, "seconds", use.seconds);
        json_f64(&b->row, "per_second", use.runs * l.runs * items / use.seconds);
        gpu_row_end(b);
        fprintf(stderr, "%-52s %10.4f J per %s, %.4f net of idle, at %.0f W\n", b->name, gross,
                unit_name, gross - idle, use.joules / use.seconds);
        gpu_remember(b, gross);
    }
    return 0;
}

static int build_case(gpu_bench *b, gpu_family family, uint64_t n)
{
    return gpu_table(b, family, n) || gpu_scratch(b, alias_build_bytes(b->table)) ||
           one_case(b, gpu_run_build, b->table, (double)n, 1e8, "1e8 items") ||
           gpu_alias_failed(b, "build", alias_build_wait(b->table, NULL));
}

int gpu_part_energy(gpu_bench *b)
{
    static const uint64_t sizes[] = {1000000, 10000000, 100000000, 1000000000};
    char text[24];

    if (b->json != NULL && b->energy == NULL) {
        return 0;
    }
    for (unsigned s = 1; s < 3; s++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
            if (gpu_fits(b, sizes[s]) &&
                gpu_wanted(b, "energy/build/%s/%s", gpu_families[f].name,
                           gpu_number(text, sizes[s])) &&
                build_case(b, f, sizes[s])) {
                return 1;
            }
        }
    }
    for (unsigned s = 0; s < 4; s++) {
        for (int written = 0; written < 2; written++) {
            gpu_draws_job job = {.sampler = ALIAS_SAMPLER_AUTO,
                                 .to = written ? GPU_WRITTEN : GPU_REDUCED,
                                 .xorwow = b->o->xorwow && !written,
                                 .count = gpu_draws(b, 1000000000)};

            if (gpu_fits(b, sizes[s]) &&
                gpu_wanted(b, "energy/sample/%s/%s", written ? "written" : "reduced",
                           gpu_number(text, sizes[s])) &&
                (gpu_table(b, GPU_POWER1, sizes[s]) ||
                 one_case(b, gpu_run_draws, &job, (double)job.count, 1e9, "1e9 samples"))) {
                return 1;
            }
        }
    }
    return 0;
}
