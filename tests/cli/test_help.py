"""--help and --version: in width, on stdout; the examples that they show run."""

import os
import re
import shutil

from cli import COMMANDS, CliTest, RMAT

# Commands whose --help is longer than a screen, and what their -h shows.
SCREENS = {
    "generate": "scale edge-factor seed permute simple unique format output force help",
    "verify": "sample backend memory json quiet help",
    "convert": "to sorted force quiet help",
    "stats": "fast top json quiet help",
    "plot": "what output data force quiet help",
    "roots": "count scale seed json quiet help",
    "bench": "part runs backend scale json help",
}


class Help(CliTest):
    def text(self, *args):
        text = self.silent(*args)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertTrue(text.endswith("\n"))
        return text

    def options(self, text):
        return re.findall(r"^ {2,6}(?:-\w, )?--([\w-]+)", text, re.M)

    def test_every_option_takes_its_default(self):
        """What the help calls a default is accepted, and giving it changes nothing."""
        text = self.text("help", "generate")
        names, text = self.options(text), " ".join(text.split())
        self.assertEqual(self.text("help", "generate"), self.text("generate", "--scale", "5", "--help", "nonsense"))
        plain = self.generate("--dry-run")["command"]
        for name in names:
            entry = re.search(rf"--{name} [A-Z]\S* (.*?)(?= -+[a-z][\w-]* |$)", text)
            default = entry and re.search(r"default: ([\w.]+)(?= |$)", entry[1])
            if default and name not in ("a", "b", "c", "d"):
                with self.subTest(option=name, default=default[1]):
                    got = self.generate("--dry-run", "--" + name, default[1])
                    self.assertEqual(got["command"], plain)

    def test_every_command(self):
        """Its options have a name of their own, and --help says what `rmat help` does."""
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.text("help", command)
                self.assertEqual(self.files(), [])
                self.assertTrue(text.startswith(f"Usage: rmat {command}"), text)
                options = self.options(text)
                self.assertEqual(len(options), len(set(options)))
                self.assertIn("help", options)
                self.assertEqual(text, self.text(command, "--help"))
                if command not in SCREENS:
                    self.assertEqual(text, self.text(command, "-h"))
                    self.assertLess(len(text.splitlines()), 26)

    def test_screen(self):
        """-h shows the most common options and three examples, on a screen, and says where the rest is."""
        for command, options in SCREENS.items():
            with self.subTest(command=command):
                text, whole = self.text(command, "-h"), self.text("help", command)
                self.assertLessEqual(len(text.splitlines()), 24)
                self.assertLessEqual(len(whole.splitlines()), 120)
                self.assertEqual(text.splitlines()[0], whole.splitlines()[0])
                self.assertEqual(self.options(text), options.split())
                self.assertLess(set(options.split()), set(self.options(whole)))
                self.assertTrue(text.endswith(f"\nAll options: rmat {command} --help\n"))
                self.assertEqual(len(self.examples(text)), 3)
                self.assertEqual(self.examples(text), self.examples(whole))

    def examples(self, text):
        return re.findall(r"^  ((?:mpirun .*)?rmat .*)$", text.split("\nExamples:\n")[1].split("\n\n")[0], re.M)

    def test_examples_run(self):
        self.generate("--scale", "8", "-o", "g.h5")
        self.generate("--scale", "8", "--format", "csr", "-o", "c.h5")
        os.symlink(RMAT, self.path("rmat"))
        environment = {**os.environ, "PATH": self.folder + os.pathsep + os.environ["PATH"]}
        for command in SCREENS:
            for example in self.examples(self.text(command, "-h")) if command != "bench" else []:
                if (command == "plot" or "--plot" in example) and shutil.which("gnuplot") is None:
                    continue
                with self.subTest(example):
                    words = {"generate": " --scale 9 --force"}.get(command, "")
                    example += words if "|" not in example else ""
                    done = self.program("bash", "-o", "pipefail", "-c", example, env=environment)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_top_level(self):
        for *same, text in (("help", "-h", "help help", "help -h", "help --help", self.text("--help")),
                            ("-V", self.text("--version"))):
            self.assertEqual({self.text(*words.split()) for words in same}, {text})
        self.assertEqual(self.files(), [])
        self.assertEqual(re.findall(r"^  ([\w-]+) ", self.text("--help"), re.M), [*COMMANDS, "help"])
        self.assertRegex(text, r"\Armat \d+\.\d+\.\d+\nedge stream version \d+\nbackends: cpu")
        self.assertRegex(text, r"HDF5 1\.\d+")
