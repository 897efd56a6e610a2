"""The Python package as it is published: what a source distribution has, what is said of it, and how it finds its parts."""

import email
import glob
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import types
import unittest
import unittest.mock

from base import PythonTest, module

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOURCE = os.path.join(ROOT, "apps", "python")


class Package(PythonTest):
    def distribution(self, backend):
        """A source distribution by the package's backend, which uses another one."""
        os.chdir(SOURCE)
        self.addCleanup(os.chdir, "/")
        names = {"scikit_build_core": backend, "scikit_build_core.build": backend.build}
        with unittest.mock.patch.dict(sys.modules, names):
            return self.path(runpy.run_path("backend.py")["build_sdist"](self.folder, {}))

    def sources(self):
        """What a source distribution has."""
        backend = types.SimpleNamespace(build=types.ModuleType("build"))
        backend.build.build_sdist = lambda to, _: os.path.basename(shutil.copytree(".", os.path.join(to, "all")))
        return self.distribution(backend)

    def test_sources(self):
        """A source distribution has all that CMake and the compiler read."""
        root = self.sources()
        self.assertFalse(os.path.islink(os.path.join(root, "LICENSE")))
        self.assertEqual(sorted(os.listdir(os.path.join(root, "source", "apps", "python"))),
                         ["CMakeLists.txt", "exports.map", "libraries.cmake"])
        self.configures(os.path.join(root, "source"))
        shutil.rmtree(self.path("build"))
        self.configures(os.path.join(root, "source"), "-DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON")

    def test_libraries(self):
        """Those that the system does not have are built once, by the script that comes with their sources."""
        source = os.path.join(self.sources(), "source")
        os.mkdir(os.path.join(source, "libraries"))
        files = [subprocess.run(["pkg-config", "--variable=pcfiledir", name], check=True, capture_output=True,
                                text=True).stdout.strip() + f"/{name}.pc"
                 for name in ("zlib", "libzstd", "json-c")]
        with open(os.path.join(source, "apps", "package", "wheel_libraries.sh"), "w", encoding="ascii") as file:
            file.write(f"echo $1 >>{self.path('calls')}\nmkdir -p $1/lib/pkgconfig\n"
                       f"cp {' '.join(files)} $1/lib/pkgconfig\n")
        self.configures(source)
        self.assertFalse(os.path.exists(self.path("calls")))
        shutil.rmtree(self.path("build"))
        for _ in range(2):
            self.configures(source, PKG_CONFIG_LIBDIR="/nowhere")
            with open(self.path("calls"), encoding="utf-8") as file:
                self.assertEqual(file.read(), self.path("build/libraries") + "\n")

    def test_source_distribution(self):
        module("scikit_build_core.build")
        archive = self.distribution(module("scikit_build_core"))
        with tarfile.open(archive) as file:
            file.extractall(self.folder)
        root = archive[:-len(".tar.gz")]
        for path in ("LICENSE", "backend.py", "pyproject.toml", "src/rmat/__init__.py", "source/rmat/rmat.h"):
            self.assertTrue(os.path.isfile(os.path.join(root, path)), path)
        with open(os.path.join(root, "PKG-INFO"), encoding="utf-8") as file:
            about = email.message_from_file(file)
        self.assertEqual((about["License-Expression"], about["License-File"], about["Author"]),
                         ("MIT", "LICENSE", "The rmat authors"))
        self.assertIn("Homepage", "".join(about.get_all("Project-URL")))

    def test_description(self):
        """What an index shows: licence, author, address, and a page whose links work there."""
        with open(os.path.join(SOURCE, "pyproject.toml"), "rb") as file:
            project = module("tomllib").load(file)["project"]
        self.assertEqual((project["license"], project["license-files"]), ("MIT", ["LICENSE"]))
        self.assertTrue(project["authors"] and all(url.startswith("https://") for url in project["urls"].values()))
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r"\]\((?!https://)", file.read()), [])

    def configures(self, source, *options, **environment):
        """CMake finds all that it lists, and no compiler would miss a header of ours."""
        done = subprocess.run(["cmake", "-S", source, "-B", self.path("build"), "-DRMAT_WITH_PYTHON=ON",
                               "-DRMAT_WITH_MPI=OFF", "-DRMAT_WITH_CUDA=OFF", "-DRMAT_BUILD_TESTS=OFF",
                               *options], check=False, capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for path in glob.glob(os.path.join(source, "**", "*.[ch]*"), recursive=True):
            if "examples" in path:  # which are built against what is installed
                continue
            with open(path, encoding="utf-8") as file:
                for name in re.findall(r'^#include "([a-z_0-9]+/.*)"', file.read(), re.M):
                    self.assertTrue(os.path.isfile(os.path.join(source, name)), (path, name))

    def test_finds_its_library(self):
        """Beside its modules; or in the package's other folder, as an editable installation has it."""
        names = {"RMAT_PYTHON_LIBRARY": "librmat_python.so", "RMAT_PYTHON_PROGRAM": "rmat"}
        environment = {name: value for name, value in os.environ.items() if name not in names}
        os.makedirs(self.path("site/rmat/lib"))
        os.makedirs(self.path("site/rmat/bin"))
        os.symlink(os.path.abspath(os.environ["RMAT_PYTHON_LIBRARY"]), self.path("site/rmat/lib/librmat_python.so"))
        os.symlink(os.path.abspath(os.environ["RMAT_PYTHON_PROGRAM"]), self.path("site/rmat/bin/rmat"))
        code = ("import rmat; rmat.__path__.append('site/rmat')\n"
                "rmat.Graph(scale=4).write('a.el'); print(rmat.Graph(scale=4).num_edges)")
        for modules in (os.path.join(SOURCE, "src"), self.path("site")):
            if modules == self.path("site"):
                shutil.copytree(os.path.join(SOURCE, "src", "rmat"), self.path("site/rmat"), dirs_exist_ok=True)
                os.remove(self.path("a.el"))
            done = self.python(code, env={**environment, "PYTHONPATH": modules})
            self.assertEqual((done.stdout, done.stderr), ("256\n", ""))

    def test_architectures(self):
        """Kernels are compiled for the GPUs that are here, not at all where there is none, or as asked."""
        rule = os.path.join(SOURCE, "..", "..", "alias", "gpu", "architectures.cmake")
        with open(self.path("show.cmake"), "w", encoding="ascii") as file:
            file.write(f'include("{rule}")\nmessage("${{RMAT_WITH_CUDA}} ${{CMAKE_CUDA_ARCHITECTURES}}")\n')
        with open(self.path("nvidia-smi"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nprintf '9.0\\n8.6\\n9.0\\n'\n")
        os.chmod(self.path("nvidia-smi"), 0o755)
        os.symlink(shutil.which("cmake"), self.path("cmake"))
        for path, options, variables, wanted in [
                (self.folder, [], {}, "AUTO 90;86"), ("/nowhere", [], {}, "OFF "),
                ("/nowhere", ["-DRMAT_WITH_CUDA=ON"], {}, "ON 80-real;90-real;90-virtual"),
                (self.folder, [], {"CUDAARCHS": "75"}, "AUTO "),
                ("/nowhere", [], {"CUDAARCHS": "75"}, "AUTO "),
                ("/nowhere", ["-DCMAKE_CUDA_ARCHITECTURES=70"], {}, "AUTO 70")]:
            environment = {name: value for name, value in os.environ.items() if name != "CUDAARCHS"}
            done = subprocess.run([self.path("cmake"), "-DRMAT_WITH_CUDA=AUTO", *options, "-P", self.path("show.cmake")],
                                  check=True, text=True, capture_output=True,
                                  env={**environment, "PATH": path, **variables})
            *notice, last = done.stderr.splitlines()
            self.assertEqual(last, wanted)
            self.assertEqual(len(notice), wanted == "OFF ")  # one line where kernels are left out


if __name__ == "__main__":
    unittest.main()
