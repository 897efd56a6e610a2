# A recipe for Spack 1.0 or later, which builds a checkout of the sources: there is no public address
# and no archive yet.  In a repository of your own (`spack repo create`), as packages/rmat/package.py:
#
#     spack dev-build --source-path /path/to/checkout rmat@main
#
# or put the checkout into `git` below and run `spack install rmat`.
#
# Tried: Python's syntax, names of options against CMakeLists.txt, names of all dependencies and variants of most
# against Spack's packages of July 2026.  Not run, as Spack was not at hand: `spack
# style`, `spack audit`, and a build.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Rmat(CMakePackage, CudaPackage):
    """Generator of R-MAT graphs of any size on CPUs, GPUs and clusters."""

    git = "file:///path/to/checkout"

    license("MIT")

    version("main", branch="main")

    variant("mpi", default=True, description="Run on several ranks")
    variant("shared", default=True, description="Build shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10.7:")
    depends_on("hdf5+mpi", when="+mpi")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("isa-l")
    depends_on("json-c")
    depends_on("mpi", when="+mpi")
    depends_on("snappy")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("cuda@12:", when="+cuda")

    conflicts("platform=darwin", msg="rmat needs Linux")
    conflicts("platform=windows", msg="rmat needs Linux")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs, for example cuda_arch=90")

    def cmake_args(self):
        def on(variant):
            return "ON" if self.spec.satisfies(variant) else "OFF"

        args = [
            self.define("RMAT_WITH_CUDA", on("+cuda")),
            self.define("RMAT_WITH_MPI", on("+mpi")),
            self.define("RMAT_BUILD_TESTS", "OFF"),
            self.define("RMAT_WERROR", "OFF"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def test_generate(self):
        """a small graph is generated and verified"""
        rmat = which(self.prefix.bin.rmat)
        rmat("generate", "--scale", "16", "-o", "graph.h5")
        rmat("verify", "graph.h5")
