#!/usr/bin/env python3
"""PageRank of a graph that no file holds, on any number of ranks: the example of pagerank.c with NumPy, SciPy and mpi4py.

Each rank has the adjacency matrix's rows of some of the vertices.  The graph is undirected, without self loops and
duplicates, its vertices in random order.

usage: [mpirun -n RANKS] pagerank.py [SCALE]
"""

import sys

import numpy
import rmat
import scipy.sparse
from mpi4py import MPI

DAMPING, STEPS = 0.85, 20


def of_all(comm, mine):
    """The ranks' parts of an array, one behind the other, on every rank."""
    lengths = comm.allgather(len(mine))
    whole = numpy.empty(sum(lengths), mine.dtype)
    comm.Allgatherv(mine, (whole, lengths))
    return whole


def main():
    comm = MPI.COMM_WORLD
    graph = rmat.Graph(scale=int(sys.argv[1]) if len(sys.argv) > 1 else 18, permute=True, simple=True)
    mine = rmat.csr_rank(graph, comm)
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(mine.columns)), mine.columns, mine.pointers),
                                     shape=(len(mine.pointers) - 1, graph.cols))
    degrees = of_all(comm, numpy.diff(mine.pointers))
    ranks = numpy.full(graph.rows, 1 / graph.rows)
    for _ in range(STEPS):
        shares = numpy.divide(ranks, degrees, out=numpy.zeros_like(ranks), where=degrees > 0)
        lost = ranks[degrees == 0].sum()  # of vertices without edges, which go to all
        ranks = (1 - DAMPING + DAMPING * lost) / graph.rows + DAMPING * of_all(comm, matrix @ shares)
    if comm.rank == 0:
        print(f"{degrees.sum()} distinct edges, ranks add up to {ranks.sum():.6f}")
        for vertex in numpy.argsort(ranks)[:-6:-1]:
            print(f"vertex {vertex:8} rank {ranks[vertex]:.12e} degree {degrees[vertex]}")


if __name__ == "__main__":
    main()
