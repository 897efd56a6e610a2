"""Sets of the model's options in which every two of them meet.

Rows of the table have several options on; every two of the options meet in some row on and on, on and
off, off and on.
"""

import itertools

OPTIONS = {
    "noise": ["--noise", "0.05"],
    "levels": ["--level-matrices", "levels.txt"],
    "permute": ["--permute"],
    "vertices": [],  # not a power of two
    "rectangular": [],
    "no loops": ["--no-self-loops"],
    "lower": ["--undirected", "lower"],
    "upper": ["--undirected", "upper"],
    "symmetrize": ["--symmetrize"],
    "uniform": ["--weights", "uniform"],
    "int": ["--weights", "int:-7:1000"],
    "float": ["--weights", "float:-7.25:1e10"],
    "64 bits": ["--id-type", "uint64"],
}

NEVER = [{"lower", "upper"}, {"uniform", "int"},
         *({"rectangular", name} for name in ("no loops", "lower", "upper", "symmetrize"))]


def allowed(row):
    return not any(pair <= row for pair in NEVER)


def meetings(row):
    """Which two settings of different options meet in a row."""
    settings = [(name, name in row) for name in OPTIONS]
    return set(itertools.combinations(settings, 2))


def table():
    """Rows until all have met that can, each time the one with most that have not; as good as few."""
    rows = [frozenset(row) for n in range(len(OPTIONS) + 1) for row in itertools.combinations(OPTIONS, n)
            if allowed(set(row))]
    missing = set().union(*map(meetings, rows))
    chosen = []
    while missing:
        best = max(rows, key=lambda row: (len(meetings(row) & missing), sorted(row)))
        missing -= meetings(best)
        chosen.append(best)
    return chosen


def words(row, scale):
    """A row's options at this scale; they need level_matrices()."""
    rows = 2**scale - 2**(scale // 2) if "vertices" in row else 2**scale
    cols = 3 * 2**(scale - 5) + 1 if "rectangular" in row else rows
    edges = 5003 if scale == 10 else 600011
    found = ["--vertices", f"{rows}x{cols}", "--edges", str(edges)]
    return sum((OPTIONS[name] for name in OPTIONS if name in row), found)


def level_matrices(path, scale, first=0):
    """A file for --level-matrices."""
    lines = ["0.45 0.25 0.2 0.1\n", "0.25 0.3 0.15 0.3\n"]
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines[(first + level) % 2] for level in range(scale))
