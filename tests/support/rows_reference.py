"""The stream `rows`, written a second time from rmat/ROWS.md (and STREAM.md for its terms), plainly and slowly; binomial
variates are those of the program on that page.

Graph(...).edges() is the list.  As a program it prints datasets/rows.txt: 507 graphs and a hash of the list of each, with
which the test rmat_rows_list compares the library.
"""
import decimal
import functools
import math
import os
import random
import re
from fractions import Fraction

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "rmat", "ROWS.md")
W32, W64 = 2**32 - 1, 2**64
CERTAIN = W64  # larger than any chance


def philox(seed, index, block, purpose):
    c, k = [index & W32, index >> 32, block, purpose], [seed & W32, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & W32, p >> 32 ^ c[3] ^ k[1], p & W32]
        k = [k[0] + 0x9E3779B9 & W32, k[1] + 0xBB67AE85 & W32]
    return c


def level_masses(matrix):
    x = [math.floor(Fraction(m) * 2**62) for m in matrix]
    largest = x.index(max(x))
    e = [v * 2**62 // sum(x) for v in x]
    e[largest] = 2**62 - sum(e[:largest] + e[largest + 1:])
    return e


def chance(zero, one):
    return CERTAIN if zero == 0 and one > 0 else W64 * one // (zero + one) if one else 0


def share(zero, one):
    return float(one) / (float(zero) + float(one)) if one else 0.0


def alias_rows(masses, log_bucket):
    """[(full threshold as a fraction of 2^64, alias)] by STREAM.md's sweep."""
    b = 2**log_bucket
    light = [i for i, q in enumerate(masses) if q <= b]
    heavy = [i for i, q in enumerate(masses) if q > b]
    d = [0]
    for i in light:
        d.append(d[-1] + b - masses[i])
    e = [0]
    for i in heavy:
        e.append(e[-1] + masses[i] - b)
    rows = [None] * len(masses)
    for y, i in enumerate(light):
        rows[i] = (masses[i], i if masses[i] == b else heavy[next(z for z in range(len(heavy)) if e[z + 1] > d[y])])
    for z, i in enumerate(heavy):
        y = next(y for y in range(len(light) + 1) if d[y] >= e[z + 1])
        t = b + e[z + 1] - d[y]
        rows[i] = (t, i if t == b else heavy[z + 1])
    return [(t << 64 - log_bucket & W64 - 1, a) for t, a in rows]


def variates(seed):
    """variate() of the program in ROWS.md, for this seed."""
    with decimal.localcontext(decimal.Context(prec=60)), open(PAGE, encoding="utf-8") as page:
        pi = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494")
        program = {"philox": functools.partial(philox, seed), "STIRLING": [0] + [float(
            decimal.Decimal(math.factorial(k)).ln() - (2 * pi * k).ln() / 2 - k * decimal.Decimal(k).ln() + k) for k in range(1, 16)]}
        exec(re.search(r"^```python\n(.*?)^```$", page.read(), re.M | re.S)[1], program)
    return program["variate"]


class Graph:
    """matrices: of the S levels, noisy ones already; each (a, b, c, d)."""

    def __init__(self, rows_scale, cols_scale, matrices, seed, edges, rows=0, cols=0, loops=True):
        self.levels, self.seed, self.count, self.variate = len(matrices), seed, edges, variates(seed)
        self.first_src, self.first_dst = self.levels - rows_scale, self.levels - cols_scale
        self.rows, self.cols = rows or 2**rows_scale, cols or 2**cols_scale
        self.bound = self.rows < 2**rows_scale
        self.state = (self.cols < 2**cols_scale) + 2 * (not loops)
        self.law = []  # of each level: masses of the source's bits, and of the destination's given them
        for level in range(6 * -(-self.levels // 6)):
            e = level_masses(matrices[min(level, self.levels - 1)])
            if self.first_src <= level or level >= self.levels:
                self.law.append(((e[0] + e[1], e[2] + e[3]), (e[:2], e[2:])))
            else:
                self.law.append((None, 2 * ((e[0] + e[2], e[1] + e[3]),)))
        self.p = [(share(*m[::-1]), share(*m)) if m else (1.0, 0.0) for m, _ in self.law]
        self.q = [[(share(*m[::-1]), share(*m)) for m in given] for _, given in self.law]

    def bit(self, number, level):
        return number >> self.levels - 1 - level & 1

    def after(self, level, state, i, j):
        """None: unwanted."""
        if state & 1 and level >= self.first_dst:
            c = self.bit(self.cols - 1, level)
            if j > c:
                return None
            state -= j < c
        return state & 1 if i != j else state

    @functools.cache
    def wanted(self, level, x, state):
        if level == self.levels:
            return 0.0 if state & 2 else 1.0
        total, c, has = 0.0, self.bit(self.rows - 1, level), level >= self.first_src
        for i in range(2):
            for j in range(2):
                then = self.after(level, state, i, j)
                if then is not None and not (x and has and i > c):
                    total += self.p[level][i] * self.q[level][i][j] * self.wanted(level + 1, x and (not has or i == c), then)
        return total

    def wanted_below(self, src, level, state):
        if not state:
            return 1.0
        if level == self.levels:
            return 0.0 if state & 2 else 1.0
        i, total = self.bit(src, level), 0.0
        for j in range(2):
            then = self.after(level, state, i, j)
            total += 0.0 if then is None else self.q[level][i][j] * self.wanted_below(src, level + 1, then)
        return total

    def split(self, start, n, node, p):
        if p in (0, CERTAIN):
            return n if p else 0
        if n > 128:
            return self.variate(start, n, node, p >> 24)
        upper = 0
        for part in range(-(-n // 32)):
            undecided = 2**min(32, n - 32 * part) - 1
            for digit in range(64):  # of all numbers U of the part at once
                if digit % 4 == 0:
                    words = philox(self.seed, start, node + 256 * part + 65536 * (digit // 4), 6)
                if p >> 63 - digit & 1:
                    upper += (undecided & ~words[digit % 4]).bit_count()
                    undecided &= words[digit % 4]
                else:
                    undecided &= ~words[digit % 4]
                if not undecided:
                    break
        return upper

    def nodes(self, start, n, level, prefix, x, q):
        """(row, first edge, edges) of every row that has some."""
        if n == 0:
            return
        if level == self.levels:
            yield prefix, start, n
            return
        c, has, then = self.bit(self.rows - 1, level), level >= self.first_src, []
        for i in range(2):
            to = [0.0] * 4
            for t in range(4):
                for j in range(2):
                    after = self.after(level, t, i, j)
                    if q[t] > 0 and after is not None:
                        to[after] += q[t] * self.q[level][i][j]
            then.append((x and (not has or i == c), to))
        if not has:
            yield from self.nodes(start, n, level + 1, prefix, *then[0])
            return
        p = chance(*self.law[level][0])
        if x or any(q[1:]):
            w = []
            for i, (bound, to) in enumerate(then):
                total = 0.0
                for t in range(4):
                    total += to[t] * self.wanted(level + 1, bound, t)
                w.append(0.0 if x and i > c else self.p[level][i] * total)
            p = as_chance(w)
        k = self.split(start, n, level, p)
        yield from self.nodes(start, n - k, level + 1, 2 * prefix, *then[0])
        yield from self.nodes(start + n - k, k, level + 1, 2 * prefix + 1, *then[1])

    def cells(self, src, start, n, level, prefix, state):
        """The destinations of a row."""
        if n == 0:
            return
        if level == self.levels:
            yield from [prefix] * n
        elif n <= 32 and self.wanted_below(src, level, state) >= 1 / 512:
            yield from sorted(self.drawn(src, i, level, prefix, state) for i in range(start, start + n))
        else:
            i = self.bit(src, level)
            then, p = [self.after(level, state, i, j) for j in range(2)], chance(*self.law[level][1][i])
            if state:
                p = as_chance([0.0 if then[j] is None else self.q[level][i][j] * self.wanted_below(src, level + 1, then[j])
                               for j in range(2)])
            k = self.split(start, n, 64 + level, p)
            yield from self.cells(src, start, n - k, level + 1, 2 * prefix, then[0])
            yield from self.cells(src, start + n - k, k, level + 1, 2 * prefix + 1, then[1])

    @functools.cache
    def table(self, level, src_bits):
        """For the rest of the group, from this level on."""
        masses, left = [2**62], 6 - level % 6
        for i in range(left):
            m = self.law[level + i][1][src_bits >> left - 1 - i & 1]
            ones = [q * m[1] // (m[0] + m[1]) if m[1] else 0 for q in masses]
            masses = [part for q, one in zip(masses, ones) for part in (q - one, one)]
        return alias_rows(masses, 62 - left)

    def drawn(self, src, edge, level, prefix, state):
        for attempt in range(65536):
            dst, at, j = prefix, level, 0
            padded = src << -self.levels % 6
            while at < self.levels:
                left = 6 - at % 6
                v = philox(self.seed, edge, 65536 * attempt + j // 5, 7)
                table = self.table(at, padded >> len(self.law) - at - left & 2**left - 1)
                s = [w >> 6 & 63 for w in v]
                w, bits, fraction = (v[j % 5], 20, v[j % 5] >> 12) if j % 5 < 4 else (s[0], 18, s[1] << 12 | s[2] << 6 | s[3])
                row = w & 2**left - 1
                t, alias = table[row]
                own = fraction < t >> 64 - bits
                if fraction == t >> 64 - bits:
                    v = philox(self.seed, edge, 65536 * attempt + j, 8)
                    own = (fraction << 64 - bits) + ((v[0] | v[1] << 32) >> bits) < t
                dst, at, j = dst << left | (row if own else alias), at + left, j + 1
            dst >>= at - self.levels
            if not (state & 1 and dst >= self.cols or state & 2 and dst == src):
                break
        return dst

    def edges(self):
        root = [0.0] * 4
        root[self.state] = 1.0
        for src, start, n in self.nodes(0, self.count, 0, 0, self.bound, root):
            for dst in self.cells(src, start, n, self.first_dst, 0, self.state):
                yield src, dst


def as_chance(w):
    p = w[1] / (w[0] + w[1])
    return CERTAIN if p >= 1 else int(p * W64)


def noisy(matrix, noise, seed, level):
    a, b, c, d = matrix
    v = philox(seed, level, 0, 2)
    mu = noise * (2 * (((v[0] | v[1] << 32) >> 11) * 2.0**-53) - 1)
    part = 2 * mu / (a + d) if a + d else 0.0
    return a - a * part, b + mu, c + mu, d - d * part


def chosen(count):
    choose = random.Random(1)
    for _ in range(count):
        scale = choose.choice([choose.randint(1, 8), choose.randint(9, 18), choose.choice([20, 30, 31, 36, 42, 62])])
        scales = choose.choice([(scale, scale), (scale, scale), (scale, choose.randint(1, 62))])
        matrix = choose.choice([(.57, .19, .19, .05), (.45, .25, .2, .1), (.25, .25, .25, .25), (.9, 0., .1, 0.), (.3, .3, 0., .4)])
        noise = choose.choice([0, 0, min(matrix[1:3]) / 2])
        edges = choose.choice([0, 1, 5, 33, 100, 500, 2000, choose.randint(1, 5000)])
        sides, loops = [0, 0], choose.random() < 0.6 or scales[0] != scales[1]
        if choose.random() < 0.5:
            sides = [choose.randint(2**(s - 1) + 1, 2**s) for s in scales]
            if not loops:
                sides[1] = sides[0]
        yield scales, sides, loops, matrix, noise, choose.getrandbits(64), edges


# Rows where fewer than 1/512 of the drawn destinations are wanted, or practically none.
RARE = [((2, 2), (0, 0), False, (.49999, .00001, .25, .25), 0, 4, 200000),
        ((2, 2), (0, 0), False, (.4999999, .0000001, .25, .25), 0, 1, 1000000),
        ((2, 2), (4, 3), True, (.0000001, .4999999, .25, .25), 0, 1, 1000000),
        ((2, 2), (4, 3), True, (.000001, .499999, .25, .25), 0, 3, 1000000),
        ((5, 5), (17, 17), False, (.001, .599, .399, .001), 0, 5, 30000),
        ((9, 30), (0, 2**29 + 1), True, (.57, .19, .19, .05), 0, 6, 30000),
        ((34, 34), (2**33 + 1, 2**33 + 1), False, (.57, .19, .19, .05), .1, 7, 30000)]


def main():
    print("# rows_scale cols_scale rows cols loops a b c d noise seed edges hash; by tests/support/rows_reference.py")
    for scales, sides, loops, matrix, noise, seed, edges in [*chosen(500), *RARE]:
        levels = [noisy(matrix, noise, seed, level) if noise else matrix for level in range(max(scales))]
        value = 0
        for src, dst in Graph(*scales, levels, seed, edges, *sides, loops).edges():
            value = ((value ^ src) * 0x9E3779B97F4A7C15 + dst) * 0xD6E8FEB86659FD93 % W64
        print(*scales, *sides, int(loops), *matrix, noise, seed, edges, f"{value:016x}", flush=True)


if __name__ == "__main__":
    main()
