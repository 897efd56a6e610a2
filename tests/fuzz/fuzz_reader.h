/* What the targets for the readers of other formats share. */
#ifndef TESTS_FUZZ_FUZZ_READER_H
#define TESTS_FUZZ_FUZZ_READER_H

#include "io/formats/reader.h"
#include "tests/fuzz/fuzz.h"

extern int fuzz_names, fuzz_base;   /* flags: vertices have names, or are numbered from 1 */
extern edgefile_weight fuzz_weight; /* what is told of the weights */
extern int
    fuzz_any_message; /* flag: which fault is named first may depend on the size of a piece */
extern const char *fuzz_path; /* the file in place of the data, or NULL */

/* Reads the data as a file of that format, cut into pieces of so many bytes, and once more in one
 * piece: edges or message must be the same, and so must another look at any piece.  columns: NULL,
 * or those to read. */
void fuzz_reader(const uint8_t *data, size_t size, graphfile_format format, uint64_t piece,
                 const char *columns);

#endif
