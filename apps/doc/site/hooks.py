"""What MkDocs needs to know of the project: its pages stand where they stand in the repository.

The pages of the site are the Markdown files of the repository, by the same paths, so that links between them need no
change.  Four kinds of pages are made here:

- reference/python.md, the Python package, of which mkdocstrings makes the text;
- a page for each public header, which are those that apps/doc/LIBRARY.md lists.  A header is shown as it is: its
  comments as prose, in their order, and the declarations between them as code.  Generators of documentation drop
  comments that belong to no declaration or to several, which here are the ones that explain most;
- a page for each notebook, with what its cells have put out;
- a page with the text of each other file that a page links to, and a list for each folder without a README.md.

A link that leads nowhere remains as it is, and `mkdocs build --strict` fails.
"""

import fnmatch
import json
import os
import posixpath
import re
import subprocess

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[#)])")
LANGUAGES = {".h": "c", ".c": "c", ".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".py": "python", ".sh": "bash"}
#: Lines of a header that tell its reader nothing.
GUARDS = re.compile(r'^#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif\n|^#pragma GCC visibility.*\n'
                    r"|^#(?:ifndef|define) [A-Z0-9_]+_(?:H|CUH)\n|^#endif\n\Z", re.M)
DECLARED = re.compile(r"^(?:static inline )?\w[\w *]*?\b(\w+)\([^;{]*[;{]|^\} (\w+);|^typedef \w[\w *]*\b(\w+)[;(]"
                      r"|^(?:enum|struct) (\w+) \{|^#define (\w+)|^template .*?\b(?:struct|int|void) (\w+)", re.M)

#: What a comment mentions: headers, functions, and other names with an underscore.
NAME = re.compile(r"(?:\w+/)*\w+\.(?:h|cuh)\b|\b[A-Za-z]\w*(?:->\w+)*\(\)|(?<![\w/.])\w*_\w+\b(?!/)")

_pages = {}  # path in the repository: path of the page that shows it


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def tracked():
    """Files of the repository; of an unpacked archive, all that there are."""
    try:
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(folder, name), ROOT)
                 for folder, _, files in os.walk(ROOT) for name in files if "/build" not in folder]
    return sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))


def targets(page, text):
    """Paths, from the root of the repository, of what a page links to."""
    return {posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) for link in LINK.findall(text)}


def prose(comment, known, here):
    """A comment of C as Markdown; known: pages of names and of headers."""
    lines = [re.sub(r"^/\*\s?|^ \* ?", "", line) for line in re.sub(r"\s*\*/$", "", comment).split("\n")]
    found = []
    for block in re.split(r"\n\n+", "\n".join(lines).strip("\n")):
        if not block.startswith("    "):
            parts = re.split(r"(`[^`]+`)", block)  # at odd places what is marked as code already
            parts[::2] = [NAME.sub(lambda word: reference(word[0], known, here), plain(part)) for part in parts[::2]]
            block = re.sub(r"\n(?= *(?:1\.|-) )", "\n\n", "".join(parts), count=1)  # a list is a block of its own
        found.append(block)
    return "\n\n".join(found) + "\n"


def plain(text):
    """Text in which no character has a meaning in Markdown, but for *emphasis*."""
    return re.sub(r"(?<!\w)\*(?!\w+\*(?!\w))|[\[\]]", r"\\\g<0>", text).replace("<", "&lt;")


def reference(word, known, here):
    page = known.get(word) or known.get(word.removesuffix("()"))
    if page is None or page.split("#")[0] == here and "#" not in page:
        return f"`{word}`"
    return f"[`{word}`]({posixpath.relpath(page, posixpath.dirname(here))})"


def sections(text):
    """(comment, code) of a header in their order; a comment begins in the first column and ends a line."""
    parts = re.split(r"^(/\*(?:[^*]|\*(?!/))*\*/)\n", text, flags=re.M)
    for comment, code in zip(parts[1::2], parts[2::2]):
        yield comment, re.sub(r"\n{3,}", "\n\n", GUARDS.sub("", code)).strip("\n")


def names_of(code):
    return [next(filter(None, found)) for found in DECLARED.findall(code)]


def header(path, known):
    """The page of a public header."""
    page = path + ".md"
    found = [f"# {path}\n"]
    for comment, code in sections(read(path)):
        names = names_of(code)
        if names and len(found) > 1:
            more = ", ..." if len(names) > 3 else ""
            found.append(f"## {', '.join(f'`{name}`' for name in names[:3])}{more} {{ #{names[0]} }}\n")
        found.append(prose(comment, known, page))
        if code:
            found.append(f"```c\n{code}\n```\n")
    return "\n".join(found)


def listing(path, text):
    language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}\n````\n"


def notebook(path):
    """The cells of a notebook and what they put out."""
    found = []
    for cell in json.loads(read(path))["cells"]:
        text = "".join(cell["source"])
        found.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                found.append(f"![What the cell draws](data:image/png;base64,{data['image/png'].strip()})")
            elif "text/html" in data:
                found.append("".join(data["text/html"]))
            else:
                found.append(f"```text\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```")
    return "\n\n".join(found) + "\n"


def expanded(nav, pages, seen):
    """The nav with the pages that match in place of each pattern, but for those that it has had before."""
    if isinstance(nav, dict):
        return {title: expanded(inside, pages, seen) for title, inside in nav.items()}
    if isinstance(nav, str):
        seen.append(nav)
        return nav
    found = []
    for item in nav:
        if isinstance(item, str) and "*" in item:
            found += [page for page in pages if fnmatch.fnmatchcase(page, item) and page not in seen]
        else:
            found.append(expanded(item, pages, seen))
    return found


def python():
    """The page of the Python package: Graph with all that it inherits, then the rest of what the package exports."""
    names = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", read("apps/python/src/rmat/__init__.py"), re.S)[1])
    parts = ["rmat", *sorted((f"rmat.{name}" for name in names), key=lambda name: name != "rmat.Graph")]
    options = {"rmat": "{members: false, show_root_heading: false}", "rmat.Graph": "{inherited_members: true}",
               "rmat.Edges": "{members: false}"}
    return "# Python reference\n\n" + "\n".join(
        f"::: {part}\n    options: {options.get(part, '{}')}\n" for part in parts)


def on_files(files, config):
    names = tracked()
    _pages.clear()
    for name in names:
        if name.endswith(".md"):
            _pages[name] = name
    texts = {page: read(page) for page in _pages}
    headers = sorted(name for name in targets("apps/doc/LIBRARY.md", texts["apps/doc/LIBRARY.md"])
                     if name.endswith((".h", ".cuh")))
    known = {}
    for name in headers:
        known[name] = known[posixpath.basename(name)] = name + ".md"
        for _, code in list(sections(read(name)))[1:]:
            declared = names_of(code)
            known.update((one, f"{name}.md#{declared[0]}") for one in declared)
    made = {"reference/python.md": python(), **{name + ".md": header(name, known) for name in headers}}
    _pages.update((name, name + ".md") for name in headers)
    for target in sorted(set().union(*(targets(*item) for item in texts.items()))):
        inside = [name for name in names if name.startswith(target + "/")]
        if target + "/README.md" in names:
            _pages[target] = target + "/README.md"
        elif inside:
            _pages[target] = f"source/{target}/index.md"
            made[_pages[target]] = listing(target, "\n".join(inside))
        elif target.endswith(".ipynb"):
            _pages[target], made[target + ".md"] = target + ".md", notebook(target)
        elif target.endswith((".png", ".svg")):
            files.append(File.generated(config, target, abs_src_path=os.path.join(ROOT, target)))
        elif target in names and target not in _pages:
            _pages[target] = f"source/{target}.md"
            made[_pages[target]] = listing(target, read(target))
    config.nav = expanded(config.nav, [*texts, *(name + ".md" for name in headers)], [])
    for page in texts:
        files.append(File.generated(config, page, abs_src_path=os.path.join(ROOT, page)))
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, **_):
    """Links to what another page shows."""
    here = posixpath.dirname(page.file.src_uri)

    def resolved(link):
        target = _pages.get(posixpath.normpath(posixpath.join(here, link[0])))
        return posixpath.relpath(target, here or ".") if target else link[0]

    markdown = re.sub(r"\[(\d+)\] (?=\[)", r"\\[\1\\] ", markdown)  # "[1] [title](page)" is no reference
    return LINK.sub(resolved, markdown)
