/*
 * edgefile_virtual.h - edge files of a few megabytes whose edges are made when they are read.
 *
 * A *virtual* file has the datasets and attributes of an edge file (edgefile.h), but of its edges
 * only a model, as 32-bit words.  The datasets are chunked, and an HDF5 filter makes the elements
 * of a chunk.  HDF5 finds the filter in a plug-in (apps/h5filter); here the caller says how edges
 * are made, and the filter is not needed.  edgefile_open() and edgefile_read() work as on other
 * files.
 *
 * Besides the attributes of an edge file there is `virtual`, the version of what is stored in place
 * of edges; `fingerprint` is absent, because it is known only once all edges have been made.
 *
 * Functions return 0 or a negative edgefile_status, as in edgefile.h.
 */
#ifndef IO_EDGEFILE_VIRTUAL_H
#define IO_EDGEFILE_VIRTUAL_H

#include "io/graphfile.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A virtual file has at most so many edges. */
#define EDGEFILE_VIRTUAL_MAX ((uint64_t)1 << 46)

/* How edges are made of the words of a model.  The functions return 0, or -1 with `text`, of `size`
 * bytes, saying what failed. */
typedef struct {
    /* *maker is a new maker, to be passed to close(); on error it is not set. */
    int (*open)(void **maker, const uint32_t *words, size_t n, char *text, size_t size);
    /* Edges [first, first + count) of the file, as for edgefile_read(); weight may be NULL.  Any
     * number of threads call it at the same time. */
    int (*fill)(void *maker, uint64_t first, uint64_t count, int id_bytes, void *src, void *dst,
                void *weight, char *text, size_t size);
    void (*close)(void *maker);
} edgefile_maker;

/* Says how the edges of virtual files are made that are opened from now on.  The maker is borrowed
 * for good.  Without one edgefile_open() refuses virtual files with EDGEFILE_ERR_FORMAT. */
void edgefile_set_maker(const edgefile_maker *maker);

/* Makes the bytes of a virtual file of the model that `n` words describe.  The spec is that of a
 * list in a single file; path, layout and group play no part.  The file has at most 5 MB up to
 * 10^12 edges.  *image: to be released with free(); NULL on error.  EDGEFILE_ERR_ARG: more edges
 * than EDGEFILE_VIRTUAL_MAX, or more words than a file has room for. */
int edgefile_virtual_image(const graphfile_spec *spec, const uint32_t *words, size_t n,
                           void **image, uint64_t *bytes);

/* Writes these bytes to NAME.partial, syncs it and gives it its name, as graphfile_commit() does.
 */
int edgefile_virtual_write(const char *name, const void *image, uint64_t bytes, int replace);

/* Flag: is this a virtual file?  Any number of threads may then call edgefile_read() at the same
 * time. */
int edgefile_is_virtual(const edgefile_reader *r);

/* Are the words those of the file's model?  EDGEFILE_ERR_FORMAT: they are not, or the checksum of a
 * chunk is wrong. */
int edgefile_virtual_check(edgefile_reader *r, const uint32_t *words, size_t n);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
