/* io_csr.h - what the tests of CSR files share: a made-up graph, whole files. */
#ifndef TESTS_SUPPORT_IO_CSR_H
#define TESTS_SUPPORT_IO_CSR_H

#include "tests/support/io_util.h"

static inline graphfile_spec csr_spec(uint64_t rows, uint64_t edges, int id_bytes)
{
    graphfile_spec spec = plain_spec(edges, id_bytes);

    spec.format = GRAPHFILE_CSR;
    spec.graph.rows = rows;
    spec.graph.sorted = 1;
    return spec;
}

/* Ascends from 0 to edges. */
static inline uint64_t made_pointer(const graphfile_spec *spec, uint64_t i)
{
    return i == spec->graph.rows
               ? spec->graph.edges
               : (uint64_t)((double)spec->graph.edges / (double)spec->graph.rows * (double)i);
}

static inline int write_made_pointers(graphfile_writer *w, const graphfile_spec *spec,
                                      uint64_t first, uint64_t count, size_t skew)
{
    void *base;
    uint64_t *pointers = skewed_alloc(8 * count, skew, &base);
    int st;

    for (uint64_t i = 0; i < count; i++)
        pointers[i] = made_pointer(spec, first + i);
    st = graphfile_write_pointers(w, first, count, pointers);
    free(base);
    return st;
}

/* Edges [first, first + count): the made-up ones without src. */
static inline int write_made_indices(graphfile_writer *w, const graphfile_spec *spec,
                                     uint64_t first, uint64_t count, size_t dst_skew,
                                     size_t weight_skew)
{
    made m = made_alloc(spec, first, count, (size_t[3]){0, dst_skew, weight_skew});
    int st = put_edges(w, first, count, NULL, m.dst, m.weight,
                       made_fingerprint(spec->graph.edges, first, count));

    made_free(&m);
    return st;
}

/* A whole file, by one write of each. */
static inline void write_csr(const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w;
    uint64_t fingerprint;

    ck_ok(graphfile_create(&w, name, spec));
    ck_ok(write_made_indices(w, spec, 0, spec->graph.edges, 0, 0));
    ck_ok(write_made_pointers(w, spec, 0, spec->graph.rows + 1, 0));
    ck_ok(commit_graph(&w, &fingerprint));
    ck_assert_uint_eq(fingerprint, spec->graph.edges == 0 ? 0 : 42);
}

/* The file opens and holds exactly that graph. */
static inline void check_csr(const char *name, const graphfile_spec *spec)
{
    edgefile_reader *r;
    uint64_t bad = 0, rows = spec->graph.rows, edges = spec->graph.edges, number;
    uint64_t *pointers = calloc(rows + 1, sizeof *pointers);
    void *dst = calloc(edges + 1, (size_t)spec->graph.id_bytes);
    uint32_t *weights = calloc(edges + 1, sizeof *weights);
    int is_weighted = spec->graph.weight != EDGEFILE_NO_WEIGHT;
    char text[16];

    ck_ok(edgefile_open(&r, name));
    ck_assert_int_eq(edgefile_format_of(r), EDGEFILE_CSR);
    ck_assert_uint_eq(edgefile_rows(r), rows);
    ck_assert_uint_eq(edgefile_edges(r), edges);
    ck_assert_int_eq(edgefile_id_bytes(r), spec->graph.id_bytes);
    ck_assert_int_eq(edgefile_weight_of(r), spec->graph.weight);
    ck_ok(edgefile_get_string(r, "format", text, sizeof text));
    ck_assert_str_eq(text, "rmat-csr");
    ck_ok(edgefile_get_u64(r, "rows", &number));
    ck_assert_uint_eq(number, rows);
    ck_ok(edgefile_get_u64(r, "fingerprint", &number));
    ck_assert_uint_eq(number, edges == 0 ? 0 : 42);
    ck_ok(edgefile_read_pointers(r, 0, rows + 1, pointers));
    ck_ok(edgefile_read(r, 0, edges, NULL, dst, is_weighted ? weights : NULL));
    edgefile_close(r);
    for (uint64_t i = 0; i <= rows; i++)
        bad += pointers[i] != made_pointer(spec, i);
    ck_assert_uint_eq(bad, 0);
    for (uint64_t i = 0; i < edges; i++) {
        uint64_t mask = spec->graph.id_bytes == 4 ? UINT32_MAX : UINT64_MAX;
        bad += get_id(dst, i, spec->graph.id_bytes) != (mix(2 * i + 1) & mask);
        bad += is_weighted && weights[i] != made_weight(i, spec->graph.weight);
    }
    ck_assert_uint_eq(bad, 0);
    free(pointers);
    free(dst);
    free(weights);
}

#endif
