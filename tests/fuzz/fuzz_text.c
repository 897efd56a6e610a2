/* Text edge lists: a byte that says which format, whether columns are read by name, whether
 * vertices have names, and whether they are numbered from 1, one for the size of a piece, then the
 * file. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const graphfile_format formats[] = {GRAPHFILE_EL, GRAPHFILE_WEL, GRAPHFILE_TSV,
                                               GRAPHFILE_CSV};

    fuzz_names = size >= 2 && data[0] & 16;
    fuzz_base = size >= 2 && !fuzz_names && data[0] & 32;
    if (size >= 2)
        fuzz_reader(data + 2, size - 2, formats[data[0] % 4], 1 + data[1],
                    data[0] % 8 == 7 ? "to,from,w" : NULL);
    return 0;
}
