"""The directions of includes, and the map of the code.

No cycle of includes between folders, and no module that depends on one above it.  A room is a module (alias, rmat, io, mpi)
or a folder of apps/.  Its folders are rooms below it.  Their public headers lie in the room itself and belong to all of them.

Every file and folder that ARCHITECTURE.md and the READMEs of the modules name exists, and every folder and source file of
the modules is named.  A name in backquotes, or the target of a link, is looked up from the root, from the README's folder,
and from the folders that the same cell of a table or line of text names.  `*` stands for any letters, and NAME in capitals
for a name.
"""

import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("alias", "rmat", "io", "mpi", "apps")
MAPS = ("ARCHITECTURE.md", *(module + "/README.md" for module in (*MODULES, "tests")))
FILE = r"[a-z0-9_./*-]+\.(?:c|cpp|h|cu|cuh|py|sh|md)"
FOLDER = r"[\w./-]+/"
SOURCES = (".c", ".cpp", ".cu")

# What a room may include; a command may include everything that is not a command.
LIBRARIES = {"alias": set(), "io": set(), "mpi": set(), "rmat": {"alias"}}
LIBRARIES["apps/common"] = {"alias", "rmat", "io", "mpi"}
LIBRARIES["apps/engine"] = LIBRARIES["apps/common"] | {"apps/common"}
LIBRARIES["apps/client"] = LIBRARIES["apps/engine"] | {"apps/engine"}


def room(path):
    parts = path.split("/")
    return "/".join(parts[:2 if parts[0] == "apps" else 1])


def includes():
    """(including file, included file), both from the root of the repository."""
    for module in MODULES:
        for folder, _, files in os.walk(os.path.join(ROOT, module)):
            for name in sorted(files):
                if not name.endswith((".c", ".h", ".cu", ".cuh")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    for included in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
                        yield os.path.relpath(path, ROOT), included


def cycle(edges):
    """A cycle in a graph given as {node: set of nodes}, as a list of nodes; or []."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return []
        path.append(node)
        for other in sorted(edges.get(node, ())):
            found = visit(other)
            if found:
                return found
        done.add(path.pop())
        return []

    for node in sorted(edges):
        found = visit(node)
        if found:
            return found
    return []


class Layers(unittest.TestCase):
    def setUp(self):
        self.includes = list(includes())
        self.assertGreater(len(self.includes), 400)

    def test_cycles_are_found(self):
        self.assertEqual(cycle({"a": {"b"}, "b": {"c"}, "c": set()}), [])
        self.assertEqual(cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])

    def test_no_cycle_between_rooms(self):
        edges = {}
        for one, other in self.includes:
            if room(one) != room(other):
                edges.setdefault(room(one), set()).add(room(other))
        self.assertEqual(cycle(edges), [])

    def test_no_cycle_within_a_room(self):
        for name in sorted({room(one) for one, _ in self.includes}):
            edges = {}
            for one, other in self.includes:
                folders = [os.path.relpath(path, name).split("/") for path in (one, other)]
                inside = room(one) == room(other) == name and all(len(f) > 1 for f in folders)
                if inside and folders[0][0] != folders[1][0]:
                    edges.setdefault(folders[0][0], set()).add(folders[1][0])
            self.assertEqual(cycle(edges), [], name)

    def test_libraries_know_nothing_above_them(self):
        for one, other in self.includes:
            if room(one) in LIBRARIES and room(one) != room(other):
                self.assertIn(room(other), LIBRARIES[room(one)], f"{one} includes {other}")


def files():
    """Of all modules, and of the tests."""
    return {os.path.relpath(os.path.join(folder, name), ROOT) for module in (*MODULES, "tests")
            for folder, _, found in os.walk(os.path.join(ROOT, module)) for name in found if not folder.endswith("__pycache__")}


def find(name, folders):
    """What a name stands for: paths from the root, none if it does not exist."""
    for folder in folders:
        found = glob.glob(os.path.normpath(os.path.join(ROOT, folder, "**" * ("*" in name), name)), recursive=True)
        if found:
            return {os.path.relpath(path, ROOT) for path in found}
    return set()


def names(path):
    """(line, name, what it stands for) of a page."""
    home = os.path.dirname(path)
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = re.sub(r"```.*?```", lambda block: "\n" * block.group().count("\n"), file.read(), flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        first = line.split("|")[1] if line.startswith("|") else line
        folders = [home, ""]
        for name in re.findall(r"`(%s|%s)`" % (FILE, FOLDER), line):
            found = find(name, folders)
            yield number, name, found
            if name.endswith("/") and "`%s`" % name in first:
                folders[:0] = sorted(found)
        for name in re.findall(r"\]\((%s)(?:#[^)]*)?\)" % FILE, line):
            yield number, name, find(name, [home])


class Map(unittest.TestCase):
    def test_names_exist(self):
        missing = ["%s:%d: %s" % (path, number, name)
                   for path in MAPS for number, name, found in names(path) if not found]
        self.assertEqual(missing, [])

    def test_nothing_is_missing(self):
        named = {found for path in MAPS for _, _, all_found in names(path) for found in all_found}
        sources = {path for path in files() if path.endswith(SOURCES) and path.split("/")[0] in MODULES}
        self.assertEqual(sorted({os.path.dirname(path) for path in sources} - named), [])
        stems = {os.path.splitext(path)[0] for path in named}
        self.assertEqual(sorted(path for path in sources if os.path.splitext(path)[0] not in stems), [])

    def test_folders_of_tests(self):
        named = {found for _, _, all_found in names("tests/README.md") for found in all_found}
        with open(os.path.join(ROOT, "tests/README.md"), encoding="utf-8") as file:
            named |= {"tests/" + name for name in re.findall(r"\]\((\w+)\)", file.read())}
        folders = {os.path.dirname(path) for path in files() if path.startswith("tests/")}
        self.assertEqual(sorted(folder for folder in folders if folder.count("/") == 1 and folder not in named), [])
