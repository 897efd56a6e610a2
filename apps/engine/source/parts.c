/*
 * parts.c - several files as one graph: those of a folder, or those that a pattern such as
 * 'part-*.parquet' names, one behind the other in the order of their names.
 *
 * Each is a source of its own, which stays open; their pieces, and their edges, are counted
 * through.
 */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { OTHER_FILES = 256 }; /* that a process has open besides */

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
    free(x != NULL ? x->part : NULL);
    free(x);
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
    all->inexact += f->inexact;
    return ENGINE_OK;
}

/* Files whose names begin with '_' are none of the table's, but Spark's own. */
static bool is_data(const char *path)
{
    const char *slash = strrchr(path, '/');

    return (slash != NULL ? slash[1] : path[0]) != '_';
}

/* Adds a file. */
static int open_part(parts *x, edge_source_facts *all, const char *name,
                     const edge_source_options *options)
{
    part *of = &x->part[x->n];
    struct stat about;
    int status;

    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode)) {
        return engine_fail("%s: is no regular file; name those to read by a pattern, such as "
                           "'FOLDER/*.parquet'",
                           name);
    }
    *of = (part){.piece = all->pieces, .edge = all->graph.edges};
    status = edge_source_open_one(&of->source, name, options);
    if (status != ENGINE_OK) {
        return status;
    }
    x->n++;
    if (graphfile_table[of->source->facts.format]->traits & GRAPHFILE_HDF5) {
        return engine_fail("%s: is HDF5, of which one file is read, and not several as one graph",
                           name);
    }
    return add_facts(all, &of->source->facts, x->n == 1, name);
}

/* The names of a pattern, or of what is in a folder, in order; the locale is that of C.  Those that
 * begin with a dot are not among them. */
static int find_names(const char *name, glob_t *found)
{
    struct stat about;
    char pattern[2 * PATH_MAX], *to = pattern;

    if (stat(name, &about) != 0 || strlen(name) >= PATH_MAX - 2) {
        return glob(name, 0, NULL, found);
    }
    for (const char *c = name; *c != '\0'; *to++ = *c++) {
        *to = '\\'; /* its own wildcards stand for themselves */
        to += strchr("*?[\\", *c) != NULL;
    }
    strcpy(to, "/*");
    return glob(pattern, 0, NULL, found);
}

/* So many files at once, if the system lets this process.  The usual limit, 1024, is what select()
 * can watch, which nobody calls here. */
static void allow_open(size_t files)
{
    const rlim_t wanted = files + OTHER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int open_parts(parts *x, edge_source_facts *all, const char *name, const glob_t *found,
                      const edge_source_options *options)
{
    int status = ENGINE_OK;

    x->part = calloc(found->gl_pathc + 1, sizeof *x->part);
    if (x->part == NULL) {
        return engine_fail("memory is exhausted");
    }
    allow_open(found->gl_pathc);
    for (size_t i = 0; i < found->gl_pathc && status == ENGINE_OK; i++) {
        if (is_data(found->gl_pathv[i])) {
            status = open_part(x, all, found->gl_pathv[i], options);
        }
    }
    if (status == ENGINE_OK && x->n == 0) {
        status = engine_fail("%s: no file with edges is there", name);
    }
    for (size_t i = 0; i < x->n && status == ENGINE_OK; i++) {
        edge_source_set_ids(x->part[i].source, all->graph.id_bytes, 0);
    }
    all->rounded = all->graph.weight == EDGEFILE_WEIGHT_F32 ? all->inexact : 0;
    return status;
}

int edge_source_open_parts(edge_source **out, const char *name, const edge_source_options *options)
{
    static const edge_source_ops ops = {read_part, close_parts, first_of_part};
    edge_source_facts all = {0};
    glob_t found = {0};
    parts *x = calloc(1, sizeof *x);
    int status = x != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    *out = NULL;
    if (status == ENGINE_OK) {
        status = find_names(name, &found) != GLOB_NOSPACE /* another failure: there are none */
                     ? open_parts(x, &all, name, &found, options)
                     : engine_fail("memory is exhausted");
        globfree(&found);
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
    return status;
}
