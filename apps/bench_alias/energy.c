/*
 * NVML is opened by dlopen(), so that the program starts where there is no driver and builds where
 * there is no nvml.h; the few declarations below are those of its stable interface.
 */
#include "apps/bench_alias/energy.h"
#include "apps/common/clock.h"
#include "apps/bench/util.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void *nvml_device;
enum { NVML_CLOCK_SM = 1 };

struct bench_energy {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    int (*total_energy)(nvml_device, unsigned long long *millijoules);
    int (*power_limit)(nvml_device, unsigned *milliwatts);
    int (*clock)(nvml_device, int which, unsigned *megahertz);
};

/* POSIX lets a function pointer be had from dlsym(); C does not let it be cast. */
static int find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

bench_energy *bench_energy_open(const char *pci_address, const char **why)
{
    bench_energy *e = calloc(1, sizeof(*e));
    int (*init)(void), (*by_address)(const char *, nvml_device *);
    unsigned long long millijoules;

    *why = "memory is exhausted";
    if (e == NULL) {
        return NULL;
    }
    *why = "libnvidia-ml.so.1 is missing";
    e->library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (e->library == NULL) {
        goto fail;
    }
    *why = "libnvidia-ml.so.1 lacks a function";
    if (!find(e->library, "nvmlInit_v2", &init) ||
        !find(e->library, "nvmlShutdown", &e->shutdown) ||
        !find(e->library, "nvmlDeviceGetHandleByPciBusId_v2", &by_address) ||
        !find(e->library, "nvmlDeviceGetTotalEnergyConsumption", &e->total_energy) ||
        !find(e->library, "nvmlDeviceGetEnforcedPowerLimit", &e->power_limit) ||
        !find(e->library, "nvmlDeviceGetClockInfo", &e->clock)) {
        goto fail;
    }
    *why = "nvmlInit failed";
    if (init() != 0) {
        goto fail;
    }
    *why = "NVML has no energy counter for this GPU";
    if (by_address(pci_address, &e->device) == 0 && e->total_energy(e->device, &millijoules) == 0) {
        *why = "";
        return e;
    }
    e->shutdown();
fail:
    if (e->library != NULL) {
        dlclose(e->library);
    }
    free(e);
    return NULL;
}

void bench_energy_close(bench_energy *energy)
{
    if (energy != NULL) {
        energy->shutdown();
        dlclose(energy->library);
        free(energy);
    }
}

double bench_energy_joules(const bench_energy *energy)
{
    unsigned long long millijoules = 0;

    energy->total_energy(energy->device, &millijoules);
    return 1e-3 * (double)millijoules;
}

double bench_energy_limit(const bench_energy *energy)
{
    unsigned milliwatts = 0;

    return energy->power_limit(energy->device, &milliwatts) == 0 ? 1e-3 * milliwatts : 0;
}

double bench_energy_clock(const bench_energy *energy)
{
    unsigned megahertz = 0;

    return energy->clock(energy->device, NVML_CLOCK_SM, &megahertz) == 0 ? megahertz : 0;
}

int bench_energy_measure(const bench_energy *energy, double seconds, int (*run)(void *), void *arg,
                         bench_energy_use *use)
{
    /* A counter that stands still, as a broken one might, must not keep us for ever. */
    double give_up = clock_seconds() + 10 * seconds + 5, start = 0, seen = bench_energy_joules(energy);
    int started = 0, st = 0;

    *use = (bench_energy_use){0};
    for (;;) {
        double joules, now;

        st = run(arg);
        if (st != 0) {
            return st;
        }
        use->runs += started;
        joules = bench_energy_joules(energy);
        now = clock_seconds();
        if (joules != seen && !started) {
            started = 1;
            start = now;
            use->joules = joules;
        } else if ((joules != seen && now - start >= seconds) || now > give_up) {
            use->joules = started ? joules - use->joules : 0;
            use->seconds = started ? now - start : 0;
            return 0;
        }
        seen = joules;
    }
}
