"""Wrong command lines: one line on stderr naming option, value and what is allowed; exit 2; no file.  Those about formats
and about files that are there: test_bad_formats.py."""

import unittest

import cli
import formats
from cli import CliTest, SUFFIXES

U64 = "0 to 18446744073709551615 (2^64 - 1)"
SCALE = "1 to 62, or two such numbers with an x between them"
VERTICES = "2 to 4611686018427387904 (2^62), or two such numbers with an x between them"
EDGES = "0 to 4611686018427387904 (2^62)"
FACTOR = "1 to 1099511627776 (2^40), at most 2^62 edges in all"
LIST = "all, or up to 64 numbers 0 to 1023 with commas between them"
PARTS = "all, memory, models, file, csr, ranks"
SCALES = "up to 64 numbers 1 to 62 with commas between them"
FILE = "the path of a file (./-x where it starts with a dash)"
REPORT = FILE + ", or -"
MEMORY = "64Ki to 1024Ti"
FOLDER = "a folder that exists"
BACKENDS = "auto, cpu, gpu"
COMMANDS = ", ".join(cli.COMMANDS)
FORMATS = ", ".join(formats.FORMATS)
PRESETS = "graph500, gapbs-kron, ssca2, rmat-er, rmat-g, rmat-b, parmat, pbbs"
STREAMS = "rmat, rows, graph500, gapbs"
ALL_OF = "allowed: --a, --b and --c together, or none of --a --b --c --d"
WEIGHTS = ("none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to 1e38, MIN <= "
           "MAX)")
NOISE = "0 to min((a+d)/2, b, c) of every level"

KINDS = {"number": "is not a number", "whole": "is not a whole number", "range": "is out of range", "unknown": "is unknown",
         "list": "is not a list of numbers", "name": "names no file", "folder": "is not a folder",
         "picture": "is not the name of a picture", "size": "is not a size"}


def values(words, allowed, suffixes="", **kinds):
    """Bad values of the last option of these words, separated by blanks."""
    command, *_, option = words.split()
    for kind, bad in kinds.items():
        for value in bad.split(" "):
            yield f"{words}{' ' if value[:1].isalnum() else '='}{value}", (
                f"rmat {command}: {option}: '{value}' {KINDS[kind]}, allowed: {allowed}{suffixes if kind == 'number' else ''}")


def missing(words, allowed):
    """The value of the last option."""
    command, *_, option = words.split()
    option = {"-o": "--output"}.get(option, option)
    return words, f"rmat {command}: {option}: value missing, allowed: {allowed}"


def together(words, first, second):
    return f"generate {words}", f"rmat generate: --{first}: given together with --{second}, allowed: one of them"


def elsewhere(words, option, place, allowed):
    """An option that is given where it has no meaning, and where it has."""
    return words, f"rmat {words.split()[0]}: {option}: given with {place}, allowed: {allowed}"


def distinct(model, possible, what):
    """One more edge than the model has different ones."""
    return f"generate {model} --unique --edges {possible + 1}", (
        f"rmat generate: --edges: '{possible + 1}' is out of range for distinct edges, because the model has {possible} different "
        f"{what}, allowed: 0 to {possible}")


# Arguments, and the line on stderr.
TABLE = [
    # no command, wrong command
    ("", f"rmat: command missing, allowed: {COMMANDS}; see 'rmat --help'"),
    *((word, f"rmat: unknown command '{word}' (did you mean '{meant}'?), allowed: {COMMANDS}")
      for word, meant in (("generat", "generate"), ("vresion", "version"))),
    *((words, f"rmat: unknown command '{words.split()[-2 if words[0] == '-' else -1]}', allowed: {COMMANDS}")
      for words in ("--scale 10", "help nothing")),
    ("help generate info", "rmat help: unexpected argument 'info', allowed: one COMMAND"),
    ("--version x", "rmat: unexpected argument 'x', allowed: nothing after --version"),
    # unknown options, stray arguments
    *((f"{command} {given}", f"rmat {command}: unknown option '{given}', did you mean '{meant}'?") for command, given, meant in (
        ("generate", "--scal", "--scale"), ("generate", "--sclae=10", "--scale"), ("generate", "--edgefactor", "--edge-factor"),
        ("generate", "--sort", "--sorted"), ("info", "--jsn", "--json"), ("bench", "--interval", "--intervals"),
        ("stats", "--fats", "--fast"))),
    *((f"generate {given} 10", f"rmat generate: unknown option '{given}', allowed: see 'rmat help generate'")
      for given in ("--zzzzzz", "-x", "-s", "--")),
    *((f"{words} {given}", f"rmat {words.split()[0]}: unexpected argument '{given}', allowed: options only") for words, given in (
        ("generate", "graph.h5"), ("generate --scale 10", "11"), ("generate", "-"), ("bench", "5"))),
    *((f"generate --{option}={value}", f"rmat generate: --{option}: '{value}' given, allowed: no value") for option, value in (
        ("force", "yes"), ("quiet", ""), ("sorted", "1"), ("unique", "no"), ("permute", "yes"))),
    # values missing
    missing("generate --scale", SCALE),
    ("generate --scale --force", missing("generate --scale", SCALE)[1]),
    missing("generate -o", REPORT),
    missing("generate --seed", U64),
    missing("generate --backend", BACKENDS),
    missing("generate --devices", LIST),
    missing("generate --format", FORMATS),
    missing("info a.h5 --edges", "0 to 1000000"),
    missing("bench --runs", "1 to 100"),
    *((command, f"rmat {command}: FILE missing, allowed: the path of {what}") for command, what in (
        ("info", "a graph"), ("verify", "an edge file"), ("stats", "a graph"), ("plot", "a graph"), ("roots", "a graph"))),
    # sizes
    *values("generate --scale", SCALE, range="0 63 -1 1e2 0x10 99999999999999999999 0x5 5x63", whole="10.5",
            number=" +10 x 5x x5 5x6x7 5X6 5x0x6 5xsix"),
    ("generate --scale -1", f"rmat generate: --scale: '-1' is out of range, allowed: {SCALE}"),
    *values("generate --vertices", VERTICES, SUFFIXES, number="5xfive", whole="5x1.5",
            range=f"1 4611686018427387905 1000x1 0x5 5x4611686018427387905 {'0' * 40}5x5 99999999999999999999x5"),
    together("--vertices 100 --scale 5", "vertices", "scale"),
    *values("generate --edges", EDGES, SUFFIXES,
            number="many 16X 16GB 16gi G 1__0 _1 1_ 1e 1e+ 1e3K 1.K .5K 1,000 1_K 0x10 1e2.5",
            whole="0.5 1.0001K 1.2345e3 5e-1 1.1Ki 100000.5",
            range=f"-5 1e19 4.7e18 1e99999999999 {'9' * 60} 1.{'1' * 60}e60 16384P 4097Pi 99999P 4611686018427387905"),
    *values("generate --edge-factor", FACTOR, range="0 2Ti", whole="2.5"),
    together("--edge-factor 16 --edges 5", "edges", "edge-factor"),
    *((f"generate {words}", f"rmat generate: --edge-factor: '{factor}' is out of range with {vertices} source vertices{also}, "
       f"allowed: {allowed}--edges") for words, factor, vertices, also, allowed in (
           ("--scale 62", 16, "2^62", "", "1 to 1, or "),
           ("--scale 60 --edge-factor 5", 5, "2^60", "", "1 to 4, or "),
           ("--vertices 4611686018427387904", 16, "2^62", "", "1 to 1, or "),
           ("--vertices 1000000000000000000 --edge-factor 5", 5, 10**18, "", "1 to 4, or "),
           ("--scale 62 --symmetrize --edge-factor 1", 1, "2^62", " and --symmetrize", ""))),
    ("generate --edges 2305843009213693953 --symmetrize",
     "rmat generate: --edges: '2305843009213693953' is out of range with --symmetrize, "
     "allowed: 0 to 2305843009213693952 (2^61)"),
    # probabilities
    *values("generate --b 0 --c 0 --a", "0 to 1", range="1.5 1e999", number="nan inf 0x1p-1 0.5.5 0,57"),
    *values("generate --b 0.5 --c 0.5 --a", "0 to 1", range="-0.1"),
    *values("generate --b", "0 to 1", number="0.2x"),
    *((f"generate {words}", f"rmat generate: --{option}: missing, {ALL_OF}") for words, option in (
        ("--a 0.5", "b"), ("--a 0.5 --b 0.2", "c"), ("--d 0.5", "a"), ("--b 0.2 --c 0.2 --d 0.1", "a"))),
    ("generate --a 0.5 --b 0.5 --c 0.5",
     "rmat generate: --a --b --c: the sum '1.5' is out of range, allowed: 0 to 1"),
    *((f"generate {words}", f"rmat generate: --a --b --c --d: the sum '{total}' is out of range, allowed: 1 within 1e-9")
      for words, total in (("--a 0.5 --b 0.2 --c 0.2 --d 0.2", 1.1), ("--a 0.25 --b 0.25 --c 0.25 --d 0.250001", 1.000001))),
    together("--preset graph500 --a 0.5 --b 0.2 --c 0.2", "a", "preset"),
    ("generate --preset graph501", "rmat generate: --preset: 'graph501' is unknown (did you mean 'graph500'?), allowed: " + PRESETS),
    *values("generate --preset", PRESETS, unknown=""),
    # matrices of the levels
    *((f"generate --noise {noise} {words}", f"rmat generate: --noise: '{noise}' is out of range with these matrices, allowed: "
       f"0 to {most}, min((a+d)/2, b, c) of every level")
      for words, noise, most in (("", 0.2, 0.19), ("--a 0.1 --b 0.5 --c 0.3", 0.11, 0.1))),
    *values("generate --noise", NOISE, range="1.5", number="much"),
    together("--level-matrices no.txt --preset ssca2", "level-matrices", "preset"),
    together("--level-matrices no.txt --c 0.5", "level-matrices", "c"),
    ("generate --level-matrices no.txt",
     "rmat generate: --level-matrices: 'no.txt': No such file or directory, allowed: a file that can be read"),
    # what becomes of edges
    *((f"generate --scale 10x5 --{words}", f"rmat generate: --{words.split()[0]}: given with 2^10 source and 2^5 destination "
       "vertices, allowed: with equal numbers of both") for words in ("no-self-loops", "undirected upper", "symmetrize")),
    *values("generate --undirected", "lower, upper", unknown="both"),
    *((f"generate {words} --{option}", f"rmat generate: --{option.split()[0]}: a fraction of {kept} of the draws would be kept, "
       "allowed: 1/512 or more") for words, option, kept in (
           ("--a 1 --b 0 --c 0", "no-self-loops", 0), ("--a 0 --b 0 --c 0", "vertices 1000", 0),
           ("--a 0.0001 --b 0 --c 0 --d 0.9999", "vertices 513x5", 1e-08))),
    *values("generate --weights", WEIGHTS,
            unknown="float Uniform int int: int:5 int:5: int:6:5 int:1:2:3 int:+1:2 int:1:2147483648 int:-2147483649:0 "
            "int:0x1:5 int:1:5x int::5 int:1:99999999999999999999 float: float:1 float:2:1 float:nan:1 float:0:inf "
            "float:0:1e39 float:0x1:2 float:0:1:2 float:+1:2 float:0:1.5.2 "),
    # seed, streams
    *values("generate --seed", U64, number="0x 0xfg 5K", range="-1 18446744073709551616 0x10000000000000000"),
    ("generate --stream graph5", f"rmat generate: --stream: 'graph5' is unknown (did you mean 'graph500'?), allowed: {STREAMS}"),
    *(elsewhere(f"generate --stream graph500 {words}", words.split()[0], "--stream graph500", "with --stream rmat")
      for words in ("--noise 0.1", "--vertices 1000", "--preset ssca2", "--a .5")),
    *(elsewhere(f"generate --stream {stream} --{option} 5", f"--{option}", f"--stream {stream}", f"with --stream {other}")
      for stream, option, other in (("rows", "first", "rmat"), ("rows", "count", "rmat"), ("rows", "seed2", "graph500"),
                                    ("rmat", "seed2", "graph500"), ("gapbs", "seed2", "graph500"))),
    *(elsewhere(f"generate --stream {stream} --unique", "--unique", f"--stream {stream}", "--dedup")
      for stream in ("graph500", "rows")),
    ("generate --stream gapbs --seed 4294967296",
     "rmat generate: --seed: '4294967296' is out of range with --stream gapbs, allowed: 0 to 4294967295"),
    ("generate --stream gapbs --scale 31", "rmat generate: --scale: '31' is out of range with --stream gapbs, allowed: 1 to 30"),
    ("generate --stream gapbs --scale 5x6",
     "rmat generate: --scale: '5x6' given with --stream gapbs, allowed: one number, for both sides"),
    # execution
    *values("generate --threads", "0 to 4096", range="4097 -2", number="all"),
    *values("generate --backend", BACKENDS, unknown="tpu"),
    ("generate --backend GPU", f"rmat generate: --backend: 'GPU' is unknown (did you mean 'gpu'?), allowed: {BACKENDS}"),
    *((f"generate --backend gpu --edges 10 {words}", "rmat generate: --backend: 'gpu' given for a sorted graph of more than 2^32 "
       "rows or columns, allowed: auto, cpu, or the stream rows, which comes in order") for words in (
           "--scale 33 --sorted", "--scale 2x33 --unique", "--scale 33 --stream rows --dedup")),
    *values("generate --devices", LIST, range=f"0,1024 {64 * '0,'}0", list=" 0,1, 0,,1 0-3 all,0 gpu0"),
    *(elsewhere(f"generate {words} --backend cpu", words.split()[0], "--backend cpu", "with --backend auto or gpu")
      for words in ("--devices all", "--device-memory 1Gi --sorted")),
    *values("generate --isa", "auto, generic, avx2, avx512, neon", unknown="sse2"),
    *values("generate --memory", MEMORY, range="1K 2000Ti"),
    *((f"generate RMAT_TEST_CHUNK={chunk} {words}",
       f"rmat generate: chunk: '{edges}' is out of range{place}, allowed: 1 to {most}")
      for chunk, edges, words, place, most in (
          ("1Gi", 1 << 30, "--memory 1Gi", " with memory 1073741824", 134217728),
          ("1Gi", 1 << 30, "--memory 1Gi --weights uniform", " with memory 1073741824", 89478144),
          ("1Mi", 1 << 20, "--memory 1Mi --sorted --scale 10", " with memory 1048576 for a sorted graph", 131072),
          ("1Gi", 1 << 30, "--sorted --scale 10", " for a sorted graph", 134217728),
          ("1048577", 1048577, "--sorted --scale 10 --memory 64Mi", " with memory 67108864 for a sorted graph", 1048576))),
    # sorted
    ("generate --format CSR", "rmat generate: --format: 'CSR' is unknown (did you mean 'csr'?), allowed: " + FORMATS),
    *values("generate --format", FORMATS, unknown=""),
    *((f"generate --format csr --{words} --edges 10", f"rmat generate: --format: 'csr' given with {vertices} source vertices, "
       "allowed: up to 2^40, because each takes 8 bytes")
      for words, vertices in (("scale 41", 1 << 41), ("vertices 1099511627777x5", 1099511627777))),
    ("generate --device-memory 1Gi",
     "rmat generate: --device-memory: given for a graph that is not sorted, allowed: with --sorted, --unique, "
     "--dedup or --format csr"),
    *values("generate --sorted --device-memory", "1Mi to 1024Ti", range="1K"),
    # unique
    *(distinct(*case) for case in (
        ("--scale 3", 64, "edges"), ("--scale 3 --no-self-loops", 56, "edges"), ("--scale 3 --symmetrize", 36, "pairs of vertices"),
        ("--scale 3 --symmetrize --no-self-loops", 28, "pairs of vertices"), ("--scale 3 --undirected lower", 36, "edges"),
        ("--vertices 7x5", 35, "edges"), ("--scale 3 --a 0.5 --b 0 --c 0.2 --d 0.3", 27, "edges"))),
    *((f"generate --scale 3 --unique{words}", f"rmat generate: --edge-factor: '{factor}' times 2^3 source vertices: '{8 * factor}' is "
       f"out of range for distinct edges, because the model has {possible} different edge{'s' * (possible > 1)}, allowed: 0 to {possible}")
      for words, factor, possible in (("", 16, 64), (" --a 0.5 --b 0 --c 0 --d 0.5 --edge-factor 2", 2, 8),
                                      (" --a 1 --b 0 --c 0 --edge-factor 1", 1, 1))),
    # output
    *values("generate --output", REPORT, name=""),
    *(("generate -o " + name, f"rmat generate: --output: '{name}' names no file, allowed: {REPORT}") for name in ("folder/", "-q")),
    # info
    *values("info a.h5 --edges", "0 to 1000000", range="2M"),
    *((f"info --devices {words}", f"rmat info: --devices: given together with {other}, allowed: one of them")
      for words, other in (("a.h5", "a FILE"), ("--edges 3", "--edges"))),
    # limits that all commands share
    *(row for command in ("verify", "stats", "plot", "convert", "roots") for row in values(
        f"{command} x.h5 --threads", "0 to 4096", range="4097")),
    *(row for command in ("verify", "stats", "plot", "convert") for row in values(f"{command} x.h5 --memory", MEMORY, range="65535")),
    # verify, stats, roots
    *values("verify x --sample", "2 to 17592186044416 (2^44)", range="1"),
    ("verify x --sample-seed 1", "rmat verify: --sample-seed: given alone, allowed: with --sample"),
    elsewhere("verify x --device 0", "--device", "--backend auto", "with gpu"),
    *values("verify x --backend", BACKENDS, unknown="none"),
    *values("roots x --count", "1 to 65536", range="0"),
    *values("roots x --scale", "1 to 62", range="63"),
    *values("stats x.h5 --top", "0 to 10000", range="10001"),
    # plot
    *values("plot x --output", "a name that ends with .png, .svg or .pdf", picture="a.ps .pdf .png"),
    *(elsewhere(f"plot x --what {what} {words}", words.split()[0], f"--what {what}", f"with {other} or both") for what, words, other in (
        ("adjacency", "--degree in", "degrees"), ("degrees", "--order file", "adjacency"))),
    # bench
    *values("bench --part", PARTS, unknown="disk"),
    *values("bench --scale", SCALES, range="0 63", list="5,,6  all"),
    *values("bench --backend", BACKENDS, unknown="tpu"),
    ("bench --id-type int32", "rmat bench: --id-type: 'int32' is unknown (did you mean 'uint32'?), allowed: auto, uint32, uint64"),
    *values("bench --runs", "1 to 100", range="0"),
    *values("bench --threads", "0 to 4096", range="4097"),
    *values("bench --intervals", "1 to 65536", range="0"),
    *values("bench --size", "1Mi to 1024Ti", range="1M"),
    *values("bench --dir", FOLDER, folder="no  /dev/null"),
    *(elsewhere(f"bench --part {part} {words}", words.split()[0], f"--part {part}", allowed) for part, words, allowed in (
        ("file", "--scale 4", "with --part all, memory, models, csr, ranks"), ("memory", "--size 5M", "with --part all, file"),
        ("ranks", "--dir .", "with --part all, file"),
        ("ranks", "--device 0", "with --part all, memory, models, file, csr"), ("all", "--unique", "with --part csr"),
        ("models", "--stream gapbs", "with --part file, csr, ranks"))),
    *((f"bench --part {words}", f"rmat bench: {line}") for words, line in (
        ("csr --scale 41", "--scale: '41' given with --part csr, allowed: 1 to 40"),
        ("file --stream rows", "--stream: 'rows' given with --part file, allowed: rmat, graph500, gapbs"),
        ("csr --stream gapbs", "--stream: 'gapbs' given with --part csr, allowed: rmat, rows"),
        ("csr --stream rows --intervals 2", "--intervals: given with --stream rows, allowed: with --stream rmat"),
        ("models --scale 5,3", "--scale: '3' given with --part models, allowed: 4 to 62"),
        ("memory --scale 33 --id-type uint32", "--scale: '33' given with --part memory and --id-type uint32, allowed: 1 to 32"))),
]


class BadInput(CliTest):
    def test_table(self):
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
