/* The file's attributes, and the command line that makes the same file again.  Neither mentions the
 * file's name, threads, backend or anything else that leaves the bytes alone. */
#include "apps/generate.h"
#include "apps/numbers.h"
#include <inttypes.h>
#include <stdio.h>

static void format_command(char text[COMMAND_TEXT], const generate_options *o)
{
    const rmat_config *m = &o->model;
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];
    int small = m->rows_scale <= 32 && m->cols_scale <= 32;

    snprintf(text, COMMAND_TEXT,
             "rmat generate --rows-scale %d --cols-scale %d --edges %" PRIu64
             " --a %s --b %s --c %s --d %s --seed %" PRIu64 "%s",
             m->rows_scale, m->cols_scale, o->edges, format_double(a, m->matrix.a),
             format_double(b, m->matrix.b), format_double(c, m->matrix.c),
             format_double(d, m->matrix.d), m->seed,
             small && o->id_bytes == 8 ? " --id-bits 64" : "");
}

void generate_attrs_fill(generate_attrs *attrs, const generate_options *options)
{
    const rmat_config *m = &attrs->model;

    attrs->model = options->model;
    attrs->rows_scale = (uint64_t)m->rows_scale;
    attrs->cols_scale = (uint64_t)m->cols_scale;
    attrs->num_rows = (uint64_t)1 << m->rows_scale;
    attrs->num_cols = (uint64_t)1 << m->cols_scale;
    attrs->stream_version = RMAT_STREAM_VERSION;
    format_command(attrs->command, options);

    const edgefile_attr list[GENERATE_ATTRS] = {
        {"generator", EDGEFILE_STRING, 1, "rmat"},
        {"library_version", EDGEFILE_STRING, 1, rmat_version()},
        {"stream_version", EDGEFILE_U64, 1, &attrs->stream_version},
        {"rows_scale", EDGEFILE_U64, 1, &attrs->rows_scale},
        {"cols_scale", EDGEFILE_U64, 1, &attrs->cols_scale},
        {"num_rows", EDGEFILE_U64, 1, &attrs->num_rows},
        {"num_cols", EDGEFILE_U64, 1, &attrs->num_cols},
        {"a", EDGEFILE_F64, 1, &m->matrix.a},
        {"b", EDGEFILE_F64, 1, &m->matrix.b},
        {"c", EDGEFILE_F64, 1, &m->matrix.c},
        {"d", EDGEFILE_F64, 1, &m->matrix.d},
        {"seed", EDGEFILE_U64, 1, &m->seed},
        {"command", EDGEFILE_STRING, 1, attrs->command},
    };
    for (int i = 0; i < GENERATE_ATTRS; i++) {
        attrs->list[i] = list[i];
    }
}
