/* What the targets for the readers of other formats share. */
#ifndef TESTS_FUZZ_FUZZ_READER_H
#define TESTS_FUZZ_FUZZ_READER_H

#include "io/formats/reader.h"
#include "tests/fuzz/fuzz.h"

extern int fuzz_names; /* flag: vertices have names */

/* Reads the data as a file of that format, cut into pieces of so many bytes, and once more in one
 * piece: edges or message must be the same, and so must another look at any piece.  columns: NULL,
 * or those to read. */
void fuzz_reader(const uint8_t *data, size_t size, graphfile_format format, uint64_t piece,
                 const char *columns);

#endif
