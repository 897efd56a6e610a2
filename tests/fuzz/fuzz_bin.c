/* Binary pairs: a byte whose lowest bit says which, the others the size of a piece; then the file.
 */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 1)
        fuzz_reader(data + 1, size - 1, data[0] & 1 ? GRAPHFILE_BIN64 : GRAPHFILE_BIN32,
                    1 + data[0], NULL);
    return 0;
}
