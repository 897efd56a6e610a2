/* Parquet: the file as it is, and two columns of it by their names. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(data, size, GRAPHFILE_PARQUET, 1, NULL);
    fuzz_reader(data, size, GRAPHFILE_PARQUET, 1, "dst,src");
    return 0;
}
