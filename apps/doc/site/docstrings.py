"""The docstrings of the package as Markdown, for mkdocstrings: what describes an argument becomes an item of a list,
and a session of Python a block of code."""

import inspect
import re

from griffe import Extension


class Docstrings(Extension):
    def on_instance(self, *, obj, **_):  # for each module, class, function and attribute
        if obj.docstring is None:
            return
        text, found = inspect.cleandoc(obj.docstring.value), []
        for block in re.split(r"\n\n+", text):
            if block.startswith(">>>"):
                found.append(f"```pycon\n{block}\n```")
            else:
                found.append(re.sub(r"^((?:\w+, )*\w+): (?=\S)", lambda name: "\n- " + ", ".join(
                    f"`{one}`" for one in name[1].split(", ")) + ": ", block, flags=re.M).replace("\n\n- ", "\n- ")
                    if self.is_call(obj) else block)
        obj.docstring.value = "\n\n".join(found)

    @staticmethod
    def is_call(obj):
        return obj.is_function
