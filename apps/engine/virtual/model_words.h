/*
 * model_words.h - an R-MAT model as 32-bit words: what a virtual file says of its edges, bit for
 * bit (io/virtual/frame.h).
 *
 * Also compiled into the plug-in of HDF5, which has nothing of the engine but this.
 */
#ifndef APPS_ENGINE_VIRTUAL_MODEL_WORDS_H
#define APPS_ENGINE_VIRTUAL_MODEL_WORDS_H

#include "rmat/rmat.h"
#include <stddef.h>

/* There is room for the matrices of so many levels. */
enum { MODEL_WORDS_LEVELS = 28 };

enum { MODEL_WORDS_FIXED = 22, MODEL_WORDS_MAX = MODEL_WORDS_FIXED + 8 * MODEL_WORDS_LEVELS };

/* The words of a valid model with at most MODEL_WORDS_LEVELS matrices, which have the noise already
 * where there are several.  Returns their number.  What does not decide the edges (backend,
 * threads, ...) is left out. */
size_t model_words_of(const rmat_config *model, uint32_t words[MODEL_WORDS_MAX]);

/* The model that the words describe; model->levels is NULL or points to `levels`.  Returns NULL, or
 * what is wrong, an English sentence fragment: these words describe no model, or one of another
 * version of its stream.  Whether the values fit together, rmat_create() says. */
const char *model_words_read(const uint32_t *words, size_t n, rmat_config *model,
                             rmat_matrix levels[MODEL_WORDS_LEVELS]);

#endif
