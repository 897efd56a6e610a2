/*
 * The host side of a GPU in the pipeline, on the GPU of fake_cuda.h, so that no GPU is needed.
 * Every call fails once, alone or with all later ones, as after a kernel trap.  Then there must be
 * no file, and nothing may stay allocated.  Without a failure the file is the CPU's, and the GPU's
 * memory is that of the plan.
 *
 * The fake GPU is made of host memory.  Work is a list of tasks, in the order of the calls.  Those
 * of a stream are done when something waits for that stream, so data that is used too early is
 * missing. Work that is queued when a call fails is never done.
 */
#include "apps/engine/pipeline/pipeline.h"
#include "tests/apps/fake_cuda.h"
#include "tests/support/pipeline_util.h"

enum { MOST_TASKS = 256 };

/* Something that a stream has still to do: run(task). */
typedef struct task {
    void (*run)(const struct task *t);
    cudaStream_t stream;
    const rmat_gen *gen;
    void *to;
    rmat_arrays arrays;
    const void *from, *from_too;
    uint64_t first, count;
    int value;
} task;

typedef struct {
    cudaStream_t stream;
    bool fired;
} event;

static task tasks[MOST_TASKS];
static int n_tasks;
static int live; /* objects allocated, created or registered and not released */
static size_t device_bytes;
static int calls_left;  /* before the one that fails; negative: none does */
static bool stays_dead; /* all later calls fail, too */
static bool dead;

static cudaError_t call(void)
{
    if (!dead && (calls_left < 0 || calls_left-- > 0)) {
        return cudaSuccess;
    }
    calls_left = -1;
    dead = stays_dead;
    return cudaErrorLaunchFailure;
}

static cudaError_t enqueue(cudaStream_t stream, task t)
{
    cudaError_t error = call();

    if (error == cudaSuccess) {
        must(n_tasks < MOST_TASKS, "more tasks than anything waits for");
        t.stream = stream;
        tasks[n_tasks++] = t;
    }
    return error;
}

/* Does what the stream has to do, or NULL: what all have. */
static cudaError_t drain(cudaStream_t stream)
{
    int kept = 0;

    for (int i = 0; i < n_tasks; i++) {
        if (stream != NULL && tasks[i].stream != stream) {
            tasks[kept++] = tasks[i];
        } else if (!dead) {
            tasks[i].run(&tasks[i]);
        }
    }
    n_tasks = kept;
    return dead ? cudaErrorLaunchFailure : cudaSuccess;
}

/* --- what is allocated, created or registered --- */

/* *out: `size` bytes, all of them `byte`. */
static cudaError_t allocate(void *out, size_t size, int byte)
{
    cudaError_t error = call();
    void *memory;

    if (error == cudaSuccess) {
        memory = memset(malloc(size), byte, size);
        memcpy(out, &memory, sizeof memory);
        live++;
    }
    return error;
}

static cudaError_t release(void *memory)
{
    live -= memory != NULL;
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
    device_bytes += size;
    return allocate(out, size, 0xAA);
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
    (void)flags;
    return allocate(out, size, 0xAA);
}

cudaError_t cudaFree(void *memory)
{
    return release(memory);
}

cudaError_t cudaFreeHost(void *memory)
{
    return release(memory);
}

/* The memory is filled, so that a sanitizer sees what does not belong to it. */
cudaError_t cudaHostRegister(void *memory, size_t size, unsigned flags)
{
    cudaError_t error = call();

    (void)flags;
    if (error == cudaSuccess) {
        memset(memory, 0xBB, size);
        live++;
    }
    return error;
}

cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    live--;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    (void)flags;
    return allocate(out, 1, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    drain(stream);
    return release(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    (void)flags;
    return allocate(out, sizeof(event), 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    return release(e);
}

/* --- work, and waiting for it --- */

static void fire(const task *t)
{
    ((event *)t->to)->fired = true;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream)
{
    *(event *)e = (event){stream, false};
    return enqueue(stream, (task){.run = fire, .to = e});
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    cudaError_t error = call();

    return error == cudaSuccess ? drain(((event *)e)->stream) : error;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    return dead ? cudaErrorLaunchFailure : ((event *)e)->fired ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    return call();
}

cudaError_t cudaDeviceSynchronize(void)
{
    return drain(NULL);
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

static void copy_bytes(const task *t)
{
    memcpy(t->to, t->from, t->count);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    return enqueue(stream, (task){.run = copy_bytes, .to = to, .from = from, .count = size});
}

static void set_bytes(const task *t)
{
    memset(t->to, t->value, t->count);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    return enqueue(stream, (task){.run = set_bytes, .to = to, .count = size, .value = value});
}

static void make(const task *t)
{
    rmat_generate_arrays(t->gen, t->first, t->count, &t->arrays);
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream)
{
    const task t = {.run = make, .gen = gen, .first = first, .count = count, .arrays = *arrays};

    return enqueue(stream, t) == cudaSuccess ? RMAT_OK : RMAT_ERR_CUDA;
}

static void add_fingerprint(const task *t)
{
    *(uint64_t *)t->to += rmat_fingerprint(t->from, t->from_too, t->count, t->value);
}

int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *sum, void *stream)
{
    const task t = {.run = add_fingerprint,
                    .from = src,
                    .from_too = dst,
                    .count = count,
                    .value = id_bytes,
                    .to = sum};

    return enqueue(stream, t) == cudaSuccess ? RMAT_OK : RMAT_ERR_CUDA;
}

const char *rmat_gpu_error(void)
{
    return "cudaErrorLaunchFailure";
}

int rmat_used_device(const rmat_gen *gen)
{
    (void)gen;
    return 0;
}

enum { CHUNK = 4096, EDGES = 12 * CHUNK + 77, MOST_CALLS = 1000 };

START_TEST(every_call_fails)
{
    pipeline_job job = {.edges = EDGES,
                        .chunk = _i & 1 ? CHUNK : 0,
                        .id_bytes = _i & 2 ? 8 : 4,
                        .at_once = PIPELINE_GPU_CHUNKS,
                        .weight = _i & 1 ? EDGEFILE_NO_WEIGHT : EDGEFILE_WEIGHT_I32};
    bool for_good = _i & 4;
    pipeline_plan plan = plan_of(&job);
    pipeline_producer cpu, gpu;
    rmat_gen *gen = cpu_generator();
    int calls = 0, status;

    cpu = pipeline_cpu(gen, 2);
    gpu = pipeline_gpu(gen); /* the fake one makes edges as the CPU does */
    ok(write_file(graph, &job, &cpu, go_on));

    for (;; calls++) {
        ck_assert_int_lt(calls, MOST_CALLS);
        calls_left = calls;
        stays_dead = for_good;
        dead = false;
        device_bytes = 0;
        status = write_file(twin, &job, &gpu, go_on);
        ck_assert_int_eq(live, 0);
        if (status == 0) {
            check_same_bytes(graph, twin);
            ck_assert_uint_eq(device_bytes, pipeline_gpu_bytes(&plan));
            break; /* it makes no more calls than these */
        }
        ck_assert_ptr_eq(strstr(engine_detail(), "GPU 0: "), engine_detail());
        ck_assert_ptr_nonnull(strstr(engine_detail(), "cudaErrorLaunchFailure"));
    }
    ck_assert_int_gt(calls, 20);
}

FOLDER_CASES(pipeline_gpu_failures, LOOP(every_call_fails, 0, 8))

int main(void)
{
    return test_pipeline_gpu_failures();
}
