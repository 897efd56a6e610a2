/* The commands that make graphs like the one that was fitted. */
#include "apps/common/numbers.h"
#include "apps/fit/fit.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char text[FIT_COMMAND], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(char text[FIT_COMMAND], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, FIT_COMMAND - used, format, arguments);
    va_end(arguments);
}

static void add_double(char text[FIT_COMMAND], const char *option, double value)
{
    char number[NUMBER_TEXT];

    add(text, " --%s %s", option, format_double(number, value));
}

const char *fit_command(char text[FIT_COMMAND], const fit_report *r, uint64_t multiply)
{
    rmat_config m;
    uint64_t edges;

    text[0] = '\0';
    if (rmat_fit_multiply(&r->fit, multiply, r->options->densify, &m, &edges) != RMAT_OK) {
        return NULL;
    }
    add(text, "rmat generate");
    if (m.rows > 0) {
        add(text, " --vertices %" PRIu64, m.rows);
    } else {
        add(text, " --scale %d", m.rows_scale);
    }
    add(text, " --edges %" PRIu64, edges);
    add_double(text, "a", m.matrix.a);
    add_double(text, "b", m.matrix.b);
    add_double(text, "c", m.matrix.c);
    if (m.noise > 0) {
        add_double(text, "noise", m.noise);
    }
    add(text, " --seed %" PRIu64 " --permute%s%s%s%s -o like.h5", m.seed,
        m.no_self_loops ? " --no-self-loops" : "", m.symmetrize ? " --symmetrize" : "",
        m.direction == RMAT_LOWER   ? " --undirected lower"
        : m.direction == RMAT_UPPER ? " --undirected upper"
                                    : "",
        r->fit.unique ? " --unique" : "");
    return text;
}

const char *fit_command_chung_lu(char text[FIT_COMMAND], const fit_report *r, uint64_t multiply)
{
    const rmat_config *m = &r->fit.model;

    text[0] = '\0';
    if (r->like == NULL) {
        return NULL;
    }
    add(text, "chung_lu --like %s", r->like);
    if (multiply > 1) {
        add(text, " --multiply %" PRIu64, multiply);
    }
    add(text, " --permute%s%s%s%s -o like.h5", m->no_self_loops ? " --no-self-loops" : "",
        m->symmetrize ? " --symmetrize" : "",
        m->direction == RMAT_LOWER   ? " --undirected lower"
        : m->direction == RMAT_UPPER ? " --undirected upper"
                                     : "",
        r->fit.unique ? " --unique" : "");
    return text;
}

int fit_sizes(const fit_report *r, uint64_t sizes[FIT_SIZES])
{
    if (r->options->multiply > 0) {
        sizes[0] = r->options->multiply;
        return 1;
    }
    sizes[0] = 1;
    sizes[1] = 10;
    sizes[2] = 1000;
    return FIT_SIZES;
}
