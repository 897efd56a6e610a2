/*
 * alias/cpu/section_body.h - the inner loops of the sectioned sampler, as part of kernels_body.h.
 *
 * The Philox blocks that are made at once give four draws each, from the high words alone.  If one
 * of them is open (alias/core/sections.h), which is rare, all are made again with their low words.
 */
enum {
    GROUP = 4 * BLOCKS, /* draws of the Philox blocks that are made at once */
    LINE_ROWS = 64 / sizeof(alias_row8)
};

/* Rows, with the threshold in the low word. */
static INLINE vec load_rows(const alias_row8 *rows, vec bucket)
{
    uint64_t row[LANES];
    int i;

    for (i = 0; i < LANES; i++) {
        memcpy(&row[i], &rows[bucket[i]], sizeof(row[i]));
    }
    return load(row);
}

/* The items of the draws of these Philox blocks: draw w of the block in lane i of vector h is
 * items[h][w][i].  Returns whether one is open. */
static INLINE bool section_items(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                                 vec index, vec items[VECS][4])
{
    const vec low = (vec){0} + 0xffffffffu, all = (vec){0} + m;
    const vec_signed close = (vec_signed)(all - 1);
    vec_blocks b = philox(seed, index, PHILOX_ALIAS_SECTION);
    vec_signed open = {0};
    uint64_t any = 0;
    int h, w, i;

    for (h = 0; h < VECS; h++) {
        for (w = 0; w < 4; w++) {
            vec y = mul_low(b.v[h][w], all), row = load_rows(rows, y >> 32), left = ~y & low;

            open |= ((vec_signed)left < close) | ((vec_signed)((row + left) & low) < close);
            items[h][w] = choose(y + (start << 32), row);
        }
    }
    for (i = 0; i < LANES; i++) {
        any |= (uint64_t)open[i];
    }
    return any != 0;
}

/* The draws from t on, in order. */
static void section_closed(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                           uint64_t t, uint64_t *items)
{
    int i;

    for (i = 0; i < GROUP; i++) {
        alias_spot spot = alias_section_spot(m, 32, alias_section_bits(seed, t + (uint64_t)i));
        alias_row8 row = rows[spot.bucket];

        items[i] = spot.offset < row.threshold ? start + spot.bucket : row.alias;
    }
}

static INLINE void in_order(vec v[VECS][4], uint64_t *to)
{
    int i, w;

    for (i = 0; i < BLOCKS; i++) {
        for (w = 0; w < 4; w++) {
            to[4 * i + w] = v[i / LANES][w][i % LANES];
        }
    }
}

static INLINE void section_draws(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                                 uint64_t t, uint64_t count, const bool wide, char *out)
{
    uint64_t block = t >> 2, skip = t & 3, n, i;
    /* How much of the next section, whose rows follow and which is likely to come next, is
     * prefetched with each group: all at once would be more than a processor takes.  Where there
     * are fewer draws than cache lines most of it would be for nothing. */
    uint64_t step = m * GROUP / (count + 1) + LINE_ROWS, next = count < m / LINE_ROWS ? m : 0;
    vec index = block_index(block);

    for (; count > 0; count -= n, block += BLOCKS, index += BLOCKS, skip = 0) {
        uint64_t group[GROUP];
        vec items[VECS][4];

        for (i = 0; i < step && next < m; i += LINE_ROWS, next += LINE_ROWS) {
            __builtin_prefetch(rows + m + next, 0, 2);
        }
        if (section_items(rows, m, start, seed, index, items)) {
            section_closed(rows, m, start, seed, 4 * block, group);
        } else {
            in_order(items, group);
        }
        n = GROUP - skip < count ? GROUP - skip : count;
        if (wide) {
            memcpy(out, group + skip, n * 8);
        } else if (n == GROUP) {
            for (i = 0; i < GROUP; i++) {
                ((uint32_t *)out)[i] = (uint32_t)group[i];
            }
        } else {
            for (i = 0; i < n; i++) {
                ((uint32_t *)out)[i] = (uint32_t)group[skip + i];
            }
        }
        out += n * (wide ? 8 : 4);
    }
}

static void section8(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed, uint64_t t,
                     uint64_t count, bool wide, void *out)
{
    if (wide) {
        section_draws(rows, m, start, seed, t, count, true, out);
    } else {
        section_draws(rows, m, start, seed, t, count, false, out);
    }
}

static void section_bits(uint64_t seed, uint64_t t, uint64_t count, uint64_t *bits)
{
    uint64_t block = t >> 2, skip = t & 3, n;
    vec index = block_index(block);

    for (; count > 0; count -= n, bits += n, index += BLOCKS, skip = 0) {
        uint64_t group[GROUP];
        vec_blocks high = philox(seed, index, PHILOX_ALIAS_SECTION);
        vec_blocks low = philox(seed, index, PHILOX_ALIAS_SECTION_LOW);
        int h, w;

        for (h = 0; h < VECS; h++) {
            for (w = 0; w < 4; w++) {
                high.v[h][w] = high.v[h][w] << 32 | (low.v[h][w] & 0xffffffffu);
            }
        }
        in_order(high.v, group);
        n = GROUP - skip < count ? GROUP - skip : count;
        memcpy(bits, group + skip, n * 8);
    }
}
