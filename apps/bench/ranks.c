/* rmat bench --part ranks: the rate of several processes together, beside the rate of one of them
 * alone. */
#include "apps/bench/ranks.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char host[128], cpu[128], gpu[DEVICES_TEXT];
    int threads, device;
} rank_info;

static rank_info describe(const bench_job *job)
{
    rank_info me = {.threads = job->threads, .device = job->device};
    char why[DEVICES_TEXT];
    device_gpu gpu;

    cpu_model(me.cpu, sizeof me.cpu);
    gethostname(me.host, sizeof me.host - 1);
    if (job->gpu && devices_gpu(job->device, &gpu, why)) {
        memcpy(me.gpu, gpu.name, sizeof me.gpu);
    }
    return me;
}

/* Which ranks there are. */
static void print_ranks(const bench_job *job, const rank_info *all)
{
    json_object ranks;

    fprintf(job->table, "%d rank%s on %d host%s, scale %d, %d-bit ids, median of %d\n", dist_size(),
            dist_size() > 1 ? "s" : "", dist_host_count(), dist_host_count() > 1 ? "s" : "",
            ranks_scale(job), 8 * ranks_id_bytes(job), (int)job->o->runs);
    json_string(job->json, "mpi", dist_library());
    json_u64(job->json, "hosts", (uint64_t)dist_host_count());
    json_u64(job->json, "scale", (uint64_t)ranks_scale(job));
    json_u64(job->json, "id_bits", 8 * (uint64_t)ranks_id_bytes(job));
    json_array_begin(&ranks, job->json, "ranks");
    for (int i = 0; i < dist_size(); i++) {
        const rank_info *rank = &all[i];
        json_object o;

        if (i < RANKS_ALONE) {
            fprintf(job->table, "  %d: %s, %d thread%s%s%s%s\n", i, rank->host, rank->threads,
                    rank->threads > 1 ? "s" : "", *rank->gpu ? ", " : "", rank->gpu,
                    i + 1 == RANKS_ALONE && i + 1 < dist_size() ? ", ..." : "");
        }
        json_object_begin(&o, &ranks, NULL);
        json_string(&o, "host", rank->host);
        json_string(&o, "cpu", rank->cpu);
        json_u64(&o, "threads", (uint64_t)rank->threads);
        if (*rank->gpu != '\0') {
            json_string(&o, "gpu", rank->gpu);
            json_u64(&o, "device", (uint64_t)rank->device);
        }
        json_object_end(&o);
    }
    json_array_end(&ranks);
    fprintf(job->table, "\n");
}

int bench_ranks(const bench_job *job)
{
    const int ranks = dist_size();
    const double rounds = (double)job->o->runs * (1 + (ranks < RANKS_ALONE ? ranks : RANKS_ALONE)),
                 slice = (double)job->o->seconds / rounds / 2;
    rank_info *all = calloc((size_t)ranks, sizeof *all), me = describe(job);
    int status = bench_agree(all != NULL ? EXIT_OK : bench_failed(RMAT_ERR_NOMEM));

    if (status == EXIT_OK) {
        dist_gather(&me, sizeof me, all);
        print_ranks(job, all);
    }
    free(all);
    if (status == EXIT_OK) {
        fprintf(job->table, "%-8s %17s %17s  efficiency\n", "", "one rank", "all ranks");
        status = ranks_memory(job, slice);
    }
    if (status == EXIT_OK) {
        status = ranks_host(job, slice);
        fprintf(job->table, "\n");
    }
    return status == EXIT_OK ? bench_file(job, 0) : status;
}
