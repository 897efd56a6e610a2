/*
 * alias/cpu/psa_plus.c - PSA+: greedy packing inside sections of 4096 items, then a parallel sweep
 * over the remaining items (L. Huebschle-Schneider, P. Sanders, "Parallel Weighted Random
 * Sampling", 2022).  The weights are read twice in all, and every row is written once.
 *
 * The sections are those of the quantization.  Their masses are known exactly after the sum of the
 * weights: section b has the surplus Z_{b+1} - Z_b - |b| * C. So the sections that run out of light
 * items (surplus >= 0) and those that run out of heavy items are known in advance.  So is the place
 * where a section's remaining items begin on the axis of all surpluses or of all deficits.
 *
 * Inside a section, the items are swept as in build_sweep() (alias/cpu/builders.c).  If heavy items
 * run out, the unused light items remain, and the current heavy item: at most C is left of it, so
 * it is now a light item.  Otherwise the rest of the current heavy item and the unused heavy items
 * after it remain.
 *
 * First, all sections with a surplus are packed, and their remaining heavy items are listed with E,
 * the end of each on the surplus axis.  Then all sections with a deficit are packed.  Each
 * remaining light item goes to the heavy item at its place on the axis, as in a sweep over all
 * remaining items:
 *     light i : threshold q_i,                   alias = first heavy j with E(j+1) > D(i)
 *     heavy j : threshold C + E(j+1) - D(i + 1), alias = heavy j+1,
 *               written by the light item i that crosses its end: D(i) < E(j+1) <= D(i + 1)
 * The table depends on the weights only, since they determine the sections and both axes.
 */
#include "alias/cpu/cpu.h"

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* A remaining heavy item. */
typedef struct {
    uint64_t item;
    uint64_t end; /* on the surplus axis */
} heavy_rest;

/* A section's remaining heavy items in the list of all. */
typedef struct {
    uint64_t offset, count;
} heavy_range;

/* The state that all threads share. */
typedef struct {
    const alias_mass_plan *plan;
    void *rows;
    int k;
    uint64_t capacity;
    uint64_t *surplus;  /* where each section begins on the surplus axis; sections + 1 */
    uint64_t *deficit;  /* the same on the deficit axis */
    heavy_range *range; /* of each section */
    heavy_rest *heavy;  /* the list of remaining heavy items */
    uint64_t heavies;   /* its length */
} build;

/* The section that a thread is packing. */
typedef struct {
    uint64_t q[ALIAS_SECTION_ITEMS];
    alias_split items;
    uint32_t count, lights, heavies;
    uint32_t light; /* the first light item that is not packed */
    uint32_t heavy; /* the current heavy item */
    int64_t rest;   /* C minus the rest of the current heavy item */
} section;

#define INLINE static inline __attribute__((always_inline))

/* Runs count as long if one kind has at least this many times more items than the other. */
enum { SELECT = 6 };

/* Writes the row of an item that keeps C - less of its bucket. */
INLINE void write_row(const build *p, bool wide, uint64_t item, int64_t less, uint64_t alias)
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

/* yes if mask is all ones, no if it is zero. */
INLINE uint64_t select_word(uint64_t mask, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & mask);
}

/* Hides from the compiler that a mask comes from a condition.  It would make a branch of it, which
 * is mispredicted every other time. */
INLINE uint64_t opaque(uint64_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

/* Sweeps as long as there are light items to fill and heavy items to fill them.  Where light and
 * heavy items alternate, it selects values without branches.  In long runs of one kind it
 * branches. */
INLINE void pack_section(const build *p, section *s, bool wide)
{
    const int64_t *l = s->items.light, *l_end = l + s->lights;
    const int64_t *h = s->items.heavy, *h_last = h + s->heavies - 1;
    int64_t rest = *h;

    if (s->heavies == 0) {
        s->light = 0;
        return;
    }
    while (s->lights < SELECT * s->heavies && s->heavies < SELECT * s->lights) {
        /* Each step takes a light or a heavy item, so this many cannot reach an end. */
        ptrdiff_t steps = l_end - l < h_last - h ? l_end - l : h_last - h;

        if (steps == 0) {
            break;
        }
        for (; steps > 0; steps--) {
            uint64_t fill = opaque((uint64_t)(rest >> 63)); /* all ones: light l is filled */
            uint64_t next_light = (uint64_t)l[0], next_heavy = (uint64_t)h[1];
            uint64_t less = select_word(fill, next_light, (uint64_t)rest);
            uint64_t item = select_word(fill, (uint64_t)l[ALIAS_SPLIT], (uint64_t)h[ALIAS_SPLIT]);

            rest += (int64_t)select_word(fill, next_light, next_heavy);
            l += fill & 1;
            h += 1 + (int64_t)fill;
            write_row(p, wide, item, (int64_t)less, (uint64_t)h[ALIAS_SPLIT]);
        }
    }
    while (rest < 0 ? l < l_end : h < h_last) {
        while (rest < 0 && l < l_end) {
            write_row(p, wide, (uint64_t)l[ALIAS_SPLIT], *l, (uint64_t)h[ALIAS_SPLIT]);
            rest += *l++;
        }
        while (rest >= 0 && h < h_last) {
            write_row(p, wide, (uint64_t)h[ALIAS_SPLIT], rest, (uint64_t)h[ALIAS_SPLIT + 1]);
            rest += *++h;
        }
    }
    s->light = (uint32_t)(l - s->items.light);
    s->heavy = (uint32_t)(h - s->items.heavy);
    s->rest = rest;
}

/* Makes the masses of section b and splits its items. */
INLINE void load_section(const build *p, section *s, uint64_t b)
{
    s->count = alias_section_items(p->plan->n, b);
    alias_mass_section(p->plan, b, s->q);
    s->lights =
        p->plan->kernels->split(s->q, s->count, b * ALIAS_SECTION_ITEMS, p->capacity, &s->items);
    s->heavies = s->count - s->lights;
}

/* Packs a section with a surplus, and lists its remaining heavy items. */
INLINE void surplus_section(build *p, section *s, bool wide, uint64_t b)
{
    uint64_t count, offset, end = p->surplus[b];
    uint32_t h;

    load_section(p, s, b);
    pack_section(p, s, wide);
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

/* A position in the list of remaining heavy items, in the order of the axis. */
typedef struct {
    uint64_t section;
    const heavy_rest *now, *stop;
} cursor;

/* The first remaining heavy item that ends after d, which is less than the total surplus. */
static cursor find_heavy(const build *p, uint64_t d)
{
    uint64_t low = 0, high = p->plan->sections; /* surplus[low] <= d < surplus[high] */
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

/* Moves to the next remaining heavy item, if there is one. */
static void next_heavy(const build *p, cursor *c)
{
    uint64_t b = c->section + 1;

    if (c->now + 1 < c->stop) {
        c->now++;
        return;
    }
    while (b < p->plan->sections && p->range[b].count == 0) {
        b++;
    }
    if (b < p->plan->sections) {
        c->section = b;
        c->now = p->heavy + p->range[b].offset;
        c->stop = c->now + p->range[b].count;
    }
}

/* Writes the rows of the heavy items that end at or before position d of the axis. */
INLINE void finish_heavies(const build *p, bool wide, cursor *c, uint64_t d)
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

/* Packs a section without surplus or deficit, whose remaining items keep their whole buckets. */
INLINE void even_section(const build *p, section *s, bool wide, uint64_t b)
{
    uint32_t i;

    load_section(p, s, b);
    pack_section(p, s, wide);
    if (s->heavies > 0) {
        write_row(p, wide, (uint64_t)s->items.heavy[ALIAS_SPLIT + s->heavy], 0, 0);
    }
    for (i = s->light; i < s->lights; i++) {
        write_row(p, wide, (uint64_t)s->items.light[ALIAS_SPLIT + i], 0, 0);
    }
}

/* Gives every item of a section to one heavy item; pack_section() overwrites the rows that it
 * packs. */
INLINE void fill_section(const build *p, const section *s, bool wide, uint64_t b, uint64_t heavy)
{
    uint64_t base = b * ALIAS_SECTION_ITEMS;
    uint32_t i;

    if (wide) {
        for (i = 0; i < s->count; i++) {
            write_row(p, wide, base + i, (int64_t)(p->capacity - s->q[i]), heavy);
        }
    } else {
        p->plan->kernels->fill8(s->q, s->count, base, heavy, (alias_row8 *)p->rows + base);
    }
}

/* Packs a section with a deficit, and gives its remaining light items to the listed heavy ones. */
INLINE void deficit_section(const build *p, section *s, bool wide, uint64_t b)
{
    uint64_t d = p->deficit[b], d_end = p->deficit[b + 1];
    cursor c = find_heavy(p, d);
    const heavy_rest *filled = c.now;
    uint32_t i;

    load_section(p, s, b);
    fill_section(p, s, wide, b, c.now->item);
    pack_section(p, s, wide);
    if (s->heavies > 0) {
        write_row(p, wide, (uint64_t)s->items.heavy[ALIAS_SPLIT + s->heavy], s->rest, c.now->item);
        d += (uint64_t)s->rest;
        finish_heavies(p, wide, &c, d);
    }
    if (c.now == filled && c.now->end >= d_end) {
        finish_heavies(p, wide, &c, d_end);
        return;
    }
    for (i = s->light; i < s->lights; i++) {
        write_row(p, wide, (uint64_t)s->items.light[ALIAS_SPLIT + i], s->items.light[i],
                  c.now->item);
        d += (uint64_t)s->items.light[i];
        finish_heavies(p, wide, &c, d);
    }
}

/* Both passes over the sections. */
INLINE void build_rows(build *p, section *scratch, int team, bool wide)
{
#pragma omp parallel num_threads(team)
    {
        section *s = scratch + omp_get_thread_num();
        uint64_t b;

#pragma omp for schedule(dynamic, 16)
        for (b = 0; b < p->plan->sections; b++) {
            p->range[b].count = 0;
            if (p->surplus[b] != p->surplus[b + 1]) {
                surplus_section(p, s, wide, b);
            } else if (p->deficit[b] == p->deficit[b + 1]) {
                even_section(p, s, wide, b);
            }
        }
#pragma omp for schedule(dynamic, 16)
        for (b = 0; b < p->plan->sections; b++) {
            if (p->deficit[b] != p->deficit[b + 1]) {
                deficit_section(p, s, wide, b);
            }
        }
    }
}

/* Computes where each section begins on both axes. */
static void find_axes(build *p)
{
    const uint64_t *start = p->plan->start;
    uint64_t b;

    p->surplus[0] = p->deficit[0] = 0;
    for (b = 0; b < p->plan->sections; b++) {
        uint64_t mass = start[b + 1] - start[b];
        uint64_t even = alias_section_items(p->plan->n, b) * p->capacity;

        p->surplus[b + 1] = p->surplus[b] + (mass > even ? mass - even : 0);
        p->deficit[b + 1] = p->deficit[b] + (mass < even ? even - mass : 0);
    }
}

int alias_cpu_psa_plus(alias_table *table, const alias_mass_plan *plan)
{
    uint64_t sections = plan->sections;
    int team = alias_cpu_team(table->config.threads, sections / 4), st = ALIAS_OK;
    build p = {plan, table->rows, table->k, (uint64_t)1 << table->k, NULL, NULL, NULL, NULL, 0};
    section *scratch = alias_cpu_alloc((uint64_t)team, sizeof(*scratch));

    p.surplus = alias_cpu_alloc(sections + 1, sizeof(*p.surplus));
    p.deficit = alias_cpu_alloc(sections + 1, sizeof(*p.deficit));
    p.range = alias_cpu_alloc(sections, sizeof(*p.range));
    p.heavy = alias_cpu_alloc_sparse(table->n, sizeof(*p.heavy));
    if (scratch == NULL || p.surplus == NULL || p.deficit == NULL || p.range == NULL ||
        p.heavy == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    find_axes(&p);
    if (table->row_bytes == 16) {
        build_rows(&p, scratch, team, true);
    } else {
        build_rows(&p, scratch, team, false);
    }
done:
    free(scratch);
    free(p.surplus);
    free(p.deficit);
    free(p.range);
    free(p.heavy);
    return st;
}
