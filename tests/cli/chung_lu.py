"""What the tests of chung_lu share.  CHUNG_LU in the environment names the program."""

import json
import os
import subprocess

from cli import CliTest, command

CHUNG_LU = os.path.abspath(os.environ["CHUNG_LU"])


class ChungLuTest(CliTest):
    def run_it(self, *args, **options):
        options = {"cwd": self.folder, "capture_output": True, "timeout": 120, **options}
        return subprocess.run(command(*args, program=CHUNG_LU), text=True, check=False, **options)

    def make(self, *args, **options):
        """A run that must succeed; its --json summary.  A dry run may replace what there is."""
        more = ["--force"] if "--dry-run" in args and "--force" not in args else []
        done = self.run_it("--json", "--quiet", *args, *more, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
