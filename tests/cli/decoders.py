"""Files of rmat as tests see them: a reader of each format, from the format's own specification.

DECODERS[format](path, weight) returns the columns (src, dst and, where `weight` names their type, the weights) and the
numbers of rows and columns of the adjacency matrix (None where the format does not tell).  Ids have the type that the
file gives them, int64 where they are text.
"""

import os

import numpy


def lines_of(path):
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()


def table(lines, weight, blank=" ", base=0):
    """Lines of numbers that one character separates."""
    dtype = [("src", "i8"), ("dst", "i8")] + ([("weight", weight)] if weight else [])
    rows = numpy.loadtxt(lines, dtype, delimiter=blank, comments=None, ndmin=1) if lines else numpy.zeros(0, dtype)
    return [rows["src"] - base, rows["dst"] - base] + ([rows["weight"]] if weight else [])


def el(path, weight=None):
    return table(lines_of(path), None), None


def wel(path, weight):
    return table(lines_of(path), weight), None


def tsv(path, weight=None):
    return table(lines_of(path), weight, "\t"), None


def csv(path, weight=None):
    names, *lines = lines_of(path)
    assert names == ("src,dst,weight" if weight else "src,dst")
    return table(lines, weight, ","), None


def mtx(path, weight=None):
    head, *lines = lines_of(path)
    field = {"i": "integer", "f": "real"}[numpy.dtype(weight).kind] if weight else "pattern"
    assert head == f"%%MatrixMarket matrix coordinate {field} general"
    size, *lines = [line for line in lines if line[0] != "%"]
    rows, cols, edges = map(int, size.split(" "))
    assert edges == len(lines)
    return table(lines, weight, base=1), (rows, cols)


def gr(path, weight=None):
    """The 9th DIMACS challenge's; without weights, all are 1."""
    size, *lines = [line for line in lines_of(path) if line[0] != "c"]
    vertices, edges = map(int, size.removeprefix("p sp ").split(" "))
    assert edges == len(lines) and all(line[:2] == "a " for line in lines)
    columns = table([line[2:] for line in lines], weight or "i4", base=1)
    assert weight or (columns.pop() == 1).all()
    return columns, (vertices, vertices)


def metis(path, weight=None):
    size, *lines = [line for line in lines_of(path) if line[:1] != "%"]
    vertices, edges, *kind = size.split(" ")
    assert int(vertices) == len(lines) and kind == (["1"] if weight else [])
    rows = [line.split() for line in lines]
    src = numpy.repeat(numpy.arange(len(rows)), [len(row) // (2 if weight else 1) for row in rows])
    numbers = numpy.array([int(word) for row in rows for word in row], "i8").reshape(len(src), -1)
    assert 2 * int(edges) == len(src)
    return [src, numbers[:, 0] - 1] + ([numbers[:, 1].astype(weight)] if weight else []), (len(rows), len(rows))


def bin32(path, weight=None, dtype="<u4"):
    return list(numpy.fromfile(path, dtype).reshape(-1, 2).T), None


def bin64(path, weight=None):
    return bin32(path, dtype="<u8")


def graph500(path, weight=None):
    """The weights, always floats, are in a file of their own, which graphs without weights do not have."""
    packed = numpy.fromfile(path, [("low", "<u4", 2), ("high", "<u2", 2)])
    ids = packed["low"] | packed["high"].astype("i8") << 32
    assert os.path.exists(path + ".weights") == (weight is not None)
    return [ids[:, 0], ids[:, 1]] + ([numpy.fromfile(path + ".weights", "<f4")] if weight else []), None


def npy(path, weight=None):
    pairs = numpy.load(path)
    assert pairs.shape[0] == 2 and pairs.flags.c_contiguous
    return list(pairs), None


def by_rows(pointers, *columns):
    """Compressed sparse rows, whose row i is [pointers[i], pointers[i + 1])."""
    assert (pointers[0], pointers[-1]) == (0, len(columns[0]))
    return [numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers.astype("i8"))), *columns]


def rawcsr(path, weight=None):
    """Bare arrays, in files beside each other; nothing tells whether ids are signed."""
    base = os.path.splitext(path)[0]
    pointers = numpy.fromfile(base + ".indptr", "<i8")
    width = os.path.getsize(path) // pointers[-1] if pointers[-1] > 0 else 4
    assert os.path.exists(base + ".data") == (weight is not None)
    columns = [numpy.fromfile(path, f"<u{width}")] + ([numpy.fromfile(base + ".data", weight)] if weight else [])
    return by_rows(pointers, *columns), 2 * (len(pointers) - 1,)


def adjacency(path, weight=None):
    """Ligra's."""
    head, *lines = lines_of(path)
    assert head == ("Weighted" if weight else "") + "AdjacencyGraph"
    vertices, edges = int(lines[0]), int(lines[1])
    numbers = numpy.array([int(line) for line in lines[2:]], "i8")
    pointers, *columns = numpy.split(numbers, [vertices + edges * i for i in range(2 if weight else 1)])
    assert {len(column) for column in columns} == {edges}
    columns[1:] = [column.astype(weight) for column in columns[1:]]
    return by_rows(numpy.append(pointers, edges), *columns), (vertices, vertices)


def galois(path, weight=None):
    """Versions 1 and 2, whose ids have 32 and 64 bits; those of 32 are filled up to a multiple of 64."""
    version, width, vertices, edges = (int(number) for number in numpy.fromfile(path, "<u8", 4))
    pointers = numpy.append(0, numpy.fromfile(path, "<i8", vertices, offset=32))
    ids = numpy.fromfile(path, f"<u{4 * version}", edges, offset=32 + 8 * vertices)
    at = 32 + 8 * vertices + (ids.nbytes + 7) // 8 * 8
    columns = [ids] + ([numpy.fromfile(path, weight, edges, offset=at)] if weight else [])
    assert width == (4 if weight else 0) and at + width * edges == os.path.getsize(path)
    return by_rows(pointers, *columns), (vertices, vertices)


def parhip(path, weight=None):
    """Rows begin at bytes of the file."""
    numbers = numpy.fromfile(path, "<u8")
    vertices, edges = int(numbers[1]), int(numbers[2])
    ids = numbers[4 + vertices:]
    assert (numbers[0], len(ids)) == (3, edges)
    return by_rows(numbers[3:4 + vertices] // 8 - 4 - vertices, ids), (vertices, vertices)


def serialized(path, weight=None):
    """GAPBS's: edges by source and, of a directed graph, by destination as well: (vertices, the columns of both)."""
    with open(path, "rb") as file:
        data = file.read()
    edges, vertices = (int(number) for number in numpy.frombuffer(data, "<i8", 2, 1))
    kind, at, sides = [("id", "<i4")] + ([("weight", weight)] if weight else []), 17, []
    for _ in range(1 + data[0]):
        pointers = numpy.frombuffer(data, "<i8", vertices + 1, at)
        rows = numpy.frombuffer(data, kind, edges, at + pointers.nbytes)
        at += pointers.nbytes + rows.nbytes
        sides.append(by_rows(pointers, *(rows[name] for name in rows.dtype.names)))
    assert at == len(data)
    return vertices, sides


def sg(path, weight=None):
    """Both sides of a directed graph have the same edges: in the order of sources where the destinations are equal."""
    vertices, (out, *others) = serialized(path, weight)
    order = numpy.argsort(out[1], kind="stable")
    for dst, src, *more in others:
        for one, other in zip((src, dst, *more), out):
            assert numpy.array_equal(one, other[order])
    return out, (vertices, vertices)


DECODERS = {"el": el, "wel": wel, "tsv": tsv, "csv": csv, "mtx": mtx, "gr": gr, "metis": metis, "bin32": bin32, "bin64": bin64,
            "graph500": graph500, "npy": npy, "rawcsr": rawcsr, "adjacency": adjacency, "galois": galois,
            "parhip": parhip, "sg": sg, "wsg": sg}
# The suffixes of their files, where they are not their names.
SUFFIXES = {"graph500": "g500", "metis": "graph", "rawcsr": "indices", "adjacency": "adj", "galois": "galois.gr", "parhip": "bgf"}
# Those that have no place for weights.
NO_WEIGHTS = {"el", "bin32", "bin64", "npy", "parhip", "sg"}
