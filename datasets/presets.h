/*
 * The presets of `rmat generate --preset`: X(name, a, b, c, d, edges per vertex, scale or 0).
 *
 * They set probabilities and sizes only; permutation, direction and weights are separate options.
 * The last column is 0 if the benchmark has many sizes or names none.
 *
 * graph500    Graph500 specification 2.0 (2017), section "Generating the edge list".  Used
 *             for breadth-first search and shortest paths, also by the LDBC, cuGraph and most
 *             generators.
 * gapbs-kron  GAP Benchmark Suite (Beamer, Asanović, Patterson, arXiv:1508.03619), graph "kron":
 *             -g27 -k16 in its benchmark/bench.mk, the matrix of Graph500 in its src/generator.h.
 * ssca2       HPCS Scalable Synthetic Compact Applications 2, version 2 (Bader et al.): genRmatData
 *             with M = 8 N; GraphCT has the same matrix.  Used for betweenness centrality.
 * rmat-er, rmat-g, rmat-b
 *             Çatalyürek, Feo, Gebremedhin, Halappanavar, Pothen, "Graph coloring algorithms for
 *             multi-core and massively multithreaded architectures", Parallel Computing 38 (2012),
 *             arXiv:1205.3809: Erdős-Rényi, good and bad locality.  Used for coloring and matching.
 * parmat      Defaults of PaRMAT (Khorasani, Gupta, Bhuyan, PACT 2015), src/PaRMAT.cpp, which has
 *             no default number of edges: 16 per vertex is our choice.
 * pbbs        Defaults of rMatGraph in the Problem Based Benchmark Suite and in Ligra (Shun,
 *             Blelloch): a .5, b = c = .1, 10 edges per vertex.
 */
#ifndef DATASETS_PRESETS_H
#define DATASETS_PRESETS_H

/* clang-format off */
#define RMAT_PRESETS(X)                               \
    X("graph500",   0.57, 0.19, 0.19, 0.05, 16, 0)    \
    X("gapbs-kron", 0.57, 0.19, 0.19, 0.05, 16, 27)   \
    X("ssca2",      0.55, 0.1,  0.1,  0.25, 8,  0)    \
    X("rmat-er",    0.25, 0.25, 0.25, 0.25, 8,  24)   \
    X("rmat-g",     0.45, 0.15, 0.15, 0.25, 8,  24)   \
    X("rmat-b",     0.55, 0.15, 0.15, 0.15, 8,  24)   \
    X("parmat",     0.45, 0.22, 0.22, 0.11, 16, 0)    \
    X("pbbs",       0.5,  0.1,  0.1,  0.3,  10, 0)
/* clang-format on */

#endif
