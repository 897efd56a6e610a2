"""The stream `kronecker`, written a second time from rmat/STREAM.md, as slowly as it comes: drawn ends, before they are
permuted, directed or weighted."""
from rows_reference import alias_rows, philox, level_masses


class Graph:
    def __init__(self, initiator, levels, seed, loops=True):
        """initiator: rows of entries with sum 1 within 1e-9."""
        self.n, self.levels, self.seed, self.loops = len(initiator), levels, seed, loops
        self.a_group = next(l for l in range(6, 0, -1) if self.n**l <= 64)
        self.groups = -(-levels // self.a_group)
        self.masses = level_masses([x for row in initiator for x in row])
        self.largest = self.masses.index(max(self.masses))
        self.tables = [self.table(self.levels_of(g)) for g in range(self.groups)]

    def levels_of(self, group):
        return min(self.a_group, self.levels - group * self.a_group)

    def table(self, levels):
        paths = {(0, 0): 2**62}
        for _ in range(levels):
            longer = {}
            for (s, d), q in paths.items():
                parts = [q * e >> 62 for e in self.masses]
                parts[self.largest] = q - sum(p for k, p in enumerate(parts) if k != self.largest)
                for k, p in enumerate(parts):
                    longer[s * self.n + k // self.n, d * self.n + k % self.n] = p
            paths = longer
        masses = [0] * 4096
        for (s, d), q in paths.items():
            masses[64 * s + d] = q
        return alias_rows(masses, 50)

    def word(self, edge, base, group):
        """(row, fraction, bits of the fraction)"""
        if group == 4 and self.groups == 5:
            s = [v >> 12 & 127 for v in philox(self.seed, edge, base, 0)]
            return s[0] + 128 * (s[1] % 32), 64 * s[2] + (s[3] >> 1), 13
        bits = 13 if self.groups == 5 else 20
        w = philox(self.seed, edge, base + group // 4, 0)[group % 4]
        return w % 4096, w >> 32 - bits, bits

    def path(self, edge, base, group):
        row, fraction, bits = self.word(edge, base, group)
        threshold, alias = self.tables[group][row]
        if fraction == threshold >> 64 - bits:
            v = philox(self.seed, edge, base + group, 1)
            fraction = (fraction << 64 - bits) + ((v[0] | v[1] << 32) >> bits)
            return row if fraction < threshold else alias
        return row if fraction < threshold >> 64 - bits else alias

    def edge(self, edge):
        for attempt in range(2**16):
            source = destination = 0
            for g in range(self.groups):
                path = self.path(edge, 2**16 * attempt, g)
                source = source * self.n**self.levels_of(g) + path // 64
                destination = destination * self.n**self.levels_of(g) + path % 64
            if self.loops or source != destination:
                break
        return source, destination

    def edges(self, first, end):
        return [self.edge(i) for i in range(first, end)]
