"""The manual page and the completion: as complete as --help, as they are made of the same tables."""

import os
import re
import shutil
import subprocess
import unittest

from cli import CliTest, RMAT

FORMATS = "h5 csr el wel tsv mtx gr metis bin32 bin64 graph500 npy sg wsg pbg binsparse".split()


class Tables(CliTest):
    def output(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def commands(self):
        section = self.output("--help").split("Commands:\n")[1]
        return [name for name in re.findall(r"^  (\w+) ", section, re.M) if name != "help"]

    def options(self, command):
        return re.findall(r"^ {2,6}(?:-\w, )?(--[\w-]+)", self.output("help", command), re.M)

    def test_commands(self):
        self.assertEqual(self.commands(), "generate info verify convert stats plot bench completion man".split())


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
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    @unittest.skipIf(shutil.which("mandoc") is None, "no mandoc")
    def test_mandoc_is_content(self):
        done = subprocess.run(["mandoc", "-Tlint", "-Wall"], input=self.output("man"), capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_wrong_usage(self):
        done = self.rmat("man", "generate")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "rmat man: unexpected argument 'generate', allowed: options only\n"))


@unittest.skipIf(shutil.which("bash") is None, "no bash")
class Completion(Tables):
    def complete(self, *words):
        """What bash offers for the last one of the words after "rmat"."""
        script = ('source <("$RMAT" completion bash) || exit; COMP_WORDS=(rmat "$@"); COMP_CWORD=$#; _rmat; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-u", "-c", script, "bash", *words], cwd=self.folder, text=True,
                              env={**os.environ, "RMAT": RMAT}, capture_output=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.split("\n"))[1:] if done.stdout != "\n" else []

    def test_commands(self):
        everything = sorted([*self.commands(), "help", "--help", "--version"])
        self.assertEqual(self.complete(""), everything)
        self.assertEqual(self.complete("ge"), ["generate"])
        self.assertEqual(self.complete("--"), ["--help", "--version"])
        self.assertEqual(self.complete("help", ""), sorted(self.commands()))
        self.assertEqual(self.complete("nothing", ""), [])

    def test_options(self):
        for command in self.commands():
            self.assertEqual(self.complete(command, "--"), sorted(self.options(command)))
        self.assertEqual(self.complete("generate", ""), sorted(self.options("generate")))
        self.assertEqual(self.complete("generate", "--no"), ["--no-self-loops", "--noise"])

    def test_values(self):
        self.assertEqual(self.complete("generate", "--format", ""), sorted(FORMATS))
        self.assertEqual(self.complete("generate", "--force", "--format", "b"), ["bin32", "bin64", "binsparse"])
        self.assertEqual(self.complete("generate", "--format", "=", "w"), ["wel", "wsg"])
        self.assertEqual(self.complete("generate", "--format", "="), sorted(FORMATS))
        self.assertEqual(self.complete("generate", "--backend", "-"), [])
        self.assertEqual(self.complete("generate", "--preset", "gr"), ["graph500"])
        self.assertEqual(self.complete("generate", "--scale", ""), [])
        self.assertEqual(self.complete("generate", "--devices", "a"), ["all"])
        self.assertEqual(self.complete("completion", ""), ["bash"])

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

    @unittest.skipIf(shutil.which("shellcheck") is None, "no shellcheck")
    def test_shellcheck_is_content(self):
        done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=self.output("completion", "bash"),
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_wrong_usage(self):
        for words, shell in (([], ""), (["zsh"], "zsh")):
            done = self.rmat("completion", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"rmat completion: SHELL: '{shell}' is unknown, allowed: bash\n"))


if __name__ == "__main__":
    unittest.main()
