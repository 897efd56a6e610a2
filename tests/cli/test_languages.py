"""The programs of OTHER_LANGUAGES.md: their structs are laid out as C's, and what they print is what `rmat generate`
writes, where their language is installed.

LIBRARIES in the environment names the folder of the shared libraries.
"""

import ctypes
import os
import re
import shutil
import subprocess

from cli import CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "apps", "doc", "OTHER_LANGUAGES.md")
LIBRARIES = os.environ["LIBRARIES"]
TYPES = {"c_int": ctypes.c_int, "i32": ctypes.c_int32, "u64": ctypes.c_uint64, "f32": ctypes.c_float,
         "f64": ctypes.c_double, "[f64; 4]": ctypes.c_double * 4, "*const c_void": ctypes.c_void_p,
         "Cint": ctypes.c_int, "Int32": ctypes.c_int32, "UInt64": ctypes.c_uint64, "Cfloat": ctypes.c_float,
         "Cdouble": ctypes.c_double, "NTuple{4,Cdouble}": ctypes.c_double * 4, "Ptr{Cvoid}": ctypes.c_void_p}


class Languages(CliTest):
    def setUp(self):
        super().setUp()
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.programs = dict(re.findall(r"^```(rust|julia)\n(.*?)^```$", page, re.M | re.S))
        command = re.search(r"^    rmat (generate .*)$", page, re.M)[1]
        self.edges = self.rmat(*command.split(), "--quiet").stdout
        self.assertEqual(len(self.edges.split()), 8)

    def run_here(self, *words):
        done = subprocess.run(words, cwd=self.folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": LIBRARIES})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

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

    def test_rust(self):
        if not shutil.which("rustc"):
            self.skipTest("no rustc")
        self.write("edges.rs", self.programs["rust"])
        self.run_here("rustc", "--edition", "2021", "-O", "-D", "warnings", "-L", LIBRARIES, "edges.rs")
        self.assertEqual(self.run_here("./edges"), self.edges)

    def test_julia(self):
        if not shutil.which("julia"):
            self.skipTest("no julia")
        self.write("edges.jl", self.programs["julia"])
        self.assertEqual(self.run_here("julia", "--startup-file=no", "edges.jl"), self.edges)
