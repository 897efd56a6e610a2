"""Wrong command lines: one line on stderr naming option, value and what is allowed; exit 2; no file."""

import unittest

import cli
from cli import CliTest, SUFFIXES

U64 = "0 to 18446744073709551615 (2^64 - 1)"
SCALE = "1 to 62, or two such numbers with an x between them"
EDGES = "0 to 4611686018427387904 (2^62)"
FACTOR = "1 to 1099511627776 (2^40), at most 2^62 edges in all"
LIST = "all, or up to 64 numbers 0 to 1023 with commas between them"
PARTS = "all, memory, models, file, csr, ranks"
SCALES = "up to 64 numbers 1 to 62 with commas between them"
FILE = "the path of a file (./-x where it starts with a dash)"
REPORT = FILE + ", or -"
COMMANDS = ", ".join(cli.COMMANDS)
FORMATS = ", ".join(cli.FORMATS)
PRESETS = "graph500, gapbs-kron, ssca2, rmat-er, rmat-g, rmat-b, parmat, pbbs"
ALL_OF = "allowed: --a, --b and --c together, or none of --a --b --c --d"

# Arguments, and the line after "rmat ".
TABLE = [
    # no command, wrong command
    ("", f"rmat: command missing, allowed: {COMMANDS}; see 'rmat --help'"),
    ("generat", "rmat: unknown command 'generat' (did you mean 'generate'?), allowed: " + COMMANDS),
    ("vresion", "rmat: unknown command 'vresion' (did you mean 'version'?), allowed: " + COMMANDS),
    ("--scale 10", "rmat: unknown command '--scale', allowed: " + COMMANDS),
    ("help nothing", "rmat: unknown command 'nothing', allowed: " + COMMANDS),
    ("help generate info", "rmat help: unexpected argument 'info', allowed: one COMMAND"),
    ("--version x", "rmat: unexpected argument 'x', allowed: nothing after --version"),
    # unknown options, stray arguments
    ("generate --scal 10", "rmat generate: unknown option '--scal', did you mean '--scale'?"),
    ("generate --sclae=10", "rmat generate: unknown option '--sclae=10', did you mean '--scale'?"),
    ("generate --edgefactor 8",
     "rmat generate: unknown option '--edgefactor', did you mean '--edge-factor'?"),
    ("generate --zzzzzz", "rmat generate: unknown option '--zzzzzz', allowed: see 'rmat help generate'"),
    ("generate -x", "rmat generate: unknown option '-x', allowed: see 'rmat help generate'"),
    ("generate -s 10", "rmat generate: unknown option '-s', allowed: see 'rmat help generate'"),
    ("generate --", "rmat generate: unknown option '--', allowed: see 'rmat help generate'"),
    ("generate graph.h5", "rmat generate: unexpected argument 'graph.h5', allowed: options only"),
    ("generate --scale 10 11", "rmat generate: unexpected argument '11', allowed: options only"),
    ("generate -", "rmat generate: unexpected argument '-', allowed: options only"),
    ("generate --force=yes", "rmat generate: --force: 'yes' given, allowed: no value"),
    ("generate --quiet=", "rmat generate: --quiet: '' given, allowed: no value"),
    # values missing
    ("generate --scale", "rmat generate: --scale: value missing, allowed: " + SCALE),
    ("generate --scale --force", "rmat generate: --scale: value missing, allowed: " + SCALE),
    ("generate -o", "rmat generate: --output: value missing, allowed: " + REPORT),
    ("generate --seed", "rmat generate: --seed: value missing, allowed: " + U64),
    ("generate --backend", "rmat generate: --backend: value missing, allowed: auto, cpu, gpu"),
    # scales
    ("generate --scale 0", "rmat generate: --scale: '0' is out of range, allowed: " + SCALE),
    ("generate --scale 63", "rmat generate: --scale: '63' is out of range, allowed: " + SCALE),
    ("generate --scale=-1", "rmat generate: --scale: '-1' is out of range, allowed: " + SCALE),
    ("generate --scale -1", "rmat generate: --scale: '-1' is out of range, allowed: " + SCALE),
    ("generate --scale=", "rmat generate: --scale: '' is not a number, allowed: " + SCALE),
    ("generate --scale 1e2", "rmat generate: --scale: '1e2' is out of range, allowed: " + SCALE),
    ("generate --scale 10.5", "rmat generate: --scale: '10.5' is not a whole number, allowed: " + SCALE),
    ("generate --scale=+10", "rmat generate: --scale: '+10' is not a number, allowed: " + SCALE),
    ("generate --scale 0x10", "rmat generate: --scale: '0x10' is out of range, allowed: " + SCALE),
    ("generate --scale 99999999999999999999",
     "rmat generate: --scale: '99999999999999999999' is out of range, allowed: " + SCALE),
    ("generate --scale 0x5", "rmat generate: --scale: '0x5' is out of range, allowed: " + SCALE),
    ("generate --scale 5x63", "rmat generate: --scale: '5x63' is out of range, allowed: " + SCALE),
    *((f"generate --scale {value}", f"rmat generate: --scale: '{value}' is not a number, allowed: " + SCALE)
      for value in ("x", "5x", "x5", "5x6x7", "5X6", "5x0x6", "5xsix")),
    # edges
    ("generate --edges many", "rmat generate: --edges: 'many' is not a number, allowed: " + EDGES + SUFFIXES),
    ("generate --edges 16X", "rmat generate: --edges: '16X' is not a number, allowed: " + EDGES + SUFFIXES),
    ("generate --edges 16GB", "rmat generate: --edges: '16GB' is not a number, allowed: " + EDGES + SUFFIXES),
    ("generate --edges 16gi", "rmat generate: --edges: '16gi' is not a number, allowed: " + EDGES + SUFFIXES),
    ("generate --edges G", "rmat generate: --edges: 'G' is not a number, allowed: " + EDGES + SUFFIXES),
    ("generate --edges=-5", "rmat generate: --edges: '-5' is out of range, allowed: " + EDGES),
    *((f"generate --edges {x}", f"rmat generate: --edges: '{x}' is not a number, allowed: " + EDGES + SUFFIXES)
      for x in ("1__0", "_1", "1_", "1e", "1e+", "1e3K", "1.K", ".5K", "1,000", "1_K", "0x10", "1e2.5")),
    *((f"generate --edges {x}", f"rmat generate: --edges: '{x}' is not a whole number, allowed: " + EDGES)
      for x in ("0.5", "1.0001K", "1.2345e3", "5e-1", "1.1Ki", "1" + "0" * 5 + ".5")),
    *((f"generate --edges {x}", f"rmat generate: --edges: '{x}' is out of range, allowed: " + EDGES)
      for x in ("1e19", "4.7e18", "1e99999999999", "9" * 60, "1." + "1" * 60 + "e60", "16384P")),
    ("generate --edges 4097Pi", "rmat generate: --edges: '4097Pi' is out of range, allowed: " + EDGES),
    ("generate --edges 99999P", "rmat generate: --edges: '99999P' is out of range, allowed: " + EDGES),
    ("generate --edges 4611686018427387905",
     "rmat generate: --edges: '4611686018427387905' is out of range, allowed: " + EDGES),
    ("generate --edge-factor 0", "rmat generate: --edge-factor: '0' is out of range, allowed: " + FACTOR),
    ("generate --edge-factor 2.5",
     "rmat generate: --edge-factor: '2.5' is not a whole number, allowed: " + FACTOR),
    ("generate --edge-factor 2Ti",
     "rmat generate: --edge-factor: '2Ti' is out of range, allowed: " + FACTOR),
    ("generate --edge-factor 16 --edges 5",
     "rmat generate: --edges: given together with --edge-factor, allowed: one of them"),
    ("generate --scale 62",
     "rmat generate: --edge-factor: '16' is out of range with 2^62 source vertices, "
     "allowed: 1 to 1, or --edges"),
    ("generate --scale 60 --edge-factor 5",
     "rmat generate: --edge-factor: '5' is out of range with 2^60 source vertices, "
     "allowed: 1 to 4, or --edges"),
    # probabilities
    ("generate --a 1.5 --b 0 --c 0", "rmat generate: --a: '1.5' is out of range, allowed: 0 to 1"),
    ("generate --a=-0.1 --b 0.5 --c 0.5", "rmat generate: --a: '-0.1' is out of range, allowed: 0 to 1"),
    ("generate --a nan --b 0 --c 0", "rmat generate: --a: 'nan' is not a number, allowed: 0 to 1"),
    ("generate --a inf --b 0 --c 0", "rmat generate: --a: 'inf' is not a number, allowed: 0 to 1"),
    ("generate --a 1e999 --b 0 --c 0", "rmat generate: --a: '1e999' is out of range, allowed: 0 to 1"),
    ("generate --a 0x1p-1 --b 0 --c 0",
     "rmat generate: --a: '0x1p-1' is not a number, allowed: 0 to 1"),
    ("generate --a 0.5.5 --b 0 --c 0", "rmat generate: --a: '0.5.5' is not a number, allowed: 0 to 1"),
    ("generate --a 0,57 --b 0 --c 0", "rmat generate: --a: '0,57' is not a number, allowed: 0 to 1"),
    ("generate --b 0.2x", "rmat generate: --b: '0.2x' is not a number, allowed: 0 to 1"),
    ("generate --a 0.5", "rmat generate: --b: missing, " + ALL_OF),
    ("generate --a 0.5 --b 0.2", "rmat generate: --c: missing, " + ALL_OF),
    ("generate --d 0.5", "rmat generate: --a: missing, " + ALL_OF),
    ("generate --b 0.2 --c 0.2 --d 0.1", "rmat generate: --a: missing, " + ALL_OF),
    ("generate --a 0.5 --b 0.5 --c 0.5",
     "rmat generate: --a --b --c: the sum '1.5' is out of range, allowed: 0 to 1"),
    ("generate --a 0.5 --b 0.2 --c 0.2 --d 0.2",
     "rmat generate: --a --b --c --d: the sum '1.1' is out of range, allowed: 1 within 1e-9"),
    ("generate --a 0.25 --b 0.25 --c 0.25 --d 0.250001",
     "rmat generate: --a --b --c --d: the sum '1.000001' is out of range, allowed: 1 within 1e-9"),
    ("generate --preset graph500 --a 0.5 --b 0.2 --c 0.2",
     "rmat generate: --a: given together with --preset, allowed: one of them"),
    ("generate --preset graph501", "rmat generate: --preset: 'graph501' is unknown (did you mean 'graph500'?), allowed: " + PRESETS),
    ("generate --preset=", "rmat generate: --preset: '' is unknown, allowed: " + PRESETS),
    # seed, widths, choices
    ("generate --seed=-1", "rmat generate: --seed: '-1' is out of range, allowed: " + U64),
    ("generate --seed 18446744073709551616",
     "rmat generate: --seed: '18446744073709551616' is out of range, allowed: " + U64),
    ("generate --seed 0x10000000000000000",
     "rmat generate: --seed: '0x10000000000000000' is out of range, allowed: " + U64),
    ("generate --seed 0x", "rmat generate: --seed: '0x' is not a number, allowed: " + U64),
    ("generate --seed 0xfg", "rmat generate: --seed: '0xfg' is not a number, allowed: " + U64),
    ("generate --seed 5K", "rmat generate: --seed: '5K' is not a number, allowed: " + U64),
    ("generate --threads 4097", "rmat generate: --threads: '4097' is out of range, allowed: 0 to 4096"),
    ("generate --threads all", "rmat generate: --threads: 'all' is not a number, allowed: 0 to 4096"),
    ("generate --threads=-2", "rmat generate: --threads: '-2' is out of range, allowed: 0 to 4096"),
    ("generate --backend tpu", "rmat generate: --backend: 'tpu' is unknown, allowed: auto, cpu, gpu"),
    ("generate --backend GPU", "rmat generate: --backend: 'GPU' is unknown (did you mean 'gpu'?), allowed: auto, cpu, gpu"),
    ("generate --devices", "rmat generate: --devices: value missing, allowed: " + LIST),
    ("generate --devices=", "rmat generate: --devices: '' is not a list of numbers, allowed: " + LIST),
    ("generate --devices 0,1,", "rmat generate: --devices: '0,1,' is not a list of numbers, allowed: " + LIST),
    ("generate --devices 0,,1", "rmat generate: --devices: '0,,1' is not a list of numbers, allowed: " + LIST),
    ("generate --devices 0-3", "rmat generate: --devices: '0-3' is not a list of numbers, allowed: " + LIST),
    ("generate --devices all,0", "rmat generate: --devices: 'all,0' is not a list of numbers, allowed: " + LIST),
    ("generate --devices 0,1024", "rmat generate: --devices: '0,1024' is out of range, allowed: " + LIST),
    ("generate --devices " + 64 * "0," + "0",
     "rmat generate: --devices: '" + 64 * "0," + "0' is out of range, allowed: " + LIST),
    ("generate --devices gpu0", "rmat generate: --devices: 'gpu0' is not a list of numbers, allowed: " + LIST),
    ("generate --backend cpu --devices all",
     "rmat generate: --devices: given with --backend cpu, allowed: with --backend auto or gpu"),
    ("generate --isa sse2",
     "rmat generate: --isa: 'sse2' is unknown, allowed: auto, generic, avx2, avx512, neon"),
    ("generate RMAT_TEST_CHUNK=1Gi --memory 1Gi",
     "rmat generate: chunk: '1073741824' is out of range with memory 1073741824, allowed: 1 to 134217728"),
    ("generate --memory 1K", "rmat generate: --memory: '1K' is out of range, allowed: 64Ki to 1024Ti"),
    ("generate --memory 2000Ti",
     "rmat generate: --memory: '2000Ti' is out of range, allowed: 64Ki to 1024Ti"),
    ("generate RMAT_TEST_CHUNK=1Mi --memory 1Mi --sorted --scale 10",
     "rmat generate: chunk: '1048576' is out of range with memory 1048576 for a sorted graph, allowed: 1 to "
     "131072"),
    ("generate RMAT_TEST_CHUNK=1Gi --sorted --scale 10",
     "rmat generate: chunk: '1073741824' is out of range for a sorted graph, allowed: 1 to 134217728"),
    ("generate RMAT_TEST_CHUNK=1048577 --sorted --scale 10 --memory 64Mi",
     "rmat generate: chunk: '1048577' is out of range with memory 67108864 for a sorted graph, allowed: 1 to "
     "1048576"),
    # sorted
    ("generate --format", "rmat generate: --format: value missing, allowed: " + FORMATS),
    ("generate --format CSR", "rmat generate: --format: 'CSR' is unknown (did you mean 'csr'?), allowed: " + FORMATS),
    ("generate --format=", "rmat generate: --format: '' is unknown, allowed: " + FORMATS),
    ("generate --sorted=1", "rmat generate: --sorted: '1' given, allowed: no value"),
    ("generate --unique=no", "rmat generate: --unique: 'no' given, allowed: no value"),
    ("generate --sort", "rmat generate: unknown option '--sort', did you mean '--sorted'?"),
    ("generate --format csr --scale 41 --edges 10",
     "rmat generate: --format: 'csr' given with 2199023255552 source vertices, allowed: up to 2^40, because each takes 8 bytes"),
    ("generate --format csr --vertices 1099511627777x5 --edges 10",
     "rmat generate: --format: 'csr' given with 1099511627777 source vertices, allowed: up to 2^40, because each takes 8 bytes"),
    ("generate --device-memory 1Gi",
     "rmat generate: --device-memory: given for a graph that is not sorted, allowed: with --sorted, --unique, "
     "--dedup or --format csr"),
    ("generate --device-memory 1Gi --sorted --backend cpu",
     "rmat generate: --device-memory: given with --backend cpu, allowed: with --backend auto or gpu"),
    ("generate --device-memory 1K --sorted",
     "rmat generate: --device-memory: '1K' is out of range, allowed: 1Mi to 1024Ti"),
    # unique
    ("generate --scale 3 --unique --edges 65",
     "rmat generate: --edges: '65' is out of range for distinct edges, because the model has 64 different edges, "
     "allowed: 0 to 64"),
    ("generate --scale 3 --unique --edges 57 --no-self-loops",
     "rmat generate: --edges: '57' is out of range for distinct edges, because the model has 56 different edges, "
     "allowed: 0 to 56"),
    ("generate --scale 3 --unique --edges 37 --symmetrize",
     "rmat generate: --edges: '37' is out of range for distinct edges, because the model has 36 different pairs of "
     "vertices, allowed: 0 to 36"),
    ("generate --scale 3 --unique --edges 29 --symmetrize --no-self-loops",
     "rmat generate: --edges: '29' is out of range for distinct edges, because the model has 28 different pairs of "
     "vertices, allowed: 0 to 28"),
    ("generate --scale 3 --unique --edges 37 --undirected lower",
     "rmat generate: --edges: '37' is out of range for distinct edges, because the model has 36 different edges, "
     "allowed: 0 to 36"),
    ("generate --vertices 7x5 --unique --edges 36",
     "rmat generate: --edges: '36' is out of range for distinct edges, because the model has 35 different edges, "
     "allowed: 0 to 35"),
    ("generate --scale 3 --unique --edges 28 --a 0.5 --b 0 --c 0.2 --d 0.3",
     "rmat generate: --edges: '28' is out of range for distinct edges, because the model has 27 different edges, "
     "allowed: 0 to 27"),
    ("generate --scale 3 --unique",
     "rmat generate: --edge-factor: '16' times 2^3 source vertices: '128' is out of range for distinct edges, because the model has "
     "64 different edges, allowed: 0 to 64"),
    ("generate --scale 3 --unique --a 0.5 --b 0 --c 0 --d 0.5 --edge-factor 2",
     "rmat generate: --edge-factor: '2' times 2^3 source vertices: '16' is out of range for distinct edges, because the model has 8 "
     "different edges, allowed: 0 to 8"),
    ("generate --scale 3 --unique --a 1 --b 0 --c 0 --edge-factor 1",
     "rmat generate: --edge-factor: '1' times 2^3 source vertices: '8' is out of range for distinct edges, because the model has 1 "
     "different edge, allowed: 0 to 1"),
    # output
    ("generate --output=", "rmat generate: --output: '' names no file, allowed: " + REPORT),
    ("generate -o folder/", "rmat generate: --output: 'folder/' names no file, allowed: " + REPORT),
    ("generate -o -q", "rmat generate: --output: '-q' names no file, allowed: " + REPORT),
    # info
    ("info", "rmat info: FILE missing, allowed: the path of a graph"),
    ("info --jsn a.h5", "rmat info: unknown option '--jsn', did you mean '--json'?"),
    ("info a.h5 --edges 2M", "rmat info: --edges: '2M' is out of range, allowed: 0 to 1000000"),
    ("info --devices a.h5", "rmat info: --devices: given together with a FILE, allowed: one of them"),
    ("info --devices --edges 3", "rmat info: --devices: given together with --edges, allowed: one of them"),
    ("info a.h5 --edges", "rmat info: --edges: value missing, allowed: 0 to 1000000"),
    # limits that all commands share
    *((f"{command} x.h5 --threads 4097", f"rmat {command}: --threads: '4097' is out of range, allowed: 0 to 4096")
      for command in ("verify", "stats", "plot", "convert", "roots")),
    *((f"{command} x.h5 --memory 65535", f"rmat {command}: --memory: '65535' is out of range, allowed: 64Ki to 1024Ti")
      for command in ("verify", "stats", "plot", "convert")),
    # bench
    ("bench 5", "rmat bench: unexpected argument '5', allowed: options only"),
    ("bench --second 5", "rmat bench: unknown option '--second', did you mean '--seconds'?"),
    ("bench --seconds 0", "rmat bench: --seconds: '0' is out of range, allowed: 1 to 3600"),
    ("bench --seconds 1.5", "rmat bench: --seconds: '1.5' is not a whole number, allowed: 1 to 3600"),
    ("bench --part disk", "rmat bench: --part: 'disk' is unknown, allowed: " + PARTS),
    ("bench --scale 0", f"rmat bench: --scale: '0' is out of range, allowed: {SCALES}"),
    ("bench --scale 63", f"rmat bench: --scale: '63' is out of range, allowed: {SCALES}"),
    ("bench --scale 5,,6", f"rmat bench: --scale: '5,,6' is not a list of numbers, allowed: {SCALES}"),
    ("bench --scale=", f"rmat bench: --scale: '' is not a list of numbers, allowed: {SCALES}"),
    ("bench --scale all", f"rmat bench: --scale: 'all' is not a list of numbers, allowed: {SCALES}"),
    ("bench --isa mmx", "rmat bench: --isa: 'mmx' is unknown, allowed: all, generic, avx2, avx512, neon"),
    ("bench --backend tpu", "rmat bench: --backend: 'tpu' is unknown, allowed: auto, cpu, gpu"),
    ("bench --id-type int32", "rmat bench: --id-type: 'int32' is unknown (did you mean 'uint32'?), allowed: auto, uint32, uint64"),
    ("bench --edges 0", "rmat bench: --edges: '0' is out of range, allowed: 1 to 256Ti"),
    ("bench --edges 1e6x", f"rmat bench: --edges: '1e6x' is not a number, allowed: 1 to 256Ti{SUFFIXES}"),
    ("bench --edges 1e-6", "rmat bench: --edges: '1e-6' is not a whole number, allowed: 1 to 256Ti"),
    ("bench --runs 0", "rmat bench: --runs: '0' is out of range, allowed: 1 to 100"),
    ("bench --runs", "rmat bench: --runs: value missing, allowed: 1 to 100"),
    ("bench --threads 4097", "rmat bench: --threads: '4097' is out of range, allowed: 0 to 4096"),
    ("bench --size 1M", "rmat bench: --size: '1M' is out of range, allowed: 1Mi to 1024Ti"),
    ("bench --dir no", "rmat bench: --dir: 'no' is not a folder, allowed: a folder that exists"),
    ("bench --dir=", "rmat bench: --dir: '' is not a folder, allowed: a folder that exists"),
    ("bench --dir /dev/null",
     "rmat bench: --dir: '/dev/null' is not a folder, allowed: a folder that exists"),
    ("bench --json", f"rmat bench: --json: value missing, allowed: {FILE}, or -"),
    ("bench --json -x", f"rmat bench: --json: '-x' names no file, allowed: {FILE}, or -"),
    ("bench --json d/", f"rmat bench: --json: 'd/' names no file, allowed: {FILE}, or -"),
]


class BadInput(CliTest):
    def test_table(self):
        self.assertGreaterEqual(len(TABLE), 60)
        for arguments, line in TABLE:
            with self.subTest(arguments=arguments):
                done = self.rmat(*arguments.split())
                self.assertEqual((done.stderr, done.stdout, done.returncode), (line + "\n", "", 2))
                self.assertEqual(self.files(), [])

    def test_ways_to_write_a_count(self):
        """They give the same number; so do all suffixes."""
        for text, edges in (("1_000_000", 10**6), ("1e6", 10**6), ("1E+6", 10**6), ("2.5e9", 2500000000), ("1.5Ki", 1536),
                            ("0.5M", 500000), ("1_0.2_5k", 10250), ("1000e-3", 1), ("0e30", 0), ("007", 7),
                            ("1." + "0" * 40 + "e2", 100), ("0." + "0" * 29 + "1e30", 1),
                            *((f"3{s}", 3 * 1000**n) for n, s in enumerate("kMGTP", 1)),
                            *((f"3{s}i", 3 * 1024**n) for n, s in enumerate("KMGTP", 1))):
            with self.subTest(text=text):
                self.assertEqual(self.generate("--edges", text, "--dry-run")["edges"], edges)

    def test_too_many_draws(self):
        """The last of all cells are hit by a share of 0.05^12 of the draws each."""
        done = self.rmat("generate", "--scale", "12", "--unique", "--edges", "16Mi")
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertRegex(done.stderr, r"\Armat generate: --edges: '16777216' is out of range for distinct edges, because so many different edges would take more than \d\.\de\+\d\d draws, allowed: "
                                      r"fewer\n\Z")
        draws = float(done.stderr.split("more than ")[1].split()[0])
        self.assertTrue(0.1 / 0.05**12 < draws < 100 / 0.05**12, draws)
        self.assertEqual(self.files(), [])

    def test_good_output_name_does_not_save_bad_values(self):
        done = self.rmat("generate", "-o", "x.h5", "--scale", "10", "--threads", "9999")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.files(), [])

    def test_value_with_line_break_is_still_one_line(self):
        done = self.rmat("generate", "--scale", "1\n2\x1b[31m")
        self.assertEqual(done.stderr,
                         "rmat generate: --scale: '1?2?[31m' is not a number, allowed: " + SCALE + "\n")
        self.assertEqual(done.returncode, 2)

    def test_very_long_value(self):
        done = self.rmat("generate", "--seed", "1" * 100000)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertLess(len(done.stderr), 10000)


if __name__ == "__main__":
    unittest.main()
