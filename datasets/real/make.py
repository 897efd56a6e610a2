#!/usr/bin/env python3
"""Makes graphs from packages of Debian and of PyPI, as text that rmat reads.

    python3 make.py debian wordnet foldoc

writes NAME.el, an edge 'src dst' on a line, and NAME.names, where line i (from 0) says what vertex
i is. It needs apt-get and dpkg-deb, and pip for sympy; it installs nothing and need not be run by
root. README.md describes the graphs.
"""
import argparse
import ast
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile


def run(*command, cwd=None):
    """The output of a command; its messages go to standard error."""
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE).stdout


def unpack(package, folder):
    """Downloads a Debian package and unpacks it in the folder; returns its version."""
    # Without the sandbox, as apt-get's user _apt has no access to the folder.
    run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package, cwd=folder)
    file = next(folder.glob(f"{package}_*.deb"))
    run("dpkg-deb", "-x", file, folder)
    return run("dpkg-deb", "-f", file, "Version").decode().strip()


# Each maker takes an empty folder to work in, and returns the source of the graph, the names of its
# vertices and its edges, pairs of vertex numbers.


def debian(_folder):
    """Which package of Debian depends on which: Pre-Depends and Depends, and all alternatives."""
    depends = {}
    record = {}
    for line in run("apt-cache", "dumpavail").decode().splitlines() + [""]:
        if line:
            key, colon, value = line.partition(": ")
            if colon and key[0] != " ":
                record[key] = value
        elif record:
            wanted = ", ".join(record[key] for key in ("Pre-Depends", "Depends") if key in record)
            # libc6:any (>= 2.36) | libc6.1 -> libc6, libc6.1
            named = [re.split(r"[\s:(\[]", one.strip())[0] for one in re.split("[,|]", wanted)]
            depends.setdefault(record["Package"], dict.fromkeys(filter(None, named)))
            record = {}
    names = sorted(set(depends).union(*depends.values()))  # virtual packages are only depended on
    number = {name: i for i, name in enumerate(names)}
    edges = [(number[name], number[to]) for name in sorted(depends) for to in depends[name]]
    return "apt-cache dumpavail", names, edges


def wordnet(folder):
    """The relations of WordNet's synsets, such as hypernyms, as its files list them."""
    version = unpack("wordnet-base", folder)
    number, names, pointers = {}, [], []
    for kind, part in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        for line in open(folder / f"usr/share/wordnet/data.{part}", encoding="ascii"):
            if line.startswith("  "):  # the licence
                continue
            # offset, file, kind, number of words, words with an id, number of pointers, pointers
            field = line.split(" | ")[0].split()
            words = int(field[3], 16)
            first = 5 + 2 * words
            number[kind, field[0]] = len(names)
            for i in range(int(field[first - 1])):
                _relation, offset, to_kind, _words = field[first + 4 * i:first + 4 * i + 4]
                pointers.append((len(names), (to_kind, offset)))
            names.append(f"{field[4]}.{kind}.{field[0]}")
    return f"wordnet-base {version}", names, [(src, number[dst]) for src, dst in pointers]


def cross_references(package, name, folder):
    """Which entry of a dictionary of dictd names which in braces, where an entry has that name."""
    version = unpack(package, folder)
    data = folder / "usr/share/dictd"
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def decode(text):
        value = 0
        for digit in text:
            value = 64 * value + digits.index(digit)
        return value

    entries = set()
    first = {}  # entry of a headword; an entry may have several, and several may have the same
    for line in open(data / f"{name}.index", encoding="utf-8"):
        word, start, length = line.rstrip("\n").split("\t")[:3]
        if not word.replace("-", "").startswith("00database"):
            entry = (decode(start), decode(length))
            entries.add(entry)
            first.setdefault(word.casefold(), entry)
    entries = sorted(entries)
    number = {entry: i for i, entry in enumerate(entries)}
    text = gzip.open(data / f"{name}.dict.dz").read()
    names, edges = [], []
    for start, length in entries:
        entry = text[start:start + length].decode()
        names.append(entry.lstrip().split("\n")[0].strip())
        for link in re.findall(r"\{([^{}]*)\}", entry):
            to = first.get(" ".join(link.split()).casefold())
            if to:
                edges.append((len(names) - 1, number[to]))
    return f"{package} {version}", names, edges


def jargon(folder):
    """Cross-references of the Jargon File."""
    return cross_references("dict-jargon", "jargon", folder)


def foldoc(folder):
    """Cross-references of the Free On-line Dictionary of Computing."""
    return cross_references("dict-foldoc", "foldoc", folder)


def sympy(folder):
    """Which module of SymPy imports which, anywhere in its source."""
    version = "1.14.0"
    run(sys.executable, "-m", "pip", "-q", "download", "--no-deps", f"sympy=={version}", cwd=folder)
    archive = zipfile.ZipFile(next(folder.glob("*.whl")))
    files = sorted(n for n in archive.namelist() if n.startswith("sympy/") and n.endswith(".py"))
    names = [re.sub(r"/__init__$", "", file[:-3]).replace("/", ".") for file in files]
    number = {name: i for i, name in enumerate(names)}
    edges = []
    for src, file in enumerate(files):
        package = names[src] if file.endswith("__init__.py") else names[src].rpartition(".")[0]
        found = {}
        for node in ast.walk(ast.parse(archive.read(file))):
            if isinstance(node, ast.Import):
                found.update((alias.name, None) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = package.split(".")[:len(package.split(".")) - node.level + 1]
                base = ".".join((base if node.level else []) + [node.module or ""]).strip(".")
                for alias in node.names:  # a module, or a name that a module has
                    full = f"{base}.{alias.name}"
                    found[full if full in number else base] = None
        edges += [(src, number[to]) for to in found if to in number]
    return f"sympy {version}", names, edges


MAKERS = {maker.__name__: maker for maker in (debian, wordnet, foldoc, jargon, sympy)}


def main():
    parser = argparse.ArgumentParser(description="Makes graphs from packages of Debian and PyPI.")
    parser.add_argument("names", nargs="+", choices=MAKERS, metavar="NAME", help=", ".join(MAKERS))
    parser.add_argument("-o", "--output", default=".", type=pathlib.Path, help="folder to write to")
    options = parser.parse_args()
    for name in options.names:
        maker = MAKERS[name]
        try:
            with tempfile.TemporaryDirectory() as folder:
                source, vertices, edges = maker(pathlib.Path(folder))
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"make.py: {name}: {error}")
        with open(options.output / f"{name}.el", "w", encoding="utf-8") as file:
            file.write(f"# {maker.__doc__}\n# Made from {source} by make.py.\n")
            file.writelines(f"{src} {dst}\n" for src, dst in edges)
        with open(options.output / f"{name}.names", "w", encoding="utf-8") as file:
            file.writelines(f"{vertex}\n" for vertex in vertices)
        print(f"{name}: {len(vertices)} vertices, {len(edges)} edges")


main()
