"""Long calls leave Python's other threads alone: another thread goes on during each of them."""

import ctypes
import threading
import time

from base import PythonTest, numpy, rmat


class Pulse(threading.Thread):
    """A thread that beats every few milliseconds, and keeps the longest time between two beats."""

    def __init__(self):
        super().__init__(daemon=True)
        self.beats, self.longest, self.over = 0, 0.0, False

    def run(self):
        last = time.monotonic()
        while not self.over:
            time.sleep(0.002)
            now = time.monotonic()
            self.longest, last = max(self.longest, now - last), now
            self.beats += 1


class Threads(PythonTest):
    def test_lock_is_released(self):
        """A call that held the interpreter's lock would be one gap as long as itself."""
        table = rmat.alias.Table(numpy.arange(1.0, 2e6))
        calls = {
            "edges": lambda: rmat.Graph(21).edges(),
            "batches": lambda: sum(len(part[0]) for part in rmat.Graph(21).batches(1 << 23)),
            "csr": lambda: rmat.Graph(19).csr(),
            "unique": lambda: rmat.Graph(15, unique=True).edges(0, 9),
            "num_edges": lambda: rmat.Graph(18, dedup=True).num_edges,
            "write": lambda: rmat.Graph(20).write(self.path("b.h5"), force=True),
            "table": lambda: rmat.alias.Table(numpy.arange(1.0, 5e6)),
            "sample": lambda: table.sample(30_000_000),
            "rows": lambda: rmat.Graph(40, stream="rows").degree(numpy.arange(1 << 19)),
        }
        for number, (name, call) in enumerate(calls.items()):
            call()  # modules and pages are there then
            with self.subTest(name):
                self.beside(call, in_main=number % 2 == 0)

    def test_lock_is_seen(self):
        """The test above would see it: a call that holds the lock."""
        with self.assertRaisesRegex(AssertionError, "a call of 0.[34]"):
            self.beside(lambda: ctypes.PyDLL(None).usleep(300_000), True)

    def beside(self, call, in_main):
        """Calls in the main thread or in another one, while a third has to go on."""
        for _ in range(3):  # the machine has other work as well
            pulse = Pulse()
            pulse.start()
            start = time.monotonic()
            if in_main:
                call()
            else:
                worker = threading.Thread(target=call)
                worker.start()
                worker.join()
            seconds = time.monotonic() - start
            pulse.over = True
            pulse.join()
            if pulse.longest < max(0.5 * seconds, 0.1):
                return
        self.assertLess(pulse.longest, max(0.5 * seconds, 0.1), f"a call of {seconds:.2f} s")

    def test_many_at_once(self):
        """Calls of several threads, on one graph or table and each on its own, give what they give alone; good and bad options
        are each thread's own."""
        graph, wanted = rmat.Graph(14, permute=True), rmat.Graph(14, permute=True).edges()
        table = rmat.alias.Table(numpy.arange(1.0, 1000))
        draws = table.sample(50_000, seed=2)
        order = rmat.Graph(12, dedup=True).edges()
        start, failures = threading.Barrier(8), []

        def work(number):
            try:
                for _ in range(5):
                    start.wait()
                    self.same(graph.edges(number * 1000, 5000), [one[number * 1000:number * 1000 + 5000] for one in wanted])
                    self.same(rmat.Graph(12, dedup=True).edges(), order)
                    numpy.testing.assert_array_equal(table.sample(50_000, seed=2), draws)
                    self.assertEqual(graph, rmat.Graph(14, permute=True, threads=1))
                start.wait()
                for i in range(200):
                    scale, seed = 4 + (i + number) % 20, 1000 * number + i
                    one = rmat.Graph(scale, seed=seed, edges=f"{i + 1}K", noise=i / 10000)
                    self.assertEqual((one.num_vertices, one.num_edges), (1 << scale, 1000 * (i + 1)))
                    self.assertIn(f" --seed {seed}", one.command)
                    with self.assertRaisesRegex(rmat.OptionError, f"^memory: '{seed}' is out of range"):
                        rmat.Graph(scale, memory=seed)
            except BaseException as error:  # pylint: disable=broad-except
                failures.append(error)
                start.abort()

        self.in_threads(work)
        self.assertEqual(failures, [])
