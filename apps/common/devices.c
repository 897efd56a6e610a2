/* The machine: its processor as Linux describes it (/proc/cpuinfo, /sys/devices/system/cpu,
 * affinity), its GPUs, and what `rmat info --devices` prints of them, as text and as JSON. */
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
#include "mpi/dist.h"
#include "rmat/rmat.h"
#include <ctype.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first "model name" of /proc/cpuinfo. */
void cpu_model(char *model, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];

    snprintf(model, size, "unknown");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        char *value = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value[strcspn(value, "\n")] = '\0';
            for (value++; isspace((unsigned char)*value); value++) {
            }
            snprintf(model, size, "%s", value);
            break;
        }
    }
    fclose(file);
}

/* The number of hardware threads that are the first of their core. */
static int cpu_cores(void)
{
    long threads = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = 0;

    for (long i = 0; i < threads; i++) {
        char name[96];
        long first;
        FILE *file;

        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list",
                 i);
        file = fopen(name, "r");
        if (file != NULL) {
            cores += fscanf(file, "%ld", &first) == 1 && first == i;
            fclose(file);
        }
    }
    return cores > 0 ? cores : online > 0 ? (int)online : 1;
}

int cpu_usable(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : (int)n;
}

int cpu_threads(uint64_t asked)
{
    const int most =
        omp_get_thread_limit() < CPU_MAX_THREADS ? omp_get_thread_limit() : CPU_MAX_THREADS;

    if (asked == 0) {
        asked = (uint64_t)(getenv("OMP_NUM_THREADS") != NULL ? omp_get_max_threads()
                           : dist_size() > 1                 ? dist_processors()
                                                             : cpu_usable());
    }
    return asked < (uint64_t)most ? (int)asked : most;
}

/*
 * The version of NVIDIA's kernel driver, from the text that it offers in /proc.  The words around
 * the number have changed over the years and differ between the open and the proprietary driver,
 * but in all of them the version is the first word that consists of digits and dots:
 *
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:17:21 UTC 2025
 *   NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  ...
 */

void driver_version_parse(const char *line, char version[DRIVER_VERSION_TEXT])
{
    static const char blanks[] = " \t\n";

    snprintf(version, DRIVER_VERSION_TEXT, "unknown");
    for (line += strspn(line, blanks); *line != '\0'; line += strspn(line, blanks)) {
        size_t length = strcspn(line, blanks);

        if (strspn(line, "0123456789.") == length && memchr(line, '.', length) != NULL) {
            snprintf(version, DRIVER_VERSION_TEXT, "%.*s", (int)length, line);
            return;
        }
        line += length;
    }
}

void driver_version(char version[DRIVER_VERSION_TEXT])
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[512] = "";

    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    driver_version_parse(line, version);
}

void devices_isas(FILE *stream, const char *separator)
{
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            fprintf(stream, "%s%s", isa > RMAT_ISA_GENERIC ? separator : "", rmat_isa_name(isa));
        }
    }
}

#ifndef RMAT_HAVE_CUDA /* devices_cuda.c */

int devices_gpus(char text[DEVICES_TEXT])
{
    snprintf(text, DEVICES_TEXT, "this program was built without CUDA");
    return 0;
}

bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT])
{
    (void)index, (void)gpu;
    devices_gpus(why);
    return false;
}

const char *devices_cuda_version(void)
{
    return NULL;
}

#endif

static uint64_t memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static void show_text_gpu(int index)
{
    char why[DEVICES_TEXT], total[NUMBER_TEXT], available[NUMBER_TEXT];
    device_gpu gpu;

    if (devices_gpu(index, &gpu, why)) {
        printf("gpu %-12d %s, %s (%s free), compute capability %d.%d\n", index, gpu.name,
               format_bytes(total, (double)gpu.memory), format_bytes(available, (double)gpu.free),
               gpu.major, gpu.minor);
    } else {
        printf("gpu %-12d not usable: %s\n", index, why);
    }
}

/* The first release of HDF5 that mends every vulnerability which SECURITY.md counts.  A
 * distribution may have mended an older one without changing its number. */
#define HDF5_MENDED       "2.2.0"
#define HDF5_MENDED_MAJOR 2
#define HDF5_MENDED_MINOR 2

static bool hdf5_is_vulnerable(const char *version)
{
    unsigned major = 0, minor = 0;

    return sscanf(version, "%u.%u", &major, &minor) != 2 || major < HDF5_MENDED_MAJOR ||
           (major == HDF5_MENDED_MAJOR && minor < HDF5_MENDED_MINOR);
}

static void show_text(void)
{
    char text[DEVICES_TEXT], memory[NUMBER_TEXT], hdf5[EDGEFILE_HDF5_VERSION];
    const char *mpi = dist_library(), *cuda;
    int gpus;

    cpu_model(text, sizeof text);
    printf("%-16s %s\n", "cpu", text);
    printf("%-16s %d of the machine\n", "cores", cpu_cores());
    printf("%-16s %d that this process may use\n", "threads", cpu_usable());
    printf("%-16s ", "instruction sets");
    devices_isas(stdout, " ");
    printf("\n%-16s %s\n", "memory", format_bytes(memory, (double)memory_bytes()));
    gpus = devices_gpus(text);
    printf("%-16s %s%s\n", gpus > 0 ? "gpu driver" : "gpu", gpus > 0 ? "" : "none: ", text);
    for (int i = 0; i < gpus; i++) {
        show_text_gpu(i);
    }
    cuda = devices_cuda_version();
    printf("%-16s %s\n", "cuda", cuda != NULL ? cuda : "not in this build");
    printf("%-16s %s\n", "mpi", *mpi != '\0' ? mpi : "not in this build");
    if (edgefile_hdf5_version(hdf5) == EDGEFILE_OK) {
        printf("%-16s %s%s\n", "hdf5", hdf5,
               hdf5_is_vulnerable(hdf5) ? "; before " HDF5_MENDED
                                          " HDF5 has known vulnerabilities (SECURITY.md)"
                                        : "");
    } else {
        printf("%-16s %s\n", "hdf5", "not in this build");
    }
}

static void show_json_gpu(json_object *gpus, int index)
{
    char why[DEVICES_TEXT], capability[32];
    device_gpu gpu;
    json_object item;

    json_object_begin(&item, gpus, NULL);
    json_u64(&item, "index", (uint64_t)index);
    if (devices_gpu(index, &gpu, why)) {
        json_string(&item, "name", gpu.name);
        json_u64(&item, "memory_bytes", gpu.memory);
        json_u64(&item, "free_bytes", gpu.free);
        snprintf(capability, sizeof capability, "%d.%d", gpu.major, gpu.minor);
        json_string(&item, "compute_capability", capability);
    } else {
        json_string(&item, "error", why);
    }
    json_object_end(&item);
}

static void show_json(void)
{
    char text[DEVICES_TEXT], hdf5[EDGEFILE_HDF5_VERSION];
    const char *mpi = dist_library();
    json_object json, list;
    bool found;
    int gpus;

    json_begin(&json, stdout);
    cpu_model(text, sizeof text);
    json_string(&json, "cpu", text);
    json_u64(&json, "cores", (uint64_t)cpu_cores());
    json_u64(&json, "threads", (uint64_t)cpu_usable());
    json_array_begin(&list, &json, "instruction_sets");
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            json_string(&list, NULL, rmat_isa_name(isa));
        }
    }
    json_array_end(&list);
    json_u64(&json, "memory_bytes", memory_bytes());
    gpus = devices_gpus(text);
    json_string(&json, "gpu_driver", gpus > 0 ? text : NULL);
    json_string(&json, "gpu_none", gpus > 0 ? NULL : text);
    json_array_begin(&list, &json, "gpus");
    for (int i = 0; i < gpus; i++) {
        show_json_gpu(&list, i);
    }
    json_array_end(&list);
    json_string(&json, "cuda", devices_cuda_version());
    json_string(&json, "mpi", *mpi != '\0' ? mpi : NULL);
    found = edgefile_hdf5_version(hdf5) == EDGEFILE_OK;
    json_string(&json, "hdf5", found ? hdf5 : NULL);
    json_bool(&json, "hdf5_vulnerable", found && hdf5_is_vulnerable(hdf5));
    json_end(&json);
}

void devices_show(bool json)
{
    if (json) {
        show_json();
    } else {
        show_text();
    }
}
