/*
 * The file of `rmat generate --level-matrices`: a byte for the number of levels, then the file.  A
 * build by clang with -D RMAT_BUILD_FUZZERS=ON has libFuzzer make it up; every other build reads
 * the files of a folder.
 */
#include "apps/common/message.h"
#include "apps/generate/generate.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        } else if (said[0] == '\0') {
            abort();
        }
    }
    message_capture(NULL);
    free(levels);
    close(fd);
    return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    DIR *folder = argc > 1 && chdir(argv[1]) == 0 ? opendir(".") : NULL;
    int n = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            FILE *file = fopen(entry->d_name, "rb");
            const long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
            uint8_t *data =
                malloc(size > 0 ? (size_t)size : 1); /* just as long: a byte too many is found */

            if (size <= 0 || fseek(file, 0, SEEK_SET) ||
                fread(data, 1, (size_t)size, file) != (size_t)size) {
                fprintf(stderr, "%s: cannot be read, or empty\n", entry->d_name);
                return 1;
            }
            LLVMFuzzerTestOneInput(data, (size_t)size);
            free(data);
            fclose(file);
            n++;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    printf("%d files\n", n);
    return n > 0 ? 0 : 1;
}
#endif
