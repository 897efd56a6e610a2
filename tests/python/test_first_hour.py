"""A stranger's first hour: what a new user does with the package, in one script, from the page PYTHON.md alone.

Each step says what it has found.  What needs a library that is missing is left out, and says so.
"""

import os
import pickle
import unittest

from base import PythonTest, module, numpy, rmat


class FirstHour(PythonTest):
    def test_hour(self):
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        steps = [getattr(self, name) for name in dir(self) if name.startswith("step_")]
        done = 0
        for step in steps:
            with self.subTest(step.__doc__):
                try:
                    print(f"{step.__doc__}: {step()}")
                    done += 1
                except unittest.SkipTest as missing:
                    print(f"{step.__doc__}: left out, {missing}")
        print(f"{done} of {len(steps)} steps")
        self.assertGreaterEqual(done, 10)

    def step_01_look(self):
        """What is there"""
        self.assertIn("edge_factor", rmat.Graph.__init__.__doc__)
        return f"rmat {rmat.__version__}, {rmat.gpus()} GPUs, {len(rmat.__all__)} names"

    def step_02_make(self):
        """Make a graph"""
        g = rmat.Graph(12, edge_factor=8, permute=True, seed=1)
        self.assertEqual((g.num_vertices, g.num_edges), (4096, 32768))
        return g

    def step_03_mistype(self):
        """Mistype an argument"""
        with self.assertRaisesRegex(TypeError, "did you mean 'scale'") as seen:
            rmat.Graph(scal=12)
        return seen.exception

    def step_04_arrays(self):
        """Edges as arrays"""
        src, dst = rmat.Graph(12).edges(1000, 500)
        self.same((src, dst), [column[1000:1500] for column in rmat.Graph(12).edges()])
        return src.dtype, len(src)

    def step_05_far(self):
        """Edges of a graph that no machine holds"""
        src, _ = rmat.Graph(40, edges=2**50).edges(2**49, 3)
        return src.tolist()

    def step_06_scipy(self):
        """A matrix of SciPy"""
        linalg = module("scipy.sparse.linalg")
        matrix = rmat.Graph(10).csr(dedup=True)
        self.assertEqual(matrix.shape, (1024, 1024))
        return f"{matrix.nnz} entries, norm {linalg.norm(matrix):.2f}"

    def step_07_batches(self):
        """Degrees, in bounded memory"""
        g = rmat.Graph(14)
        found = sum(numpy.bincount(src, minlength=g.num_vertices) for src, _ in g.batches(1 << 14))
        numpy.testing.assert_array_equal(found, g.degrees())
        return f"up to {found.max()}"

    def step_08_write(self):
        """Write files"""
        g = rmat.Graph(12, permute=True)
        sizes = {name: g.write(name)["file_bytes"] for name in ("g.h5", "g.parquet", "g.npy", "g.el")}
        with self.assertRaises(FileExistsError):
            g.write("g.h5")
        return sizes

    def step_09_open(self):
        """Open, check and count them"""
        found = rmat.open("g.h5")
        self.same(found.edges(), rmat.Graph(12, permute=True).edges())
        self.assertTrue(rmat.verify("g.h5")["ok"])
        return found.format, rmat.info("g.h5")["seed"], found.stats()["duplicates"]

    def step_10_h5py(self):
        """Read a file without the package"""
        with module("h5py").File("g.h5", "r") as file:
            self.same([file["src"][:5], file["dst"][:5]], rmat.open("g.h5").edges(0, 5))
            return file.attrs["edges"]

    def step_11_convert(self):
        """Convert a file"""
        return rmat.convert("g.h5", "g.mtx", simple=True)["edges"]

    def step_12_plot(self):
        """A picture"""
        plots = module("matplotlib.pyplot")
        plots.switch_backend("Agg")
        rmat.Graph(12).plot()
        plots.savefig("graph.png")
        plots.close("all")
        return f"{os.path.getsize('graph.png')} bytes"

    def step_13_arrow(self):
        """A table of Arrow"""
        return module("pyarrow").table(rmat.Graph(10, weights="uniform")).schema.names

    def step_14_polars(self):
        """A frame of polars"""
        return module("polars").DataFrame(rmat.Graph(10)).shape

    def step_15_duckdb(self):
        """A question in SQL"""
        g, duckdb = rmat.Graph(10), module("duckdb")
        return g and duckdb.sql("SELECT src, count(*) FROM g GROUP BY src ORDER BY 2 DESC LIMIT 1").fetchall()

    def step_16_networkx(self):
        """A graph of networkx"""
        networkx = module("networkx")
        return f"{networkx.number_of_selfloops(rmat.Graph(8).to_networkx())} loops"

    def step_17_igraph(self):
        """A graph of igraph"""
        module("igraph")
        return f"{len(rmat.Graph(8).to_igraph().connected_components('weak'))} components"

    def step_18_learn(self):
        """Edges to learn from"""
        g = rmat.Graph(10, simple=True)
        return [part.shape for part in (*g.split(), g.neg_edges(100))]

    def step_20_draw(self):
        """Draws by weight"""
        return numpy.bincount(rmat.alias.Table([1, 2, 1]).sample(1000, seed=3)).tolist()

    def step_21_send(self):
        """Send a graph to another process"""
        g = rmat.Graph(12, seed=5)
        self.assertEqual(pickle.loads(pickle.dumps(g)), g)
        return len(pickle.dumps(g)), "bytes"


if __name__ == "__main__":
    unittest.main()
