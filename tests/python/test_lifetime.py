"""Objects come and go: memory, threads, interruptions, forks, and the end of the interpreter."""

import _thread
import gc
import os
import pickle
import resource
import signal
import threading
import time
import unittest
import unittest.mock

from base import PythonTest, numpy, rmat


def resident():
    """Bytes of this process's memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def foreign_threads(call):
    """Threads of this process that exist during a call and are none of Python's."""
    ours, seen, done = {threading.get_native_id()}, set(), threading.Event()
    start = _thread.start_new_thread

    def noted(function, *arguments):
        def run(*given):
            ours.add(threading.get_native_id())
            function(*given)

        return start(run, *arguments)

    def watch():
        while not done.is_set():
            seen.update(map(int, os.listdir("/proc/self/task")))
            time.sleep(0.0002)

    watcher = threading.Thread(target=lambda: (ours.add(threading.get_native_id()), watch()))
    watcher.start()
    with unittest.mock.patch.object(_thread, "start_new_thread", noted):
        call()
    done.set()
    watcher.join()
    return seen - ours


class Lifetime(PythonTest):
    def test_no_leak(self):
        """No cycle of references waits for the garbage collector, which a GPU's memory could not."""
        graph = rmat.Graph(scale=8)

        def rest():
            for _ in graph.batches(1000):
                break

        def fail():
            with self.assertRaises(rmat.OptionError):
                rmat.Graph(scale=99)
            with self.assertRaises(rmat.OptionError):
                rmat.alias.Table([-1.0])

        gc.disable()
        self.addCleanup(gc.enable)
        for make in (lambda: rmat.Graph(scale=6).edges(), lambda: rmat.Graph(scale=6, dedup=True).edges(),
                     lambda: rmat.Graph(scale=5, dedup=True).csr(), lambda: rmat.alias.Table(numpy.ones(300)).sample(10),
                     rest):
            self.assertLess(self.leaks(make, resident), 1 << 19, make)
        gc.enable()  # for exceptions, which hold their own frames
        self.assertLess(self.leaks(fail, resident), 1 << 19)

    def test_exception_in_batches(self):
        graph = rmat.Graph(scale=10)
        with self.assertRaises(ZeroDivisionError):
            for src, _ in graph.batches(1000):
                _ = 1 // (len(src) - 1000)
        wanted = graph.edges()
        self.same([numpy.concatenate(column) for column in zip(*graph.batches(1000))], wanted)

    def test_interrupts(self):
        for code in ("for _ in rmat.Graph(scale=30, edges=2**40).batches(1 << 22): pass",
                     "g = rmat.Graph(scale=20, edges=2**40); [g.edges(i << 24, 1 << 24) for i in range(1 << 16)]",
                     "rmat.Graph(scale=24, threads=1, edges=3 * 10**8).edges()",
                     "rmat.Graph(scale=24, edges=10**8, dedup=True).csr()",
                     "rmat.Graph(scale=23, edges=2 * 10**7, threads=1, unique=True).csr()",
                     "[rmat.Graph(scale=24, edges=10**7 + i, simple=True).num_edges for i in range(1000)]",
                     "while True: rmat.Graph(scale=20, dedup=True).csr()",
                     "t = rmat.alias.Table(range(1, 10**6), threads=1)\n    while True: t.sample(10**8)",
                     "import numpy; w = numpy.ones(10**7)\n    while True: rmat.alias.Table(w)",
                     "import numpy; v = numpy.arange(3 * 10**7)\n    rmat.Graph(40, stream='rows').degree(v)",
                     "import numpy; v = numpy.arange(10**6)\n    while True: rmat.Graph(42, stream='rows', threads=1).degree(v)",
                     "rmat.Graph(40, stream='rows').neighbors(0)", "while True: rmat.Graph(40, stream='rows').rows_csr(2**20, 2**20 + 64)"):
            with self.subTest(code):
                self.assertLess(self.interrupted(code), 2)  # below a second on a machine that does nothing else

    def test_interrupted_work_ends(self):
        """What Ctrl-C has left does not go on in the background."""
        for call in ("Graph(scale=24, edges=10**8, unique=True, threads=1).edges(0, 10)",
                     "Graph(40, stream='rows').neighbors(0)",
                     "Graph(31, stream='rows', edge_factor=64, threads=1).rows_csr(2**12, 2**14)"):
            with self.subTest(call):
                self.interrupted(f"import threading, time\n    try: rmat.{call}\n"
                                 "    except KeyboardInterrupt:\n        end = time.monotonic() + 5\n"
                                 "        while threading.active_count() > 1 and time.monotonic() < end: time.sleep(0.1)\n"
                                 "        if threading.active_count() == 1: raise")

    def test_end_of_the_interpreter(self):
        """While threads of its own are in the library."""
        self.python("import rmat, threading, time\n"
                    "g = rmat.Graph(scale=24)\n"
                    "def work():\n"
                    "    while True: g.edges(0, 1 << 24)\n"
                    "for _ in range(2): threading.Thread(target=work, daemon=True).start()\n"
                    "time.sleep(0.5)")

    def test_fork(self):
        """A child has no threads of the parent's, makes the same edges and draws, and uses one thread in every call,
        whichever thread of the parent's has made calls before."""
        graph, table = rmat.Graph(scale=18), rmat.alias.Table(numpy.arange(1.0, 100_000))
        held = rmat.Graph(scale=18, unique=True, edge_factor=2)
        edges, draws = graph.edges(), table.sample(1_000_000)  # with several threads

        def too_many():
            with self.assertRaises(rmat.Error):
                rmat.Graph(scale=12, edges=4096**2 - 100, unique=True).edges()

        self.assertTrue(foreign_threads(lambda: rmat.Graph(scale=20).csr()) or len(os.sched_getaffinity(0)) == 1)
        calls = [lambda: self.same(graph.edges(), edges), lambda: self.same([table.sample(10**6)], [draws]),
                 too_many, lambda: rmat.Graph(scale=12, unique=True).edges(), lambda: rmat.Graph(scale=18).csr(),
                 held.edges, lambda: held.edges(0, 1 << 16), held.csr, lambda: rmat.Graph(scale=16, dedup=True).csr(),
                 lambda: rmat.Graph(scale=16, stream="gapbs").edges(), lambda: rmat.alias.Table(numpy.ones(10**6)),
                 lambda: table.sample(10**6)]
        for call in calls:
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                status = 1
                try:
                    status = 3 if foreign_threads(call) else 0
                finally:
                    os._exit(status)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, calls.index(call))

    def test_pickle(self):
        """Processes that are not forked get the graph, not its edges."""
        graph = rmat.Graph(scale=40, edges=10**12, seed=3)
        sent = pickle.dumps(graph)
        self.assertLess(len(sent), 200)
        self.same(pickle.loads(sent).edges(10**11, 3), graph.edges(10**11, 3))

    def test_memory(self):
        """What does not fit is refused before it is begun."""
        with self.assertRaisesRegex(rmat.OutOfMemoryError, "needs [0-9]+ bytes, available are [0-9]+; write"):
            rmat.Graph(scale=36).csr()
        with self.assertRaisesRegex(MemoryError, "available are 1048576"):
            rmat.Graph(scale=16, dedup=True, memory="1Mi").edges()

    def test_import(self):
        """It imports neither NumPy nor the library, and takes below 0.1 s of the processor, but where others press."""
        seconds = []
        while len(seconds) < 5 and (not seconds or min(seconds) >= 0.1):
            said = self.python("import sys, time; start = time.process_time(); import rmat\n"
                               "print(time.process_time() - start, 'numpy' in sys.modules)\n"
                               "print('librmat_python' in open('/proc/self/maps').read())")
            took, numpy_loaded, library_loaded = said.split()
            self.assertEqual((numpy_loaded, library_loaded), ("False", "False"))
            seconds.append(float(took))
        self.assertLess(min(seconds), 0.1)
