"""How well `rmat fit` finds what is known: experiments, whose tables are in apps/results/fit.md.

    python3 tests/fit/truth.py graphs            # 30 graphs of scales 12 to 24: minutes, 10 GB of disk
    python3 tests/fit/truth.py coverage [SERIES [FITS [NOISE]]]
                                                 # 200 fits: how often intervals of 95 % hold the truth
    python3 tests/fit/truth.py multiply          # fits of graphs at 100 times the size
    python3 tests/fit/truth.py files FILE...     # graphs of your own

RMAT names the program, by default build/bin/rmat; graphs are made in TMPDIR and removed.

The truth of a noisy model is the average of its levels' matrices: the seed decides how far that is
from the matrix that was asked for.
"""

import json
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter

RMAT = os.environ.get("RMAT", "build/bin/rmat")
GRAPH500 = "--a 0.57 --b 0.19 --c 0.19"

# Scale 20 and above last, for which the errors must be below 0.002.
GRAPHS = [
    f"--scale 12 {GRAPH500}",
    f"--scale 12 {GRAPH500} --unique",
    "--scale 13 --a 0.45 --b 0.22 --c 0.15",
    f"--scale 13 {GRAPH500} --noise 0.05 --no-self-loops",
    f"--scale 14 {GRAPH500} --unique --symmetrize --no-self-loops",
    f"--scale 14 {GRAPH500} --noise 0.1 --unique",
    f"--vertices 12000 {GRAPH500} --edges 150000",
    f"--vertices 20000 {GRAPH500} --edges 250000 --unique",
    "--scale 15 --a 0.5 --b 0.2 --c 0.2 --undirected lower --unique",
    "--scale 15 --a 0.6 --b 0.3 --c 0.02 --edge-factor 8",
    f"--scale 16 {GRAPH500} --edge-factor 4 --noise 0.1 --unique --symmetrize",
    "--scale 16 --a 0.42 --b 0.19 --c 0.19 --edge-factor 64",
    f"--vertices 70000 {GRAPH500} --edges 700000 --unique --symmetrize --no-self-loops",
    f"--scale 17 {GRAPH500} --edge-factor 2",
    "--scale 18 --a 0.45 --b 0.15 --c 0.15 --noise 0.03 --unique",
    f"--vertices 400000 {GRAPH500} --edges 4000000 --noise 0.05",
    f"--scale 20 {GRAPH500}",
    f"--scale 20 {GRAPH500} --unique",
    f"--scale 20 {GRAPH500} --unique --symmetrize --no-self-loops --edge-factor 8",
    f"--scale 20 {GRAPH500} --noise 0.1 --unique",
    f"--scale 20 {GRAPH500} --noise 0.05 --symmetrize",
    "--scale 20 --a 0.45 --b 0.22 --c 0.15 --unique",
    "--scale 20 --a 0.5 --b 0.25 --c 0.1 --noise 0.05 --no-self-loops",
    f"--vertices 1500000 {GRAPH500} --edges 20000000 --unique",
    f"--vertices 1100000 {GRAPH500} --edges 12000000 --noise 0.08 --unique --no-self-loops",
    f"--scale 21 {GRAPH500} --undirected upper --unique --edge-factor 8",
    "--scale 22 --a 0.57 --b 0.25 --c 0.13 --edge-factor 4 --unique",
    f"--scale 22 {GRAPH500} --noise 0.02 --unique --symmetrize --edge-factor 4",
    f"--scale 23 {GRAPH500} --unique --edge-factor 8",
    f"--scale 24 {GRAPH500} --edge-factor 6 --no-self-loops",
]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def make(path, options, seed):
    run(RMAT, "generate", *shlex.split(options), "--permute", "--seed", str(seed), "-q", "--force",
        "-o", path)


def truth(path):
    """The average of the matrices, and the noise that they have."""
    about = json.loads(run(RMAT, "info", path, "--json"))
    about = about.get("attributes", about)
    levels = about.get("matrices") or [[about[k] for k in "abcd"]]
    if not isinstance(levels[0], list):
        levels = [levels[i:i + 4] for i in range(0, len(levels), 4)]
    n = len(levels)
    mean = {k: sum(level[i] for level in levels) / n for i, k in enumerate("abcd")}
    mean["noise"] = math.sqrt(3 * sum((level[1] - mean["b"])**2 for level in levels) / n)
    return mean


def fit(path, *options):
    start = time.monotonic()
    found = json.loads(run(RMAT, "fit", path, "--json", "-q", *options))
    found["seconds"] = time.monotonic() - start
    return found


def graphs(folder):
    print("| graph | a | b | c | largest error | noise | error | KS | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    worst = 0
    for number, options in enumerate(GRAPHS):
        path = os.path.join(folder, "g.h5")
        make(path, options, 100 + number)
        real, found = truth(path), fit(path, "--time", "1000")
        errors = [abs(found[k]["value"] - real[k]) for k in "abc"]
        if number >= 16:
            worst = max(worst, *errors)
        print(f"| {options.replace('--', '')} | " +
              " | ".join(f"{found[k]['value']:.5f} ± {found[k]['error']:.5f}" for k in "abc") +
              f" | {max(errors):.5f} | {found['noise']['value']:.4f} | "
              f"{abs(found['noise']['value'] - real['noise']):.4f} | "
              f"{max(found['rmat']['ks_out'], found['rmat']['ks_in']):.4f} | "
              f"{found['seconds']:.1f} |", flush=True)
    print(f"\nScale 20 and above: the largest error of a, b and c is {worst:.5f}.")


def coverage(folder, series="1", fits="200", noise=None):
    """NOISE: that of all graphs, instead of 0 for one half and 0.03 or 0.06 for the other."""
    generator = random.Random(int(series))
    held, made, fell = Counter(), Counter(), []
    for number in range(int(fits)):
        a, d = generator.uniform(0.4, 0.6), generator.uniform(0.04, 0.15)
        undirected = generator.random() < 0.4
        b = (1 - a - d) / 2 if undirected else (1 - a - d) * generator.uniform(0.4, 0.6)
        options = f"--a {a:.4f} --b {b:.4f} --c {round(1 - a - d - round(b, 4), 4):.4f}"
        if undirected:
            options = f"--a {a:.4f} --b {b:.4f} --c {b:.4f}"
            options += generator.choice((" --symmetrize", " --undirected lower"))
        options += generator.choice(("", " --unique", " --unique"))
        options += generator.choice(("", " --no-self-loops"))
        of_series = generator.choice((0, 0, 0.03, 0.06))
        amplitude = min(of_series if noise is None else float(noise), 0.8 * b)
        options += f" --noise {amplitude:.4f}" if amplitude else ""
        n = generator.choice((2**12, 2**13, 2**14, 5000, 11000))
        options += f" --vertices {n} --edges {n * generator.choice((4, 8, 16))}"
        path = os.path.join(folder, "g.h5")
        make(path, options, 1000 * int(series) + number)
        real, found = truth(path), fit(path, "--no-chung-lu", "--seed", str(number + 1))
        kind = "with noise" if amplitude else "without noise"
        made[kind] += 1
        for k, value in real.items():
            if found[k]["low"] <= value <= found[k]["high"]:
                held[kind, k] += 1
            else:
                fell.append(f"{k} is {value:.5f}, not {found[k]['low']:.5f} to {found[k]['high']:.5f}: {options}")
        print(f"\r{number + 1}", end="", file=sys.stderr)
    print("\n" + "\n".join(fell))
    for kind, n in made.items():
        shares = (f"{k} {held[kind, k]} ({100 * held[kind, k] / n:.1f} %)" for k in ("a", "b", "c", "d", "noise"))
        print(f"{kind}, of {n} intervals hold the truth: {', '.join(shares)}")


def multiply(folder):
    print("| graph | parameters | at 100 times | errors |\n|---|---|---|---|")
    for number, options in enumerate((f"--scale 14 {GRAPH500} --unique",
                                      f"--scale 14 {GRAPH500} --noise 0.08 --unique --symmetrize",
                                      "--vertices 20000 --edges 200000 --a 0.45 --b 0.25 --c 0.12")):
        path, large = os.path.join(folder, "g.h5"), os.path.join(folder, "like.h5")
        make(path, options, 500 + number)
        small = fit(path, "--multiply", "100")
        command = shlex.split(small["commands"][0]["rmat"])[1:]
        command[command.index("-o") + 1] = large
        run(RMAT, *command, "-q", "--force")
        again = fit(large, "--time", "1000")
        print(f"| {options.replace('--', '')} | " +
              ", ".join(f"{small[k]['value']:.4f}" for k in ("a", "b", "c", "noise")) + " | " +
              ", ".join(f"{again[k]['value']:.4f}" for k in ("a", "b", "c", "noise")) + " | " +
              ", ".join(f"{abs(again[k]['value'] - small[k]['value']):.4f}"
                        for k in ("a", "b", "c", "noise")) + " |", flush=True)


def files(names):
    print("| graph | vertices | edges | a | b | c | noise | KS R-MAT | KS Chung-Lu | suits | s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        found = fit(name)
        both = [f"{found[m]['ks_out']:.3f} / {found[m]['ks_in']:.3f}" if found[m] else ""
                for m in ("rmat", "chung_lu")]
        print(f"| {os.path.basename(name)} | {found['graph']['used_vertices']} | "
              f"{found['edges']} | " +
              " | ".join(f"{found[k]['value']:.3f}" for k in ("a", "b", "c", "noise")) +
              f" | {both[0]} | {both[1]} | {found['suits']} | {found['seconds']:.1f} |",
              flush=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("graphs", "coverage", "multiply", "files"):
        sys.exit(__doc__)
    if sys.argv[1] == "files":
        files(sys.argv[2:])
        return
    with tempfile.TemporaryDirectory() as folder:
        globals()[sys.argv[1]](folder, *sys.argv[2:])


if __name__ == "__main__":
    main()
