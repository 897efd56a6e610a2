"""Malformed files of other formats: one line that says where and what, exit code 1, and nothing left."""

import io
import os
import resource
import struct
import sys
import unittest
import zipfile

from cli import CliTest

HIGHEST = "4611686018427387903"
ID = f"expected 0 to {HIGHEST}"
FLOAT = "expected a number that float32 can hold"
MTX = "%%MatrixMarket matrix coordinate "
BANNER = f"expected '{MTX}pattern|integer|real general|symmetric'"

METIS = ("expected 'vertices edges [fmt [constraints]]', with fmt of digits 0 and 1, and at most 1024 "
         "constraints")
SHAPE = "unsupported shape, expected (2, edges) or (edges, 2)"
NPY = "header of NumPy's format: "


def npy(header, data=b"", version=1):
    """As NumPy writes it."""
    text = header.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def shape(text, descr="<u4", order="False"):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, text)


def sg(pointers, neighbours, directed=0, vertices=None, edges=None):
    return struct.pack(f"<Bqq{len(pointers)}q{len(neighbours)}i", directed,
                       len(neighbours) if edges is None else edges,
                       len(pointers) - 1 if vertices is None else vertices, *pointers, *neighbours)



def galois(ends, ids, version=1, data=0, vertices=None, edges=None, rest=b""):
    return struct.pack(f"<4Q{len(ends)}Q{len(ids)}{'I' if version == 1 else 'Q'}", version, data,
                       len(ends) if vertices is None else vertices, len(ids) if edges is None else edges, *ends, *ids) + rest


def parhip(pointers, ids, version=3):
    base = 24 + 8 * len(pointers)
    return struct.pack(f"<3Q{len(pointers)}Q{len(ids)}q", version, len(pointers) - 1, len(ids),
                       *(base + 8 * p if p >= 0 else -p for p in pointers), *ids)


def archive(change=lambda members: None, method=zipfile.ZIP_DEFLATED, damage=None):
    """Of SciPy, of a matrix with the edges 0 1, 0 2, 2 0."""
    members = {"format": npy(shape("()", "|S3"), b"csr"), "shape": npy(shape("(2,)", "<i8"), struct.pack("<2q", 3, 3)),
               "indices": npy(shape("(3,)", "<i4"), struct.pack("<3i", 1, 2, 0)),
               "indptr": npy(shape("(4,)", "<i4"), struct.pack("<4i", 0, 2, 2, 3)),
               "data": npy(shape("(3,)", "<f4"), struct.pack("<3f", 1, 2, 3))}
    change(members)
    with io.BytesIO() as to:
        with zipfile.ZipFile(to, "w", method) as file:
            for name, content in members.items():
                file.writestr(name + ".npy", content)
        content = to.getvalue()
    return damage(content) if damage is not None else content


def with_member(name, content):
    return archive(lambda members: members.update({name: content}))


NUMBERS = " numbers, which are not the "
SAYS = " that its header says"
SCIPY = "archive of SciPy: "
LENGTHS = SCIPY + "its arrays do not have the lengths that its shape wants"
TYPES = SCIPY + "an array has another type or shape than SciPy's matrices of numbers have, or less data"

# format, content, what is said of it
BAD = [
    ("el", "1 2\n3 x\n", f"line 2: '3 x': dst is 'x', {ID}"),
    ("el", "# c\n\n1 2\r\n-3 4\r\n", f"line 4: '-3 4': src is '-3', {ID}"),
    ("el", "1.5 2\n", f"line 1: '1.5 2': src is '1.5', {ID}"),
    ("el", "1 2.0\n", f"line 1: '1 2.0': dst is '2.0', {ID}"),
    ("el", "7\n", "line 1: '7': no dst, expected 'src dst'"),
    ("el", "1 2\n \t3 \t", "line 2: ' \t3 \t': no dst, expected 'src dst'"),
    ("el", "1 2 3\n", "line 1: '1 2 3': too many columns, expected 'src dst' (wel has weights)"),
    ("el", "4611686018427387904 0\n", f"line 1: '4611686018427387904 0': src is '4611686018427387904', {ID}"),
    ("el", "0 18446744073709551617\n", f"line 1: '0 18446744073709551617': dst is '18446744073709551617', {ID}"),
    ("el", "0,1\n", f"line 1: '0,1': src is '0,1', {ID}"),
    ("el", "0 \x001\n", f"line 1: '0 ?1': dst is '?1', {ID}"),
    ("el", "1 2\n\x1b[31mred 1\n", f"line 2: '?[31mred 1': src is '?[31mred', {ID}"),
    ("el", "0 1\n" + "9" * 100 + " 1\n", f"line 2: '{'9' * 48}...': src is '{'9' * 28}...', {ID}"),
    ("el", "1 2\n#" + "x" * 70000 + "\n", f"line 2: '#{'x' * 47}...': longer than 65536 bytes"),
    ("el", "1 2\n" + "7" * 3000000, f"line 2: '{'7' * 48}...': longer than 65536 bytes"),
    ("el", "1 2\n" * 700000 + "1 2 3\n" + "x\n" * 700000,
     "line 700001: '1 2 3': too many columns, expected 'src dst' (wel has weights)"),
    ("el", "\x89HDF", f"line 1: '?HDF': src is '?HDF', {ID}"),
    ("wel", "1 2 3\n1 2\n", "line 2: '1 2': no weight, expected 'src dst weight'"),
    ("wel", "1 2 abc\n", f"line 1: '1 2 abc': weight is 'abc', {FLOAT}"),
    ("wel", "1 2 nan\n", f"line 1: '1 2 nan': weight is 'nan', {FLOAT}"),
    ("wel", "1 2 1e39\n", f"line 1: '1 2 1e39': weight is '1e39', {FLOAT}"),
    ("wel", "1 2 0x10\n", f"line 1: '1 2 0x10': weight is '0x10', {FLOAT}"),
    ("wel", "1 2 3 4\n", "line 1: '1 2 3 4': too many columns, expected 'src dst weight'"),
    ("tsv", "#c\n1\t2\t3\n4\t5\n", "line 3: '4\t5': no weight, expected 'src dst weight'"),
    ("tsv", "1\t2\n4\t5\t6\n", "line 2: '4\t5\t6': too many columns, expected 'src dst'"),
    ("csv", "src,dst\n1,2\n4,5,6\n", "line 3: '4,5,6': too many columns, expected 'src,dst'"),
    ("csv", "src,dst,weight\n1,2,3\n4,5\n", "line 3: '4,5': no weight, expected 'src,dst,weight'"),
    ("csv", "\"0\",\"1\"\n2,3\n", f"line 1: '\"0\",\"1\"': src is '\"0\"', {ID}"),
    ("csv", "-1,2\n3,4\n", f"line 1: '-1,2': src is '-1', {ID}"),
    ("csv", "x,2\n3,4\n", f"line 1: 'x,2': src is 'x', {ID}"),
    ("csv", ",0,1\n0,3,4\n", f"line 1: ',0,1': src is '', {ID}"),
    ("csv", ",src,dst\n0,3,4\n7\n", "line 3: '7': no src, expected 'index,src,dst'"),
    ("csv", ",src,dst\n0,3,x\n", f"line 2: '0,3,x': dst is 'x', {ID}"),
    ("csv", "src,dst\n1,5,6\n", "line 1 names 2 columns, but the edges have 3"),
    ("csv", ",src,dst,weight\n1,5,6\n", "line 1 names 4 columns, but the edges have 3"),
    ("csv", "a,b\n1,x\n", f"line 2: '1,x': dst is 'x', {ID}"),
    ("csv", "a,b\n1,,2\n", f"line 2: '1,,2': dst is '', {ID}"),
    ("csv", "a,b\n\"1\",\"2\"\n", f"line 2: '\"1\",\"2\"': src is '\"1\"', {ID}"),
    ("mtx", "", f"is empty, {BANNER}"),
    ("mtx", "1 1 1\n1 1\n", f"line 1: '1 1 1': {BANNER}"),
    ("mtx", MTX + "complex general\n1 1 0\n", f"line 1: '{MTX}complex general': {BANNER}"),
    ("mtx", MTX + "real skew-symmetric\n1 1 0\n", f"line 1: '{MTX}real skew-symme...': {BANNER}"),
    ("mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n",
     f"line 1: '%%MatrixMarket matrix array real general': {BANNER}"),
    ("mtx", MTX + "pattern general\n% c\n\n", "no line 'rows columns entries' in the first 54 bytes"),
    ("mtx", MTX + "pattern general\n% c\n3 x 1\n1 1\n",
     "line 3: '3 x 1': expected 'rows columns entries', each up to 2^62"),
    ("mtx", MTX + "pattern general\n3 3 1 1\n1 1\n",
     "line 2: '3 3 1 1': expected 'rows columns entries', each up to 2^62"),
    ("mtx", MTX + "pattern general\n% c\n3 3 2\n1 1\n% d\n1 4\n", "line 6: '1 4': column is '4', expected 1 to 3"),
    ("mtx", MTX + "pattern general\n3 3 1\n0 1\n", "line 3: '0 1': row is '0', expected 1 to 3"),
    ("mtx", MTX + "pattern general\n3 3 2\n1 1\n", "line 2: 2 entries, but there are 1"),
    ("mtx", MTX + "pattern general\n% c\n3 3 1\n1 1\n2 2\n", "line 3: 1 entries, but there are 2"),
    ("mtx", MTX + "pattern general\n1000000000 1000000000 1000000000000000000\n1 1\n",
     "line 2: 1000000000000000000 entries, but there are 1"),
    ("mtx", MTX + "real general\n3 3 1\n1 1\n", "line 3: '1 1': no weight, expected 'row column value'"),
    ("mtx", MTX + "pattern general\n3 3 1\n1 1 5\n", "line 3: '1 1 5': too many columns, expected 'row column'"),
    ("mtx", MTX + "pattern symmetric\n3 3 1\n1 2\n",
     "line 3: '1 2': above the diagonal, expected below, as it is symmetric"),
    ("mtx", MTX + "pattern symmetric\n3 4 0\n", "line 2: '3 4 0': symmetric, but 3 rows and 4 columns"),
    ("gr", "", "is empty, expected 'p sp vertices edges'"),
    ("gr", "c x\n\n", "no line 'p sp vertices edges' in the first 5 bytes"),
    ("gr", "c x\n5 1\n", "line 2: '5 1': expected 'p sp vertices edges', up to 2^62"),
    ("gr", "p max 5 1\na 1 2 3\n", "line 1: 'p max 5 1': expected 'p sp vertices edges', up to 2^62"),
    ("gr", "p sp 5\n", "line 1: 'p sp 5': expected 'p sp vertices edges', up to 2^62"),
    ("gr", "p sp 5 1\n1 2 3\n", "line 2: '1 2 3': expected 'a src dst weight'"),
    ("gr", "p sp 5 1\ne 1 2 3\n", "line 2: 'e 1 2 3': expected 'a src dst weight'"),
    ("gr", "p sp 5 1\na\n", "line 2: 'a': expected 'a src dst weight'"),
    ("gr", "p sp 5 1\na 1 2\n", "line 2: 'a 1 2': no weight, expected 'a src dst weight'"),
    ("gr", "p sp 5 1\na 1 6 3\n", "line 2: 'a 1 6 3': dst is '6', expected 1 to 5"),
    ("gr", "p sp 5 1\na 0 1 3\n", "line 2: 'a 0 1 3': src is '0', expected 1 to 5"),
    ("gr", "p sp 5 1\na 1 1 x\n", f"line 2: 'a 1 1 x': weight is 'x', {FLOAT}"),
    ("gr", "p sp 5 1\na 1 1 1 1\n", "line 2: 'a 1 1 1 1': too many columns, expected 'a src dst weight'"),
    ("gr", "c\np sp 5 3\na 1 1 1\n", "line 2: 3 entries, but there are 1"),
    ("graph", "", "is empty, expected 'vertices edges [fmt [constraints]]'"),
    ("graph", "x\n", "line 1: 'x': " + METIS),
    ("graph", "%\n3\n", "line 2: '3': " + METIS),
    ("graph", "3 2 2\n", "line 1: '3 2 2': " + METIS),
    ("graph", "3 2 1111\n", "line 1: '3 2 1111': " + METIS),
    ("graph", "3 2 11 9999\n", "line 1: '3 2 11 9999': " + METIS),
    ("graph", "3 2 1 1 1\n", "line 1: '3 2 1 1 1': " + METIS),
    ("graph", "2 1\n2\n3\n", "line 3: '3': '3', expected a neighbour of 1 to 2"),
    ("graph", "2 1\n% c\n2\n0\n", "line 4: '0': '0', expected a neighbour of 1 to 2"),
    ("graph", "2 1\n2\n-1\n", "line 3: '-1': '-1', expected a neighbour of 1 to 2"),
    ("graph", "2 1\n2 x\n1\n", "line 2: '2 x': 'x', expected a neighbour of 1 to 2"),
    ("graph", "2 1 1\n2 5\n1\n", "line 3: '1': ends where the weight of an edge is expected"),
    ("graph", "2 1 1\n2 x\n1\n", "line 2: '2 x': 'x', expected the weight of an edge"),
    ("graph", "2 1 10 2\n1 1 2\n1\n", "line 3: '1': ends where the weight or size of a vertex is expected"),
    ("graph", "3 1\n2\n1\n", "line 1: 3 vertices, but there are lines for 2"),
    ("graph", "2 1\n2\n1\n\n2\n", "line 1: 2 vertices, but there are lines for 4"),
    ("graph", "2 2\n2\n1\n", "line 1: 2 edges, but there are 2 neighbours, expected two for each"),
    ("g500", b"x" * 25, "byte 24: 1 bytes behind the last edge, expected edges of 12 bytes"),
    ("g500", struct.pack("<6I", 1, 2, 0, 3, 4, 0x8000),
     "edge 1: src is -140737488355325, expected 0 to 140737488355327"),
    ("npy", b"", "is not an array in NumPy's format"),
    ("npy", b"\x93NUMPY", "version 0 of NumPy's format, expected 1 to 3"),
    ("npy", b"\x93NUMPY\4\0abcdefgh", "version 4 of NumPy's format, expected 1 to 3"),
    ("npy", b"\x93NUMPY\1\0\xff\0{", NPY + "is longer than 65536 bytes, or than the file"),
    ("npy", npy("{}"), NPY + "no 'descr'"),
    ("npy", npy(shape("(2, 1)", "<f8"), bytes(16)),
     NPY + "unsupported type of the elements, expected integers '<i4', '<i8', '<u4' or '<u8'"),
    ("npy", npy(shape("(2, 1)", ">i8"), bytes(16), 2),
     NPY + "unsupported type of the elements, expected integers '<i4', '<i8', '<u4' or '<u8'"),
    ("npy", npy(shape("(2, 1)", order="No"), bytes(8)), NPY + "no 'fortran_order' that is True or False"),
    ("npy", npy(shape("(2,)"), bytes(8)), NPY + SHAPE),
    ("npy", npy(shape("(3, 3)"), bytes(36)), NPY + SHAPE),
    ("npy", npy(shape("(2, 3, 1)"), bytes(24)), NPY + SHAPE),
    ("npy", npy(shape("()"), bytes(4)), NPY + SHAPE),
    ("npy", npy(shape("(2, 3)"), bytes(20)),
     "has 20 bytes of data, which are not the 3 edges of 8 bytes that its shape says"),
    ("npy", npy(shape("(2, 18446744073709551615)"), bytes(8)),
     "has 8 bytes of data, which are not the 18446744073709551615 edges of 8 bytes that its shape says"),
    ("npy", npy(shape("(2, 1)", "<i4"), struct.pack("<2i", 3, -7)), f"edge 0: dst is -7, {ID}"),
    ("npy", npy(shape("(2, 2)", "<i8"), struct.pack("<4q", 3, -1 << 63, 7, 0)),
     f"edge 1: src is -9223372036854775808, {ID}"),
    ("npy", npy(shape("(2, 1)", "<u8"), struct.pack("<2Q", 1 << 63, 0)), f"edge 0: src is 9223372036854775808, {ID}"),
    ("sg", b"", "has 0 bytes, less than the header of a serialized graph"),
    ("sg", sg([0, 1], [0])[:-1], "has 36 bytes, which are not the 1 vertices and 1 edges that its header says"),
    ("sg", sg([0, 1], [0], directed=1), "has 37 bytes, which are not the 1 vertices and 1 edges that its header says"),
    ("sg", sg([0, 1], [0], vertices=-1), "has 37 bytes, which are not the -1 vertices and 1 edges that its header says"),
    ("sg", sg([0, 1], [0], edges=1 << 62),
     "has 37 bytes, which are not the 1 vertices and 4611686018427387904 edges that its header says"),
    ("sg", sg([1, 1], [0]), "row pointer 0 is 1, expected 0 to 0"),
    ("sg", sg([0, 2, 1, 2], [0, 0]), "row pointer 2 is 1, expected 2 to 2"),
    ("sg", sg([0, 1, 1], [0, 0]), "row pointer 2 is 1, expected 2 to 2"),
    ("sg", sg([0, 1, 2], [0, 2]), "edge 1: dst is 2, expected 0 to 1"),
    ("sg", sg([0, 1, 2], [-1, 0]), "edge 0: dst is -1, expected 0 to 1"),
    ("wsg", sg([0, 1], [0]), "has 37 bytes, which are not the 1 vertices and 1 edges that its header says"),
    ("adj", "", "does not begin with AdjacencyGraph or WeightedAdjacencyGraph"),
    ("adj", "AdjacencyGraphs\n0\n0\n", "does not begin with AdjacencyGraph or WeightedAdjacencyGraph"),
    ("adj", "AdjacencyGraph\n2\n", "has 1" + NUMBERS + "0 vertices and 0 edges" + SAYS),
    ("adj", "AdjacencyGraph\n2\n1\n0\n1\n", "has 4" + NUMBERS + "2 vertices and 1 edges" + SAYS),
    ("adj", "AdjacencyGraph\n9223372036854775807\n2\n0\n0\n", "has 4" + NUMBERS + "9223372036854775807 vertices and 2 edges" + SAYS),
    ("adj", "AdjacencyGraph\n2\n-1\n0\n0\n", "has 4" + NUMBERS + "2 vertices and -1 edges" + SAYS),
    ("adj", "AdjacencyGraph\n2\nx\n0\n1\n1\n", "byte 17: 'x', expected an integer"),
    ("adj", "AdjacencyGraph\n2\n1\n0\n1\n1.5\n", "byte 23: '1.5', expected an integer"),
    ("adj", "AdjacencyGraph\n2\n1\n0\n1\n2\n", "edge 0: dst is 2, expected 0 to 1"),
    ("adj", "AdjacencyGraph\n2\n1\n0\n1\n-1\n", "edge 0: dst is -1, expected 0 to 1"),
    ("adj", "AdjacencyGraph\n2\n2\n1\n1\n0\n0\n", "row pointer 0 is 1, expected 0 to 0"),
    ("adj", "AdjacencyGraph\n2\n1\n0\n2\n0\n", "row pointer 1 is 2, expected 0 to 1"),
    ("adj", "WeightedAdjacencyGraph\n1\n1\n0\n0\n1" + "0" * 80, f"byte 31: '1{'0' * 27}...', expected an integer"),
    ("galois.gr", b"", "is no graph of Galois of version 1 or 2 whose edges have data of 0 or 4 bytes"),
    ("galois.gr", galois([0], [], version=3), "is no graph of Galois of version 1 or 2 whose edges have data of 0 or 4 bytes"),
    ("galois.gr", galois([1], [0], data=8), "is no graph of Galois of version 1 or 2 whose edges have data of 0 or 4 bytes"),
    ("galois.gr", galois([1], [0]), "has 44 bytes, which are not the 1 vertices and 1 edges" + SAYS),
    ("galois.gr", galois([2], [0, 0], vertices=1 << 61), "has 48 bytes, which are not the 2305843009213693952 vertices and 2 edges" + SAYS),
    ("galois.gr", galois([2], [0, 0], edges=1 << 63), "has 48 bytes, which are not the 1 vertices and -9223372036854775808 edges" + SAYS),
    ("galois.gr", galois([2, 1], [0, 0]), "row pointer 2 is 1, expected 2 to 2"),
    ("galois.gr", galois([2], [0, 1]), "edge 1: dst is 1, expected 0 to 0"),
    ("galois.gr", galois([2], [0, 0], data=4, rest=bytes(8)),
     "galois does not say whether weights are int32 or float32; give their type by the option weight-type"),
    ("bgf", bytes(24), "is no binary graph of ParHIP without weights"),
    ("bgf", parhip([0, 1], [0])[:-1], "has 47 bytes, which are not the 1 vertices and 1 edges" + SAYS),
    ("bgf", parhip([0, 1], [1]), "edge 0: dst is 1, expected 0 to 0"),
    ("bgf", parhip([0, -41, 1], [0]), "row pointer 1 is 18446744073709551615, expected 0 to 1"),
    ("npz", b"", SCIPY + "has no directory at its end of up to 65536 bytes, or is cut off"),
    ("npz", archive()[:-30], SCIPY + "has no directory at its end of up to 65536 bytes, or is cut off"),
    ("npz", archive()[200:], SCIPY + "has no directory at its end of up to 65536 bytes, or is cut off"),
    ("npz", archive(damage=lambda c: c[:-6] + struct.pack("<I", 0) + c[-2:]), SCIPY + "lacks an array of a matrix in CSR or CSC: "
     "format, shape, indices, indptr, data; A.tocsr() makes one of others"),
    ("npz", archive(method=zipfile.ZIP_BZIP2),
     SCIPY + "a member is encrypted, compressed otherwise than by deflate, or beyond the end"),
    ("npz", archive(lambda m: m.pop("data")), SCIPY + "lacks an array of a matrix in CSR or CSC: format, shape, indices, "
     "indptr, data; A.tocsr() makes one of others"),
    ("npz", archive(method=zipfile.ZIP_STORED, damage=lambda c: c.replace(struct.pack("<3f", 1, 2, 3), struct.pack("<3f", 1, 2, 4))),
     SCIPY + "a member is damaged: its checksum or its length is wrong"),
    ("npz", with_member("format", npy(shape("()", "|S3"), b"coo")), SCIPY + "is not of the format csr or csc; A.tocsr() makes it so"),
    ("npz", with_member("format", npy(shape("(1,)", "|S3"), b"csr")), TYPES),
    ("npz", with_member("data", npy(shape("(3,)", "<c8"), bytes(24))), TYPES),
    ("npz", with_member("data", npy(shape("(3,)", "<f4"), bytes(8))), TYPES),
    ("npz", with_member("data", npy(shape("(2,)", "<f4"), bytes(8))), LENGTHS),
    ("npz", with_member("shape", npy(shape("(2,)", "<i8"), struct.pack("<2q", 4, 3))), LENGTHS),
    ("npz", with_member("shape", npy(shape("(2,)", "<i8"), struct.pack("<2q", -4, 3))), LENGTHS),
    ("npz", with_member("shape", npy(shape("(2,)", "<i8"), struct.pack("<2q", 3, 2))), "edge 1: dst is 2, expected 0 to 1"),
    ("npz", with_member("indices", npy(shape("(3,)", "<i4"), struct.pack("<3i", 1, -2, 0))), "edge 1: dst is -2, expected 0 to 2"),
    ("npz", with_member("indptr", npy(shape("(4,)", "<i4"), struct.pack("<4i", 0, 2, 1, 3))), "row pointer 2 is 1, expected 2 to 3"),
    ("npz", with_member("data", npy(shape("(3,)", "<f8"), struct.pack("<3d", 1, 1e300, 3))), f"edge 1: weight is 1e+300, {FLOAT}"),
    ("npz", with_member("data", b"x"), "is not an array in NumPy's format"),
    ("indices", bytes(8), "1.indptr: No such file or directory"),
    ("bin32", b"12345678abc", "byte 8: 3 bytes behind the last pair, expected pairs of 8 bytes"),
    ("bin64", b"\0" * 24, "byte 16: 8 bytes behind the last pair, expected pairs of 16 bytes"),
    ("bin64", struct.pack("<4Q", 0, 1, 1 << 62, 1 << 63), f"edge 1: src is 4611686018427387904, {ID}"),
    ("bin64", struct.pack("<4Q", 0, 1, 2, 1 << 62), f"edge 1: dst is 4611686018427387904, {ID}"),
]


class Malformed(CliTest):
    def fails(self, line, *args, code=1, **options):
        before = self.files()
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code), args)
        self.assertEqual(self.files(), before)

    def test_bad_files(self):
        for number, (kind, content, said) in enumerate(BAD):
            with self.subTest(kind=kind, said=said):
                name = f"{number if kind != 'indices' else 1}.{kind}"
                with open(self.path(name), "wb") as file:
                    file.write(content if isinstance(content, bytes) else content.encode("latin-1"))
                self.fails(f"{name}: {said}".replace("\t", " "), name, "out.h5")
                os.unlink(self.path(name))

    def test_claims_take_no_memory(self):
        """A hundred bytes that promise 10^18 entries."""
        with open(self.path("huge.mtx"), "w", encoding="ascii") as file:
            file.write(MTX + f"pattern general\n{1 << 62} {1 << 62} {10 ** 18}\n1 1\n")
        limit = 2 << 30
        options = {} if "RMAT_SANITIZED" in os.environ else {
            "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        self.fails("huge.mtx: line 2: 1000000000000000000 entries, but there are 1", "huge.mtx", "out.h5",
                   "--threads", "2", **options)

    def test_weights_of_graph500(self):
        with open(self.path("g.g500"), "wb") as file:
            file.write(bytes(24))
        with open(self.path("g.g500.weights"), "wb") as file:
            file.write(bytes(9))
        self.fails("g.g500.weights: has 9 bytes, expected 8, a float32 for each edge", "g.g500", "out.h5")
        os.unlink(self.path("g.g500.weights"))
        os.mkfifo(self.path("g.g500.weights"))
        self.fails("g.g500.weights: has 0 bytes, expected 8, a float32 for each edge", "g.g500", "out.h5")
        os.unlink(self.path("g.g500.weights"))
        for weight in ("nan", "inf"):
            with open(self.path("g.g500.weights"), "wb") as file:
                file.write(struct.pack("<2f", 1, float(weight)))
            self.fails(f"g.g500: edge 1: weight is {weight}, {FLOAT}", "g.g500", "out.h5")

    def test_beside_indices(self):
        for pointers, data, said in (
                (b"", None, "0 of pointers, which end with 0 edges, and 0 of weights: they do not fit together"),
                (struct.pack("<2Q", 0, 3), None, "16 of pointers, which end with 3 edges, and 0 of weights: they do not fit together"),
                (struct.pack("<2Q", 0, 1 << 62), None,
                 "16 of pointers, which end with 4611686018427387904 edges, and 0 of weights: they do not fit together"),
                (struct.pack("<2Q", 0, 2), bytes(7), "16 of pointers, which end with 2 edges, and 7 of weights: they do not fit together")):
            for name, content in (("g.indices", bytes(8)), ("g.indptr", pointers), ("g.data", data)):
                if content is not None:
                    with open(self.path(name), "wb") as file:
                        file.write(content)
            self.fails("g.indices: has 8 bytes, and beside it " + said, "g.indices", "out.h5")
        with open(self.path("g.data"), "wb") as file:
            file.write(bytes(8))
        self.fails("g.indices: rawcsr does not say whether weights are int32 or float32; give their type by the option weight-type",
                   "g.indices", "out.h5")
        self.fails("/dev/stdin: is read with NAME.indptr beside NAME.indices, neither from a pipe nor compressed",
                   "/dev/stdin", "out.h5", "--from", "rawcsr", input="x")
        os.unlink(self.path("g.indptr"))
        os.mkfifo(self.path("g.indptr"))
        self.fails("g.indptr: is a FIFO, expected a regular file", "g.indices", "out.h5")

    def test_vertices(self):
        with open(self.path("g.el"), "w", encoding="ascii") as file:
            file.write("3 9\n")
        self.fails("g.el: has 10 columns, more than the 9 asked for", "g.el", "out.h5", "--cols", "9")
        self.fails("g.el: has 4 rows, more than the 3 asked for", "g.el", "out.h5", "--rows", "3")

    def test_not_files(self):
        os.mkfifo(self.path("fifo.h5"))
        os.mkdir(self.path("folder.el"))
        self.fails("fifo.h5: is a pipe, HDF5 is read from regular files only", "fifo.h5", "out.h5")
        self.fails("folder.el: no file with edges is there", "folder.el", "out.h5")
        self.fails("none.el: No such file or directory", "none.el", "out.h5")
        self.fails("none.mtx: No such file or directory", "none.mtx", "out.h5")

    def test_standard_input(self):
        self.fails("standard input: line 1: 'x': src is 'x', " + ID, "--from", "el", "-", "out.h5", input="x\n")
        self.fails("standard input: line 1: 'x': src is 'x', " + ID, "--from", "tsv", "-", "out.h5", input="x\n")
        environment = {**os.environ, "TMPDIR": self.path("no")}
        self.fails(f"{self.path('no')}: a copy of standard input: No such file or directory", "--from", "el", "-",
                   "out.h5", input="1 2\n", env=environment)

    def test_no_room_for_standard_input(self):
        """A limit on the length of files is like a full disk."""
        limit = 1 << 20
        self.fails(f"{self.folder}: a copy of standard input: File too large", "--from", "el", "-", "out.h5",
                   input="1 2\n" * 500000, env={**os.environ, "TMPDIR": self.folder},
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


if __name__ == "__main__":
    sys.exit(unittest.main())
