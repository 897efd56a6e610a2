"""The map of the code: ARCHITECTURE.md and the READMEs of the modules.

Every file and folder that they name exists, and every folder and source file of the modules is named.

A name in backquotes, or the target of a link, is looked up from the root, from the README's folder, and from the
folders that the same cell of a table or line of text names.  `*` stands for any letters, and NAME in capitals for a name.
"""

import glob
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("alias", "rmat", "io", "mpi", "apps", "tests")
MAPS = ("ARCHITECTURE.md", *(module + "/README.md" for module in MODULES))
FILE = r"[a-z0-9_./*-]+\.(?:c|cpp|h|cu|cuh|py|sh|md)"
FOLDER = r"[\w./-]+/"
SOURCES = (".c", ".cpp", ".cu")


def tracked():
    try:
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(folder, name), ROOT)
                 for module in MODULES for folder, _, files in os.walk(os.path.join(ROOT, module)) for name in files]
    return {name for name in names if os.path.exists(os.path.join(ROOT, name))}


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
        folders = {os.path.dirname(path) for path in tracked() if path.endswith(SOURCES)}
        self.assertEqual(sorted(folder for folder in folders
                                if folder.split("/")[0] in MODULES[:-1] and folder not in named), [])
        stems = {os.path.splitext(path)[0] for path in named}
        self.assertEqual(sorted(path for path in tracked() if path.endswith(SOURCES)
                                and path.split("/")[0] in MODULES[:-1] and os.path.splitext(path)[0] not in stems), [])

    def test_folders_of_tests(self):
        named = {found for _, _, all_found in names("tests/README.md") for found in all_found}
        with open(os.path.join(ROOT, "tests/README.md"), encoding="utf-8") as file:
            named |= {"tests/" + name for name in re.findall(r"\]\((\w+)\)", file.read())}
        folders = {os.path.dirname(path) for path in tracked() if re.match(r"tests/\w+/", path)}
        self.assertEqual(sorted(folder for folder in folders if folder.count("/") == 1 and folder not in named), [])


if __name__ == "__main__":
    unittest.main()
