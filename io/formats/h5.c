/*
 * h5.c - h5 and csr, the two HDF5 formats of edgefile.h.
 *
 * On process 0 HDF5 lays the file out (hdf5/layout.c) and closes it, and process 0 sends the places
 * of the datasets to the others.  Every edge and every row pointer has its place, and any process
 * writes it there.  At the end all processes sync their edges.  Only then process 0 sets the
 * attributes `fingerprint` and `complete` with HDF5.
 */
#include "io/hdf5.h"
#include "io/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    uint64_t offset[EDGEFILE_N_DATASETS]; /* of the data in the file; 0: none */
    edgefile_late *late; /* attributes set at the end; room for the spec's and two more */
    size_t n_late;
} layout;

static int check_csr(const graphfile_graph *g)
{
    return g->rows > 0 ? EDGEFILE_OK
                       : edgefile_fail(EDGEFILE_ERR_ARG, "rows is 0, allowed are 1 to 2^62");
}

static int new_layout(graphfile_writer *w)
{
    const graphfile_spec *s = &w->spec;
    layout *x = calloc(1, sizeof *x);

    w->state = x;
    if (x == NULL || (x->late = calloc(s->n_attrs + 2, sizeof *x->late)) == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    return EDGEFILE_OK;
}

/* Refuses several hosts if they could write parts of one page on a file system that caches pages on
 * each host.  The later host would overwrite the part of the other. */
static int check_hosts(const graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    const bool unaligned = w->spec.unaligned || w->spec.format == GRAPHFILE_CSR;

    if (group != NULL && group->size > 1 && unaligned && group->hosts > 1 &&
        io_caches_pages(w->file.partial)) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: %d hosts cannot write it on a file system of type %s: their parts would meet "
            "inside pages of the file, where one host would overwrite the other's data",
            w->file.name, group->hosts, edgefile_filesystem(w->file.partial));
    }
    return EDGEFILE_OK;
}

/* Runs on process 0.  HDF5 crashes at the end of the program if it could not make a file of the
 * full length, so this function first tries that length. */
static int lay_out(graphfile_writer *w, layout *x)
{
    struct stat st;

    EDGEFILE_TRY(check_hosts(w));
    EDGEFILE_TRY(io_partial_fits(&w->file, edgefile_about_bytes(&w->spec)));
    EDGEFILE_TRY(edgefile_layout_create(w->file.partial, &w->spec, x->offset));
    if (fstat(w->file.fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", w->file.partial);
    }
    atomic_store(&w->file.end, (uint64_t)st.st_size);
    return io_file_reserve(&w->file, (uint64_t)st.st_size);
}

/* Syncs the file for other hosts, which see its state at the time when they open it. */
static int open_h5(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    const bool leads = edgefile_group_leads(group);
    layout *x;

    EDGEFILE_TRY(edgefile_group_agree(group, new_layout(w)));
    x = w->state;
    EDGEFILE_TRY(edgefile_group_agree(group, leads ? lay_out(w, x) : EDGEFILE_OK));
    if (group != NULL) {
        EDGEFILE_TRY(io_file_sync(&w->file));
        edgefile_group_broadcast(group, x->offset, sizeof x->offset);
        EDGEFILE_TRY(edgefile_group_agree(group, leads ? EDGEFILE_OK : io_file_reopen(&w->file)));
    }
    if (w->spec.format == GRAPHFILE_CSR) {
        w->part[GRAPHFILE_POINTERS] = (graphfile_part_place){
            .offset = x->offset[EDGEFILE_POINTERS], .width = 8, .length = w->spec.graph.rows + 1};
    }
    return EDGEFILE_OK;
}

static int write_columns(graphfile_writer *w, const graphfile_piece *p)
{
    const void *const data[EDGEFILE_N_DATASETS] = {p->src, p->dst, p->weight};
    const layout *x = w->state;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t width = (uint64_t)edgefile_width(&w->spec, i);

        if (data[i] != NULL) {
            EDGEFILE_TRY(io_file_write(&w->file, x->offset[i] + p->first * width, data[i],
                                       p->count * width));
        }
    }
    return EDGEFILE_OK;
}

/* The last value of an attribute counts. */
static void set_late(layout *x, const char *name, uint64_t value)
{
    size_t i = 0;

    while (i < x->n_late && strcmp(x->late[i].name, name) != 0) {
        i++;
    }
    x->late[i] = (edgefile_late){name, value};
    x->n_late += i == x->n_late;
}

static int finish_h5(graphfile_writer *w)
{
    layout *x = w->state;

    EDGEFILE_TRY(io_file_sync(&w->file));
    set_late(x, "fingerprint", atomic_load(&w->fingerprint));
    set_late(x, "complete", 1); /* last */
    return edgefile_group_leads(w->spec.group)
               ? edgefile_layout_complete(w->file.partial, x->late, x->n_late)
               : EDGEFILE_OK;
}

static void close_h5(graphfile_writer *w)
{
    layout *x = w->state;

    if (x != NULL) {
        free(x->late);
        free(x);
    }
}

static const graphfile_place place_h5 = {
    .open = open_h5, .piece = write_columns, .finish = finish_h5, .close = close_h5};

int graphfile_set_u64(graphfile_writer *w, const char *name, uint64_t value)
{
    if (w == NULL || name == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer or name is NULL");
    }
    for (size_t i = 0; w->about->place == &place_h5 && i < w->spec.n_attrs; i++) {
        const edgefile_attr *attr = &w->spec.attrs[i];

        if (strcmp(attr->name, name) == 0 && attr->type == EDGEFILE_U64 && attr->count == 1) {
            set_late(w->state, attr->name, value);
            return EDGEFILE_OK;
        }
    }
    return edgefile_fail(EDGEFILE_ERR_ATTR, "%s: there is no attribute '%s' of one number to set",
                         graphfile_name(w), name);
}

enum {
    TRAITS = GRAPHFILE_EDGEFILE | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
             GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS
};

const graphfile_descriptor graphfile_h5_format = {
    .facts = {"h5", ".h5", "HDF5, a list of edges: src, dst, weight", TRAITS},
    .place = &place_h5,
    .length = edgefile_about_bytes,
};

const graphfile_descriptor graphfile_csr_format = {
    .facts = {"csr", "", "HDF5, compressed sparse rows of a sorted graph",
              TRAITS | GRAPHFILE_NEEDS_SORTED},
    .place = &place_h5,
    .check = check_csr,
    .length = edgefile_about_bytes,
};
