/* Formats of arrays: a byte that says which, one for the size of a piece, then the file. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const graphfile_format formats[] = {GRAPHFILE_NPY, GRAPHFILE_GRAPH500, GRAPHFILE_SG,
                                               GRAPHFILE_WSG};

    if (size >= 2) {
        fuzz_reader(data + 2, size - 2, formats[data[0] % 4], 1 + data[1], NULL);
    }
    return 0;
}
