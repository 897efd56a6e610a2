/* The file of degrees of chung_lu. */
#include "apps/chung_lu/degrees.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    FILE *file;
    double *degrees = NULL;
    uint64_t count = 0;
    degrees_error error = {0};

    memcpy(copy, data, size);
    copy[size] = '\n';
    file = fmemopen(copy, size + 1, "rb");
    if (file == NULL) {
        abort();
    }
    if (degrees_read(file, &degrees, &count, &error) == DEGREES_OK) {
        for (uint64_t i = 0; i < count; i++) {
            if (!(degrees[i] >= 0 && degrees[i] <= DEGREES_MAX_VALUE)) {
                abort();
            }
        }
    } else if (degrees != NULL || error.what == NULL) {
        abort();
    }
    free(degrees);
    fclose(file);
    free(copy);
    return 0;
}
