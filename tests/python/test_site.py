"""The site of the pages: MkDocs makes it without a warning, its links lead somewhere, and no comment of a header is lost.

MkDocs reports dead links itself; here the HTML is read once more, of which it does not know what plug-ins wrote.
"""

import html.parser
import importlib.util
import os
import posixpath
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Reader(html.parser.HTMLParser):
    """Links, anchors and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.text = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)

    def handle_data(self, data):
        self.text.append(data)


def words(text):
    return re.findall(r"\w+", text)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rmat-site-")  # pylint: disable=consider-using-with
        cls.addClassCleanup(folder.cleanup)
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", folder.name, "-f",
                               os.path.join(ROOT, "apps", "doc", "site", "mkdocs.yml")], check=False, text=True,
                              capture_output=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        if (done.returncode, done.stderr) != (0, ""):
            raise AssertionError(done.stdout + done.stderr)
        cls.pages = {}
        cls.files = set()
        for path, _, names in os.walk(folder.name):
            for name in names:
                name = os.path.relpath(os.path.join(path, name), folder.name)
                cls.files.add(name)
                if name.endswith(".html"):
                    with open(os.path.join(folder.name, name), encoding="utf-8") as file:
                        cls.pages[name] = Reader(file.read())

    def test_links(self):
        seen = 0
        for name, page in self.pages.items():
            if name == "404.html":  # whose links begin at the root of a host
                continue
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc:
                    self.assertIn(parts.scheme, ("https", "http", "data", "mailto"), f"{name}: {link}")
                    continue
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(parts.path)))
                target = name if not parts.path else target
                if target not in self.files:
                    target = posixpath.normpath(target + "/index.html")
                self.assertIn(target, self.files, f"{name}: {link}")
                if parts.fragment and target in self.pages:
                    self.assertIn(urllib.parse.unquote(parts.fragment), self.pages[target].anchors, f"{name}: {link}")
                seen += 1
        self.assertGreater(seen, 2000)

    def test_nothing_is_fetched(self):
        """A reader's browser asks no other host for fonts or scripts."""
        for name, page in self.pages.items():
            fetched = [link for link in page.links if re.search(r"^https?:.*\.(js|css|woff2?)\b", link)]
            self.assertEqual(fetched, [], name)

    def test_headers(self):
        """Each word of each comment of a public header is on its page, in the same order."""
        with open(os.path.join(ROOT, "apps", "doc", "LIBRARY.md"), encoding="utf-8") as file:
            headers = re.findall(r"^\| \[([\w/.]+\.(?:h|cuh))\]", file.read(), re.M)
        self.assertGreater(len(headers), 15)
        for header in headers:
            with open(os.path.join(ROOT, header), encoding="utf-8") as file:
                comments = re.findall(r"/\*(?:[^*]|\*(?!/))*\*/", file.read())
            shown = iter(words(" ".join(self.pages[f"{header}/index.html"].text)))
            text = re.sub(r"^[ *]*\d+\. ", "", "\n".join(comments), flags=re.M)  # numbers of a list are no text in HTML
            for word in words(text):
                self.assertIn(word, shown, f"{header}: {word}")

    def test_python(self):
        """Every name that the package exports, and each argument of Graph."""
        with open(os.path.join(ROOT, "apps", "python", "src", "rmat", "__init__.py"), encoding="utf-8") as file:
            names = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", file.read(), re.S)[1])
        page = self.pages["reference/python/index.html"]
        for name in names:
            self.assertIn(f"rmat.{name}", page.anchors)
        self.assertIn("rmat.Graph.neg_edges", page.anchors)
        self.assertIn("edge_factor", words(" ".join(page.text)))


if __name__ == "__main__":
    needed = ("mkdocs", "material", "mkdocstrings_handlers")
    absent = [name for name in needed if importlib.util.find_spec(name) is None]
    if absent:
        print("skipped: no", ", ".join(absent))
        sys.exit(77)
    unittest.main()
