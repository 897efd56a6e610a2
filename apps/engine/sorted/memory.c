/* How much memory a sorted graph may take where nobody says it. */
#include "apps/common/devices.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The number behind a word at the beginning of one of the file's lines; or `otherwise`. */
static uint64_t number_in(const char *path, const char *word, uint64_t otherwise)
{
    FILE *file = fopen(path, "r");
    size_t length = strlen(word);
    uint64_t number = otherwise;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, word, length) == 0) {
            sscanf(line + length, "%" SCNu64, &number);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

/* A container shows the memory of its host, and ends what takes more than its own. */
uint64_t sorted_default_memory(void)
{
    uint64_t available = number_in("/proc/meminfo", "MemAvailable:", 2 << 20) << 10;
    uint64_t most = number_in("/sys/fs/cgroup/memory.max", "",
                              number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", ~0ull));

    return (available < most ? available : most) / 2 / (uint64_t)dist_local_size();
}

bool sorted_default_device_memory(const engine_job *options, int device, uint64_t *bytes)
{
    char why[DEVICES_TEXT];
    int gpus = options->device_count > 0 ? options->device_count : devices_gpus(why);
    int sharing = gpus > 0 ? (dist_local_size() + gpus - 1) / gpus : 1;
    device_gpu gpu;

    if (!devices_gpu(device, &gpu, why)) {
        return false;
    }
    *bytes = gpu.free / 10 * 9 / (uint64_t)sharing;
    return true;
}

int engine_memory_error(const engine_job *job, rmat_backend used, uint64_t least)
{
    bool gpu = used == RMAT_BACKEND_GPU;
    uint64_t given = gpu ? job->device_memory : job->memory;
    const char *field = gpu ? "device_memory" : "memory";

    if (given != 0) {
        return engine_refuse(
            field, "'%" PRIu64 "' is too little to sort this graph, allowed: %" PRIu64 " or more",
            given, least);
    }
    return engine_refuse(
        field, "too little is free to sort this graph, allowed: %" PRIu64 " or more", least);
}
