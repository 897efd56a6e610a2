"""`rmat info`, `verify` and `stats` of several files in one call."""

import json
import unittest

from cli import CliTest


class SeveralFiles(CliTest):
    def setUp(self):
        super().setUp()
        self.generate("--scale", "6", "-o", "g.h5")
        self.generate("--scale", "5", "--weights", "uniform", "-o", "other.h5")

    def test_info(self):
        one = [json.loads(self.rmat("info", "--json", name).stdout) for name in ("g.h5", "other.h5")]
        done = self.rmat("info", "--json", "g.h5", "none", "other.h5")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (1, [one[0], {"file": "none", "failed": True}, one[1]]))
        texts = [self.rmat("info", name).stdout for name in ("g.h5", "other.h5")]
        self.assertEqual(self.rmat("info", "g.h5", "other.h5").stdout, "\n".join(texts))

    def test_verify(self):
        self.assertEqual(self.rmat("verify", "-q", "g.h5", "g.h5").stdout, "")
        with open(self.path("bad.h5"), "wb") as file:
            file.write(self.read("g.h5")[:-1])
        done = self.rmat("verify", "--json", "none.h5", "g.h5", "bad.h5")
        self.assertEqual((done.returncode, [one["verdict"] for one in json.loads(done.stdout)]),
                         (1, ["not checked", "all right", "WRONG"]))
        self.assertEqual(self.rmat("verify", "none.h5", "g.h5").returncode, 3)

    def test_stats(self):
        one = [json.loads(self.rmat("stats", "-q", "--json", name).stdout) for name in ("g.h5", "other.h5")]
        done = self.rmat("stats", "-q", "--json", "g.h5", "other.h5")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, one))
        for name in ("d.tsv", "d.csv"):
            self.assertEqual(self.rmat("stats", "-q", "g.h5", "--degrees", name).returncode, 0)
        self.assertEqual(self.read("d.tsv").replace(b"\t", b","), self.read("d.csv"))
        self.assertEqual(self.read("d.csv").split(b"\n")[0], b"degree,out,in,total")
