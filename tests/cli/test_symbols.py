"""Each library exports exactly the functions that the installed headers declare, and uses only exported functions of
the others.

Arguments: the folder that `cmake --install` wrote, its name of the folder for libraries, and the linker's
version script.  Static libraries are first linked to shared ones, as in a build with BUILD_SHARED_LIBS.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PREFIXES = {"alias": "alias_", "core": "rmat_", "io": "(?:edgefile|graphfile)_", "engine": "engine_"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
PREPROCESSOR = re.compile(r"^ *#(?:[^\n]*\\\n)*[^\n]*$", re.M)
FUNCTION = re.compile(r"^(?!static|template|ALIAS_HD|RMAT_HD|typedef|[ }])[a-z][\w *]*?\b(\w+)\([^;{}]*\)\s*;", re.M)
VARIABLE = re.compile(r"^extern [^;(]*?\b(\w+)(?:\[[^;]*\])?;", re.M)


def declared(folder):
    """Functions and variables that the headers declare, and those of them that need no CUDA: kernels do not name them.
    Bodies of inline functions are left out."""
    names, plain, kernels = set(), set(), "rmat_gpu_status"  # which converts a cudaError_t
    for header in sorted([*folder.rglob("*.h"), *folder.rglob("*.cuh")]):
        source = header.read_text(encoding="utf-8")
        text = PREPROCESSOR.sub("", COMMENT.sub("", source)).replace('extern "C" {', "")
        while re.search(r"\{[^{}]*\}", text):
            text = re.sub(r"\{[^{}]*\}", "", text)
        found = set(FUNCTION.findall(text)) | set(VARIABLE.findall(text))
        names |= found
        if header.suffix == ".cuh":
            kernels += COMMENT.sub("", source)
        elif "cuda_runtime" not in source:
            plain |= found
    return names, plain - set(re.findall(r"\w+", kernels))


def exported(library, which="--defined-only"):
    out = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def shared(folder, archive, script):
    """A shared library of everything in a static one."""
    library = folder / (archive.stem + ".so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o", library, f"-Wl,--version-script={script}",
                    "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"], check=True)
    return library


def main():
    prefix, libraries, script = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    public, plain = declared(prefix / "include" / "rmat")
    with tempfile.TemporaryDirectory(prefix="rmat-symbols-") as folder:
        found = [shared(pathlib.Path(folder), archive, script)
                 for archive in sorted((prefix / libraries).glob("librmat_*.a"))]
        found += sorted((prefix / libraries).glob("librmat_*.so"))
        symbols = {library.stem: exported(library) for library in found}
        needed = {library.stem: exported(library, "--undefined-only") for library in found}
    wrong = []
    for stem, names in symbols.items():
        component = stem.removeprefix("librmat_")
        wrong += [f"lib{component} exports {name}, which no installed header declares"
                  for name in sorted(names - public)]
        wrong += [f"lib{component} exports {name}, a name without the prefix of its module"
                  for name in sorted(names) if not re.match(PREFIXES[component], name)]
        print(f"{stem}: {len(names)} symbols")
    wrong += [f"{name} is declared in an installed header, but not exported"
              for name in sorted(plain - set().union(*symbols.values()))]
    ours = re.compile("|".join(PREFIXES.values()))
    wrong += [f"{stem} needs {name}, which no library exports" for stem, names in needed.items()
              for name in sorted(names - set().union(*symbols.values())) if ours.match(name)]
    if wrong or len(symbols) < 3:
        sys.exit("\n".join(wrong) or "there are fewer than three libraries")


if __name__ == "__main__":
    main()
