"""Under a launcher: several ranks are refused once, in one line; alone it runs as without."""

import os
import shutil
import subprocess
import unittest

from cli import CliTest, MODEL, RMAT

MPIRUN = shutil.which("mpirun")
REFUSAL = "rmat generate: started as 2 ranks; this version writes from one process\n"
BENCH_REFUSAL = "rmat bench: started as 2 ranks; this version measures from one process\n"


class Launched(CliTest):
    def setUp(self):
        super().setUp()
        if MPIRUN is None or "RMAT_HAVE_MPI" not in os.environ:
            self.skipTest("no mpirun, or not built with MPI")

    def launch(self, ranks, *args):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        return subprocess.run([MPIRUN, "--oversubscribe", "-n", str(ranks), RMAT, *args], text=True,
                              cwd=self.folder, env=environment, capture_output=True, timeout=100,
                              check=False)

    def test_two_ranks(self):
        done = self.launch(2, "generate", *MODEL)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(REFUSAL), 1, done.stderr)
        self.assertEqual(self.files(), [])

    def test_bench(self):
        done = self.launch(2, "bench", "--seconds", "1", "--json", "r.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(BENCH_REFUSAL), 1, done.stderr)
        self.assertEqual(self.files(), [])

    def test_one_rank(self):
        self.generate(*MODEL, "-o", "alone.h5")
        done = self.launch(1, "generate", *MODEL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.read("graph.h5") == self.read("alone.h5"))


class Unlaunched(CliTest):
    def test_batch_script_variables_are_no_launcher(self):
        done = self.rmat("generate", "-q", *MODEL,
                         env={**os.environ, "SLURM_PROCID": "0", "SLURM_NTASKS": "4"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipIf("RMAT_HAVE_MPI" in os.environ, "with MPI the launcher must be there")
    def test_stub_notices_a_launcher(self):
        for rank, text in (("0", REFUSAL), ("1", "")):
            done = self.rmat("generate", *MODEL,
                             env={**os.environ, "PMI_RANK": rank, "PMI_SIZE": "2"})
            self.assertEqual((done.returncode, done.stderr), (1, text))


if __name__ == "__main__":
    unittest.main()
