"""The calls as users and their tools see them: signatures, docstrings, types, equality, names, and ``python -m rmat``."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess
import sys
import typing
from typing import Literal

from base import RMAT, PythonTest, rmat
from rmat._arguments import given, words
from rmat._library import _FUNCTIONS, Facts, library
from rmat._program import generate

# The options under each heading of the help that are arguments: of Graph(), of write(), and of both.
GRAPH, FILE, RUN = "Model", "Output", "Running"

def argument(name):
    return name.replace("-", "_")


def table():
    """The options of `rmat generate` that are arguments, by their names: the heading, and what the help says."""
    text = subprocess.run([RMAT, "generate", "--help"], capture_output=True, text=True, check=True).stdout
    found = {}
    for heading, rows in re.findall(r"^(\w+)[^\n]*:\n((?:  .*\n)+)", text, re.M):
        for name, about in re.findall(r"^ {2,6}(?:-\w, )?--([\w-]+)(?: [A-Z]\S*)?\s+((?:.*\n)(?:(?! {2,6}-).+\n)*)", rows, re.M):
            scope = GRAPH if name == "sorted" else RUN if heading == "Advanced" else heading
            found[argument(name)] = scope, " ".join(about.split())
    for name in "help", "json", "quiet", "output":
        del found[name]
    return found


class Calls(PythonTest):
    def test_signatures(self):
        """Each option of `rmat generate` is an argument of one call or of two; a flag's default is False."""
        for call, scopes, first in ((rmat.Graph.__init__, (GRAPH, RUN), ["self", "scale"]),
                                    (rmat.Graph.write, (FILE, RUN), ["self", "path"])):
            parameters, types = inspect.signature(call).parameters, typing.get_type_hints(call)
            self.assertEqual([name for name, one in parameters.items() if one.kind == one.POSITIONAL_OR_KEYWORD], first)
            options = {name: option[1] for name, option in table().items() if option[0] in scopes}
            self.assertEqual(set(parameters) - {"self", "path"}, set(options))
            for name, text in options.items():
                self.assertIs(types[name] is bool, "allowed: " not in text, name)
                self.assertIs(parameters[name].default, False if types[name] is bool else None)
        self.assertIn("edge_factor", inspect.signature(rmat.Graph).parameters)

    def test_hints(self):
        with self.assertRaisesRegex(TypeError, "positional arguments"):
            rmat.Graph(4, 16)

    def test_equality(self):
        graph = rmat.Graph(12, seed=3)
        for same in (rmat.Graph(scale=12, seed=3), rmat.Graph(12, seed=3, edge_factor=16, threads=1),
                     rmat.Graph(vertices=4096, seed="0x3", noise=0.0, permute=False)):
            self.assertEqual(graph, same)
            self.assertEqual(hash(graph), hash(same))
            self.same(graph.edges(), same.edges())
        for other in (rmat.Graph(12), rmat.Graph(12, seed=3, permute=True), rmat.Graph(12, seed=3, sorted=True),
                      rmat.Graph(12, seed=3, count=5), rmat.Graph(12, seed=3, weights="uniform"), "graph", None):
            self.assertNotEqual(graph, other)
        self.assertEqual(len({graph, rmat.Graph(12, seed=3), rmat.Graph(12, seed=3, dedup=True)}), 2)
        self.assertEqual(rmat.Graph(6, dedup=True, no_self_loops=True, symmetrize=True), rmat.Graph(6, simple=True))
        for name, line in (("one", "0.5 0.2 0.2 0.1\n"), ("two", "0.4 0.3 0.2 0.1\n")):
            self.write(name, line * 6)
        one, two, same = (rmat.Graph(level_matrices=self.path(name), scale=6) for name in ("one", "two", "one"))
        self.assertEqual(one, same)
        self.assertNotEqual(one, two)

    def test_values(self):
        """A number, or the text that stands for it, make the same graph."""
        for text, value in ((dict(scale="9"), dict(scale=9)), (dict(edges="1K"), dict(edges=1000)),
                            (dict(seed="0x10"), dict(seed=16)), (dict(seed=str(2**64 - 1)), dict(seed=2**64 - 1)),
                            (dict(noise="0.05"), dict(noise=0.05)),
                            (dict(permute=1), dict(permute=True)), (dict(memory="2Mi"), dict(memory=1 << 21))):
            with self.subTest(value):
                one, other = rmat.Graph(**{"scale": 9, **text}), rmat.Graph(**{"scale": 9, **value})
                self.assertEqual(one, other)
                self.assertEqual(bytes(one._facts), bytes(other._facts))  # pylint: disable=protected-access

    def test_rules(self):
        """Each rule is that of the command line, and says the same."""
        for options in (dict(scale=0), dict(scale=-1), dict(scale=2.5), dict(scale=10**30), dict(edges=2**63),
                        dict(seed=2**64), dict(seed=-3), dict(a=1.5, b=0.1, c=0.1), dict(a=float("nan"), b=0.1, c=0.1),
                        dict(a=0.5), dict(noise=0.9), dict(stream="gapb"), dict(backend=3),
                        dict(weights=5), dict(weights="int"), dict(undirected=True), dict(level_matrices="nothing"), dict(memory=5),
                        dict(vertices=5, scale=5), dict(count=10**9),
                        dict(scale=4, edges=300, unique=True), dict(stream="gapbs", seed=2**33), dict(edge_factor=2**40, scale=40)):
            with self.subTest(options):
                with self.assertRaises(rmat.OptionError) as one:
                    rmat.Graph(**options)
                with self.assertRaises(rmat.OptionError) as other:
                    generate(["--dry-run", *words(given(options, rmat.Graph.__init__.__kwdefaults__))])
                self.assertEqual(str(one.exception), str(other.exception))

    def test_functions(self):
        """The library has all functions that are declared for it, but without CUDA none of GPU memory."""
        found = ctypes.CDLL(os.environ["RMAT_PYTHON_LIBRARY"])
        missing = {name for name in _FUNCTIONS if not hasattr(found, name)}
        memory = {"binding_" + name for name in ("allocate", "free", "wait", "copy_to_host")}
        self.assertIn(missing, (set(), memory))

    def test_words(self):
        """What callers of the C function may do wrong."""
        for word, message in ((b"--scal=4", "unknown option '--scal=4', allowed: see 'rmat generate --help'"),
                              (b"scale", "unexpected argument 'scale', allowed: options only"),
                              (b"--weights", "weights: value missing, allowed: none, uniform"),
                              (b"--backend=4", "backend: '4' is unknown, allowed: auto, cpu, gpu"),
                              (b"--permute=yes", "permute: 'yes' given, allowed: no value"),
                              (b"--help", "help: it makes no graph")):
            with self.assertRaisesRegex(rmat.OptionError, f"^{message}"):
                library().rmat_graph_open(ctypes.c_void_p(), 1, ctypes.c_char_p(word), Facts())

    def test_locale(self):
        """Numbers have a decimal point, whatever the locale of the program is."""
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")], capture_output=True,
                              check=False) if shutil.which("localedef") else None
        if made is None or made.returncode != 0:
            self.skipTest("no localedef, or no de_DE for it")
        said = self.python("import locale, rmat; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\n"
                           "print(locale.localeconv()['decimal_point'], rmat.Graph(5, noise=0.05).command)\n"
                           "try: rmat.Graph(5, noise=0.75)\nexcept ValueError as error: print(error)",
                           env={**os.environ, "LOCPATH": self.folder})
        self.assertRegex(said, "^, rmat .*--noise 0[.]05\n.*noise: '0[.]75' is out of range")

    def test_names(self):
        """What an object is called makes it again."""
        for graph in (rmat.Graph(), rmat.Graph(9, a=0.5, b=0.25, c=0.125, weights="int:1:9"),
                      rmat.Graph((9, 6), edges=99), rmat.Graph(40, edges=10**12, permute=True)):
            again = eval(repr(graph), {"rmat": rmat})  # pylint: disable=eval-used
            self.assertEqual((again, dict(again.options)), (graph, dict(graph.options)))
        self.assertEqual({name for name in dir(rmat) if not name.startswith("_")} - {"annotations"}, set(rmat.__all__))
        self.assertRegex(rmat.__version__, r"^\d+\.\d+\.\d+$")
        self.assertRaises(AttributeError, lambda: rmat.nothing)

    def test_program(self):
        """`python -m rmat`, and the command `rmat` of the package, are the program."""
        code = "import sys; sys.argv[0] = 'rmat'; from rmat._program import main; main()"
        runs = [[RMAT], [sys.executable, "-m", "rmat"], [sys.executable, "-c", code]]
        for args in (["--version"], ["generate", "--scale", "5", "--format", "el", "-o", "-", "--quiet"], ["nothing"]):
            wanted, *found = (subprocess.run(run + args, capture_output=True, text=True, check=False) for run in runs)
            for done in found:
                self.assertEqual((done.returncode, done.stdout, done.stderr), (wanted.returncode, wanted.stdout, wanted.stderr))
