/* create.c - a writer, its files, and what comes before the edges. */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The length of the file, or a lower bound of it. */
static uint64_t expected(const graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const unsigned row_bytes = w->about->row_bytes;
    uint64_t each = w->about->edge_bytes, bytes;

    if (w->about->write->expect != NULL) {
        return w->about->write->expect(&w->spec);
    }
    if (each == 0) { /* text: two digits and two blanks; where rows have lines, one of each */
        each = row_bytes > 0 ? 2 : g->weight != EDGEFILE_NO_WEIGHT ? 6 : 4;
    }
    if (__builtin_mul_overflow(g->edges, each, &bytes) ||
        __builtin_add_overflow(bytes, row_bytes * g->rows, &bytes)) {
        return UINT64_MAX;
    }
    return bytes;
}

/* Collective.  The header is the same in all processes: process 0 writes it, or, where open()
 * writes the same bytes to places of its own, each of them does. */
static int begin(graphfile_writer *w)
{
    const graphfile_write_ops *ops = w->about->write;
    graphfile_buffer b = {0};
    int st = w->file.kept ? EDGEFILE_OK : graphfile_plain_expect(&w->file, expected(w));

    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    if (w->file.partial != NULL && ops->keep == NULL && graphfile_is_resumable(w->about)) {
        EDGEFILE_TRY(graphfile_progress_begin(w));
    }
    if (ops->open != NULL) {
        w->opened = true;
        st = ops->open(w);
        return ops->open_agrees ? st : edgefile_group_agree(w->spec.group, st);
    }
    if (w->about->edge_bytes != 0) {
        graphfile_plain_reserve(&w->file, expected(w));
    }
    st = ops->header != NULL ? ops->header(w, &b) : EDGEFILE_OK;
    if (st == EDGEFILE_OK && w->resumed > 0) {
        st = graphfile_progress_header(w, &b);
    } else if (st == EDGEFILE_OK) {
        st = graphfile_append(w, &b);
        w->start = w->offset;
    }
    graphfile_buffer_free(&b);
    return edgefile_group_agree(w->spec.group, st);
}

static int name_beside(graphfile_writer *w, bool *wanted)
{
    const graphfile_write_ops *ops = w->about->write;

    for (int i = 0; i < ops->n_beside; i++) {
        graphfile_plain *f = &w->beside[i];

        f->fd = f->direct_fd = -1;
        f->attached = w->file.attached;
        f->name = ops->name_beside(w, i, &wanted[i]);
        if (f->name == NULL) {
            return edgefile_no_memory(w->file.name);
        }
        w->n_beside++;
    }
    return EDGEFILE_OK;
}

/* The files beside the main one, which is created: it holds the lock.  Collective. */
static int create_beside(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    graphfile_plain *files[GRAPHFILE_MOST_FILES];
    bool wanted[GRAPHFILE_MOST_FILES] = {false};
    int st = name_beside(w, wanted);

    if (st == EDGEFILE_OK && w->n_beside > 0 && !w->file.attached && !w->file.compare) {
        st = graphfile_plain_recover(files, graphfile_all_files(w, files));
    }
    EDGEFILE_TRY(edgefile_group_agree(group, st));
    for (int i = 0; i < w->n_beside; i++) {
        char *name = w->beside[i].name;

        if (wanted[i] && w->file.compare) {
            st = graphfile_plain_open(&w->beside[i], name);
            free(name);
            EDGEFILE_TRY(st);
        } else if (wanted[i]) {
            st = graphfile_plain_create(&w->beside[i], name, w->spec.replace != 0, false, group);
            free(name);
            EDGEFILE_TRY(st);
        }
    }
    return EDGEFILE_OK;
}

static int check_arguments(const char *name, const graphfile_spec *spec)
{
    if (name == NULL || spec == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "name or spec is NULL");
    }
    if (name[0] == '\0') {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the file name is empty");
    }
    if ((unsigned)spec->format >= GRAPHFILE_N_FORMATS) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown format %d", (int)spec->format);
    }
    if (spec->graph.id_bytes != 4 && spec->graph.id_bytes != 8) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "id_bytes is %d, allowed are 4 and 8",
                             spec->graph.id_bytes);
    }
    if ((unsigned)spec->graph.weight > EDGEFILE_WEIGHT_I32) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown weight %d", (int)spec->graph.weight);
    }
    return EDGEFILE_OK;
}

static int check_spec(const graphfile_spec *spec)
{
    EDGEFILE_TRY(graphfile_check(spec->format, &spec->graph));
    if (spec->columns != NULL) {
        EDGEFILE_TRY(graphfile_check_columns(spec->format, spec->columns, &spec->graph));
    }
    if (spec->compress) {
        EDGEFILE_TRY(graphfile_check_compress(spec->format));
    }
    EDGEFILE_TRY(graphfile_check_encoding(spec->format, spec->encoding));
    EDGEFILE_TRY(graphfile_check_row_group(spec->format, spec->row_group, &spec->graph));
    if (spec->resume) {
        EDGEFILE_TRY(graphfile_check_resume(spec->format));
    }
    if (spec->compare && (spec->resume || spec->group != NULL || spec->format == GRAPHFILE_H5 ||
                          spec->format == GRAPHFILE_CSR)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "compare given for %s, or with resume or a group",
                             graphfile_names[spec->format]);
    }
    return graphfile_table[spec->format]->traits & GRAPHFILE_EDGEFILE ? edgefile_spec_check(spec)
                                                                      : EDGEFILE_OK;
}

/* Standard output, pipes and devices. */
static int check_name(const char *name, const graphfile_spec *spec)
{
    const unsigned traits = graphfile_table[spec->format]->traits;
    struct stat about;

    if (strcmp(name, "-") == 0 && (spec->group != NULL || !(traits & GRAPHFILE_PIPE))) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s cannot be written to standard output%s",
                             graphfile_names[spec->format],
                             spec->group != NULL ? " by several processes" : "");
    }
    if (traits & GRAPHFILE_PIPE && spec->group == NULL && stat(name, &about) == 0 &&
        (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode))) {
        return edgefile_fail(
            EDGEFILE_ERR_OPEN,
            "%s: is %s, expected a regular file or none; '-' writes %s to standard "
            "output, which may be a pipe",
            name, edgefile_kind(about.st_mode), graphfile_names[spec->format]);
    }
    return EDGEFILE_OK;
}

/* Memory is exhausted: NULL. */
static graphfile_writer *new_writer(const graphfile_spec *spec)
{
    graphfile_writer *w = calloc(1, sizeof *w);

    if (w != NULL) {
        w->spec = *spec;
        w->about = graphfile_descriptors[spec->format];
        w->file.fd = w->file.direct_fd = -1;
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->turn, NULL);
    }
    return w;
}

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    const edgefile_group *group = spec == NULL ? NULL : spec->group;
    graphfile_writer *w = NULL;
    int st;

    if (out == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "out is NULL");
    }
    *out = NULL;
    EDGEFILE_TRY(edgefile_group_check(group));
    st = check_arguments(name, spec);
    if (st == EDGEFILE_OK) {
        st = check_spec(spec);
    }
    if (st == EDGEFILE_OK) {
        st = check_name(name, spec);
    }
    if (st == EDGEFILE_OK && (w = new_writer(spec)) == NULL) {
        st = edgefile_no_memory(name);
    }
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        st = spec->compare ? graphfile_plain_open(&w->file, name)
                           : graphfile_plain_create(&w->file, name, spec->replace != 0,
                                                    spec->resume != 0, group);
    }
    if (st == EDGEFILE_OK) {
        st = create_beside(w);
    }
    if (st == EDGEFILE_OK) {
        st = begin(w);
    }
    if (st != EDGEFILE_OK && w != NULL) { /* what an earlier run left may be of use yet */
        graphfile_destroy(&w, w->file.kept);
    }
    *out = w;
    return st;
}
