/* Gives the fuzz target the files of folders, as libFuzzer does with a corpus. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;
    long size = -1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0)
        data = malloc((size_t)size); /* just as long: a byte too many is found */
    if (data != NULL) {
        rewind(file);
        if (fread(data, 1, (size_t)size, file) == (size_t)size)
            LLVMFuzzerTestOneInput(data, (size_t)size);
        else
            size = -1;
    }
    free(data);
    if (file != NULL)
        fclose(file);
    return size > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        struct dirent *entry;

        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char name[4096];

            snprintf(name, sizeof name, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.') {
                if (replay(name) != 0) {
                    fprintf(stderr, "%s: cannot be read, or empty\n", name);
                    return 1;
                }
                n++;
            }
        }
        if (folder != NULL)
            closedir(folder);
    }
    printf("%d files\n", n);
    return n > 0 ? 0 : 1;
}
