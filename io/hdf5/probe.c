/*
 * probe.c - a child process that reads a file through HDF5 before this process does.
 *
 * Crafted metadata, whose checksums are correct, can crash HDF5, keep it busy for ever, or make it
 * ask for any amount of memory.  The child reads the file with limits.  Unless it
 * ends by itself and says that all is well, this process does not give the file to HDF5.
 *
 * The lock of edgefile_hdf5_begin() is held, so that no other thread is inside HDF5 at the fork.
 */
#include "io/hdf5_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SECONDS = 10,      /* of CPU time that the child may take */
    WALL_SECONDS = 60, /* in all: a file system may be slow, or wait for ever */
    LOOK_MS = 100,     /* between two looks at the clock */
    KNOWN = 64         /* files that this process remembers */
};

static const rlim_t memory = (rlim_t)1 << 30; /* that the child may have in addition */

static bool is_on;
static int (*asked_to_stop)(void); /* or NULL */

/* Files that were found harmless, and did not change since. */
static struct stat known[KNOWN];
static unsigned n_known;

void edgefile_probe_first(int (*stop)(void))
{
    is_on = true;
    asked_to_stop = stop;
}

static bool is_known(const struct stat *file)
{
    bool found = false;

    for (unsigned i = 0; i < KNOWN && i < n_known; i++) {
        const struct stat *k = &known[i];

        found = found || (k->st_dev == file->st_dev && k->st_ino == file->st_ino &&
                          k->st_size == file->st_size &&
                          memcmp(&k->st_mtim, &file->st_mtim, sizeof k->st_mtim) == 0 &&
                          memcmp(&k->st_ctim, &file->st_ctim, sizeof k->st_ctim) == 0);
    }
    return found;
}

/* Address space of this process in bytes. */
static rlim_t address_space(void)
{
    FILE *statm = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (statm != NULL) {
        if (fscanf(statm, "%lu", &pages) != 1) {
            pages = 0;
        }
        fclose(statm);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, rlim_t most)
{
    struct rlimit r;

    if (getrlimit(what, &r) == 0 && (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most)) {
        r.rlim_cur = most;
        setrlimit(what, &r);
    }
}

/* Ends with this process, without a word and without a core file. */
static void become_harmless(rlim_t had)
{
    static const int signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT, SIGTRAP, SIGXCPU,
                                  SIGINT,  SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        signal(signals[i], SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, SECONDS);
    if (had > 0) {
        limit(RLIMIT_AS, had + memory);
    }
}

/* How the child ended, by itself or because this process ended it. */
typedef enum { BY_ITSELF, TOO_LATE, STOPPED, UNKNOWN } ending;

static int refuse(int status, const char *name, const char *why)
{
    return edgefile_fail(status, "%s: could not be read: %s", name, why);
}

static int judge(const char *name, ending how, int status)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char why[128];

    if (how == TOO_LATE) {
        snprintf(why, sizeof why, "after %d s of waiting HDF5 was not through its metadata",
                 WALL_SECONDS);
        return refuse(EDGEFILE_ERR_IO, name, why);
    }
    if (how == STOPPED) {
        return refuse(EDGEFILE_ERR_IO, name, "stopped");
    }
    if (how == UNKNOWN) {
        return refuse(EDGEFILE_ERR_IO, name, "nobody knows how the process ended that tried");
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_FINE) {
        return EDGEFILE_OK;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_NO_MEMORY) {
        return refuse(EDGEFILE_ERR_NOMEM, name,
                      "HDF5 needs more than 1 GiB of memory, or than is available, for its "
                      "metadata");
    }
    if (by == SIGXCPU) {
        snprintf(why, sizeof why,
                 "HDF5 did not finish reading its metadata within %d s; the file is damaged",
                 SECONDS);
        return refuse(EDGEFILE_ERR_IO, name, why);
    }
    if (by == SIGKILL) {
        return refuse(EDGEFILE_ERR_IO, name, "the process that read it was killed");
    }
    if (by == SIGINT || by == SIGTERM || by == SIGHUP || by == SIGQUIT) {
        return refuse(EDGEFILE_ERR_IO, name, "the process that read it was stopped");
    }
    return refuse(EDGEFILE_ERR_IO, name,
                  "HDF5 crashed; the file is damaged or memory is exhausted");
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Until the child has ended, which closes the other end of the pipe.  A process that another thread
 * forked meanwhile may have that end, too: the child is asked for as well. */
static ending await(pid_t child, int pipe, int *status)
{
    struct pollfd end = {.fd = pipe};
    const double start = seconds();
    ending how = BY_ITSELF;
    pid_t ended = 0;

    while (how == BY_ITSELF && ended == 0 && poll(&end, 1, LOOK_MS) <= 0) {
        ended = waitpid(child, status, WNOHANG);
        if (asked_to_stop != NULL && asked_to_stop() != 0) {
            how = STOPPED;
        } else if (seconds() - start > WALL_SECONDS) {
            how = TOO_LATE;
        }
    }
    if (how != BY_ITSELF && ended == 0) {
        kill(child, SIGKILL);
    }
    while (ended == 0 || (ended < 0 && errno == EINTR)) {
        ended = waitpid(child, status, 0);
    }
    return how == BY_ITSELF && ended != child ? UNKNOWN : how;
}

static int have_it_read(const char *path, const char *name, hid_t access, const int pipe[2])
{
    const rlim_t had = address_space();
    int status = 0;
    ending how;
    const pid_t child = fork();

    if (child != 0) {
        close(pipe[1]);
    }
    if (child < 0) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: starting a process to read it: %m", name);
    }
    if (child == 0) {
        become_harmless(had);
        edgefile_probe_read(path, access);
        _exit(EDGEFILE_PROBE_FINE);
    }
    how = await(child, pipe[0], &status);
    return judge(name, how, status);
}

int edgefile_probe(const char *path, int fd, const char *name, hid_t access)
{
    struct stat file;
    int pipe[2], st;

    if (!is_on) {
        return EDGEFILE_OK;
    }
    if (fstat(fd, &file) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    if (is_known(&file)) {
        return EDGEFILE_OK;
    }
    if (pipe2(pipe, O_CLOEXEC) != 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: starting a process to read it: %m", name);
    }
    st = have_it_read(path, name, access, pipe);
    close(pipe[0]);
    if (st == EDGEFILE_OK) {
        known[n_known++ % KNOWN] = file;
    }
    return st;
}

/*
 * What the child process of probe.c reads: the attributes of the root, the names
 * that formats look up, and of every dataset what describes it, the index of its chunks, and its
 * first and last element.
 *
 * Errors that HDF5 reports are left to the parent, which meets them again, except for a lack of
 * memory: the parent has no limit, and would take what HDF5 asks for.
 */

enum {
    MOST_OBJECTS = 10000, /* that it looks at */
    MOST_NAMES = 100,     /* of links of the root that it looks up */
    MOST_BYTES = 1 << 26  /* of an attribute, or of a chunk, that it reads */
};

static herr_t leave_without_memory(unsigned depth, const H5E_error2_t *error, void *data)
{
    (void)depth;
    (void)data;
    if (edgefile_hdf5_status(error) == EDGEFILE_ERR_NOMEM) {
        _exit(EDGEFILE_PROBE_NO_MEMORY);
    }
    return 0;
}

/* HDF5 calls it after every error.  All errors but a lack of memory are left to this process. */
static herr_t look_at_error(hid_t stack, void *data)
{
    (void)data;
    H5Ewalk2(stack, H5E_WALK_UPWARD, leave_without_memory, NULL);
    return 0;
}

static hid_t memory_type(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);

    return class == H5T_INTEGER ? H5T_NATIVE_UINT64 : class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : -1;
}

static void read_numbers(hid_t attribute, hid_t type, hid_t space)
{
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    void *values;

    if (n > 0 && n <= MOST_BYTES / 8 && memory_type(type) >= 0) {
        values = malloc((size_t)n * 8);
        if (values != NULL) {
            H5Aread(attribute, memory_type(type), values);
        }
        free(values);
    }
}

static herr_t read_attribute(hid_t file, const char *name, const H5A_info_t *info, void *data)
{
    char text[1 << 16];
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);

    (void)info;
    (void)data;
    if (H5Tget_class(type) == H5T_STRING) {
        (void)edgefile_attr_read_string(file, "", name, text, sizeof text);
    } else {
        read_numbers(attribute, type, space);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

/* Does reading one element need little memory, no other file, and no filter of ours? */
static bool is_readable(hid_t creation, hid_t type)
{
    hsize_t chunk[H5S_MAX_RANK], bytes = H5Tget_size(type);
    int rank = 0;

    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
    }
    for (int i = 0; i < rank; i++) {
        bytes = chunk[i] <= MOST_BYTES && bytes <= MOST_BYTES ? bytes * chunk[i] : MOST_BYTES + 1;
    }
    return bytes <= MOST_BYTES && H5Pget_layout(creation) != H5D_VIRTUAL &&
           H5Pget_external_count(creation) <= 0;
}

static void read_element(hid_t dataset, hid_t type, hid_t space, hsize_t at)
{
    const hsize_t one = 1;
    const hid_t place = H5Screate_simple(1, &one, NULL);
    uint64_t value;

    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL) >= 0) {
        H5Dread(dataset, type, place, space, H5P_DEFAULT, &value);
    }
    H5Sclose(place);
}

/* Of a virtual dataset not even the length, for which HDF5 may open other files. */
static void read_dataset(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = H5Pget_layout(creation);
    const hid_t space = layout != H5D_VIRTUAL ? H5Dget_space(dataset) : -1;
    hsize_t length = 0, chunks;

    if (layout != H5D_VIRTUAL) {
        (void)H5Dget_offset(dataset);
    }
    if (layout == H5D_CHUNKED) {
        (void)H5Dget_num_chunks(dataset, H5S_ALL, &chunks);
    }
    if (H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, &length, NULL) >= 0 && length > 0 &&
        memory_type(type) >= 0 && is_readable(creation, type)) {
        read_element(dataset, memory_type(type), space, 0);
        read_element(dataset, memory_type(type), space, length - 1);
    }
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
}

/* By a name that leads to nothing in another file. */
static void open_object(hid_t file, const char *name)
{
    bool elsewhere;
    const hid_t access = edgefile_hdf5_inside(&elsewhere);
    const hid_t object = access >= 0 ? H5Oopen(file, name, access) : -1;

    if (H5Iget_type(object) == H5I_DATASET) {
        read_dataset(object);
    }
    H5Oclose(object);
    H5Pclose(access);
}

static herr_t read_object(hid_t file, const char *name, const H5O_info_t *info, void *n_objects)
{
    int *n = n_objects;

    if (info->type == H5O_TYPE_DATASET) {
        open_object(file, name);
    }
    return ++*n >= MOST_OBJECTS;
}

/* The names that formats look up; and every name by its number, as messages list them. */
static void look_up(hid_t file)
{
    static const char *const names[] = {"src",    "dst", "weight", "pointers_to_1", "indices_1",
                                        "values", "lhs", "rhs",    "rel",           "indices_0"};
    H5G_info_t info = {.nlinks = 0};
    char text[256];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (H5Lexists(file, names[i], H5P_DEFAULT) > 0) {
            open_object(file, names[i]);
        }
    }
    H5Gget_info(file, &info);
    for (hsize_t i = 0; i < info.nlinks && i < MOST_NAMES; i++) { /* even if one of them fails */
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, text, sizeof text,
                           H5P_DEFAULT);
    }
}

/* After errors HDF5 frees pointers that it never set, and it copies up to 64 KiB from beyond the
 * end of a block.  With memory that is filled when it is allocated, no memory to spare at the end
 * of the heap, and without HDF5's own lists of free memory, that crashes here, not by chance later.
 */
static void make_fragile(void)
{
    mallopt(M_PERTURB, 0x5a);
    mallopt(M_TOP_PAD, 0);
    mallopt(M_TRIM_THRESHOLD, 0);
    malloc_trim(0);
    H5set_free_list_limits(0, 0, 0, 0, 0, 0);
}

void edgefile_probe_read(const char *path, hid_t access)
{
    int n_objects = 0;
    hid_t file;

    make_fragile();
    H5Eset_auto2(H5E_DEFAULT, look_at_error, NULL);
    file = H5Fopen(path, H5F_ACC_RDONLY, access);

    if (file >= 0) {
        H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, read_attribute, NULL);
        (void)H5Aexists(file, "no attribute of this name");
        look_up(file);
        H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &n_objects);
        H5Fclose(file);
    }
}
