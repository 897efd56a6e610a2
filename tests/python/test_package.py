"""The installed Python package: how it finds its parts, and for which GPUs its kernels are compiled."""

import os
import shutil
import subprocess

from base import PythonTest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOURCE = os.path.join(ROOT, "apps", "python")


class Package(PythonTest):
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
            self.assertEqual(self.python(code, env={**environment, "PYTHONPATH": modules}), "256\n")

    def test_architectures(self):
        """Kernels are compiled for the GPUs that are here, not at all where there is none, or as asked."""
        rule = os.path.join(ROOT, "alias", "gpu", "architectures.cmake")
        self.write("show.cmake", f'include("{rule}")\nmessage("${{RMAT_WITH_CUDA}} ${{CMAKE_CUDA_ARCHITECTURES}}")\n')
        self.write("nvidia-smi", "#!/bin/sh\nprintf '9.0\\n8.6\\n9.0\\n'\n")
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
