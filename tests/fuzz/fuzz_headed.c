/* Text that begins with a header: a byte that says which format, one for the size of a piece, then
 * the file. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const graphfile_format formats[] = {GRAPHFILE_GR, GRAPHFILE_METIS};

    if (size >= 2) {
        fuzz_reader(data + 2, size - 2, formats[data[0] % 2], 1 + data[1], NULL);
    }
    return 0;
}
