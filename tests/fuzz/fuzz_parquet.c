/* Parquet: the file as it is. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(data, size, GRAPHFILE_PARQUET, 1);
    return 0;
}
