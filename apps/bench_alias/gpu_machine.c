/*
 * The machine, and the energy that it takes.
 *
 * machine  the paper's Table 1, with what bounds the other figures: rates of plain writing and
 *          copying, of 8-byte reads at random places in tables of each size, of the generator
 * alone, and of the link to the host energy   the papers' Table 4: joules per 1e8 items built and
 * per 1e9 samples, for the card as NVML counts it, with nothing added for the host; "net" is what
 * is beyond the idle card
 *
 * NVML, the driver's library, is opened by dlopen(), so that the program starts where there is no
 * driver and builds where there is no nvml.h; the declarations below are those of its stable
 * interface.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/common/clock.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* Random reads, and draws' worth of Philox blocks. */
#define READS ((uint64_t)1 << 28)

typedef enum { WRITE, COPY, TO_GPU, TO_HOST, PHILOX, GATHER, WORKS } machine_work;

static const char *const work_names[WORKS] = {"write",   "copy",   "to_gpu",
                                              "to_host", "philox", "gather"};

typedef struct {
    machine_work what;
    uint64_t bytes, n;
    void *host;
} machine_job;

static int run_machine(gpu_bench *b, void *arg, int r)
{
    const machine_job *j = arg;
    char *second = (char *)b->out + j->bytes;
    cudaError_t error = cudaSuccess;

    switch (j->what) {
    case WRITE:
        error = cudaMemsetAsync(b->out, r, j->bytes, b->stream);
        break;
    case COPY:
        error = cudaMemcpyAsync(second, b->out, j->bytes, cudaMemcpyDeviceToDevice, b->stream);
        break;
    case TO_GPU:
        error = cudaMemcpyAsync(b->out, j->host, j->bytes, cudaMemcpyHostToDevice, b->stream);
        break;
    case TO_HOST:
        error = cudaMemcpyAsync(j->host, b->out, j->bytes, cudaMemcpyDeviceToHost, b->stream);
        break;
    case PHILOX:
        error = bench_gpu_philox(READS / 2, (uint64_t)r, b->sums, b->stream);
        break;
    default:
        error = bench_gpu_gather(b->weights, j->n, READS, (uint64_t)r, b->sums, b->stream);
        break;
    }
    return gpu_failed(b, "machine", error);
}

/* n: rows of GATHER. */
static int measure_machine(gpu_bench *b, machine_work what, uint64_t n)
{
    machine_job j = {.what = what, .n = n};
    gpu_case c = {.run = run_machine, .arg = &j, .n = n, .items = (double)READS};
    int failed = 0;

    if (what <= COPY) {
        j.bytes = b->out_bytes / 2 / 256 * 256;
        c.items = (double)j.bytes * (what == COPY ? 2 : 1);
    } else if (what <= TO_HOST) {
        j.bytes = (uint64_t)1 << 28;
        c.items = (double)j.bytes;
        failed = gpu_failed(b, "pinned memory", cudaMallocHost(&j.host, j.bytes));
    } else if (what == GATHER) {
        failed = gpu_weights(b, GPU_UNIFORM, n);
    }
    failed = failed || gpu_measure(b, &c);
    (void)cudaFreeHost(j.host);
    return failed;
}

int gpu_part_machine(gpu_bench *b)
{
    char text[24];

    for (machine_work w = WRITE; w < GATHER; w++) {
        if (gpu_wanted(b, "machine/%s", work_names[w]) && measure_machine(b, w, 0)) {
            return 1;
        }
    }
    for (int s = 0; s < GPU_SIZES && gpu_fits(b, gpu_sizes[s]); s++) {
        if (gpu_wanted(b, "machine/%s/%s", work_names[GATHER], gpu_number(text, gpu_sizes[s])) &&
            measure_machine(b, GATHER, gpu_sizes[s])) {
            return 1;
        }
    }
    return 0;
}

/* --- The energy counter --- */

/* Seconds that are measured, and that a turn between two looks at the counter takes. */
#define LONG  2.0
#define SHORT 0.02

typedef void *nvml_device;

typedef struct {
    void *library; /* NULL: there is no counter */
    nvml_device device;
    int (*shutdown)(void);
    int (*total_energy)(nvml_device, unsigned long long *millijoules);
    bool tried;  /* to open it */
    double idle; /* watts */
} energy_counter;

typedef struct {
    double joules, seconds, runs; /* between two steps of the counter */
} energy_use;

/* POSIX lets a function pointer be had from dlsym(); C does not let it be cast. */
static bool find_function(const energy_counter *e, const char *name, void *function)
{
    *(void **)function = dlsym(e->library, name);
    return *(void **)function != NULL;
}

static void close_counter(energy_counter *e)
{
    if (e->shutdown != NULL) {
        e->shutdown();
    }
    if (e->library != NULL) {
        dlclose(e->library);
    }
    e->library = NULL;
    e->shutdown = NULL;
}

/* For the GPU of this PCI address ("0000:1b:00.0"). */
static void open_counter(energy_counter *e, const char *pci_address)
{
    int (*init)(void), (*by_address)(const char *, nvml_device *);
    unsigned long long millijoules;

    e->library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (e->library == NULL || !find_function(e, "nvmlInit_v2", &init) ||
        !find_function(e, "nvmlDeviceGetHandleByPciBusId_v2", &by_address) ||
        !find_function(e, "nvmlDeviceGetTotalEnergyConsumption", &e->total_energy) || init() != 0 ||
        !find_function(e, "nvmlShutdown", &e->shutdown) ||
        by_address(pci_address, &e->device) != 0 || e->total_energy(e->device, &millijoules) != 0) {
        close_counter(e);
    }
}

/* Joules since the driver was loaded; the counter moves in steps of some 10 to 100 ms. */
static double read_counter(const energy_counter *e)
{
    unsigned long long millijoules = 0;

    e->total_energy(e->device, &millijoules);
    return 1e-3 * (double)millijoules;
}

/*
 * What run(arg) takes, which returns once the device is done, 0 on success: repeated for at least
 * so many seconds.  The time starts and ends where the counter is seen to move, so that its steps
 * do not matter; what remains is the length of one run.  Returns what run() did, or 0.
 */
static int measure_energy(const energy_counter *e, double seconds, int (*run)(void *), void *arg,
                          energy_use *use)
{
    /* A counter that stands still, as a broken one might, must not keep us for ever. */
    const double give_up = clock_seconds() + 10 * seconds + 5;
    double start = 0, seen = read_counter(e);
    bool started = false;

    *use = (energy_use){0};
    for (;;) {
        int st = run(arg);
        double joules = read_counter(e), now = clock_seconds();

        if (st != 0) {
            return st;
        }
        use->runs += started;
        if (joules != seen && !started) {
            started = true;
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

static int do_nothing(void *arg)
{
    (void)arg;
    usleep(20000);
    return 0;
}

/* Is there a counter?  Before the first case, and so before any work, it is opened and tells what
 * the card draws with a process on it that does nothing. */
static bool has_counter(const gpu_bench *b, energy_counter *e)
{
    energy_use use;

    if (!e->tried) {
        e->tried = true;
        open_counter(e, b->pci_address);
        if (e->library == NULL) {
            fprintf(stderr, "no energy: NVML or its counter is missing\n");
            return false;
        }
        usleep(500000);
        if (measure_energy(e, 1, do_nothing, NULL, &use) == 0 && use.seconds > 0) {
            e->idle = use.joules / use.seconds;
        }
    }
    return e->library != NULL;
}

/* --- Cases of energy --- */

typedef struct {
    gpu_bench *b;
    gpu_run run;
    void *arg;
    int runs; /* in a turn */
} energy_loop;

static int run_turn(void *arg)
{
    const energy_loop *l = arg;

    for (int r = 0; r < l->runs; r++) {
        if (l->run(l->b, l->arg, r)) {
            return 1;
        }
    }
    return gpu_failed(l->b, "energy", cudaStreamSynchronize(l->b->stream));
}

/* items: of one run; unit: how many of them the joules are for. */
static int add_energy(gpu_bench *b, const energy_counter *e, gpu_run run, void *arg, double items,
                      double unit)
{
    energy_loop l = {b, run, arg, 1};
    energy_use use;
    bench_stats ms;
    double gross, net;

    if (gpu_time(b, GPU_WARM, run, arg, &ms)) {
        return 1;
    }
    l.runs = ms.median < 1e3 * SHORT ? (int)(1e3 * SHORT / ms.median) : 1;
    if (measure_energy(e, b->o->repeats > 1 ? LONG : SHORT, run_turn, &l, &use)) {
        return 1;
    }
    if (use.seconds == 0) {
        return 0;
    }
    gross = use.joules * unit / (use.runs * l.runs * items);
    net = (use.joules - e->idle * use.seconds) * unit / (use.runs * l.runs * items);
    gpu_row_begin(b);
    json_f64(&b->row, "unit", unit);
    json_f64(&b->row, "joules", gross);
    json_f64(&b->row, "net_joules", net);
    json_f64(&b->row, "watts", use.joules / use.seconds);
    json_f64(&b->row, "idle_watts", e->idle);
    json_f64(&b->row, "per_second", use.runs * l.runs * items / use.seconds);
    gpu_row_end(b);
    fprintf(stderr, "%-52s %10.4f J per %g, %.4f net of idle, at %.0f W\n", b->name, gross, unit,
            net, use.joules / use.seconds);
    return 0;
}

static int measure_build_energy(gpu_bench *b, const energy_counter *e, gpu_family family,
                                uint64_t n)
{
    return gpu_table(b, family, n) || gpu_scratch(b, alias_build_bytes(b->table)) ||
           add_energy(b, e, gpu_run_build, b->table, (double)n, 1e8) ||
           gpu_alias_failed(b, "build", alias_build_wait(b->table, NULL));
}

static int measure_energies(gpu_bench *b, energy_counter *e)
{
    char text[24];

    for (int s = 1; s < 3 && gpu_fits(b, gpu_sizes[s]); s++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
            if (gpu_wanted(b, "energy/build/%s/%s", gpu_family_names[f],
                           gpu_number(text, gpu_sizes[s])) &&
                has_counter(b, e) && measure_build_energy(b, e, f, gpu_sizes[s])) {
                return 1;
            }
        }
    }
    for (int s = 0; s < GPU_SIZES && gpu_fits(b, gpu_sizes[s]); s++) {
        for (gpu_target to = GPU_REDUCED; to <= GPU_WRITTEN; to++) {
            gpu_draws_job job = {
                .sampler = ALIAS_SAMPLER_AUTO, .to = to, .count = gpu_draws(b, 1000000000)};

            if (gpu_wanted(b, "energy/sample/%s/%s", to == GPU_WRITTEN ? "written" : "reduced",
                           gpu_number(text, gpu_sizes[s])) &&
                has_counter(b, e) &&
                (gpu_table(b, GPU_POWER1, gpu_sizes[s]) ||
                 add_energy(b, e, gpu_run_draws, &job, (double)job.count, 1e9))) {
                return 1;
            }
        }
    }
    return 0;
}

int gpu_part_energy(gpu_bench *b)
{
    energy_counter e = {.library = NULL};
    int failed = measure_energies(b, &e);

    close_counter(&e);
    return failed;
}
