"""The update stream, written from rmat/UPDATES.md and rmat/STREAM.md alone, one update at a time.

Edges are taken from a list, the stream's from edge 0 on; everything else is computed here.
"""


def philox(seed, index, block, purpose):
    words = [index & 0xFFFFFFFF, index >> 32, block, purpose]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        low, high = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [(high >> 32) ^ words[1] ^ key[0], high & 0xFFFFFFFF, (low >> 32) ^ words[3] ^ key[1], low & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return words


def permute(x, count, keys):
    """STREAM.md, Permutation: keys(r) gives v0 ... v3 of a round."""
    bits = max(1, (count - 1).bit_length())
    while True:
        for r in range(4 if bits >= 12 else 9):
            v = keys(r)
            if r > 0 and bits <= 32:
                x = int(f"{x:0{bits}b}"[::-1], 2)
            elif r > 0:
                low = ((x & 0xFFFFFFFF) + 0xD2511F53 * (x >> 32)) & 0xFFFFFFFF
                x = x >> 32 << 32 | int(f"{low:032b}"[::-1], 2)
            factor = (2 * x + (v[2] | 1)) & 0xFFFFFFFF
            x = (x * factor + v[0] + (v[1] << 32)) & ((1 << bits) - 1)
        if x < count:
            return x


class Updates:
    def __init__(self, edges, initial, insertions, deletions, seed, order="random", arrivals="uniform", gap=1000):
        self.edges, self.initial, self.seed = edges, initial, seed
        self.insertions, self.deletions = insertions, deletions
        self.order, self.arrivals, self.gap = order, arrivals, gap

    def live(self, batch):
        return self.initial + batch * (self.insertions - self.deletions)

    def round_of(self, batch):
        """Number, first batch and length of the round that batch `batch` is in; length 0: there is no such batch."""
        number = begin = 0
        while True:
            length = self.live(begin) // self.deletions
            if batch < begin + length or length == 0:
                return number, begin, length
            number, begin = number + 1, begin + length

    def ordered(self, x, batch):
        """Number x of the deletion order, as it is in the round of this batch."""
        if self.deletions == 0 or self.order == "oldest":
            return x
        number, begin, length = self.round_of(batch)
        first, window = begin * self.deletions, length * self.deletions
        if not first <= x < first + window:
            return x
        return first + permute(x - first, window, lambda r: philox(self.seed, number, r, 9))

    def update(self, u):
        """Source, destination, operation; and the number of the edge."""
        n = self.insertions + self.deletions
        batch, p = divmod(u, n)
        q = p * self.deletions // n
        if (p + 1) * self.deletions // n > q:
            edge, operation = self.ordered(batch * self.deletions + q, batch), -1
        else:
            edge, operation = self.initial + batch * self.insertions + p - q, 1
        return (*self.edges[edge], operation, edge)

    def snapshot(self, batch):
        """Numbers of the edges after so many batches."""
        return [self.ordered(x, batch) for x in
                range(batch * self.deletions, self.initial + batch * self.insertions)]

    def draw(self, block, i):
        u = 4096 * block + i
        v = philox(self.seed, u // 2, 0, 10)
        y = v[0] + (v[1] << 32) if u % 2 == 0 else v[2] + (v[3] << 32)
        if self.arrivals == "poisson":
            return y >> 32
        h = 1
        for _ in range(12):
            c = philox(self.seed, block, 1 + h // 128, 10)[h // 32 % 4] >> h % 32 & 1
            s = 3 << 62 if c else 1 << 62
            o = int(y >= s)
            y -= s * o
            y = y // 3 * 4 if o != c else 4 * y
            h = 2 * h + o
        return (h - 4096 << 20) + (y >> 44)

    def times(self, first, count):
        if self.arrivals == "uniform":
            return [u * self.gap for u in range(first, first + count)]
        result = []
        for block in range(first // 4096, (first + count - 1) // 4096 + 1):
            drawn = sorted(self.draw(block, i) for i in range(4096))
            result += [4096 * block * self.gap + (x * self.gap >> 20) for x in drawn]
        start = first % 4096
        return result[start:start + count]
