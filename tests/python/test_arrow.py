"""Arrow streams: read by pyarrow, polars and DuckDB where they are, and by ctypes, as the specification says."""

import ctypes
import unittest

from base import PythonTest, module, numpy, rmat


class Schema(ctypes.Structure):
    """struct ArrowSchema of Arrow's C data interface."""


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.c_void_p),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private", ctypes.c_void_p)]


class Array(ctypes.Structure):
    """struct ArrowArray."""


Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
                  ("private", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    """struct ArrowArrayStream."""


Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private", ctypes.c_void_p)]

TYPES = {b"i": ctypes.c_int32, b"l": ctypes.c_int64, b"f": ctypes.c_float}


def consume(capsule):
    """The names of the columns, and for each batch copies of its columns."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(get(capsule, b"arrow_array_stream"), ctypes.POINTER(Stream))
    schema = Schema()
    assert stream.contents.get_schema(stream, schema) == 0 and schema.format == b"+s"
    children = [schema.children[i].contents for i in range(schema.n_children)]
    names, kinds = [child.name.decode() for child in children], [TYPES[child.format] for child in children]
    assert all(child.flags == 0 for child in children)  # not nullable
    schema.release(schema)
    assert not schema.release
    batches = []
    while True:
        array = Array()
        assert stream.contents.get_next(stream, array) == 0
        if not array.release:
            break
        columns = []
        for kind, child in zip(kinds, (array.children[i].contents for i in range(array.n_children))):
            assert (child.length, child.n_buffers, child.null_count) == (array.length, 2, 0)
            assert child.buffers[0] is None
            values = ctypes.cast(child.buffers[1], ctypes.POINTER(kind))
            columns.append(numpy.ctypeslib.as_array(values, (child.length,)).copy())
        array.release(array)
        batches.append(columns)
    stream.contents.release(stream)
    assert not stream.contents.release
    return names, batches


class Arrow(PythonTest):
    def test_by_the_specification(self):
        for options in ({"scale": 10}, {"scale": 40, "edges": 5000}, {"scale": 10, "weights": "uniform"},
                        {"scale": 10, "weights": "int:1:9", "dedup": True}):
            with self.subTest(options):
                graph = rmat.Graph(**options)
                wanted = graph.edges()
                names, batches = consume(graph.arrow(999).__arrow_c_stream__())
                self.assertEqual(names, ["src", "dst", "weight"][:len(wanted)])
                self.assertTrue(all(len(batch[0]) == 999 for batch in batches[:-1]))
                found = [numpy.concatenate(column) for column in zip(*batches)]
                self.same(found, wanted)
                self.assertEqual([column.dtype for column in found], [column.dtype for column in wanted])

    def test_outlives_its_graph(self):
        capsule = rmat.Graph(scale=8).arrow(first=5, count=100).__arrow_c_stream__()
        self.same(consume(capsule)[1][0], rmat.Graph(scale=8).edges(5, 100))

    def test_of_a_file(self):
        graph = rmat.Graph(scale=8)
        graph.write(self.path("a.h5"))
        self.same(consume(rmat.open(self.path("a.h5")).arrow().__arrow_c_stream__())[1][0], graph.edges())

    def test_pyarrow(self):
        pyarrow = module("pyarrow")
        graph = rmat.Graph(scale=10, weights="uniform")
        table = pyarrow.table(graph.arrow(1000))
        self.assertFalse(any(field.nullable for field in table.schema))
        self.same([column.to_numpy() for column in table], graph.edges())
        table.validate(full=True)

    def test_interrupted(self):
        """pyarrow reads a stream to its end without a look at signals: its error comes before Python's."""
        module("pyarrow")
        code = ("import pyarrow; graph = rmat.Graph(scale=24)\n    try:\n        while True: pyarrow.table(graph.arrow())\n"
                "    except OSError:\n        while True: pass")
        self.assertLess(self.interrupted(code), 2)

    def test_polars(self):
        polars = module("polars")
        graph = rmat.Graph(scale=10)
        self.same([column.to_numpy() for column in polars.DataFrame(graph.arrow(1000))], graph.edges())

    def test_duckdb(self):
        duckdb = module("duckdb")
        stream = rmat.Graph(scale=10).arrow(1000)  # pylint: disable=unused-variable
        found = duckdb.sql("SELECT count(*), max(src), sum(dst) FROM stream").fetchall()[0]
        src, dst = rmat.Graph(scale=10).edges()
        self.assertEqual(found, (len(src), src.max(), dst.sum()))


if __name__ == "__main__":
    unittest.main()
