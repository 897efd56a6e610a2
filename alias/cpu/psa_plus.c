/*
 * PSA+: greedy packing inside sections of 4096 items, as far as it goes, and a parallel sweep over
 * what is left.  The weights are read twice in all, and every row is written once.
 *
 * The sections are the blocks of the quantisation, whose masses are known exactly as soon as the
 * weights have been summed: section b has the surplus Z_{b+1} - Z_b - |b| * C.  Hence it is also
 * known beforehand which sections will run out of light items (surplus >= 0) and which of heavy
 * ones, and where on the axis of all surpluses, or of all deficits, what it leaves begins.
 *
 * Inside a section: the sweep of alias/cpu/sweep.c over its own items.  What remains are, if heavy
 * items ran out, the current heavy item with at most C left of it, now a light item, followed by
 * the unused light items; else the current heavy item with what is left of it, followed by the
 * unused heavy items.
 *
 * First all sections with a surplus are packed, and their remaining heavy items put into lists with
 * E, the end of each on the surplus axis.  Then all sections with a deficit are packed, and their
 * remaining light items at once given to the heavy items at the same place of the axis, just as
 * the sweep over all that remains would do it:
 *     light i : threshold q_i,                   alias = first heavy j with E(j+1) > D(i)
 *     heavy j : threshold C + E(j+1) - D(i + 1), alias = heavy j+1,
 *               written by the light item i that crosses it: D(i) < E(j+1) <= D(i + 1)
 * The table depends on the weights alone: sections and both axes are fixed by them.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/util.h"

#include <omp.h>
#include <stddef.h>

typedef struct {
    uint64_t item;
    uint64_t end; /* on the surplus axis */
} heavy_rest;

typedef struct {
    uint64_t offset, count; /* in the list of heavy items */
} heavy_range;

typedef struct {
    const alias_mass_plan *plan;
    void *rows;
    int k;
    uint64_t capacity;
    uint64_t *surplus; /* position of each section on the surplus axis; blocks + 1 */
    uint64_t *deficit; /* on the deficit axis */
    heavy_range *range;
    heavy_rest *heavy;
    uint64_t heavies; /* entries in use */
} build;

/* One thread's section in the making. */
typedef struct {
    uint64_t q[ALIAS_BLOCK];
    alias_split items;
    uint32_t count, lights, heavies;
    uint32_t light; /* the first light item that is not packed */
    uint32_t heavy; /* the current heavy item */
    int64_t rest;   /* C less what is left of it */
} section;

#define INLINE static inline __attribute__((always_inline))

/* Long runs: this many times more of one kind than of the other. */
enum { SELECT = 6 };

/* The row of an item that keeps C - less of its bucket. */
INLINE void put(const build *p, int wide, uint64_t item, int64_t less, uint64_t alias)
{
    if (less == 0) {
        alias = item;
    }
    if (wide) {
        ((alias_row16 *)p->rows)[item] = (alias_row16){p->capacity - (uint64_t)less, alias};
    } else {
        ((alias_row8 *)p->rows)[item] = (alias_row8){(uint32_t)-less, (uint32_t)alias};
    }
}

/* yes where mask is all ones, no where it is zero. */
INLINE uint64_t choose(uint64_t mask, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & mask);
}

/* Keeps the compiler from seeing that a mask comes from a condition, and making it a branch: one
 * that goes wrong every other time. */
INLINE uint64_t opaque(uint64_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

/* The sweep, while there are light items to fill and heavy items to do it.  Where light and heavy
 * items alternate it selects what to do; where one kind comes in long runs it branches. */
INLINE void pack(const build *p, section *s, int wide)
{
    const int64_t *l = s->items.light, *l_end = l + s->lights;
    const int64_t *h = s->items.heavy, *h_last = h + s->heavies - 1;
    int64_t rest = *h;

    if (s->heavies == 0) {
        s->light = 0;
        return;
    }
    while (s->lights < SELECT * s->heavies && s->heavies < SELECT * s->lights) {
        /* Each step takes a light or a heavy item, so that many need not look for the end. */
        ptrdiff_t steps = l_end - l < h_last - h ? l_end - l : h_last - h;

        if (steps == 0) {
            break;
        }
        for (; steps > 0; steps--) {
            uint64_t fill = opaque((uint64_t)(rest >> 63)); /* all ones: light l is filled */
            uint64_t next_light = (uint64_t)l[0], next_heavy = (uint64_t)h[1];
            uint64_t less = choose(fill, next_light, (uint64_t)rest);
            uint64_t item = choose(fill, (uint64_t)l[ALIAS_SPLIT], (uint64_t)h[ALIAS_SPLIT]);

            rest += (int64_t)choose(fill, next_light, next_heavy);
            l += fill & 1;
            h += 1 + (int64_t)fill;
            put(p, wide, item, (int64_t)less, (uint64_t)h[ALIAS_SPLIT]);
        }
    }
    while (rest < 0 ? l < l_end : h < h_last) {
        while (rest < 0 && l < l_end) {
            put(p, wide, (uint64_t)l[ALIAS_SPLIT], *l, (uint64_t)h[ALIAS_SPLIT]);
            rest += *l++;
        }
        while (rest >= 0 && h < h_last) {
            put(p, wide, (uint64_t)h[ALIAS_SPLIT], rest, (uint64_t)h[ALIAS_SPLIT + 1]);
            rest += *++h;
        }
    }
    s->light = (uint32_t)(l - s->items.light);
    s->heavy = (uint32_t)(h - s->items.heavy);
    s->rest = rest;
}

INLINE void load(const build *p, section *s, uint64_t b)
{
    s->count = alias_mass_count(p->plan, b);
    alias_mass_block(p->plan, b, s->q);
    s->lights = p->plan->kernels->split(s->q, s->count, b * ALIAS_BLOCK, p->capacity, &s->items);
    s->heavies = s->count - s->lights;
}

/* A section whose light items will all be packed: lists its remaining heavy items. */
INLINE void surplus_section(build *p, section *s, int wide, uint64_t b)
{
    uint64_t count, offset, end = p->surplus[b];
    uint32_t h;

    load(p, s, b);
    pack(p, s, wide);
    count = s->heavies - s->heavy;
#pragma omp atomic capture
    {
        offset = p->heavies;
        p->heavies += count;
    }
    p->range[b] = (heavy_range){offset, count};
    end -= (uint64_t)s->rest;
    p->heavy[offset++] = (heavy_rest){(uint64_t)s->items.heavy[ALIAS_SPLIT + s->heavy], end};
    for (h = s->heavy + 1; h < s->heavies; h++) {
        end -= (uint64_t)s->items.heavy[h];
        p->heavy[offset++] = (heavy_rest){(uint64_t)s->items.heavy[ALIAS_SPLIT + h], end};
    }
}

/* A remaining heavy item, found by its place on the axis, and its successors. */
typedef struct {
    uint64_t section;
    const heavy_rest *now, *stop;
} cursor;

/* The first heavy item that ends behind d, which is less than the whole surplus. */
static cursor find_heavy(const build *p, uint64_t d)
{
    uint64_t low = 0, high = p->plan->blocks; /* surplus[low] <= d < surplus[high] */
    const heavy_rest *first, *last;
    cursor c;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (p->surplus[middle] <= d) {
            low = middle;
        } else {
            high = middle;
        }
    }
    first = p->heavy + p->range[low].offset;
    c.section = low;
    c.stop = last = first + p->range[low].count;
    while (first < last) {
        const heavy_rest *middle = first + (last - first) / 2;

        if (middle->end > d) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    c.now = first;
    return c;
}

/* Steps to the next heavy item; at the end of all it stays. */
static void next_heavy(const build *p, cursor *c)
{
    uint64_t b = c->section + 1;

    if (c->now + 1 < c->stop) {
        c->now++;
        return;
    }
    while (b < p->plan->blocks && p->range[b].count == 0) {
        b++;
    }
    if (b < p->plan->blocks) {
        c->section = b;
        c->now = p->heavy + p->range[b].offset;
        c->stop = c->now + p->range[b].count;
    }
}

/* The light item before position d of the axis ends the buckets of some heavy items. */
INLINE void finish_heavies(const build *p, int wide, cursor *c, uint64_t d)
{
    while (c->now->end <= d) {
        const heavy_rest *h = c->now;

        next_heavy(p, c);
        alias_put_row(p->rows, wide ? 16 : 8, p->k, h->item, p->capacity + h->end - d,
                      c->now->item);
        if (c->now == h) {
            return;
        }
    }
}

/* An exactly even section: all that remain are buckets of their own. */
INLINE void even_section(const build *p, section *s, int wide, uint64_t b)
{
    uint32_t i;

    load(p, s, b);
    pack(p, s, wide);
    if (s->heavies > 0) {
        put(p, wide, (uint64_t)s->items.heavy[ALIAS_SPLIT + s->heavy], 0, 0);
    }
    for (i = s->light; i < s->lights; i++) {
        put(p, wide, (uint64_t)s->items.light[ALIAS_SPLIT + i], 0, 0);
    }
}

/* Gives every item of a section to one heavy item, for pack() to overwrite what it packs. */
INLINE void fill_section(const build *p, const section *s, int wide, uint64_t b, uint64_t heavy)
{
    uint64_t base = b * ALIAS_BLOCK;
    uint32_t i;

    if (wide) {
        for (i = 0; i < s->count; i++) {
            put(p, wide, base + i, (int64_t)(p->capacity - s->q[i]), heavy);
        }
    } else {
        p->plan->kernels->fill8(s->q, s->count, base, heavy, (alias_row8 *)p->rows + base);
    }
}

/* A section whose heavy items will be used up: gives its remaining light items to the listed ones.
 */
INLINE void deficit_section(const build *p, section *s, int wide, uint64_t b)
{
    uint64_t d = p->deficit[b], d_end = p->deficit[b + 1];
    cursor c = find_heavy(p, d);
    const heavy_rest *filled = c.now;
    uint32_t i;

    load(p, s, b);
    fill_section(p, s, wide, b, c.now->item);
    pack(p, s, wide);
    if (s->heavies > 0) {
        put(p, wide, (uint64_t)s->items.heavy[ALIAS_SPLIT + s->heavy], s->rest, c.now->item);
        d += (uint64_t)s->rest;
        finish_heavies(p, wide, &c, d);
    }
    if (c.now == filled && c.now->end >= d_end) {
        finish_heavies(p, wide, &c, d_end);
        return;
    }
    for (i = s->light; i < s->lights; i++) {
        put(p, wide, (uint64_t)s->items.light[ALIAS_SPLIT + i], s->items.light[i], c.now->item);
        d += (uint64_t)s->items.light[i];
        finish_heavies(p, wide, &c, d);
    }
}

/* Both passes over the sections. */
INLINE void build_rows(build *p, section *scratch, int team, int wide)
{
#pragma omp parallel num_threads(team)
    {
        section *s = scratch + omp_get_thread_num();
        uint64_t b;

#pragma omp for schedule(dynamic, 16)
        for (b = 0; b < p->plan->blocks; b++) {
            p->range[b].count = 0;
            if (p->surplus[b] != p->surplus[b + 1]) {
                surplus_section(p, s, wide, b);
            } else if (p->deficit[b] == p->deficit[b + 1]) {
                even_section(p, s, wide, b);
            }
        }
#pragma omp for schedule(dynamic, 16)
        for (b = 0; b < p->plan->blocks; b++) {
            if (p->deficit[b] != p->deficit[b + 1]) {
                deficit_section(p, s, wide, b);
            }
        }
    }
}

static void find_axes(build *p)
{
    const uint64_t *start = p->plan->start;
    uint64_t b;

    p->surplus[0] = p->deficit[0] = 0;
    for (b = 0; b < p->plan->blocks; b++) {
        uint64_t mass = start[b + 1] - start[b];
        uint64_t even = alias_mass_count(p->plan, b) * p->capacity;

        p->surplus[b + 1] = p->surplus[b] + (mass > even ? mass - even : 0);
        p->deficit[b + 1] = p->deficit[b] + (mass < even ? even - mass : 0);
    }
}

int alias_cpu_psa_plus(alias_table *table, const alias_mass_plan *plan)
{
    uint64_t blocks = plan->blocks;
    int team = alias_cpu_team(table->threads, blocks / 4), st = ALIAS_OK;
    build p = {plan, table->rows, table->k, (uint64_t)1 << table->k, NULL, NULL, NULL, NULL, 0};
    section *scratch = alias_cpu_alloc((uint64_t)team, sizeof(*scratch));

    p.surplus = alias_cpu_alloc(blocks + 1, sizeof(*p.surplus));
    p.deficit = alias_cpu_alloc(blocks + 1, sizeof(*p.deficit));
    p.range = alias_cpu_alloc(blocks, sizeof(*p.range));
    p.heavy = alias_cpu_alloc_sparse(table->n, sizeof(*p.heavy));
    if (scratch == NULL || p.surplus == NULL || p.deficit == NULL || p.range == NULL ||
        p.heavy == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    find_axes(&p);
    if (table->row_bytes == 16) {
        build_rows(&p, scratch, team, 1);
    } else {
        build_rows(&p, scratch, team, 0);
    }
done:
    alias_cpu_free(scratch);
    alias_cpu_free(p.surplus);
    alias_cpu_free(p.deficit);
    alias_cpu_free(p.range);
    alias_cpu_free(p.heavy);
    return st;
}
