"""Arrays on a GPU: the edges of the CPU, without a copy in CuPy and PyTorch, in the caller's memory."""

from base import PythonTest, module, numpy, rmat, skip_all

if rmat.gpus() == 0:
    skip_all("no GPU")


class Gpu(PythonTest):
    def test_edges(self):
        for options in ({"scale": 14}, {"scale": 40, "edges": 10_000}, {"scale": 12, "weights": "uniform", "permute": True},
                        {"scale": 12, "dedup": True}, {"scale": 12, "unique": True}, {"vertices": 5000, "edges": 9999},
                        {"stream": "graph500", "scale": 12}, {"scale": 12, "symmetrize": True}):
            with self.subTest(options):
                graph = rmat.Graph(**options)
                wanted = graph.edges()
                self.same([array.numpy() for array in graph.edges(device="cuda")], wanted)
                self.same([numpy.asarray(array) for array in graph.edges(3, 50, device=0)],
                          [column[3:53] for column in wanted])
                parts = [[array.numpy() for array in batch] for batch in graph.batches(3000, device="cuda")]
                self.same([numpy.concatenate(column) for column in zip(*parts)], wanted)

    def test_made_by_a_gpu_for_the_host(self):
        for options in {}, {"dedup": True}, {"weights": "int:1:9", "sorted": True}:
            gpu, cpu = rmat.Graph(scale=14, backend="gpu", **options), rmat.Graph(scale=14, **options)
            self.same(gpu.edges(), cpu.edges())
            self.same([column for column in gpu.csr() if column is not None],
                      [column for column in cpu.csr() if column is not None])

    def test_csr(self):
        for options in ({"dedup": True}, {"weights": "int:1:9"}, {"simple": True}):
            graph = rmat.Graph(scale=12, **options)
            for found, wanted in zip(graph.csr(device="cuda"), graph.csr()):
                if wanted is not None:
                    numpy.testing.assert_array_equal(found.numpy(), wanted)

    def test_cupy(self):
        cupy = module("cupy")
        graph = rmat.Graph(scale=14)
        src, dst = graph.edges(device="cuda")
        array = cupy.asarray(src)
        self.assertEqual(array.data.ptr, src.pointer)
        del src
        numpy.testing.assert_array_equal(array.get(), graph.edges()[0])
        self.assertEqual(cupy.asarray(dst).data.ptr, dst.pointer)
        out = cupy.empty((2, 1000), "i8")
        graph.edges(7, out=out)
        numpy.testing.assert_array_equal(out.get(), graph.edges(7, 1000))

    def test_torch(self):
        torch = module("torch")
        graph = rmat.Graph(scale=14)
        src, _ = graph.edges(device="cuda", dtype="int64")
        pointer, tensor = src.pointer, torch.as_tensor(src, device="cuda")
        self.assertEqual(tensor.data_ptr(), pointer)
        del src
        torch.cuda.synchronize()
        numpy.testing.assert_array_equal(tensor.cpu().numpy(), graph.edges()[0])
        self.assertEqual(torch.as_tensor(graph.edges(0, 10, device="cuda")[0], device="cuda").shape, (10,))
        out = torch.empty((2, 1000), dtype=torch.int64, device="cuda")
        graph.edges(9, out=out)
        numpy.testing.assert_array_equal(out.cpu().numpy(), graph.edges(9, 1000))
        src, _ = graph.edges(device=torch.device("cuda:0"))
        self.assertEqual(torch.as_tensor(src, device="cuda").sum().item(), int(graph.edges()[0].sum()))

    def test_alias(self):
        weights = numpy.random.default_rng(1).random(5000)
        host, device = rmat.alias.Table(weights), rmat.alias.Table(weights, device="cuda")
        for options in ({}, {"dtype": "uint64"}):
            numpy.testing.assert_array_equal(device.sample(20_000, seed=3, **options).numpy(),
                                             host.sample(20_000, seed=3, **options))

    def test_errors(self):
        with self.assertRaisesRegex(rmat.Error, "GPU|device"):
            rmat.Graph(scale=4).edges(device=rmat.gpus())
        with self.assertRaisesRegex(MemoryError, "memory"):
            rmat.Graph(scale=40, edges=2**44).edges(device="cuda")

    def test_no_leak(self):
        cupy = module("cupy")

        def used():
            free, total = cupy.cuda.runtime.memGetInfo()
            return total - free

        graph = rmat.Graph(scale=10)  # 256 KiB of edges
        for make in (lambda: graph.edges(device="cuda"), lambda: cupy.asarray(graph.edges(device="cuda")[0]), lambda: graph.csr(device="cuda")):
            self.assertLess(self.leaks(make, used), 16 << 20)
        # The driver returns the memory of generators, tens of MiB each, when it likes to.
        self.assertLess(self.leaks(lambda: rmat.Graph(scale=8).edges(device="cuda"), used), 8 << 30)

    def test_threads(self):
        graph = rmat.Graph(scale=14)
        wanted, wrong = graph.edges(), []

        def work(number):
            for turn in range(20):
                first = number * 1000 + turn * 7
                found = graph.edges(first, 3000, device="cuda")
                if not all(numpy.array_equal(a.numpy(), b[first:first + 3000]) for a, b in zip(found, wanted)):
                    wrong.append((number, turn))

        self.in_threads(work)
        self.assertEqual(wrong, [])

    def test_end_of_the_interpreter(self):
        self.python("import rmat, threading, time\n"
                    "g = rmat.Graph(scale=24)\n"
                    "def work():\n"
                    "    while True: g.edges(0, 1 << 24, device='cuda')\n"
                    "threading.Thread(target=work, daemon=True).start()\n"
                    "kept, _ = g.edges(device='cuda')\n"
                    "time.sleep(1)")
