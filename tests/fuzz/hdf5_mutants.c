/*
 * hdf5_mutants.c - gives mutants of HDF5 files, with right checksums, to the reader of HDF5.
 *
 *     hdf5_mutants [--probe | --own] [--first N] [--runs N] FILE...     reads mutants N, N + 1, ...
 *     hdf5_mutants --own [--first N] [--runs N] FILE...         the same, by our own parser alone
 *     hdf5_mutants --write FOLDER --first N --runs N FILE...    writes them instead
 *
 * Mutant i is made from file i modulo the number of files.  A worker process reads one after the
 * other; when a mutant ends it, or takes more than 10 s, that is counted, its number is printed,
 * and a new worker begins with the next one.  With --probe a child reads each file first, as in our
 * programs, and then, as with --own, the
 * exit status is 1 if any worker was lost.
 */
#include "io/edgefile.h"
#include "io/hdf5/metadata_walk.h"
#include "tests/fuzz/hdf5_repair.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 12, HANG_SECONDS = 10, MOST_BY_ONE = 100 };

/* What worker and supervisor share. */
typedef struct {
    volatile uint64_t at, opened, refused;
} progress;

static progress *shared;
static hdf5_seed *seeds;
static size_t n_seeds;
static char path[64];
static bool without_hdf5;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void load(hdf5_seed *s, const char *name)
{
    struct stat about;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &about) != 0) {
        die(name);
    }
    s->size = (size_t)about.st_size;
    s->data = malloc(s->size);
    if (s->data == NULL || read(fd, s->data, s->size) != (ssize_t)s->size) {
        die(name);
    }
    close(fd);
    hdf5_find_blocks(s);
}

static void write_mutant(const char *name, uint64_t number)
{
    const hdf5_seed *s = &seeds[number % n_seeds];
    uint8_t *data = malloc(s->size);
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (data == NULL || fd < 0 ||
        write(fd, data, hdf5_mutate(s, number, data)) != (ssize_t)s->size) {
        die(name);
    }
    close(fd);
    free(data);
}

static void read_ours(edgefile_reader *r)
{
    const uint64_t edges = edgefile_edges(r), rows = edgefile_rows(r);
    const uint64_t count = edges < MOST ? edges : MOST, n = rows < MOST ? rows + 1 : MOST;
    const bool csr = edgefile_format_of(r) == EDGEFILE_CSR;
    static uint64_t src[MOST], dst[MOST], weight[MOST], pointers[MOST + 1];
    double values[64];
    char text[1 << 12];
    uint64_t value;

    edgefile_read(r, edges - count, count, csr ? NULL : src, dst,
                  edgefile_weight_of(r) != EDGEFILE_NO_WEIGHT ? weight : NULL);
    if (csr) {
        edgefile_read_pointers(r, rows + 1 - n, n, pointers);
    }
    edgefile_get_string(r, "command", text, sizeof text);
    edgefile_get_string(r, "model", text, sizeof text);
    edgefile_get_u64(r, "fingerprint", &value);
    edgefile_get_f64s(r, "seed_matrix", values, 64, &value);
    edgefile_check_gaps(r);
}

static void read_mutant(void)
{
    edgefile_reader *r = NULL;

    if (edgefile_open(&r, path) == EDGEFILE_OK) {
        read_ours(r);
        shared->opened++;
    } else {
        shared->refused++;
    }
    edgefile_close(r);
}

/* The metadata as our own parser sees it, without HDF5. */
static void walk_mutant(void)
{
    metadata_walk *w = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int st;

    if (fd < 0) {
        die(path);
    }
    st = edgefile_metadata_walk(&w, path, fd, true);
    shared->opened += st == EDGEFILE_OK;
    shared->refused += st != EDGEFILE_OK;
    close(fd);
    free(w);
}

static void work(uint64_t end, bool probe)
{
    const struct rlimit cpu = {RLIM_INFINITY, RLIM_INFINITY}, no_core = {0, 0};

    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &no_core);
#ifndef RMAT_SANITIZED
    {
        const struct rlimit memory = {(rlim_t)2 << 30, (rlim_t)2 << 30};

        setrlimit(RLIMIT_AS, &memory);
    }
#endif
    if (edgefile_no_exit_handler() != EDGEFILE_OK) {
        _exit(2);
    }
    if (probe) {
        edgefile_probe_first(NULL);
    }
    for (int i = 0; (without_hdf5 || i < MOST_BY_ONE) && shared->at < end;
         i++) { /* HDF5 leaks after errors */
        write_mutant(path, shared->at);
        alarm(probe ? 3 * HANG_SECONDS : HANG_SECONDS);
        if (without_hdf5) {
            walk_mutant();
        } else {
            read_mutant();
        }
        alarm(0);
        shared->at++;
    }
    _exit(0);
}

static bool supervise(uint64_t first, uint64_t end, bool probe)
{
    uint64_t lost = 0, hangs = 0;
    time_t start = time(NULL);

    shared->at = first;
    while (shared->at < end) {
        const pid_t worker = fork();
        int status;

        if (worker < 0) {
            die("fork");
        }
        if (worker == 0) {
            work(end, probe);
        }
        waitpid(worker, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

            hangs += by == SIGALRM;
            lost += by != SIGALRM;
            printf("mutant %" PRIu64 " of file %" PRIu64 ": %s %d\n", shared->at,
                   shared->at % n_seeds, by != 0 ? "signal" : "exit status",
                   by != 0 ? by : WEXITSTATUS(status));
            fflush(stdout);
            shared->at++;
        }
    }
    unlink(path);
    printf("%" PRIu64 " runs in %ld s: %" PRIu64 " read, %" PRIu64 " refused; %" PRIu64
           " crashes, %" PRIu64 " hangs\n",
           end - first, (long)(time(NULL) - start), shared->opened, shared->refused, lost, hangs);
    return lost + hangs == 0;
}

int main(int argc, char **argv)
{
    uint64_t first = 0, runs = 1000;
    const char *folder = NULL;
    bool probe = false;
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--own") == 0) {
            without_hdf5 = true;
        } else if (strcmp(argv[i], "--probe") == 0) {
            probe = true;
        } else if (i + 1 < argc && strcmp(argv[i], "--first") == 0) {
            first = strtoull(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--runs") == 0) {
            runs = strtoull(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--write") == 0) {
            folder = argv[++i];
        }
    }
    n_seeds = (size_t)(argc - i);
    seeds = calloc(n_seeds + 1, sizeof *seeds);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n_seeds == 0 || seeds == NULL || shared == MAP_FAILED) {
        fprintf(stderr,
                "hdf5_mutants [--probe | --own] [--first N] [--runs N] [--write FOLDER] FILE...\n");
        return 2;
    }
    for (size_t k = 0; k < n_seeds; k++) {
        load(&seeds[k], argv[i + (int)k]);
    }
    for (uint64_t k = first; folder != NULL && k < first + runs; k++) {
        char name[4096];

        snprintf(name, sizeof name, "%s/%" PRIu64 ".h5", folder, k);
        write_mutant(name, k);
    }
    snprintf(path, sizeof path, "/dev/shm/rmat-mutant-%d.h5", (int)getpid());
    return folder != NULL || supervise(first, first + runs, probe) || !(probe || without_hdf5) ? 0
                                                                                               : 1;
}
