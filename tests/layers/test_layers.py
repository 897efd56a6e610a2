"""The directions of includes: no cycle between folders, and no module that depends on one above it.

A room is a module (alias, rmat, io, mpi) or a folder of apps/.  Its folders are rooms below it.  Their
public headers lie in the room itself and belong to all of them.
"""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("alias", "rmat", "io", "mpi", "apps")

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
        self.assertGreater(len(self.includes), 450)

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


if __name__ == "__main__":
    unittest.main()
