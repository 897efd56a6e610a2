/*
 * libFuzzer's entry of the fuzz target.  A build by clang with -D RMAT_BUILD_FUZZERS=ON gives it
 * generated input; in every other build fuzz_replay.c gives it the files of tests/fuzz/corpus.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
