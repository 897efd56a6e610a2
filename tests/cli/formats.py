"""Edges, and the formats: the needs and contents of each, and a decoder written from its specification.

FORMATS[name].decode(path, weight) returns the columns (src, dst and, where `weight` names their type, the weights) and
the numbers of rows and columns of the adjacency matrix (None if the format does not record them).  Ids have the type that
the file gives them, int64 where they are text.  No decoder asks rmat.
"""

import collections.abc
import dataclasses
import os
import struct

from arrays import h5py, numpy


class Edges:
    """src, dst and perhaps weights, with the numbers of rows and columns."""

    def __init__(self, columns, shape):
        self.columns, self.shape = columns, shape

    def of(self, which):
        return Edges([column[which] for column in self.columns], self.shape)

    def sorted(self):
        """Copies of an edge in the order of their weights."""
        return self.of(numpy.lexsort(self.columns[::-1]))

    def distinct(self):
        ordered = self.sorted()
        src, dst = ordered.columns[:2]
        return ordered.of(numpy.append(True, (src[1:] != src[:-1]) | (dst[1:] != dst[:-1]))[:len(src)])

    def mirrored(self):
        """Each edge and, behind it, its reverse."""
        src, dst, *weight = self.columns
        columns = [(src, dst), (dst, src), *((w, w) for w in weight)]
        return Edges([numpy.stack(pair, 1).ravel() for pair in columns], self.shape)

    def simple(self):
        return self.of(self.columns[0] != self.columns[1]).mirrored().distinct()


def lines_of(path):
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()


def table(lines, weight, blank=" ", base=0):
    """Lines of numbers that one character separates."""
    dtype = [("src", "i8"), ("dst", "i8")] + ([("weight", weight)] if weight else [])
    rows = numpy.loadtxt(lines, dtype, delimiter=blank, comments=None, ndmin=1) if lines else numpy.zeros(0, dtype)
    return [rows["src"] - base, rows["dst"] - base] + ([rows["weight"]] if weight else [])


def lines(blank):
    """A reader of files of such lines and nothing else."""
    return lambda path, weight=None: (table(lines_of(path), weight, blank), None)


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


def metis(path, weight=None):
    size, *lines = [line for line in lines_of(path) if line[:1] != "%"]
    vertices, edges, *kind = size.split(" ")
    assert int(vertices) == len(lines) and kind == (["1"] if weight else [])
    rows = [line.split() for line in lines]
    src = numpy.repeat(numpy.arange(len(rows)), [len(row) // (2 if weight else 1) for row in rows])
    numbers = numpy.array([int(word) for row in rows for word in row], "i8").reshape(len(src), 2 if weight else 1)
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


def h5(path, weight=None):
    """A list of our own (FILES.md)."""
    with h5py.File(path, "r") as file:
        assert sorted(file) == ["dst", "src"] + ["weight"] * (weight is not None)
        columns = [file[name][:] for name in ("src", "dst", "weight") if name in file]
        return columns, (int(file.attrs["num_rows"]), int(file.attrs["num_cols"]))


def csr(path, weight=None):
    """Ours; without weights, all values are the same 1."""
    with h5py.File(path, "r") as file:
        pointers, ids, values = (file[name][:] for name in ("pointers_to_1", "indices_1", "values"))
        assert pointers.dtype == ("i8" if ids.dtype.kind == "i" else "u8")
        assert weight or values.tolist() == [1]
        columns = by_rows(pointers, ids, *([values] if weight else []))
        return columns, (int(file.attrs["num_rows"]), int(file.attrs["num_cols"]))


PARQUET_TYPES = {1: "<i4", 2: "<i8", 4: "<f4"}
PLAIN, RLE = 0, 3


class Compact:
    """Thrift's compact protocol: structures as dictionaries from field numbers to values."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def integer(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length:self.at]
        if kind == 9:
            head = self.byte()
            length = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(length)]
        assert kind == 12, kind
        return self.structure()

    def structure(self):
        fields, number = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            assert head >> 4 > 0, "a field that does not follow the one before"
            number += head >> 4
            fields[number] = self.value(head & 15)


class ParquetFile:
    """Flat, required columns, PLAIN and uncompressed; written from the specification of Parquet alone."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:4] == self.data[-4:] == b"PAR1"
        length = struct.unpack("<I", self.data[-8:-4])[0]
        footer = Compact(self.data, len(self.data) - 8 - length)
        self.metadata = footer.structure()
        assert footer.at == len(self.data) - 8
        self.names = [column[4].decode() for column in self.metadata[2][1:]]
        self.keys = {key[1].decode(): key[2].decode() for key in self.metadata.get(5, [])}
        self.groups = self.metadata[4]
        self.rows = self.metadata[3]
        self.at = 4  # where the next page must begin: there are no gaps

    def chunk(self, chunk):
        """The values of a column in a row group, and that its metadata is true."""
        about = chunk[3]
        dtype = numpy.dtype(PARQUET_TYPES[about[1]])
        at, end, parts = about[9], about[9] + about[7], []
        assert at == self.at and about[4] == 0 and about[6] == about[7]
        while at < end:
            header = Compact(self.data, at)
            page = header.structure()
            body = self.data[header.at:header.at + page[3]]
            count, encoding = page[5][1], page[5][2]
            assert page[1] == 0 and page[2] == page[3] and encoding == PLAIN and about[2] == [PLAIN, RLE]
            values = numpy.frombuffer(body, dtype)
            assert len(values) == count
            parts.append(values)
            at = header.at + page[3]
        assert at == end
        self.at = end
        values = numpy.concatenate(parts)
        assert about[5] == len(values)
        least, greatest = (numpy.frombuffer(about[12][key], dtype)[0] for key in (6, 5))
        assert (least, greatest) == (values.min(), values.max())
        return values

    def columns(self):
        parts = {name: [numpy.zeros(0, PARQUET_TYPES[column[1]])]
                 for name, column in zip(self.names, self.metadata[2][1:])}
        for group in self.groups:
            for name, chunk in zip(self.names, group[1]):
                assert chunk[3][3] == [name.encode()]
                parts[name].append(self.chunk(chunk))
            assert group[2] == sum(chunk[3][7] for chunk in group[1])
        assert self.at + struct.unpack("<I", self.data[-8:-4])[0] + 8 == len(self.data)
        return {name: numpy.concatenate(values) for name, values in parts.items()}


def parquet(path, weight=None):
    file = ParquetFile(path)
    columns = file.columns()
    assert list(columns) == ["src", "dst"] + ["weight"] * (weight is not None) and file.rows == len(columns["src"])
    return list(columns.values()), (int(file.keys["num_rows"]), int(file.keys["num_cols"]))


def by_rows(pointers, *columns):
    """Compressed sparse rows, whose row i is [pointers[i], pointers[i + 1])."""
    assert (pointers[0], pointers[-1]) == (0, len(columns[0]))
    return [numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers.astype("i8"))), *columns]


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


TYPES = ("uint32", "uint64", "int32", "int64")


@dataclasses.dataclass(frozen=True)
class Format:
    decode: collections.abc.Callable
    suffix: str  # of the name that its file has by itself: graph.SUFFIX
    needs: tuple = ()  # options without which a graph does not fit it
    rows: bool = False  # its edges are sorted, whether or not --sorted is given
    weights: str = ""  # the kinds that it has a place for
    must: bool = False  # it has no graphs without weights
    least: int = -1 << 31  # of weights
    types: tuple = ()  # of ids, among which --id-type chooses; the first two are the usual ones
    id_type: str = None  # the only one
    most: int = 1 << 62  # vertices
    pipe: bool = False  # may be written to standard output
    beside: tuple = ()  # ends of the names of more files that it has

    def usual_id_type(self, vertices):
        """What the file has where nobody asks for another; None: ids have no type."""
        if not self.types:
            return self.id_type
        return self.types[vertices > 1 << (31 if self.types[0] == "int32" else 32)]


SIMPLE = ("--symmetrize", "--no-self-loops", "--unique")
LINES = {"pipe": True}

# In the order of the help.
FORMATS = {
    "h5": Format(h5, "h5", weights="int float", types=TYPES),
    "csr": Format(csr, "h5", rows=True, weights="int float", types=TYPES, most=1 << 40),
    "el": Format(lines(" "), "el", **LINES),
    "wel": Format(lines(" "), "wel", weights="int float", must=True, **LINES),
    "tsv": Format(lines("\t"), "tsv", weights="int float", **LINES),
    "csv": Format(csv, "csv", weights="int float", **LINES),
    "mtx": Format(mtx, "mtx", weights="int float", pipe=True),
    "metis": Format(metis, "graph", SIMPLE, rows=True, weights="int", least=1, pipe=True),
    "bin32": Format(bin32, "bin32", id_type="<u4", most=1 << 32, pipe=True),
    "bin64": Format(bin64, "bin64", id_type="<u8", pipe=True),
    "graph500": Format(graph500, "g500", weights="int float", most=1 << 47, beside=(".weights",)),
    "npy": Format(npy, "npy", types=TYPES),
    "parquet": Format(parquet, "parquet", weights="int float", types=("int32", "int64")),
    "adjacency": Format(adjacency, "adj", rows=True, weights="int"),
    "parhip": Format(parhip, "bgf", SIMPLE, rows=True, id_type="<u8"),
    "sg": Format(sg, "sg", rows=True, id_type="<i4", most=(1 << 31) - 2),
    "wsg": Format(sg, "wsg", rows=True, weights="int", must=True, least=0, id_type="<i4", most=(1 << 31) - 2),
}
