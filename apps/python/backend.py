"""The build backend: scikit-build-core, but for source distributions.

A source distribution has to contain all that a build needs.  In a checkout that is the repository above this folder,
so it is put into a copy of this folder, as its folder `source`, from which pyproject.toml then builds.
"""

import os
import shutil
import tempfile

from scikit_build_core import build as backend
from scikit_build_core.build import *  # pylint: disable=wildcard-import,unused-wildcard-import

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = ("alias", "apps", "datasets", "io", "mpi", "rmat")
#: Neither compiled nor read by a build of the package, and most of the bytes.
LEFT_OUT = shutil.ignore_patterns("bench_alias", "doc", "results", "*.md", "real", ".*")
#: Of this folder, the rest of which is the root of a source distribution.
BUILT_HERE = {"CMakeLists.txt", "exports.map", "libraries.cmake"}
#: Sources of the libraries that the package contains, where they have been put: see apps/package/wheel_libraries.sh.
LIBRARIES = "libraries"


def _ignore(folder, names):
    return set(names) - BUILT_HERE if os.path.samefile(folder, HERE) else LEFT_OUT(folder, names)


def get_requires_for_build_wheel(config_settings=None):
    """pkg-config as well, where there is none."""
    return backend.get_requires_for_build_wheel(config_settings) + ([] if shutil.which("pkg-config") else ["pkgconf"])


def get_requires_for_build_editable(config_settings=None):
    """The same."""
    return get_requires_for_build_wheel(config_settings)


def build_sdist(sdist_directory, config_settings=None):
    """Of a checkout, with all sources; of a source distribution, the same again."""
    if os.path.exists("PKG-INFO"):
        return backend.build_sdist(sdist_directory, config_settings)
    here, to = os.getcwd(), os.path.abspath(sdist_directory)
    with tempfile.TemporaryDirectory() as folder:
        project, source = os.path.join(folder, "apps", "python"), os.path.join(folder, "apps", "python", "source")
        shutil.copytree(HERE, project, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        for name in SOURCES:
            shutil.copytree(os.path.join(ROOT, name), os.path.join(source, name), ignore=_ignore)
        if os.path.isdir(os.path.join(ROOT, LIBRARIES)):
            shutil.copytree(os.path.join(ROOT, LIBRARIES), os.path.join(source, LIBRARIES))
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(os.path.join(ROOT, name), source)
        shutil.copytree(os.path.join(source, "rmat"), os.path.join(folder, "rmat"))  # which says the version
        os.chdir(project)
        try:
            return backend.build_sdist(to, config_settings)
        finally:
            os.chdir(here)
