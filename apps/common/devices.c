/* What `rmat info --devices` prints, as text and as JSON. */
#include "apps/common/devices.h"
#include "apps/common/cpu.h"
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "io/edgefile.h"
#include "mpi/dist.h"
#include "rmat/rmat.h"
#include <unistd.h>

void devices_isas(FILE *stream, const char *separator)
{
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            fprintf(stream, "%s%s", isa > RMAT_ISA_GENERIC ? separator : "", rmat_isa_name(isa));
        }
    }
}

int devices_gpus(char text[DEVICES_TEXT])
{
    if (devices_cuda() != NULL) {
        return devices_cuda()->gpus(text);
    }
    snprintf(text, DEVICES_TEXT, "this program was built without CUDA");
    return 0;
}

bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT])
{
    return devices_cuda() != NULL ? devices_cuda()->gpu(index, gpu, why) : devices_gpus(why) > 0;
}

/* NULL: this build has no CUDA. */
static const char *cuda_version(char text[DEVICES_TEXT])
{
    if (devices_cuda() == NULL) {
        return NULL;
    }
    devices_cuda()->version(text);
    return text;
}

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
    cuda = cuda_version(text);
    printf("%-16s %s\n", "cuda", cuda != NULL ? cuda : "not in this build");
    printf("%-16s %s\n", "mpi", *mpi != '\0' ? mpi : "not in this build");
    if (edgefile_hdf5_describe(hdf5, NULL, 0) == EDGEFILE_OK) {
        printf("%-16s %s%s\n", "hdf5", hdf5, RMAT_HDF5_PARALLEL ? ", parallel" : "");
    } else {
        printf("%-16s none: %s\n", "hdf5", edgefile_detail());
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
    json_string(&json, "cuda", cuda_version(text));
    json_string(&json, "mpi", *mpi != '\0' ? mpi : NULL);
    json_string(&json, "hdf5", edgefile_hdf5_describe(hdf5, NULL, 0) == EDGEFILE_OK ? hdf5 : NULL);
    json_bool(&json, "hdf5_parallel", RMAT_HDF5_PARALLEL);
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
