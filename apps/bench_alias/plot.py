#!/usr/bin/env python3
"""apps/bench_alias/plot.py RESULTS.json [FOLDER]: pictures and a table from `bench_alias --backend gpu --all`.

Writes into FOLDER (default: beside the JSON) what the results have cases for:

figure2.svg    time per split over the number of splits
figure4.svg    draws per second over the number of draws
figure5.svg    the best sampler over table size and number of draws
rejection.svg  samples per iteration by size of group, by formula and measured
tables.md      every case with its median

Needs gnuplot (Debian: gnuplot-nox) and Python's standard library.
"""

import json
import os
import subprocess
import sys

SAMPLERS = ("baseline", "cached", "limited", "shared")
STYLE = """
set terminal svg size 960,420 font "DejaVu Sans,12" background "white"
set output "{file}"
set title "{title}"
set xlabel "{x}"
set ylabel "{y}"
set key outside right top
set grid
"""


class Results:
    def __init__(self, path, folder):
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)
        self.folder = folder
        self.gpu = self.json["gpu"]["name"]
        self.rows = {row["name"]: row for row in self.json["rows"]}

    def part(self, *prefix):
        """Rows whose names begin so, with what follows as a tuple."""
        for name, row in self.rows.items():
            parts = tuple(name.split("/"))
            if parts[:len(prefix)] == prefix:
                yield parts[len(prefix):], row

    def draw(self, file, title, x, y, settings, series):
        """series: name, style of gnuplot and points of each curve; those without points are left out."""
        series = [(name, style, sorted(points)) for name, style, points in series if points]
        if not series:
            return
        script = STYLE.format(file=os.path.join(self.folder, file), title=f"{title}, {self.gpu}", x=x, y=y) + settings
        script += "plot " + ", ".join(f'"-" with {style} title "{name}"' for name, style, _ in series) + "\n"
        for _, _, points in series:
            script += "".join(f"{a:.9g} {b:.9g}\n" for a, b in points) + "e\n"
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
        print(os.path.join(self.folder, file))


def draw_splits(r):
    series = []
    for method in ("binary", "pary"):
        for family in ("uniform", "power1"):
            rows = [(float(rest[0]), row) for rest, row in r.part("split", method, family)]
            for key, dash in (("ms", 1), ("cold_ms", 2)):
                series.append((f"{method}, {family}{', cold' if dash > 1 else ''}", f"linespoints dt {dash}",
                               [(splits, 1e6 * row[key]["median"] / splits) for splits, row in rows]))
    r.draw("figure2.svg", "Time per split, 10 million weights", "number of splits", "ns", "set logscale xy\n", series)


def draw_counts(r):
    r.draw("figure4.svg", "Samplers by number of draws, reduced, uniform weights", "draws", "G draws / s",
           "set logscale x\n",
           [(f"{sampler}, N = {n}", "linespoints",
             [(row["count"], 1e-9 * row["per_second"]) for _, row in r.part("count", sampler, n)])
            for n in ("1e6", "1e7") for sampler in SAMPLERS])


def draw_map(r):
    rates = {}
    for (sampler, _, _), row in r.part("map"):
        rates.setdefault((row["n"], row["count"]), {})[sampler] = row["per_second"]
    r.draw("figure5.svg", "The fastest sampler, reduced, uniform weights", "table size", "draws", "set logscale xy\n",
           [(sampler, "points pt 5 ps 2", [cell for cell, by in rates.items() if max(by, key=by.get) == sampler])
            for sampler in SAMPLERS])


def draw_rejection(r):
    series = []
    for case, style in (("rejection/curves", "lines"), ("rejection/groups", "points")):
        row = r.rows.get(case, {"rho": []})
        series += [(f"groups of {group}{', measured' if style == 'points' else ''}", style,
                    list(zip(row["rho"], row.get(f"rate{group}", [])))) for group in (1, 2, 4, 8, 16, 32)]
    r.draw("rejection.svg", "Rejection in lockstep, warps of 32", "rho", "samples per iteration", "", series)


def write_table(r):
    path = os.path.join(r.folder, "tables.md")
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"# {r.gpu}, {r.json['machine']['time'][:10]}\n\nWritten by apps/bench_alias/plot.py; medians.\n\n"
                  "| case | ms | G/s | J |\n|---|---|---|---|\n")
        for name, row in r.rows.items():
            if "per_second" in row and not isinstance(row["per_second"], list):
                ms = f"{row['ms']['median']:.4g}" if "ms" in row else ""
                joules = f"{row['joules']:.4g} per {row['unit']:.0e}" if "joules" in row else ""
                out.write(f"| {name} | {ms} | {1e-9 * row['per_second']:.4g} | {joules} |\n")
    print(path)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.dirname(os.path.abspath(sys.argv[1]))
    os.makedirs(folder, exist_ok=True)
    r = Results(sys.argv[1], folder)
    for write in (draw_splits, draw_counts, draw_map, draw_rejection, write_table):
        write(r)


main()
