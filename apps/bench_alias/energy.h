/* The energy counter of an NVIDIA GPU, through the driver's NVML, which is looked for at run time.
 */
#ifndef APPS_BENCH_ALIAS_ENERGY_H
#define APPS_BENCH_ALIAS_ENERGY_H

#include <stddef.h>

typedef struct bench_energy bench_energy;

/* For the GPU of this PCI address ("0000:1b:00.0").  NULL where NVML, the GPU in it or its counter
 * is missing; *why is then a static sentence fragment. */
bench_energy *bench_energy_open(const char *pci_address, const char **why);
void bench_energy_close(bench_energy *energy);

/* Joules since the driver was loaded; the counter moves in steps of some 10 to 100 ms. */
double bench_energy_joules(const bench_energy *energy);

/* Watts that the card may draw, MHz that its multiprocessors run at now; 0 where unknown. */
double bench_energy_limit(const bench_energy *energy);
double bench_energy_clock(const bench_energy *energy);

typedef struct {
    double joules, seconds, runs; /* between two steps of the counter */
} bench_energy_use;

/*
 * What run(arg) takes, which is to return once the device is done, 0 on success: repeated for at
 * least so many seconds.  The time starts and ends where the counter is seen to move, so that its
 * steps do not matter; what remains is the length of one run.  Returns what run() did, or 0.
 */
int bench_energy_measure(const bench_energy *energy, double seconds, int (*run)(void *), void *arg,
                         bench_energy_use *use);

#endif
