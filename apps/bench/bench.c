/* rmat bench: the speed of this machine, each figure beside the hardware's limit. */
#include "apps/bench/bench.h"
#include "apps/bench/command.h"
#include "apps/bench/load.h"
#include "apps/common/clock.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

int bench_stopped(void)
{
    runtime_error("bench", "stopped by %s", interrupt_name(interrupt_signal()));
    return 128 + interrupt_signal();
}

int bench_failed(int status)
{
    const char *cuda = rmat_gpu_error();

    return status == RMAT_OK ? EXIT_OK
                             : runtime_error("bench", "%s%s%s", rmat_strerror(status),
                                             *cuda != '\0' ? ": " : "", cuda);
}

static void print_head(const bench_job *job)
{
    char cpu[256], date[32];
    time_t now = time(NULL);

    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    fprintf(job->table, "rmat %s, %s, %d thread%s, %s; this takes about %d s\n\n", rmat_version(),
            cpu, job->threads, job->threads > 1 ? "s" : "", date, (int)job->o->seconds);
    fflush(job->table);
    json_string(job->json, "version", rmat_version());
    json_key(job->json, "machine");
    bench_machine_json(job->json->stream);
    json_u64(job->json, "threads", (uint64_t)job->threads);
}

/* Is there a GPU to be measured?  If not, why becomes the reason. */
static int find_gpu(bench_job *job, char why[DEVICES_TEXT])
{
    int gpus = job->o->backend == RMAT_BACKEND_CPU ? 0 : devices_gpus(why);

    job->gpu = gpus > 0;
    if (job->gpu && job->o->device >= (uint64_t)gpus) {
        return runtime_error("bench", "--device %d: there is no GPU of that number, but 0 to %d",
                             (int)job->o->device, gpus - 1);
    }
    if (!job->gpu && job->o->backend == RMAT_BACKEND_GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", why);
    }
    return EXIT_OK;
}

/* The processors, then the GPU if there is one. */
static int measure_memory(const bench_job *job, double seconds, const char *why)
{
    const bool models = job->o->part == PART_MODELS, csr = job->o->part == PART_CSR;
    const bool cpu = job->o->backend != RMAT_BACKEND_GPU;
    int status = EXIT_OK;

    if (cpu && job->gpu) {
        seconds /= 2;
    }
    if (cpu) {
        status = csr ? bench_csr(job, false) : bench_cpu(job, models, seconds);
    }
    if (job->gpu && status == EXIT_OK) {
        status = csr ? bench_csr(job, true) : bench_gpu(job, models, seconds);
    }
    if (!job->gpu && job->o->backend == RMAT_BACKEND_AUTO && status == EXIT_OK) {
        fprintf(job->table, "gpu none: %s\n\n", why);
        json_string(job->json, "gpu_none", why);
    }
    return status;
}

/* The parts that were requested, which share the time. */
static int measure(bench_job *job)
{
    const bench_part part = (bench_part)job->o->part;
    const double all = (double)job->o->seconds, memory = part == PART_ALL ? 0.4 * all : all;
    bench_load load;
    char text[BENCH_LOAD_TEXT], why[DEVICES_TEXT] = "";
    double start = clock_seconds();
    int status = find_gpu(job, why);

    if (status != EXIT_OK) {
        return status;
    }
    print_head(job);
    bench_load_begin(&load);
    if (part != PART_FILE) {
        status = measure_memory(job, memory, why);
    }
    if ((part == PART_ALL || part == PART_FILE) && status == EXIT_OK) {
        status = bench_file(job, part == PART_ALL ? all - memory : all);
    }
    if (status == EXIT_OK) {
        bench_load_end(&load, text, job->json);
        json_f64(job->json, "seconds", clock_seconds() - start);
        fprintf(job->table, "%.0f s; %s\n", clock_seconds() - start, text);
    }
    return status;
}

/* Measure, with the tables on standard output unless the JSON object goes there. */
static int report(bench_job *job, whole_file *json, FILE *nowhere)
{
    const char *name = job->o->json;
    json_object object;
    int status;

    job->table = name != NULL && strcmp(name, "-") == 0 ? nowhere : stdout;
    job->json = &object;
    json_begin(&object, json->stream != NULL ? json->stream : nowhere);
    status = measure(job);
    json_end(&object);
    return status;
}

static int bench(const bench_options *o)
{
    int usable = cpu_usable(), status;
    bench_job job = {.o = o,
                     .threads = o->threads > 0                ? (int)o->threads
                                : usable > OPTION_MAX_THREADS ? OPTION_MAX_THREADS
                                                              : usable,
                     .id_bytes = 4 * o->id_bits,
                     .isa = (rmat_isa)o->isa};
    FILE *nowhere = fopen("/dev/null", "w");
    whole_file json;

    if (nowhere == NULL) {
        return runtime_error("bench", "/dev/null: %s", strerror(errno));
    }
    interrupt_install();
    status = whole_file_open(&json, "bench", "json", o->json, o->force, NULL);
    if (status == EXIT_OK) {
        status = whole_file_close(&json, report(&job, &json, nowhere));
    }
    fclose(nowhere);
    return status;
}

int bench_main(int argc, char **argv)
{
    bench_options o;
    int status = dist_start();

    if (status != DIST_OK) {
        if (dist_rank() == 0) {
            runtime_error("bench", "%s", dist_strerror(status));
        }
        dist_stop();
        return EXIT_RUNTIME;
    }
    if (dist_size() > 1) {
        message_keep();
    }
    status = bench_options_parse(argc, argv, &o);
    if (dist_size() > 1 || (status == EXIT_OK && !o.help && o.part >= PART_RANKS)) {
        status = bench_ranks(&o, status);
    } else if (status == EXIT_OK && o.help) {
        options_help(&bench_command_line, stdout);
    } else if (status == EXIT_OK) {
        status = bench(&o);
    }
    dist_stop();
    return status;
}
