"""The options of ``rmat generate`` as arguments.  Written by apps/python/make_options.py: do not edit.

None stands for an option that is not given, whose default may depend on others; the descriptions say it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from ._arguments import given, spelled

if TYPE_CHECKING:
    from typing import Literal

#: A number; or a text with one of the suffixes K M G T P Ki Mi Gi Ti Pi, as "16G".
Count = Union[int, str]
#: One for both; or two, as (20, 18) or "20x18".
Pair = Union[Count, Sequence[Count]]
Path = Union[str, "os.PathLike[str]"]
if TYPE_CHECKING:
    Stream = Literal["rmat", "graph500", "gapbs", "rows"]
    Preset = Literal["graph500", "gapbs-kron", "ssca2", "rmat-er", "rmat-g", "rmat-b", "parmat", "pbbs"]
    Undirected = Literal["lower", "upper"]
    Backend = Literal["auto", "cpu", "gpu"]
    Isa = Literal["auto", "generic", "avx2", "avx512", "neon"]
    Format = Literal["h5", "csr", "el", "wel", "tsv", "csv", "mtx", "metis", "bin32", "bin64", "graph500", "npy",
                     "parquet", "adjacency", "parhip", "sg", "wsg"]
    IdType = Literal["auto", "int32", "int64", "uint32", "uint64"]


class GraphOptions:
    """Calls of Graph that take the options of ``rmat generate``."""

    def _open(self, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def _write(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    @spelled("Graph")
    def __init__(self, scale: Optional[Pair] = None, *, stream: Optional[Stream] = None,
                 vertices: Optional[Pair] = None, edge_factor: Optional[Count] = None,
                 edges: Optional[Count] = None, first: Optional[Count] = None, count: Optional[Count] = None,
                 preset: Optional[Preset] = None, a: Optional[float] = None, b: Optional[float] = None,
                 c: Optional[float] = None, d: Optional[float] = None, level_matrices: Optional[Path] = None,
                 noise: Optional[float] = None, seed: Optional[int] = None, seed2: Optional[int] = None,
                 permute: bool = False, no_self_loops: bool = False, undirected: Optional[Undirected] = None,
                 symmetrize: bool = False, unique: bool = False, dedup: bool = False, simple: bool = False,
                 weights: Optional[str] = None, sorted: bool = False, threads: Optional[Count] = None,
                 backend: Optional[Backend] = None, devices: Optional[Union[str, int, Sequence[int]]] = None,
                 isa: Optional[Isa] = None, memory: Optional[Count] = None,
                 device_memory: Optional[Count] = None) -> None:
        """A graph of the model that these options describe.

        scale: 2^N source and 2^M destination vertices; N alone is for both.  Default: 20.  Allowed: 1 to 62, or two
            such numbers with an x between them.
        stream: Whose edges: those of this program, of any model (rmat); of the same law, but made row by row and so
            sorted (rows); or, bit for bit, those of a benchmark's program, whose model is fixed (graph500, gapbs).
            Default: rmat.  Allowed: rmat, rows, graph500, gapbs.
        vertices: N source and M destination vertices, which need not be powers of two; N alone is for both.
            Allowed: 2 to 4611686018427387904 (2^62), or two such numbers with an x between them.
        edge_factor: Edges per source vertex; some presets have another default.  Default: 16.  Allowed: 1 to
            1099511627776 (2^40), at most 2^62 edges in all.
        edges: Number of edges, instead of ``edge_factor``; reverse edges that ``symmetrize`` adds do not count.
            Allowed: 0 to 4611686018427387904 (2^62).
        first: Make a slice of the list that begins with its edge I, counted from 0 and without the reverse edges of
            ``symmetrize``.  Default: 0.  Allowed: 0 to 4611686018427387904 (2^62).
        count: Make a slice of N edges instead of all edges from ``first`` on; consecutive slices together are the
            whole list.  Allowed: 0 to 4611686018427387904 (2^62).
        preset: Probabilities, edge factor and in some cases scale of a benchmark or a paper; graph500 and
            gapbs-kron imply ``permute``.  Default: graph500.  Allowed: graph500, gapbs-kron, ssca2, rmat-er,
            rmat-g, rmat-b, parmat, pbbs.
        a: Probability, at each level, of the quadrant with source bit 0 and destination bit 0.  Default: 0.57.
            Allowed: 0 to 1.
        b: Probability of the quadrant with source bit 0 and destination bit 1.  Default: 0.19.  Allowed: 0 to 1.
        c: Probability of the quadrant with source bit 1 and destination bit 0.  Default: 0.19.  Allowed: 0 to 1.
        d: Probability of the quadrant with both bits 1; the four must add up to 1 within 1e-9.  Default: 1-a-b-c.
            Allowed: 0 to 1.
        level_matrices: Instead of ``a`` ``b`` ``c`` ``d``: a text file whose lines hold a, b, c and d of a level,
            from the most significant one on; # begins a comment.  Allowed: the path of a file (./-x where it starts
            with a dash).
        noise: Noise of the probabilities of each level; 0.1 smooths the degree distribution.  Default: 0.  Allowed:
            0 to min((a+d)/2, b, c) of every level.
        seed: Seed of the random numbers, in decimal, or in hexadecimal after 0x.  Default: 1; 2 with ``stream``
            graph500, 27491095 with gapbs.  Allowed: 0 to 18446744073709551615 (2^64 - 1).
        seed2: Second seed of ``stream`` graph500, which the benchmark calls userseed2.  Default: 3.  Allowed: 0 to
            18446744073709551615 (2^64 - 1).
        permute: Permute the vertex numbers pseudorandomly; without it, vertices with low numbers have high degrees.
        no_self_loops: Draw again any edge whose two ends are the same vertex.
        undirected: Swap source and destination of an edge where necessary, so that source >= destination (lower) or
            source <= destination (upper).  Allowed: lower, upper.
        symmetrize: Write the reverse of each edge after it, which doubles the number of edges.
        unique: Make exactly ``edges`` distinct edges; with ``symmetrize`` pairs of vertices; implies ``sorted``.
        dedup: Draw ``edges`` edges and remove the duplicates; implies ``sorted``.
        simple: Make a simple undirected graph with each edge in both directions; short for ``no_self_loops``
            ``symmetrize`` ``dedup``.
        weights: Add weights, float32 or int32, which an edge shares with its duplicates and its reverse.  Default:
            none.  Allowed: none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38
            to 1e38, MIN <= MAX).
        sorted: Sort the edges by source, then by destination.
        threads: Number of threads of each rank that generate edges; 0: one per processor that the rank may use,
            where the ranks of a host share its processors.  Default: 0.  Allowed: 0 to 4096.
        backend: Device that generates the edges, which are the same on each; auto: the GPU, if it is expected to
            finish sooner.  Default: auto.  Allowed: auto, cpu, gpu.
        devices: Numbers of the GPUs to use, as CUDA counts them; the ranks of a host take them in turn.  Default:
            all.  Allowed: all, or up to 64 numbers 0 to 1023 with commas between them.
        isa: Instruction set that the CPU uses to generate edges.  Default: auto.  Allowed: auto, generic, avx2,
            avx512, neon.
        memory: Memory of a rank in bytes for all buffers, and on a CPU for the intervals of a sorted graph.
            Default: 128Mi, or half of what is available for sorted graphs.  Allowed: 64Ki to 1024Ti.
        device_memory: GPU memory of a rank in bytes for the intervals of a sorted graph.  Default: 9/10 of what is
            free.  Allowed: 1Mi to 1024Ti.
        """
        self._open(given(locals()))

    @spelled("write")
    def write(self, path: Path, *, format: Optional[Format] = None, base: Optional[Count] = None,
              id_type: Optional[IdType] = None, force: bool = False, dry_run: bool = False,
              threads: Optional[Count] = None, backend: Optional[Backend] = None,
              devices: Optional[Union[str, int, Sequence[int]]] = None, isa: Optional[Isa] = None,
              memory: Optional[Count] = None, device_memory: Optional[Count] = None) -> dict[str, Any]:
        """Writes the graph to a file: what ``rmat generate --output PATH`` writes, byte for byte.

        Returns the summary of the program, which does the work in a process of its own: nothing that happens to it
        can harm this one.  Ctrl-C stops it, and no file is left.

        format: Format of ``path``: in HDF5 a list of edges (h5) or compressed sparse rows (csr), or that of another
            program.  Default: h5, or what ``path``'s suffix says.  Allowed: h5, csr, el, wel, tsv, csv, mtx, metis,
            bin32, bin64, graph500, npy, parquet, adjacency, parhip, sg, wsg.
        base: Number of the first vertex in el, wel, tsv and csv.  Default: 0.  Allowed: 0, 1.
        id_type: Type of the vertex numbers in the file, where its format leaves a choice; auto: uint32 while it
            suffices, then uint64.  Default: auto.  Allowed: auto, int32, int64, uint32, uint64.
        force: Replace ``path`` if it exists, once the new one is complete; print a binary format to a terminal.
        dry_run: Print the size of the file, whether there is room for it, and the memory that it takes, without
            writing it.
        threads: Number of threads of each rank that generate edges; 0: one per processor that the rank may use,
            where the ranks of a host share its processors.  Default: 0.  Allowed: 0 to 4096.
        backend: Device that generates the edges, which are the same on each; auto: the GPU, if it is expected to
            finish sooner.  Default: auto.  Allowed: auto, cpu, gpu.
        devices: Numbers of the GPUs to use, as CUDA counts them; the ranks of a host take them in turn.  Default:
            all.  Allowed: all, or up to 64 numbers 0 to 1023 with commas between them.
        isa: Instruction set that the CPU uses to generate edges.  Default: auto.  Allowed: auto, generic, avx2,
            avx512, neon.
        memory: Memory of a rank in bytes for all buffers, and on a CPU for the intervals of a sorted graph.
            Default: 128Mi, or half of what is available for sorted graphs.  Allowed: 64Ki to 1024Ti.
        device_memory: GPU memory of a rank in bytes for the intervals of a sorted graph.  Default: 9/10 of what is
            free.  Allowed: 1Mi to 1024Ti.
        """
        return self._write(path, given(locals()))
