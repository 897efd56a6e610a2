"""apps/examples/edges.rs and edges.jl: their structs are laid out as C's, and what they print is what `rmat generate`
writes, where their language is installed.

LIBRARIES in the environment names the folder of the shared libraries.
"""

import ctypes
import os
import re
import shutil

from cli import CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "apps", "examples")
LIBRARIES = os.environ["LIBRARIES"]
TYPES = {"c_int": ctypes.c_int, "i32": ctypes.c_int32, "u64": ctypes.c_uint64, "f32": ctypes.c_float,
         "f64": ctypes.c_double, "[f64; 4]": ctypes.c_double * 4, "*const c_void": ctypes.c_void_p,
         "Cint": ctypes.c_int, "Int32": ctypes.c_int32, "UInt64": ctypes.c_uint64, "Cfloat": ctypes.c_float,
         "Cdouble": ctypes.c_double, "NTuple{4,Cdouble}": ctypes.c_double * 4, "Ptr{Cvoid}": ctypes.c_void_p}


class Languages(CliTest):
    def setUp(self):
        super().setUp()
        self.programs = {}
        for language, suffix in (("rust", "rs"), ("julia", "jl")):
            with open(os.path.join(EXAMPLES, "edges." + suffix), encoding="utf-8") as file:
                self.programs[language] = file.read()
        commands = [re.search(r"`rmat (generate .*)`", text)[1] for text in self.programs.values()]
        self.assertEqual(*commands)
        self.edges = self.rmat(*commands[0].split(), "--quiet").stdout
        self.assertEqual(len(self.edges.split()), 8)

    def run_here(self, *words):
        done = self.program(*words, env={**os.environ, "LD_LIBRARY_PATH": LIBRARIES})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_structs(self):
        found = {}
        for language, member in (("rust", r"^    (\w+): (.*),$"), ("julia", r"^    (\w+)::(.*)$")):
            body = re.search(r"^(?:mutable )?struct Config(?: \{)?\n(.*?)^(?:\}|    function)", self.programs[language],
                             re.M | re.S)[1]
            members = re.findall(member, body, re.M)
            layout = type("Config", (ctypes.Structure,), {"_fields_": [(name, TYPES[kind]) for name, kind in members]})
            found[language] = [f"{name} {getattr(layout, name).offset} {getattr(layout, name).size}"
                               for name, _ in members] + [str(ctypes.sizeof(layout))]
        lines = "".join(f'printf("%s %zu %zu\\n", "{name}", offsetof(rmat_config, {name}), '
                        f'sizeof ((rmat_config *)0)->{name});\n'
                        for name in (line.split()[0] for line in found["rust"][:-1]))
        self.write("layout.c", f'#include "rmat/rmat.h"\n#include <stddef.h>\n#include <stdio.h>\n'
                               f'int main(void)\n{{\n{lines}printf("%zu\\n", sizeof(rmat_config));\n}}\n')
        self.run_here(os.environ.get("CC", "cc"), "-I", ROOT, "-o", "layout", "layout.c")
        layout = self.run_here("./layout").split("\n")[:-1]
        self.assertEqual(found["rust"], layout)
        self.assertEqual(found["julia"], layout)

    def test_programs(self):
        for language, name, *words in (
                ("rust", "edges.rs", "rustc", "--edition", "2021", "-O", "-D", "warnings", "-L", LIBRARIES, "edges.rs"),
                ("julia", "edges.jl", "julia", "--startup-file=no", "edges.jl")):
            with self.subTest(language):
                if not shutil.which(words[0]):
                    self.skipTest("no " + words[0])
                self.write(name, self.programs[language])
                printed = self.run_here(*words)
                self.assertEqual(self.run_here("./edges") if language == "rust" else printed, self.edges)
