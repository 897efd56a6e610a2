/*
 * parts.c - several files as one graph: those of a folder, or those that a pattern such as
 * 'part-*.parquet' names, one behind the other in the order of their names.
 *
 * Each is a source of its own; their pieces, and their edges, are counted through.
 */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    edge_source *source;
    uint64_t piece, edge; /* the first ones */
} part;

typedef struct {
    part *part;
    size_t n;
} parts;

/* Wildcards stand for themselves where there is such a file. */
bool edge_source_is_parts(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 ? S_ISDIR(about.st_mode) : strpbrk(name, "*?[") != NULL;
}

/* The part with this piece. */
static const part *find_part(const parts *x, uint64_t piece)
{
    size_t low = 0, high = x->n;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (x->part[middle].piece <= piece) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &x->part[low];
}

static int read_part(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const part *of = find_part(s->state, m->number);
    edge_piece_memory own = *m;

    own.number -= of->piece;
    if (edge_source_read(of->source, &own, text, size) != 0) {
        return -1;
    }
    m->edges = own.edges;
    m->edges.first += of->edge;
    if (of->source->facts.graph.weight == EDGEFILE_WEIGHT_I32 &&
        s->facts.graph.weight == EDGEFILE_WEIGHT_F32) {
        for (uint64_t i = 0; i < m->edges.count; i++) { /* in place */
            ((float *)m->weight)[i] = (float)((const int32_t *)m->weight)[i];
        }
    }
    return 0;
}

static uint64_t first_of_part(const edge_source *s, uint64_t piece)
{
    const part *of = find_part(s->state, piece);

    return of->edge + edge_source_first(of->source, piece - of->piece);
}

static void free_parts(parts *x)
{
    for (size_t i = 0; x != NULL && i < x->n; i++) {
        edge_source_close(x->part[i].source);
    }
    if (x != NULL) {
        free(x->part);
        free(x);
    }
}

static void close_parts(edge_source *s)
{
    free_parts(s->state);
}

/* Adds what there is to know of a part; name: its own. */
static int add_facts(edge_source_facts *all, const edge_source_facts *f, bool first,
                     const char *name)
{
    graphfile_graph *g = &all->graph;

    if (first) {
        *all = *f;
        return ENGINE_OK;
    }
    if (f->format != all->format || f->by_name != all->by_name ||
        (f->graph.weight == EDGEFILE_NO_WEIGHT) != (g->weight == EDGEFILE_NO_WEIGHT)) {
        return engine_fail("%s: has another format than the files before it, or other columns",
                           name);
    }
    g->rows = f->graph.rows > g->rows ? f->graph.rows : g->rows;
    g->cols = f->graph.cols > g->cols ? f->graph.cols : g->cols;
    g->id_bytes = f->graph.id_bytes > g->id_bytes ? f->graph.id_bytes : g->id_bytes;
    g->weight = f->graph.weight == EDGEFILE_WEIGHT_F32 ? f->graph.weight : g->weight;
    g->edges += f->graph.edges;
    all->pieces += f->pieces;
    all->most = f->most > all->most ? f->most : all->most;
    all->rounded += f->rounded;
    all->inexact += f->inexact;
    return ENGINE_OK;
}

/* Opens the files, of which the last ones may be missing where this fails. */
static int open_parts(parts *x, edge_source_facts *all, char *const *names, size_t n,
                      const edge_source_options *options)
{
    for (size_t i = 0; i < n; i++) {
        struct stat about;
        int status;

        if (stat(names[i], &about) == 0 && !S_ISREG(about.st_mode)) {
            return engine_fail("%s: is no regular file; name those to read by a pattern, such as "
                               "'FOLDER/*.parquet'",
                               names[i]);
        }
        x->part[i] = (part){.piece = all->pieces, .edge = all->graph.edges};
        status = edge_source_open_one(&x->part[i].source, names[i], options);
        if (status != ENGINE_OK) {
            return status;
        }
        x->n++;
        if (graphfile_table[x->part[i].source->facts.format]->traits & GRAPHFILE_HDF5) {
            return engine_fail(
                "%s: is HDF5, of which one file is read, and not several as one graph", names[i]);
        }
        status = add_facts(all, &x->part[i].source->facts, i == 0, names[i]);
        if (status != ENGINE_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < n; i++) {
        edge_source_set_ids(x->part[i].source, all->graph.id_bytes, 0);
    }
    all->rounded = all->graph.weight == EDGEFILE_WEIGHT_F32 ? all->inexact : 0;
    return ENGINE_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files whose names begin with '.' or '_' are none of the table's, but Spark's own. */
static bool is_data(const char *name)
{
    return name[0] != '.' && name[0] != '_';
}

static int is_entry(const struct dirent *entry)
{
    return is_data(entry->d_name);
}

/* The names in a folder, or those of a pattern, in *names; free_names(). */
static int list_names(const char *name, char ***names, size_t *n)
{
    struct dirent **entry = NULL;
    glob_t found = {0};
    int count = scandir(name, &entry, is_entry, NULL), status = ENGINE_OK;

    *n = 0;
    if (count < 0 && glob(name, 0, NULL, &found) == 0) {
        count = (int)found.gl_pathc;
    }
    *names = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof **names);
    for (int i = 0; i < count && *names != NULL && status == ENGINE_OK; i++) {
        const char *path = entry != NULL ? "" : found.gl_pathv[i], *slash = strrchr(path, '/');
        char **to = &(*names)[*n];

        if (entry == NULL && !is_data(slash != NULL ? slash + 1 : path)) {
            continue;
        }
        if ((entry != NULL ? asprintf(to, "%s/%s", name, entry[i]->d_name)
                           : asprintf(to, "%s", path)) < 0) {
            *to = NULL;
            status = engine_fail("memory is exhausted");
        } else {
            ++*n;
        }
    }
    for (int i = 0; i < count && entry != NULL; i++) {
        free(entry[i]);
    }
    free(entry);
    globfree(&found);
    if (*names == NULL) {
        return engine_fail("memory is exhausted");
    }
    if (status == ENGINE_OK && *n == 0) {
        status = engine_fail("%s: no file with edges is there", name);
    }
    qsort(*names, *n, sizeof **names, by_bytes);
    return status;
}

int edge_source_open_parts(edge_source **out, const char *name, const edge_source_options *options)
{
    static const edge_source_ops ops = {read_part, close_parts, first_of_part};
    edge_source_facts all = {0};
    char **names;
    size_t n;
    int status = list_names(name, &names, &n);
    parts *x = calloc(1, sizeof *x);

    *out = NULL;
    if (x != NULL) {
        x->part = calloc(n + 1, sizeof *x->part);
    }
    if (status == ENGINE_OK) {
        status = x != NULL && x->part != NULL ? open_parts(x, &all, names, n, options)
                                              : engine_fail("memory is exhausted");
    }
    if (status == ENGINE_OK) {
        *out = edge_source_new(&ops, x);
        status = *out != NULL ? ENGINE_OK : engine_fail("memory is exhausted");
    }
    if (status == ENGINE_OK) {
        (*out)->facts = all;
    } else {
        free_parts(x);
    }
    for (size_t i = 0; names != NULL && i < n; i++) {
        free(names[i]);
    }
    free(names);
    return status;
}
