/* io/formats/table.c - the formats: names, suffixes, and what each needs and keeps. */
#include "io/formats/writer.h"

#include <string.h>

enum {
    TEXT = GRAPHFILE_PIPE | GRAPHFILE_TEXT,
    BINARY = GRAPHFILE_PIPE,
    READ = GRAPHFILE_READS | GRAPHFILE_LOSSLESS,
    WEIGHTS = GRAPHFILE_HAS_WEIGHTS,
    VERTICES = GRAPHFILE_HAS_VERTICES,
    MUST_WEIGHTS = GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_WEIGHTS,
    SIMPLE = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_UNIQUE,
    POINTERS = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_POINTERS | GRAPHFILE_HAS_VERTICES
};

const graphfile_traits graphfile_table[GRAPHFILE_N_FORMATS] = {
    [GRAPHFILE_H5] = {"h5", ".h5", "HDF5, a list of edges: src, dst, weight",
                      GRAPHFILE_LOSSLESS | VERTICES | WEIGHTS},
    [GRAPHFILE_CSR] = {"csr", "", "HDF5, compressed sparse rows: sorted",
                       GRAPHFILE_LOSSLESS | VERTICES | WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    [GRAPHFILE_EL] = {"el", ".el", "text, 'src dst' (GAPBS, SNAP)", TEXT | READ},
    [GRAPHFILE_WEL] = {"wel", ".wel", "text, 'src dst weight' (GAPBS)", TEXT | READ | MUST_WEIGHTS},
    [GRAPHFILE_TSV] = {"tsv", ".tsv", "the same with tabulators, weights if there are any",
                       TEXT | READ | WEIGHTS},
    [GRAPHFILE_MTX] = {"mtx", ".mtx", "Matrix Market, coordinate general",
                       TEXT | READ | VERTICES | WEIGHTS},
    [GRAPHFILE_GR] = {"gr", ".gr", "DIMACS shortest paths, integer weights (1 without)",
                      TEXT | VERTICES | WEIGHTS | GRAPHFILE_INT_WEIGHTS},
    [GRAPHFILE_METIS] = {"metis", ".graph", "METIS: the neighbours of a vertex on a line",
                         TEXT | VERTICES | WEIGHTS | GRAPHFILE_INT_WEIGHTS | SIMPLE |
                             GRAPHFILE_NEEDS_PAIRS},
    [GRAPHFILE_BIN32] = {"bin32", ".bin32", "pairs of uint32 (KaGen, X-Stream)", BINARY | READ},
    [GRAPHFILE_BIN64] = {"bin64", ".bin64", "pairs of uint64", BINARY | READ},
    [GRAPHFILE_GRAPH500] = {"graph500", ".g500",
                            "Graph500's packed edges of 12 bytes, weights in FILE.weights",
                            WEIGHTS},
    [GRAPHFILE_NPY] = {"npy", ".npy", "NumPy, shape (2, edges)", 0},
    [GRAPHFILE_SG] = {"sg", ".sg", "GAPBS's serialized graph", POINTERS},
    [GRAPHFILE_WSG] = {"wsg", ".wsg", "the same with weights",
                       POINTERS | MUST_WEIGHTS | GRAPHFILE_INT_WEIGHTS},
    [GRAPHFILE_PBG] = {"pbg", "", "PyTorch-BigGraph's HDF5: lhs, rhs, rel", 0},
    [GRAPHFILE_BINSPARSE] = {"binsparse", ".bsp.h5", "binsparse 0.1, HDF5, COO",
                             VERTICES | WEIGHTS | SIMPLE},
};

/* Once more, for constant expressions may not read the above. */
const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1] = {
    [GRAPHFILE_H5] = "h5",
    [GRAPHFILE_CSR] = "csr",
    [GRAPHFILE_EL] = "el",
    [GRAPHFILE_WEL] = "wel",
    [GRAPHFILE_TSV] = "tsv",
    [GRAPHFILE_MTX] = "mtx",
    [GRAPHFILE_GR] = "gr",
    [GRAPHFILE_METIS] = "metis",
    [GRAPHFILE_BIN32] = "bin32",
    [GRAPHFILE_BIN64] = "bin64",
    [GRAPHFILE_GRAPH500] = "graph500",
    [GRAPHFILE_NPY] = "npy",
    [GRAPHFILE_SG] = "sg",
    [GRAPHFILE_WSG] = "wsg",
    [GRAPHFILE_PBG] = "pbg",
    [GRAPHFILE_BINSPARSE] = "binsparse",
};

int graphfile_format_of(const char *name)
{
    size_t length = strlen(name), best = 0;
    int found = -1;

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        size_t n = strlen(graphfile_table[i].suffix);
        if (n > best && length > n && strcmp(name + length - n, graphfile_table[i].suffix) == 0) {
            best = n;
            found = i;
        }
    }
    return found;
}
