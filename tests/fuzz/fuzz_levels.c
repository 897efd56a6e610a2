/* The file of `rmat generate --level-matrices`: a byte for the number of levels, then the file. */
#include "apps/common/message.h"
#include "apps/generate/generate.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int count = size > 0 ? 1 + data[0] % RMAT_MAX_SCALE : 0;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    rmat_matrix *levels = malloc((size_t)count * sizeof *levels);
    char name[32], said[MESSAGE_TEXT] = "";

    message_capture(said);
    if (size > 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1)) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        if (generate_read_levels(name, count, levels) == EXIT_OK) {
            for (int i = 0; i < count; i++) {
                if (!(fabs(levels[i].a + levels[i].b + levels[i].c + levels[i].d - 1) <= 1.1e-9)) {
                    abort();
                }
            }
        } else {
            if (said[0] == '\0') {
                abort();
            }
        }
    }
    message_capture(NULL);
    free(levels);
    close(fd);
    return 0;
}
