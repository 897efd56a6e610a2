"""Wrong command lines and files that do not fit: one line on stderr names the option or the file, the value, and the
allowed values; exit code 2, or 1 if only the file system or a file's contents show the error; nothing printed, made or changed."""

import os
import re
import subprocess

import cli
from cli import CliTest, NO_LEAKS
from formats import FORMATS

U64 = "0 to 18446744073709551615 (2^64 - 1)"
SCALE = "1 to 62, or two such numbers with an x between them"
VERTICES = "2 to 4611686018427387904 (2^62), or two such numbers with an x between them"
EDGES = "0 to 4611686018427387904 (2^62)"
FACTOR = "1 to 1099511627776 (2^40), at most 2^62 edges"

PARTS = "memory, models, csr, ranks"
SCALES = "up to 64 numbers 1 to 62 with commas between them"
FILE = "the path of a file (./-x where it starts with a dash)"
REPORT = FILE + ", or -"
MEMORY = "512Ki to 1024Ti"
BACKENDS = "auto, cpu, gpu"
COMMANDS = ", ".join([*cli.COMMANDS, "help"])
NAMES = ", ".join(FORMATS)
PRESETS = "graph500, gapbs-kron, ssca2, rmat-er, rmat-g, rmat-b, parmat, pbbs"
STREAMS = "rmat, rows, graph500, gapbs"
ALL_OF = "allowed: --a, --b and --c together, or none of --a --b --c --d"
WEIGHTS = ("none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to 1e38, MIN <= "
           "MAX)")
NOISE = "0 to min((a+d)/2, b, c) of every level"
UNFIT = "is not the suffix of a known format"
RECTANGLE = "--vertices 100x70"

KINDS = {"number": "is not a number", "whole": "is not a whole number", "range": "is out of range", "unknown": "is unknown",
         "list": "is not a number", "name": "names no file",
         "picture": "is not the name of a picture", "order": "has a minimum above its maximum", "size": "is not a size"}


def values(words, allowed, **kinds):
    """Bad values of the last option of these words, separated by blanks."""
    option = words.split()[-1]
    for kind, bad in kinds.items():
        for value in bad.split(" "):
            yield f"{words}{' ' if value[:1].isalnum() else '='}{value}", (
                f"{option}: '{value}' {KINDS[kind]}, allowed: {allowed}")


def missing(words, allowed):
    """The value of the last option."""
    option = {"-o": "--output"}.get(words.split()[-1], words.split()[-1])
    return words, f"{option}: value missing, allowed: {allowed}"


def together(words, first, second):
    return f"generate {words}", f"--{first}: given together with --{second}, allowed: one of them"


def elsewhere(words, option, place, allowed):
    """An option that is given where it has no meaning, and where it has."""
    return words, f"{option}: given with {place}, allowed: {allowed}"


def distinct(model, possible, what):
    """One more edge than the model has different ones."""
    return f"generate {model} --unique --edges {possible + 1}", (
        f"--edges: '{possible + 1}' is out of range for distinct edges, because the model has {possible} different "
        f"{what}, allowed: 0 to {possible}")


def having(test):
    return [name for name, about in FORMATS.items() if test(about)]


WEIGHTED, PIPES = (", ".join(having(test)) for test in (lambda about: about.weights, lambda about: about.pipe))


NO_SIMPLE = ("needs a graph that is known to be without duplicate edges, without self-loops and undirected "
             "(each edge with its reverse)")


def of_formats():
    """What the table of formats says that each refuses."""
    for name, about in FORMATS.items():
        good = " ".join([f"generate --format {name}", *about.needs, *(["--weights int:1:9"] if about.must else [])])
        if about.needs:
            yield f"generate --format {name}", f"--format: {name} {NO_SIMPLE}, allowed: with --simple"
        if about.must:
            kind = "int:1:100" if about.weights == "int" else "uniform"
            yield f"generate --format {name}", f"--format: {name} needs weights, allowed: with --weights {kind}"
        weights = []
        for kind, value in ("int", "int:1:5"), ("float", "uniform"), ("float", "float:0:1"):
            if not about.weights:
                weights.append((value, "with " + WEIGHTED))
            elif kind not in about.weights:
                yield (f"generate {' '.join(about.needs)} --format {name} --weights {value}",
                       f"--format: {name} needs integer weights, allowed: with --weights int:1:100")
        if about.least > -1 << 31:
            weights.append((f"int:{about.least - 1}:5", f"int:MIN:MAX with MIN of at least {about.least}"))
        for value, allowed in weights:
            yield f"generate {' '.join(about.needs)} --format {name} --weights {value}", (
                f"--weights: '{value}' given with --format {name}, allowed: {allowed}")
        if not about.pipe:
            yield f"{good} -o -", f"--output: '-' given with --format {name}, allowed: with {PIPES}"
            yield f"convert list.h5 - --to {name}", f"--to: '{name}' cannot be written to standard output, allowed: {PIPES}"
        for kind in "int32", "int64", "uint32", "uint64":
            allowed = ", ".join(having(lambda about, kind=kind: kind in about.types))
            for command in [good, f"convert list.h5 x --to {name}"] if kind not in about.types else []:
                yield f"{command} --id-type {kind}", f"--id-type: '{kind}' given with format {name}, allowed: with {allowed}"
        if about.most < 1 << 40:  # csr has a message of its own
            scale = about.most.bit_length()
            yield f"{good} --scale {scale} --edges 10", (
                f"--format: {name} needs at most {about.most} vertices, the graph has {1 << scale}")


def suffix(command, name, option="--format"):
    where = "--output:" if command.endswith("-o") else "OUT"
    return (f"{command} {name}", f"{where} {name}: '{name[1:]}' {UNFIT}; allowed: <suffixes>; {option} takes any name")


MAKE = "generate --scale 5 -o"
OBLONG = "given with 100 source and 70 destination vertices, allowed: with equal numbers of both"
TAKEN = "already exists, --force replaces it"

TABLE = [
    # no command, wrong command
    ("", f"rmat: command missing, allowed: {COMMANDS}; see 'rmat --help'"),
    ("generat", f"rmat: unknown command 'generat', allowed: {COMMANDS}"),
    *((words, f"rmat: unknown command '{words.split()[-2 if words[0] == '-' else -1]}', allowed: {COMMANDS}")
      for words in ("--scale 10", "help nothing")),
    ("help generate info", "rmat: unexpected argument 'info', allowed: nothing after generate"),
    ("--version x", "rmat: unexpected argument 'x', allowed: nothing after --version"),
    # unknown options, stray arguments
    *((f"{command} {given}", f"unknown option '{given}', allowed: see 'rmat {command} --help'") for command, given in (
        ("generate", "--scal"), ("generate", "--sclae=10"), ("info", "--jsn"), ("bench", "--interval"))),
    *((f"generate {given} 10", f"unknown option '{given}', allowed: see 'rmat generate --help'")
      for given in ("--zzzzzz", "-x", "-s", "--")),
    *((f"{words} {given}", f"unexpected argument '{given}', allowed: options only") for words, given in (
        ("generate --scale 10", "11"), ("generate", "-"), ("bench", "5"))),
    ("generate graph.h5", "unexpected argument 'graph.h5', allowed: options only; for a file to write: -o graph.h5"),
    *((f"generate --{option}={value}", f"--{option}: '{value}' given, allowed: no value") for option, value in (
        ("force", "yes"), ("quiet", ""), ("sorted", "1"), ("unique", "no"), ("permute", "yes"))),
    # values missing
    missing("generate --scale", SCALE),
    ("generate --scale --force", f"--scale: value missing, allowed: {SCALE}"),
    missing("generate -o", REPORT),
    missing("generate --seed", U64),
    missing("generate --backend", BACKENDS),
    missing("generate --format", NAMES),
    missing("info a.h5 --edges", "0 to 1000000"),
    missing("bench --runs", "1 to 100"),
    *((command, f"FILE missing, allowed: the path of {what}") for command, what in (
        ("info", "a graph"), ("verify", "an edge file"), ("stats", "a graph"), ("plot", "a graph"), ("roots", "a graph"))),
    # sizes
    *values("generate --scale", SCALE, range="0 63 -1 1e2 0x10 99999999999999999999 0x5 5x63", whole="10.5",
            number=" +10 x 5x x5 5x6x7 5X6 5x0x6 5xsix"),
    *values("generate --vertices", VERTICES, number="5xfive", whole="5x1.5",
            range="1 4611686018427387905 1000x1 0x5 5x4611686018427387905 99999999999999999999x5"),
    together("--vertices 100 --scale 5", "vertices", "scale"),
    *values("generate --edges", EDGES,
            number="many 16X 16GBs 16gi G 1__0 _1 1_ 1e 1e+ 1e3K 1.K .5K 1,000 1_K 0x10 1e2.5",
            whole="0.5 1.0001K 1.2345e3 5e-1 1.1Ki 100000.5 1e-5000 0.99999999999999999999999 1.000000000000000000001",
            range=f"-5 1e19 4.7e18 1e99999999999 {'9' * 60} 1.{'1' * 60}e60 16384P 4097Pi 99999P 4611686018427387905"),
    *values("generate --edge-factor", FACTOR, range="0 2Ti", whole="2.5"),
    together("--edge-factor 16 --edges 5", "edges", "edge-factor"),
    *((f"generate {words}", f"--edge-factor: '{factor}'{'' if 'factor' in words else ', its default,'} is out of range with {vertices} source vertices{also}, "
       f"allowed: {allowed}--edges") for words, factor, vertices, also, allowed in (
           ("--scale 62", 16, 1 << 62, "", "up to 1, or "),
           ("--scale 60 --edge-factor 5", 5, 1 << 60, "", "up to 4, or "),
           ("--vertices 4611686018427387904", 16, 1 << 62, "", "up to 1, or "),
           ("--vertices 1000000000000000000 --edge-factor 5", 5, 10**18, "", "up to 4, or "),
           ("--scale 62 --symmetrize --edge-factor 1", 1, 1 << 62, " and --symmetrize", ""))),
    ("generate --edges 2305843009213693953 --symmetrize",
     "--edges: '2305843009213693953' is out of range with --symmetrize, "
     "allowed: 0 to 2305843009213693952 (2^61)"),
    # probabilities
    *values("generate --b 0 --c 0 --a", "0 to 1", range="1.5 1e999", number="nan inf 0x1p-1 0.5.5 0,57"),
    *values("generate --b 0.5 --c 0.5 --a", "0 to 1", range="-0.1"),
    *values("generate --b", "0 to 1", number="0.2x"),
    *((f"generate {words}", f"--{option}: missing, {ALL_OF}") for words, option in (
        ("--a 0.5", "b"), ("--a 0.5 --b 0.2", "c"), ("--d 0.5", "a"), ("--b 0.2 --c 0.2 --d 0.1", "a"))),
    ("generate --a 0.5 --b 0.5 --c 0.5",
     "--a --b --c: the sum '1.5' is out of range, allowed: 0 to 1"),
    *((f"generate {words}", f"--a --b --c --d: the sum '{total}' is out of range, allowed: 1 within 1e-9")
      for words, total in (("--a 0.5 --b 0.2 --c 0.2 --d 0.2", 1.1), ("--a 0.25 --b 0.25 --c 0.25 --d 0.250001", 1.000001))),
    together("--preset graph500 --a 0.5 --b 0.2 --c 0.2", "a", "preset"),
    ("generate --preset graph501", "--preset: 'graph501' is unknown, allowed: " + PRESETS),
    *values("generate --preset", PRESETS, unknown=""),
    # matrices of the levels
    *((f"generate --noise {noise} {words}", f"--noise: '{noise}' is out of range with these matrices, allowed: "
       f"0 to {most}, min((a+d)/2, b, c) of every level")
      for words, noise, most in (("", 0.2, 0.19), ("", 5, 0.19), ("--a 0.1 --b 0.5 --c 0.3", 0.11, 0.1))),
    *values("generate --noise", NOISE, number="much"),
    together("--level-matrices no.txt --preset ssca2", "level-matrices", "preset"),
    together("--level-matrices no.txt --c 0.5", "level-matrices", "c"),
    ("generate --level-matrices -", "--level-matrices: '-': No such file or directory, allowed: a file that can be read"),
    ("generate --level-matrices no.txt",
     "--level-matrices: 'no.txt': No such file or directory, allowed: a file that can be read"),
    # what becomes of edges
    *((f"generate --scale 10x5 --{words}", f"--{words.split()[0]}: given with 1024 source and 32 destination "
       "vertices, allowed: with equal numbers of both") for words in ("no-self-loops", "undirected upper", "symmetrize")),
    *values("generate --undirected", "lower, upper", unknown="both"),
    *((f"generate {words} --{option}", f"--{option.split()[0]}: a fraction of {kept} of the draws would be kept, "
       "allowed: 1/512 or more") for words, option, kept in (
           ("--a 1 --b 0 --c 0", "no-self-loops", 0), ("--a 0 --b 0 --c 0", "vertices 1000", 0),
           ("--a 0.0001 --b 0 --c 0 --d 0.9999", "vertices 513x5", 1e-08))),
    *values("generate --weights", WEIGHTS,
            unknown="float Uniform int int: int:5 int:5: int:1:2:3 int:+1:2 int:1:2147483648 int:-2147483649:0 "
            "int:0x1:5 int:1:5x int::5 int:1:99999999999999999999 float: float:1 float:nan:1 float:0:inf "
            "float:0:1e39 float:0x1:2 float:0:1:2 float:+1:2 float:0:1.5.2 ", order="int:6:5 float:2:1"),
    # seed, streams
    *values("generate --seed", U64, number="0x 0xfg 5K", range="-1 18446744073709551616 0x10000000000000000"),
    ("generate --stream graph5", f"--stream: 'graph5' is unknown, allowed: {STREAMS}"),
    *(elsewhere(f"generate --stream graph500 {words}", words.split()[0], "--stream graph500", "with --stream rmat")
      for words in ("--noise 0.1", "--vertices 1000", "--preset ssca2", "--a .5")),
    *(elsewhere(f"generate --stream {stream} --{option} 5", f"--{option}", f"--stream {stream}", f"with --stream {other}")
      for stream, option, other in (("rows", "first", "rmat"), ("rows", "count", "rmat"), ("rows", "seed2", "graph500"),
                                    ("rmat", "seed2", "graph500"), ("gapbs", "seed2", "graph500"))),
    *(elsewhere(f"generate --stream {stream} --unique", "--unique", f"--stream {stream}", "--dedup")
      for stream in ("graph500", "rows")),
    *((f"generate --stream gapbs --{option} {value}",
       f"--{option}: '{value}' is out of range with --stream gapbs, allowed: {allowed}")
      for option, value, allowed in (("seed", 4294967296, "0 to 4294967295"), ("scale", 31, "1 to 30"))),
    ("generate --stream gapbs --scale 5x6",
     "--scale: '5x6' given with --stream gapbs, allowed: one number, for both sides"),
    # execution
    *values("generate --threads", "0 to 4096", range="4097 -2", number="all"),
    *values("generate --backend", BACKENDS, unknown="tpu"),
    ("generate --backend GPU", f"--backend: 'GPU' is unknown, allowed: {BACKENDS}"),
    *((f"generate --backend gpu --edges 10 {words}", "--backend: 'gpu' given for a sorted graph of more than 2^32 "
       "rows or columns, allowed: auto, cpu, or the stream rows, which comes in order") for words in (
           "--scale 33 --sorted", "--scale 2x33 --unique", "--scale 33 --stream rows --dedup")),
    *values("generate --memory", MEMORY, range="1K 2000Ti"),
    # sorted
    *values("generate --format", NAMES, unknown=" hdf5 el,csv CSR parquett"),
    *values("convert list.h5 x --to", NAMES, unknown="hdf"),
    *((f"generate --format csr --{words} --edges 10", f"--format: 'csr' given with {vertices} source vertices, "
       "allowed: up to 2^40, because each takes 8 bytes")
      for words, vertices in (("scale 41", 1 << 41), ("vertices 1099511627777x5", 1099511627777))),
    # unique
    *(distinct(*case) for case in (
        ("--scale 3", 64, "edges"), ("--scale 3 --no-self-loops", 56, "edges"), ("--scale 3 --symmetrize", 36, "pairs of vertices"),
        ("--scale 3 --symmetrize --no-self-loops", 28, "pairs of vertices"), ("--scale 3 --undirected lower", 36, "edges"),
        ("--vertices 7x5", 35, "edges"), ("--scale 3 --a 0.5 --b 0 --c 0.2 --d 0.3", 27, "edges"))),
    *((f"generate --scale 3 --unique{words}", f"--edge-factor: '{factor}' times 8 source vertices: '{8 * factor}' is "
       f"out of range for distinct edges, because the model has {possible} different edges, allowed: 0 to {possible}")
      for words, factor, possible in (("", 16, 64), (" --a 0.5 --b 0 --c 0 --d 0.5 --edge-factor 2", 2, 8),
                                      (" --a 1 --b 0 --c 0 --edge-factor 1", 1, 1))),
    # output
    *values("generate --output", REPORT, name=""),
    *(("generate -o " + name, f"--output: '{name}' names no file, allowed: {REPORT}") for name in ("folder/", "-q")),
    # info
    *values("info a.h5 --edges", "0 to 1000000", range="2M"),
    *((f"info --devices {words}", f"--devices: given together with {other}, allowed: one of them")
      for words, other in (("a.h5", "a FILE"), ("--edges 3", "--edges"))),
    # limits that all commands share
    *(row for command in ("verify", "stats", "plot", "convert", "roots") for row in values(
        f"{command} x.h5 --threads", "0 to 4096", range="4097")),
    *(row for command in ("verify", "stats", "plot", "convert") for row in values(f"{command} x.h5 --memory", MEMORY, range="65535")),
    # verify, stats, roots
    *values("verify x --sample", "2 to 17592186044416 (2^44)", range="1"),
    *values("verify x --backend", BACKENDS, unknown="none"),
    *values("roots x --count", "1 to 65536", range="0"),
    *values("roots x --scale", "1 to 62", range="63"),
    *values("stats x.h5 --top", "0 to 10000", range="10001"),
    # plot
    *values("plot x --output", "a name that ends with .png, .svg or .pdf", picture="a.ps .pdf .png"),
    # bench
    *values("bench --part", PARTS, unknown="disk"),
    *values("bench --scale", SCALES, range="0 63", list="5,,6  all"),
    *values("bench --backend", BACKENDS, unknown="tpu"),
    ("bench --id-type int32", "--id-type: 'int32' is unknown, allowed: auto, uint32, uint64"),
    *values("bench --runs", "1 to 100", range="0"),
    *values("bench --threads", "0 to 4096", range="4097"),
    *(elsewhere(f"bench --part {part} {words}", words.split()[0], f"--part {part}", allowed) for part, words, allowed in (
        ("memory", "--unique", "with --part csr"), ("models", "--stream rows", "with --part csr"))),
    *((f"bench --part {words}", line) for words, line in (
        ("csr --scale 41", "--scale: '41' given with --part csr, allowed: 1 to 40"),
        ("csr --stream gapbs", "--stream: 'gapbs' is unknown, allowed: rmat, rows"),
        ("memory --scale 33 --id-type uint32", "--scale: '33' given with --part memory and --id-type uint32, allowed: 1 to 32"))),
    # Names of formats, and suffixes.
    suffix(MAKE, "x.hdf5"),
    suffix(MAKE, "x.EL"),
    suffix("convert list.h5", "x.tar", "--to"),
    suffix("convert list.h5", "x.csr", "--to"),
    ("convert list.h5 x", f"--to: missing, because the name 'x' does not tell the format, allowed: {NAMES}"),
    ("convert list.h5 -", f"--to: missing, because the name '-' does not tell the format, allowed: {PIPES}"),
    # Operands of convert.
    ("convert", "IN missing, allowed: IN OUT"),
    ("convert list.h5 --to csv", "OUT missing, allowed: IN OUT"),
    ("convert list.h5 x.el y.el", "unexpected argument 'y.el', allowed: IN OUT"),
    ("convert a.el a.el", "OUT 'a.el' is the same file as IN, allowed: another file"),
    *((f"convert list.h5 {name} --force --to el", f"OUT '{name}' is the same file as IN, allowed: another file")
      for name in ("list.h5", "folder/../list.h5", "link.h5", "symbolic.h5")),
    # Slices.
    *values("generate --scale 5 --first", "0 to 512, the number of edges of the list", range="600"),
    *values("generate --scale 5 --first 500 --count", "0 to 12, the edges of the list from --first on", range="100"),
    *values("generate --scale 5 --stream graph500 --count", "0 to 512, the edges of the list from --first on", range="1000"),
    *values("generate --scale 5 --stream gapbs --first", EDGES, range="-1"),
    *values("generate --scale 5 --sorted --count", EDGES, number="x"),
    # What formats need beside what of_formats() says.
    ("generate --scale 5 --format metis --symmetrize --unique",
     "--format: metis needs a graph that is known to be without self-loops, allowed: with --simple"),
    ("generate --format metis --scale 10x9", "--format: metis needs equal numbers of source and destination vertices"),
    ("generate --format wsg --scale 40", "--format: wsg needs at most 2147483646 vertices, the graph has 1099511627776"),
    ("generate --scale 5 -o /dev/stdout", "--output: '/dev/stdout' is no file, allowed: -, for standard output"),
    (f"generate --edges 10 --simple {RECTANGLE} --format metis", f"--simple: {OBLONG}"),
    (f"generate --edges 10 --unique --no-self-loops {RECTANGLE} --format metis", f"--no-self-loops: {OBLONG}"),
    together("--scale 5 --unique --simple", "unique", "simple"),
    together("--scale 5 --unique --dedup", "unique", "dedup"),
    ("generate --format parquet --scale 40", "--format: parquet needs at most 2199023255552 edges, the graph has 17592186044416"),
    ("convert list.h5 x.wel", "--to: wel needs weights; 'rmat generate --weights uniform' makes such a graph"),
    ("convert list.h5 x.graph", "--to: metis needs a graph that is known to be without duplicate edges, without self-loops and "
     "undirected (each edge with its reverse); 'rmat generate --simple' makes such a graph"),
    ("convert unique.h5 x.graph", "--to: metis needs a graph that is known to be without self-loops and undirected (each edge "
     "with its reverse); 'rmat generate --simple' makes such a graph"),
    ("convert floats.h5 x.wsg", "--to: wsg needs integer weights; 'rmat generate --weights int:1:100' makes such a graph"),
    ("convert floats.h5 x.adj", "--to: adjacency needs integer weights; 'rmat generate --weights int:1:100' makes such a graph"),
    ("convert wide.h5 x.bin32", "--to: bin32 needs at most 4294967296 vertices, the graph has 68719476736"),
    ("convert wide.h5 x.sg", "--to: sg needs at most 2147483646 vertices, the graph has 68719476736"),
    ("convert wider.h5 x.g500", "--to: graph500 needs at most 140737488355328 vertices, the graph has 1125899906842624"),
    # Types of ids that are too narrow.
    *((f"{command} --id-type {kind}", f"--id-type: '{kind}' is too narrow for {vertices} vertices, allowed: auto, {allowed}")
      for command, kind, vertices, allowed in (
          ("generate --scale 32 --edges 5", "int32", 1 << 32, "int64, uint32, uint64"),
          ("generate --vertices 2147483649 --edges 5 --format npy", "int32", 2147483649, "int64, uint32, uint64"),
          ("generate --scale 33 --edges 5", "uint32", 1 << 33, "int64, uint64"),
          ("generate --scale 33 --edges 5 --format parquet", "int32", 1 << 33, "int64"),
          ("convert wide.h5 y.h5", "int32", 1 << 36, "int64, uint64"),
          ("convert wide.h5 y.h5 --sorted", "int32", 1 << 36, "int64, uint64"))),
    ("generate --id-type int16",
     "--id-type: 'int16' is unknown, allowed: auto, int32, int64, uint32, uint64"),
]

# The same for what only the file system or a file can show; dry runs of rmat generate find the same.
FAILURES = [
    *((f"{command} {name} --force", f"{name}: is {kind}, expected a regular file or none")
      for name, kind in (("folder", "a directory"), ("fifo", "a FIFO"), ("/dev/null", "a device"))
      for command in (MAKE, "generate --scale 5 --format el -o", "convert list.h5 --to el")),
    *((f"{command} nowhere/x.{name}", "nowhere: the folder does not exist")
      for command in (MAKE, f"{MAKE[:-2]} --sorted -o", "convert list.h5") for name in ("h5", "el", "g500", "parquet")),
    (f"{MAKE} no/such/folder.h5", "no: the folder does not exist"),
    ("generate --scale 5 --format graph500 -o a.el/x", "a.el/x: Not a directory"),
    *((f"{MAKE[:-2]} {more} -o {name}", f"{name}{line}") for more in ("", "--sorted") for name, line in (
        ("a.el/x.h5", ": Not a directory"), (300 * "x" + ".h5", ": File name too long"),
        ("/proc/x.h5", ".partial: No such file or directory"),
        ("dangling.h5", ": is a symbolic link to a file that does not exist: No such file or directory"),
        ("two.h5", ".partial: is also known by another name, under which it would be lost; remove this name first"))),
    *((f"{command} {name}", f"{name}: {TAKEN}") for command in (MAKE, f"{MAKE[:-2]} --sorted -o", "convert list.h5")
      for name in ("a.el", "a.csv", "floats.h5")),
    *((f"{command}", f"{name}: is not an HDF5 file, expected one of rmat in h5 or csr") for command, name in (
        ("convert a.el x.h5", "a.el"), ("convert a.csv x.el", "a.csv"), ("stats a.el", "a.el"), ("info a.el", "a.el"),
        ("roots a.el", "a.el"))),
    ("convert empty x.h5", "empty: is empty, expected an HDF5 file"),
    *((command, "missing.h5: No such file or directory") for command in (
        "convert missing.h5 x.el", "roots missing.h5", "stats missing.h5", "info missing.h5")),
    ("convert - x.h5", "-: No such file or directory"),
    *((f"{command}", "folder: is a directory, expected an HDF5 file") for command in ("convert folder x.el", "stats folder")),
]


class BadInput(CliTest):
    def setUp(self):
        """The inputs, which no case may change."""
        super().setUp()
        for name, args in (("list", "--scale 6"), ("floats", "--scale 6 --weights uniform"),
                           ("unique", "--scale 6 --unique --edges 500"), ("wide", "--scale 36 --edges 10"),
                           ("wider", "--scale 50 --edges 10"), ("oblong", f"{RECTANGLE} --edges 300")):
            self.generate(*args.split(), "-o", name + ".h5")
        for name, text in (("a.el", "0 1\n1 2\n"), ("a.csv", "a,b\n1,2\n"), ("empty", "")):
            self.write(name, text)
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        for name in "link.h5", "list.weights":
            os.link(self.path("list.h5"), self.path(name))
        os.symlink("list.h5", self.path("symbolic.h5"))
        os.symlink("nowhere", self.path("dangling.h5"))
        os.link(self.path("empty"), self.path("two.h5.partial"))

    def test_tables(self):
        for code, rows in (2, TABLE), (2, of_formats()), (1, FAILURES):
            for number, (arguments, line) in enumerate(rows):
                with self.subTest(arguments=arguments):
                    line = re.escape(line).replace("<suffixes>", r"\.h5, (\.\w+, )+\.wsg")
                    for more in [[], ["--dry-run"]] if rows is FAILURES and arguments.startswith("generate") else [[]]:
                        self.fails(code, line, *arguments.split(), *more, stdin=subprocess.DEVNULL, prints=bool(more),
                                   env={**os.environ, **(NO_LEAKS if number % 3 else {})})  # leaks are looked for in some

    def test_values_that_no_table_shows(self):
        self.fails(2, re.escape(f"--scale: '1?2?[31m' is not a number, allowed: {SCALE}"), "generate", "--scale", "1\n2\x1b[31m")
        self.fails(2, "--seed: .*", "generate", "--seed", "1" * 100000)
        self.assertLess(len(self.rmat("generate", "--seed", "1" * 100000).stderr), 10000)
        self.fails(2, "--threads: .*", "generate", "-o", "x.h5", "--scale", "10", "--threads", "9999")

    def test_ways_to_write_a_count(self):
        """They give the same number; so do all suffixes."""
        for text, edges in (("1e6", 10**6), ("1E+6", 10**6), ("2.5e9", 2500000000), ("1.5Ki", 1536),
                            ("0.5M", 500000), ("1000e-3", 1), ("0e30", 0), ("007", 7),
                            ("1." + "0" * 40 + "e2", 100), ("0." + "0" * 29 + "1e30", 1),
                            *((f"3{s}", 3 * 1000**n) for n, s in enumerate("kMGTP", 1)),
                            *((f"3{s}i", 3 * 1024**n) for n, s in enumerate("KMGTP", 1))):
            with self.subTest(text=text):
                self.assertEqual(self.generate("--edges", text, "--dry-run")["edges"], edges)

    def test_too_many_draws(self):
        """The last of all cells are hit by a share of 0.05^12 of the draws each."""
        self.fails(2, "--edges: '16777216' is out of range: the graph does not have that many distinct edges, or drawing "
                   "them would take too long, allowed: fewer", "generate", "--scale", "12", "--unique", "--edges", "16Mi")
