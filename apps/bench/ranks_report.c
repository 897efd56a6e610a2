/* Which ranks there are: the head of the table, and of the JSON object. */
#include "apps/bench/ranks.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char host[128], cpu[128], gpu[128];
    int threads, device;
} rank_info;

static void describe(const ranks_job *job, rank_info *me)
{
    char why[DEVICES_TEXT];
    device_gpu gpu;

    *me = (rank_info){.threads = job->threads, .device = job->device};
    cpu_model(me->cpu, sizeof me->cpu);
    gethostname(me->host, sizeof me->host - 1);
    if (job->device >= 0 && devices_gpu(job->device, &gpu, why)) {
        snprintf(me->gpu, sizeof me->gpu, "%.127s", gpu.name);
    }
}

static void print_ranks(const ranks_job *job, const rank_info *all)
{
    json_object ranks;

    fprintf(job->table, "%d rank%s on %d host%s, scale %d, %d-bit ids, median of %d\n", dist_size(),
            dist_size() > 1 ? "s" : "", dist_host_count(), dist_host_count() > 1 ? "s" : "",
            job->scale, 8 * job->id_bytes, (int)job->runs);
    json_string(job->json, "version", rmat_version());
    json_string(job->json, "mpi", dist_library());
    json_u64(job->json, "hosts", (uint64_t)dist_host_count());
    json_u64(job->json, "scale", (uint64_t)job->scale);
    json_u64(job->json, "id_bits", 8 * (uint64_t)job->id_bytes);
    json_u64(job->json, "runs", job->runs);
    json_key(job->json, "machine");
    bench_machine_json(job->json->stream);
    json_array_begin(&ranks, job->json, "ranks");
    for (int r = 0; r < dist_size(); r++) {
        const rank_info *i = &all[r];
        json_object o;

        if (r < RANKS_ALONE) {
            fprintf(job->table, "  %d: %s, %d thread%s%s%s%s\n", r, i->host, i->threads,
                    i->threads > 1 ? "s" : "", *i->gpu ? ", " : "", i->gpu,
                    r + 1 == RANKS_ALONE && r + 1 < dist_size() ? ", ..." : "");
        }
        json_object_begin(&o, &ranks, NULL);
        json_string(&o, "host", i->host);
        json_string(&o, "cpu", i->cpu);
        json_u64(&o, "threads", (uint64_t)i->threads);
        if (*i->gpu != '\0') {
            json_string(&o, "gpu", i->gpu);
            json_u64(&o, "device", (uint64_t)i->device);
        }
        json_object_end(&o);
    }
    json_array_end(&ranks);
}

int ranks_report(const ranks_job *job)
{
    rank_info *all = malloc((size_t)dist_size() * sizeof *all), me;
    char text[RANKS_TEXT] = "memory is exhausted";
    int status = ranks_agree(all == NULL ? -1 : 0, text);

    if (status == EXIT_OK) {
        describe(job, &me);
        dist_gather(&me, sizeof me, all);
        if (job->table != NULL) {
            print_ranks(job, all);
        }
    }
    free(all);
    return status;
}
