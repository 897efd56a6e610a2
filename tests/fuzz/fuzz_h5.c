/* Edge files of ours: what can be opened can be read, all of it. */
#include "io/edgefile.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 16 };

static void read_all(edgefile_reader *r)
{
    const uint64_t edges = edgefile_edges(r), rows = edgefile_rows(r);
    const uint64_t count = edges < MOST ? edges : MOST, n = rows < MOST ? rows + 1 : MOST;
    const size_t width = (size_t)edgefile_id_bytes(r);
    const int csr = edgefile_format_of(r) == EDGEFILE_CSR;
    void *src = malloc(count * width + 1), *dst = malloc(count * width + 1);
    void *weight = malloc(count * 4 + 1), *pointers = malloc(n * 8);
    char text[64];
    uint64_t value;

    edgefile_read(r, edges - count, count, csr ? NULL : src, dst,
                  edgefile_weight_of(r) != EDGEFILE_NO_WEIGHT ? weight : NULL);
    if (csr)
        edgefile_read_pointers(r, rows + 1 - n, n, pointers);
    edgefile_get_string(r, "command", text, sizeof text);
    edgefile_get_u64(r, "fingerprint", &value);
    edgefile_check_gaps(r);
    free(src);
    free(dst);
    free(weight);
    free(pointers);
}

/* HDF5 wants a file with a name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    edgefile_reader *r = NULL;
    char name[64];
    int fd;

    snprintf(name, sizeof name, "/dev/shm/rmat-fuzz-%d", (int)getpid());
    fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    if (edgefile_open(&r, name) == EDGEFILE_OK)
        read_all(r);
    else if (r != NULL || *edgefile_detail() == '\0')
        abort();
    edgefile_close(r);
    unlink(name);
    return 0;
}
