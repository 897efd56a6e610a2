#!/usr/bin/env python3
"""apps/bench_alias/plot.py RESULTS.json [FOLDER]: figures and tables from `bench_alias --backend gpu --all`.

Writes into FOLDER (default: beside the JSON) what the results have cases for:

figure2.svg  time per split over the number of splits           Lehmann, Huebschle-Schneider, Sanders
figure3.svg  construction of 1e7 rows, method by method         "Weighted Random Sampling on GPUs"
figure4.svg  draws per second over the number of draws
figure5.svg  the best sampler over table size and number of draws
rejection.svg  Figures 3, 5, 7 and 8 of Ridley and Forget
tables.md    the papers' Tables 1 to 4, the thesis' 4.1, the rejection paper's 1; asked and measured

Needs gnuplot (Debian: gnuplot-nox) and Python's standard library.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

SAMPLERS = [("baseline", "#444444"), ("cached", "#1b7837"), ("limited", "#2166ac"),
            ("shared", "#e0609a")]
STYLE = """
set terminal svg size {width},{height} font "DejaVu Sans,12" background "white"
set output "{file}"
set tics nomirror out scale 0.6
set border 3 lw 1 lc rgb "#444444"
set grid back lt 1 lc rgb "#e4e4e4" lw 1
set key top left samplen 2 spacing 1.2
"""


class Results:
    def __init__(self, path):
        with open(path) as file:
            self.json = json.load(file)
        self.rows = {row["name"]: row for row in self.json["rows"]}

    def part(self, *prefix):
        """Rows whose names begin so, with what follows as a tuple."""
        for name, row in self.rows.items():
            parts = tuple(name.split("/"))
            if parts[:len(prefix)] == prefix:
                yield parts[len(prefix):], row

    def ms(self, name, key="ms"):
        row = self.rows.get(name)
        return row[key]["median"] if row and key in row else None

    def rate(self, name):
        row = self.rows.get(name)
        return row["per_second"] if row else None


class Figures:
    """Runs gnuplot in a folder of data files, and copies the pictures from there."""

    def __init__(self, folder):
        self.folder = folder
        self.work = tempfile.mkdtemp(prefix="plot-bench-alias-")

    def data(self, name, lines):
        with open(os.path.join(self.work, name), "w") as file:
            for line in lines:
                file.write(" ".join(str(x) for x in line) + "\n")

    def draw(self, name, script, width=640, height=420):
        script = STYLE.format(file=name, width=width, height=height) + script
        subprocess.run(["gnuplot"], input=script, text=True, cwd=self.work, check=True)
        shutil.copy(os.path.join(self.work, name), os.path.join(self.folder, name))
        print(os.path.join(self.folder, name))


def gpu_name(r):
    return r.json["gpu"]["name"]


def rng_name(r):
    return {"philox": "Philox", "xorwow": "XORWOW"}.get(r.json["rng"], r.json["rng"])


def figure2(r, f):
    panels = []
    for family, family_title in (("uniform", "uniform weights"),
                                 ("power1", "shuffled power law 1")):
        plots = []
        for method, color, title in (("binary", "#444444", "binary search"),
                                     ("pary", "#e0609a", "partial p-ary search")):
            rows = [(row["splits"], row["ms"]["median"], row["cold_ms"]["median"])
                    for _, row in r.part("split", method, family)]
            if not rows:
                break
            data = method + family
            f.data(data, [(s, 1e6 * warm / s, 1e6 * cold / s) for s, warm, cold in sorted(rows)])
            plots += [f'"{data}" using 1:2 with linespoints pt 7 ps 0.5 lw 2 lc rgb "{color}" '
                      f'title "{title}"',
                      f'"{data}" using 1:3 with linespoints pt 6 ps 0.5 lw 1 dt 2 lc rgb "{color}" '
                      f'title "{title}, cold cache"']
        if plots:
            panels.append(f'set title "{family_title}"\nplot {", ".join(plots)}\n')
    if panels:
        f.draw("figure2.svg", f"""
set multiplot layout 1,{len(panels)} title "Time per split, 10 million weights, {gpu_name(r)}"
set logscale xy
set yrange [0.03:300]
set key top right
set xlabel "number of splits"
set ylabel "time per split (ns)"
set format x "10^{{%T}}"
{"".join(panels)}
""", width=960)


MILESTONES = [("psa-binary-baseline", "PSA: binary split, baseline pack"),
              ("psa-pary-baseline", "PSA: p-ary split, baseline pack"),
              ("psa-pary-shared", "PSA: l, h and weights in shared memory"),
              ("psa-pary-chunked", "PSA: chunked loading"), ("psa+", "PSA+"),
              ("merge", "merge of the prefix sums")]


def figure3(r, f):
    bars = [(title, r.ms(f"build/{name}/uniform/1e7"), r.ms(f"build/{name}/power1/1e7"))
            for name, title in MILESTONES]
    bars = [bar for bar in bars if bar[1] and bar[2]]
    if not bars:
        return
    f.data("bars", [(len(bars) - i, f'"{title}"', uniform, power)
                    for i, (title, uniform, power) in enumerate(bars)])
    f.draw("figure3.svg", f"""
set title "Construction of a table of 10 million rows, {gpu_name(r)}"
set xlabel "ms"
set xrange [0:{1.15 * max(max(bar[1:]) for bar in bars)}]
set yrange [0.4:{len(bars) + 0.6}]
set key outside center bottom horizontal
set style fill solid
set grid noytics
plot "bars" using (0):($1 + 0.17):(0):3:($1 + 0.02):($1 + 0.32):ytic(2) with boxxyerror \\
         lc rgb "#2a1a5e" title "uniform weights", \\
     "bars" using (0):($1 - 0.17):(0):4:($1 - 0.32):($1 - 0.02) with boxxyerror \\
         lc rgb "#e0609a" title "shuffled power law 1", \\
     "bars" using 3:($1 + 0.17):(sprintf("%.3f", $3)) with labels left offset 0.5,0 font ",10" notitle, \\
     "bars" using 4:($1 - 0.17):(sprintf("%.3f", $4)) with labels left offset 0.5,0 font ",10" notitle
""", width=760)


def figure4(r, f):
    panels = []
    for n, title in (("1e6", "N = 10^6"), ("1e7", "N = 10^7")):
        plots = []
        for sampler, color in SAMPLERS:
            rows = sorted((row["count"], row["per_second"])
                          for _, row in r.part("count", sampler, n))
            if rows:
                f.data(f"{sampler}{n}", [(c, 1e-9 * rate) for c, rate in rows])
                plots.append(f'"{sampler}{n}" with linespoints pt 7 ps 0.4 lw 2 lc rgb "{color}" '
                             f'title "{sampler}"')
        if plots:
            panels.append(f'set title "{title}"\nplot {", ".join(plots)}\n')
    if panels:
        f.draw("figure4.svg", f"""
set multiplot layout 1,{len(panels)} title "Samplers by number of draws, reduced, uniform weights, \
{rng_name(r)}, {gpu_name(r)}"
set logscale x
set format x "10^{{%T}}"
set yrange [0:*]
set xlabel "draws"
set ylabel "G draws / s"
{"".join(panels)}
""", width=960)


def figure5(r, f):
    cells = {}
    for (sampler, _, _), row in r.part("map"):
        cells.setdefault((row["n"], row["count"]), {})[sampler] = row
    if not cells:
        return
    best, missed = {}, []
    for (n, count), rows in cells.items():
        winner = max(rows, key=lambda s: rows[s]["per_second"])
        where = (math.log10(n), math.log10(count))
        best.setdefault(winner, []).append(where)
        chosen = rows.get(next(iter(rows.values()))["auto"])
        if chosen and chosen["per_second"] < 0.95 * rows[winner]["per_second"]:
            missed.append(where)
    plots = []
    for sampler, color in SAMPLERS:
        if sampler in best:
            f.data(sampler, best[sampler])
            plots.append(f'"{sampler}" using 1:2:(0.25):(0.25) with boxxyerror '
                         f'lc rgb "{color}" title "{sampler}"')
    if missed:
        f.data("missed", missed)
        plots.append('"missed" with points pt 2 ps 0.7 lw 2 lc rgb "#ffb000" '
                     'title "auto over 5 % slower"')
    logs = [(math.log10(n), math.log10(count)) for n, count in cells]
    f.draw("figure5.svg", f"""
set title "The fastest sampler, reduced, uniform weights, {rng_name(r)}, {gpu_name(r)}"
set xlabel "table size"
set ylabel "draws"
set format xy "10^{{%g}}"
set xtics 1
set ytics 1
set xrange [{min(n for n, _ in logs) - 0.3}:{max(n for n, _ in logs) + 0.3}]
set yrange [{min(c for _, c in logs) - 0.3}:{max(c for _, c in logs) + 0.3}]
set key outside right top Left reverse
set style fill solid border rgb "white"
unset grid
plot {", ".join(plots)}
""", width=760, height=420)


def threads(t):
    return f'{t} thread{"s" if t > 1 else ""}'


def rejection(r, f):
    curves = r.rows.get("rejection/curves")
    if not curves:
        return
    groups = (1, 2, 4, 8, 16, 32)
    colors = ("#444444", "#1b7837", "#2166ac", "#e0609a", "#fb8861", "#7b2382")
    f.data("curves", zip(curves["rho"], curves["speedup"],
                         *[curves[f"{key}{t}"] for t in groups
                           for key in ("mean", "approximate", "rate")]))

    def columns(which, what, extra=""):
        return ", ".join(f'"curves" using 1:{3 + 3 * i + which} with lines lw 2 lc rgb "{colors[i]}" '
                         f'{extra} title {what(t)}' for i, t in enumerate(groups))

    points, more = measured_points(r, f, groups, colors)
    three = f"""
set title "Iterations until all 32 threads of a warp have a sample"
set xlabel "rejection probability"
set ylabel "mean iterations"
set logscale y
plot "curves" using 1:{3 + 3 * 5} with lines lw 2 lc rgb "#444444" title "exact (Eq. 9)"{points}
unset logscale y
"""
    exact = columns(0, lambda t: f'"{threads(t)}"')
    approximate = columns(1, lambda t: '""', "dt 2")
    five = f"""
set title "Mean iterations: exact, and approximated (Eq. 17, dashed)"
set xlabel "rejection probability"
set ylabel "mean iterations"
set yrange [0:20]
plot {exact}, {approximate}{more}
set yrange [*:*]
"""
    lines = r.rows.get("rejection/table", {}).get("lines", [])
    arrows = "".join(f'set arrow from {line["max_rho"]}, graph 0 to {line["max_rho"]}, graph 1 '
                     f'nohead dt 3 lc rgb "#999999"\n' for line in lines[:-1])
    title = lambda t: f'"{threads(t)} per sample"'
    seven = f"""
set title "Samples per iteration of a warp of 32 (dotted: the best group changes)"
set xlabel "rejection probability"
set ylabel "samples per iteration"
set key top right
{arrows}plot {columns(2, title)}{group_points(r, f, groups, colors)}
unset arrow
"""
    eight = f"""
set title "Best group over one thread per sample"
set xlabel "rejection probability"
set ylabel "ratio"
set key top left
set yrange [0:*]
plot "curves" using 1:2 with lines lw 2 lc rgb "#444444" title "samples per iteration, exact"\
{speedup_points(r, f)}
"""
    f.draw("rejection.svg", "set multiplot layout 2,2\n" + three + five + seven + eight,
           width=1200, height=840)


def measured_points(r, f, groups, colors):
    """For Figures 3 and 5."""
    measured = r.rows.get("rejection/measured")
    if not measured:
        return "", ""
    f.data("measured", zip(measured["rho"], *[measured[f"mean{t}"] for t in groups]))
    titles = ['title "measured on the GPU"'] + ["notitle"] * (len(groups) - 1)
    return (f', "measured" using 1:{1 + len(groups)} with points pt 7 ps 0.5 lc rgb "{colors[3]}" '
            + titles[0],
            "".join(f', "measured" using 1:{2 + i} with points pt 7 ps 0.4 lc rgb "{colors[i]}" '
                    + titles[i] for i in range(len(groups))))


def group_points(r, f, groups, colors):
    measured = r.rows.get("rejection/groups")
    if not measured:
        return ""
    f.data("groups", zip(measured["rho"], *[measured[f"rate{g}"] for g in groups]))
    return "".join(f', "groups" using 1:{2 + i} with points pt 6 ps 0.4 lc rgb "{colors[i]}" notitle'
                   for i in range(len(groups)))


def speedup_points(r, f):
    measured = r.rows.get("rejection/groups")
    if not measured or "speedup" not in measured:
        return ""
    f.data("speedup", zip(measured["rho"], measured["speedup"], measured["time_speedup"]))
    return (', "speedup" using 1:2 with points pt 7 ps 0.5 lc rgb "#e0609a" title "the same, measured"'
            ', "speedup" using 1:3 with points pt 6 ps 0.5 lc rgb "#2166ac" '
            'title "samples per second, measured"')


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def giga(value):
    return number(value and 1e-9 * value)


def markdown(title, header, rows):
    rows = [row for row in rows if any(cell for cell in row[1:])]
    if not rows:
        return ""
    lines = [f"\n## {title}\n", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def cuda_version(number):
    return f"{number // 1000}.{number % 1000 // 10}"


def table1(r):
    g, m = r.json["gpu"], r.json["machine"]
    rows = [("GPU", f'{g["name"]}, {g["multiprocessors"]} multiprocessors, '
                    f'{g["clock_ghz"]:.3g} GHz, {1e-9 * g["memory_bytes"]:.0f} GB'),
            ("L2 cache, shared memory", f'{g["l2_bytes"] / 2**20:.0f} MiB, '
             f'{g["shared_bytes_per_multiprocessor"] / 1024:.0f} KiB per multiprocessor'),
            ("CUDA: driver's, runtime", f'{cuda_version(g["driver"])}, {cuda_version(g["runtime"])}'),
            ("host", f'{m["cpu"]}, {m["cores"]} cores'),
            ("idle, limit (W)", f'{number(g.get("idle_watts"))}, {number(g.get("power_limit_watts"))}')]
    rows += [(f"{what} (GB/s)", giga(r.rate(f"machine/{what}")))
             for what in ("write", "read", "copy", "to_gpu", "to_host")]
    rows += [("Philox alone (G draws of 64 bits / s)", giga(r.rate("machine/philox")))]
    rows += [(f"8-byte reads at random, {n} rows (G/s)", giga(r.rate(f"machine/gather/{n}")))
             for n in ("1e6", "1e7", "1e8", "1e9")]
    return markdown("Table 1: the machine", ("", "measured"), rows)


def best_build(r, family, n):
    times = {name: r.ms(f"build/{name}/{family}/{n}") for name, _ in MILESTONES}
    times = {name: ms for name, ms in times.items() if ms}
    return min(times.items(), key=lambda item: item[1]) if times else (None, None)


def table2(r):
    rows = []
    for title, family in (("uniform", "uniform"), ("power law 1, shuffled", "power1")):
        for n in ("1e6", "1e7", "1e8"):
            name, ms = best_build(r, family, n)
            rows.append((f"{title}, {n}", number(ms), name or "",
                         *(number(r.ms(f"build/{b}/{family}/{n}")) for b, _ in MILESTONES),
                         number(r.ms(f"host/create/{family}/{n}")),
                         number(r.ms(f"cpu/build/{family}/{n}"))))
    return markdown("Table 2: construction (ms)",
                    ("weights, N", "GPU, best", "by", *(name for name, _ in MILESTONES),
                     "from host memory, with allocation", "CPU of this machine"), rows)


def table3(r):
    rows = []
    for n in ("1e6", "1e7", "1e8", "1e9"):
        def row(what, name):
            return (f"{n}, {what}", *(giga(r.rate(name.format(s, n)))
                                     for s in ("auto", "baseline", "cached", "limited", "shared")))
        rows += [row("reduced", "sample/reduced/{}/power1/{}"),
                 row("written, uint32", "sample/written/{}/power1/{}"),
                 row("written, uint64", "sample/written64/{}/power1/{}"),
                 row("reduced, XORWOW", "xorwow/{}/power1/{}"),
                 (f"{n}, space-efficient, written", giga(r.rate(f"space/written/power1/{n}")),
                  "", "", "", ""),
                 (f"{n}, CPU of this machine", giga(r.rate(f"cpu/sample/power1/{n}")), "", "", "", "")]
    return markdown("Table 3: sampling, power law 1 (G draws/s)",
                    ("N", "auto", "baseline", "cached", "limited", "shared"), rows)


def table4(r):
    rows = [(name, number(row["joules"]), number(row["net_joules"]), row["unit"],
             f'{row["watts"]:.0f}', f'{row["clock_mhz"]:.0f}')
            for name, row in r.rows.items() if name.startswith("energy/")]
    return markdown("Table 4: energy of the card",
                    ("", "J", "J net of idle", "per", "W", "MHz at the end"), rows)


def printed(r):
    """Tables 2, 3 and 4 as the paper prints them: not measured here."""
    return markdown("As printed in the paper (shuffled power law; GPUs with 40 W for the host)",
                    ("machine", "build 1e7 (ms)", "1e8", "G draws/s, 1e6", "1e7", "1e8", "1e9",
                     "J per 1e8 items", "J per 1e9 draws"),
                    [("Ryzen 3950X, 16 cores", 69.2, 743.2, 3.67, 0.42, 0.37, 0.37, 98, 376),
                     ("EPYC 7551P, 32 cores", 21.3, 151.5, 1.36, 0.92, 0.92, 0.89, 25, 181),
                     ("4 x Xeon 6138, 80 cores", 18.2, 83.1, 7.98, 2.67, 2.17, 1.63, 45, 242),
                     ("GTX 1650 Super", 7.6, "", 6.41, 3.18, 1.06, "", "about 7", 92),
                     ("RTX 2080", 4.0, 32.8, 13.43, 10.14, 2.44, "", 7, 69),
                     ("Tesla V100", 2.5, 23.9, 106.71, 26.93, 5.62, "", 5, 28)])


def parameters(r):
    rows = []
    for variant in ("psa-pary-baseline", "psa-pary-shared", "psa-pary-chunked"):
        for family in ("uniform", "power1"):
            times = {int(rest[0]): row["ms"]["median"]
                     for rest, row in r.part("parameters", variant, family)}
            tried = {items: ms for items, ms in times.items() if items}
            if 0 in times and tried:
                best = min(tried, key=tried.get)
                rows.append((f"{variant}, {family}: items per split", number(times[0]) + " ms",
                             best, number(tried[best]) + " ms", number(times[0] / tried[best], 3)))
    for n in ("1e7", "1e9"):
        rates = {rest[0]: row["per_second"] for rest, row in r.part("parameters", "sections", n)}
        tried = {size: rate for size, rate in rates.items() if size != "0KiB"}
        if "0KiB" in rates and tried:
            best = max(tried, key=tried.get)
            rows.append((f"shared sampler, {n}: section", giga(rates["0KiB"]) + " G/s", best,
                         giga(tried[best]) + " G/s", number(tried[best] / rates["0KiB"], 3)))
    return markdown("Parameters (thesis, Table 4.1)",
                    ("", "default", "best of the others", "with it", "times as fast"), rows)


def rejection_table(r):
    lines = r.rows.get("rejection/table", {}).get("lines", [])
    return markdown("Rejection in lockstep, Table 1, recomputed",
                    ("threads per sample", "up to rho (%)", "printed", "average speed-up", "printed"),
                    [(line["group"], number(100 * line["max_rho"]),
                      number(100 * line["printed_max_rho"]), number(line["average_speedup"]),
                      number(line["printed_average_speedup"])) for line in lines])


def asked(r):
    return markdown("Asked and measured", ("", "by", "unit", "asked", "measured", "", "public code, quoted"),
                    [(a["what"], a["by"], a["unit"],
                      f'{a["bound"]} {a["asked"]:g}' if "asked" in a else "", number(a["measured"]),
                      {True: "met", False: "missed", None: ""}[a.get("met")], number(a.get("quoted")))
                     for a in r.json.get("asked", [])])


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__.split("\n")[0])
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.dirname(os.path.abspath(sys.argv[1]))
    os.makedirs(folder, exist_ok=True)
    r, f = Results(sys.argv[1]), Figures(folder)
    try:
        for figure in (figure2, figure3, figure4, figure5, rejection):
            figure(r, f)
    finally:
        shutil.rmtree(f.work)
    path = os.path.join(folder, "tables.md")
    with open(path, "w") as out:
        out.write(f'# {gpu_name(r)}, {r.json["machine"]["time"][:10]}\n\nWritten by apps/bench_alias/plot.py; '
                  "medians.\n")
        for table in (table1, table2, table3, table4, printed, parameters, rejection_table, asked):
            out.write(table(r))
    print(path)


main()
