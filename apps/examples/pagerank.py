#!/usr/bin/env python3
"""PageRank of a graph that no file holds: the example of pagerank.c with NumPy and SciPy.

usage: pagerank.py [SCALE]
"""

import sys

import numpy
import rmat

DAMPING, STEPS = 0.85, 20


def main():
    graph = rmat.Graph(scale=int(sys.argv[1]) if len(sys.argv) > 1 else 18, permute=True)
    matrix = graph.csr(dedup=True)
    degrees = numpy.diff(matrix.indptr)
    ranks = numpy.full(graph.rows, 1 / graph.rows)
    for _ in range(STEPS):
        shares = numpy.divide(ranks, degrees, out=numpy.zeros_like(ranks), where=degrees > 0)
        lost = ranks[degrees == 0].sum()  # of vertices without edges, which go to all
        ranks = (1 - DAMPING + DAMPING * lost) / graph.rows + DAMPING * (matrix.T @ shares)
    print(f"{matrix.nnz} distinct edges, ranks add up to {ranks.sum():.6f}")
    for vertex in numpy.argsort(ranks)[:-6:-1]:
        print(f"vertex {vertex:8} rank {ranks[vertex]:.3e} in-degree {(matrix.indices == vertex).sum()}")


if __name__ == "__main__":
    main()
