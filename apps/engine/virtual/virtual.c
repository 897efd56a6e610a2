/* Virtual files: from models to words, and back to edges. */
#include "apps/engine/virtual/virtual.h"
#include "apps/engine/virtual/model_words.h"
#include <stdio.h>

_Static_assert((int)ENGINE_VIRTUAL_LEVELS == (int)MODEL_WORDS_LEVELS, "the words have room");

/* The words of a model, of which several matrices get their noise here. */
static size_t words_of(const rmat_config *model, uint32_t words[MODEL_WORDS_MAX])
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config drawn = *model;

    if (model->levels != NULL && model->noise > 0) {
        rmat_levels(model, levels);
        drawn.levels = levels;
        drawn.noise = 0;
    }
    return model_words_of(&drawn, words);
}

int engine_virtual_image(const graphfile_spec *spec, const rmat_config *model, void **image,
                         uint64_t *bytes)
{
    uint32_t words[MODEL_WORDS_MAX];

    return edgefile_virtual_image(spec, words, words_of(model, words), image, bytes);
}

int engine_virtual_check(edgefile_reader *r, const rmat_config *model)
{
    uint32_t words[MODEL_WORDS_MAX];

    return edgefile_virtual_check(r, words, words_of(model, words));
}

static int open_maker(void **maker, const uint32_t *words, size_t n, char *text, size_t size)
{
    rmat_matrix levels[MODEL_WORDS_LEVELS];
    rmat_config model;
    rmat_gen *gen;
    const char *wrong = model_words_read(words, n, &model, levels);
    int status;

    if (wrong == NULL) {
        model.threads = 1; /* callers read with several threads */
        status = rmat_create(&gen, &model);
        wrong = status != RMAT_OK ? rmat_strerror(status) : NULL;
    }
    if (wrong != NULL) {
        snprintf(text, size, "%s", wrong);
        return -1;
    }
    *maker = gen;
    return 0;
}

static int fill_edges(void *maker, uint64_t first, uint64_t count, int id_bytes, void *src,
                      void *dst, void *weight, char *text, size_t size)
{
    const rmat_arrays to = {src, dst, weight, id_bytes};
    int status = rmat_generate_arrays(maker, first, count, &to);

    if (status != RMAT_OK) {
        snprintf(text, size, "%s", rmat_strerror(status));
    }
    return status == RMAT_OK ? 0 : -1;
}

static void close_maker(void *maker)
{
    rmat_destroy(maker);
}

void engine_virtual_register(void)
{
    static const edgefile_maker maker = {open_maker, fill_edges, close_maker};

    edgefile_set_maker(&maker);
}
