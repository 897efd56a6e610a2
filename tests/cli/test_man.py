"""The manual page and the completion scripts are as complete as --help: they are made from the same tables."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from cli import COMMANDS, FORMATS, CliTest, RMAT


class Tables(CliTest):
    def output(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def commands(self):
        section = self.output("--help").split("Commands:\n")[1]
        return re.findall(r"^  (\w+) ", section, re.M)

    def options(self, command):
        return re.findall(r"^ {2,6}(?:-\w, )?(--[\w-]+)", self.output("help", command), re.M)

    def test_commands(self):
        self.assertEqual(self.commands(), COMMANDS)


class Man(Tables):
    def test_has_every_option(self):
        page = self.output("man").replace("\\-", "-").replace("\\&", "")
        for command in self.commands():
            self.assertIn(f"\\fBrmat {command}\\fR", page)
            section = re.search(rf'^\.SH "rmat {command}"\n(.*?)^\.SH ', page, re.M | re.S)[1]
            tags = re.findall(r"^\.TP\n(?:\\fB-\w\\fR, )?\\fB(--[\w-]+)\\fR", section, re.M)
            self.assertEqual(tags, self.options(command))
        for name in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "FORMATS", "EXIT STATUS", "FILES", "EXAMPLES",
                     "SEE ALSO"):
            self.assertIn(f'.SH "{name}"\n' if name != "NAME" else ".SH NAME\n", page)
        formats = re.search(r'^\.SH "FORMATS"\n(.*?)^\.SH ', page, re.M | re.S)[1]
        self.assertEqual(re.findall(r"^\.TP\n\\fB([\w-]+)\\fR", formats, re.M), FORMATS)

    def test_words_are_those_of_help(self):
        """Wrapping and escapes lose nothing."""
        text = " ".join(re.sub(r"^\.br$", "", self.output("man").replace("\\-", "-").replace("\\&", ""), flags=re.M).split())
        for command in self.commands():
            help_text = " ".join(self.output("help", command).split())
            summary = help_text[help_text.index("Usage"):]
            for sentence in re.findall(r"(?<=\. )[A-Z][^.]*\.(?= )", summary):
                if "--" not in sentence and len(sentence) < 200:
                    self.assertIn(sentence, text)

    def test_examples_are_no_wrong_usage(self):
        page = self.output("man").replace("\\-", "-")
        examples = re.findall(r"^\.EX\n(.*)\n\.EE", page, re.M)
        self.assertGreaterEqual(len(examples), 4)
        for words in re.findall(r"rmat (generate [^|&\n]*)", "\n".join(examples)):
            done = self.rmat(*words.split(), "--dry-run", "-q")
            self.assertIn((done.returncode, done.stderr), [(0, ""), (1, "")], words)  # 1: no room

    @unittest.skipIf(shutil.which("mandoc") is None, "no mandoc")
    def test_mandoc_is_content(self):
        done = subprocess.run(["mandoc", "-Tlint", "-Wall"], input=self.output("man"), capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_wrong_usage(self):
        done = self.rmat("man", "generate")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "rmat man: unexpected argument 'generate', allowed: options only\n"))


class Completion(Tables):
    """What a shell offers; its class says how to ask it."""

    def complete(self, *words):
        """What the shell offers for the last one of the words after "rmat", sorted."""
        raise NotImplementedError

    def complete_each(self, lines):
        """The same for several lists of words."""
        return [self.complete(*words) for words in lines]

    def test_commands(self):
        self.assertEqual(self.complete("ge"), ["generate"])
        self.assertEqual(self.complete("--"), ["--help", "--version"])
        self.assertEqual(self.complete("help", ""), sorted(self.commands()))
        self.assertEqual(self.complete("nothing", ""), [])

    def test_options(self):
        commands = self.commands()
        for command, matches in zip(commands, self.complete_each([(command, "--") for command in commands])):
            self.assertEqual(matches, sorted(self.options(command)))
        self.assertEqual(self.complete("generate", "--no"), ["--no-permute", "--no-self-loops", "--noise"])

    def test_values(self):
        self.assertEqual(self.complete("generate", "--format", ""), sorted(FORMATS))
        self.assertEqual(self.complete("generate", "--force", "--format", "b"), ["bin32", "bin64", "binsparse"])
        self.assertEqual(self.complete("generate", "--preset", "gr"), ["graph500"])
        self.assertEqual(self.complete("generate", "--scale", ""), [])
        self.assertEqual(self.complete("generate", "--devices", "a"), ["all"])
        self.assertEqual(self.complete("completion", ""), ["bash", "fish", "zsh"])

    def test_files(self):
        os.mkdir(self.path("folder"))
        for name in ("graph 1.h5", "graph*.el", "other"):
            with open(self.path(name), "w", encoding="ascii"):
                pass
        self.assertEqual(self.complete("generate", "-o", "gr"), ["graph 1.h5", "graph*.el"])
        self.assertEqual(self.complete("info", "gr"), ["graph 1.h5", "graph*.el"])
        self.assertEqual(self.complete("convert", "other", "o"), ["other"])
        self.assertEqual(self.complete("verify", "-q", ""), ["folder", "graph 1.h5", "graph*.el", "other"])
        self.assertEqual(self.complete("bench", "--dir", ""), ["folder"])


@unittest.skipIf(shutil.which("bash") is None, "no bash")
class Bash(Completion):
    def complete(self, *words):
        script = ('source <("$RMAT" completion bash) || exit; COMP_WORDS=(rmat "$@"); COMP_CWORD=$#; _rmat; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-u", "-c", script, "bash", *words], cwd=self.folder, text=True,
                              env={**os.environ, "RMAT": RMAT}, capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.split("\n"))[1:] if done.stdout != "\n" else []

    def test_first_word(self):
        self.assertEqual(self.complete(""), sorted([*self.commands(), "--help", "--version"]))
        self.assertEqual(self.complete("generate", ""), sorted(self.options("generate")))

    def test_equals_sign(self):
        """A word of its own for bash."""
        self.assertEqual(self.complete("generate", "--format", "=", "w"), ["wel", "wsg"])
        self.assertEqual(self.complete("generate", "--format", "="), sorted(FORMATS))
        self.assertEqual(self.complete("generate", "--backend", "-"), [])

    @unittest.skipIf(shutil.which("shellcheck") is None, "no shellcheck")
    def test_shellcheck_is_content(self):
        done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=self.output("completion", "bash"),
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_wrong_usage(self):
        for words, shell in (([], ""), (["tcsh"], "tcsh")):
            done = self.rmat("completion", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"rmat completion: SHELL: '{shell}' is unknown, allowed: bash, fish, zsh\n"))


@unittest.skipIf(shutil.which("fish") is None, "no fish")
class Fish(Completion):
    def complete(self, *words):
        script = '"$RMAT" completion fish | source; or exit; complete -C "$LINE"'
        line = " ".join(["rmat", *(word.replace(" ", "\\ ") for word in words)])
        done = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, text=True,
                              env={**os.environ, "RMAT": RMAT, "LINE": line},
                              capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(match.split("\t")[0].rstrip("/") for match in done.stdout.splitlines())

    def test_equals_sign(self):
        self.assertEqual(self.complete("generate", "--format=w"), ["--format=wel", "--format=wsg"])
        self.assertEqual(self.complete(""), sorted(self.commands()))

    def test_syntax(self):
        done = subprocess.run(["fish", "--no-execute"], input=self.output("completion", "fish"), text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


@unittest.skipIf(shutil.which("zsh") is None, "no zsh")
class Zsh(Completion):
    def complete(self, *words):
        return self.complete_each([words])[0]

    def complete_each(self, lines):
        """One shell completes all lines."""
        with tempfile.TemporaryDirectory(prefix="rmat-zsh-") as folder:
            files = {name: os.path.join(folder, name) for name in ("SCRIPT", "RESULT", "WORDS")}
            with open(files["SCRIPT"], "w", encoding="utf-8") as file:
                file.write(self.output("completion", "zsh"))
            with open(files["WORDS"], "w", encoding="utf-8") as file:
                for words in lines:
                    print("rmat", *words, file=file)
            done = subprocess.run(["zsh", "-f", os.path.join(os.path.dirname(os.path.abspath(__file__)), "complete.zsh")],
                                  cwd=self.folder, capture_output=True, text=True, check=False, timeout=60,
                                  env={**os.environ, **files})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(files["RESULT"], encoding="utf-8") as file:
                sections = re.split(r"^== rmat ", file.read(), flags=re.M)[1:]
        self.assertEqual([section.split("\n")[0] for section in sections], [" ".join(words) for words in lines])
        return [sorted({re.sub(r"\\(.)", r"\1", match) for match in section.split("\n")[1:] if match})
                for section in sections]

    def test_equals_sign(self):
        self.assertEqual(self.complete("generate", "--format=w"), ["wel", "wsg"])
        self.assertEqual(self.complete(""), sorted(self.commands()))

    def test_exclusive(self):
        """-q and --quiet are one option, which is offered once."""
        self.assertNotIn("--quiet", self.complete("generate", "-q", "--"))

    def test_syntax(self):
        done = subprocess.run(["zsh", "-n"], input=self.output("completion", "zsh"), text=True, capture_output=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


def load_tests(loader, _tests, _pattern):
    """The tests of all classes but Completion, which is not one shell."""
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, (Tables, Man, Bash, Fish, Zsh)))


if __name__ == "__main__":
    unittest.main()
