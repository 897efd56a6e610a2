/*
 * PSA+: greedy packing inside sections of 4096 items, as far as it goes, and a parallel sweep over
 * what is left.  The weights are read twice in all, and every row is written once.
 *
 * The sections are the blocks of the quantisation, whose masses are known exactly as soon as the
 * weights have been summed: section b has the surplus Z_{b+1} - Z_b - |b| * C.  Hence it is also
 * known beforehand which sections will run out of light items (surplus >= 0) and which of heavy
 * ones, and where on the axis of all surpluses, or of all deficits, what it leaves begins.
 *
 * Inside a section: the sweep of cpu_sweep.c over its own items.  What remains are, if heavy items
 * ran out, the current heavy item with at most C left of it, now a light item, followed by the
 * unused light items; else the current heavy item with what is left of it, followed by the unused
 * heavy items.
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
#include "alias/cpu_build.h"
#include "alias/cpu_util.h"

#include <omp.h>
#include <string.h>

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

/* One thread's section in the making.  Masses are kept as C - q, below zero for heavy items. */
typedef struct {
    uint64_t q[ALIAS_BLOCK];
    alias_split items;
    union {
        alias_row8 narrow[ALIAS_BLOCK];
        alias_row16 wide[ALIAS_BLOCK];
    } rows;
    uint64_t base;  /* first item */
    uint32_t count; /* items */
    uint32_t lights, heavies;
    uint32_t light; /* the first light item that is not packed */
    uint32_t heavy; /* the current heavy item */
    int64_t rest;   /* C less what is left of it */
} section;

#define INLINE static inline __attribute__((always_inline))

/* Row of item at, which keeps C - less of its bucket. */
INLINE void put(section *s, int wide, uint64_t capacity, uint32_t at, int64_t less, uint64_t alias)
{
    uint64_t threshold = capacity - (uint64_t)less;

    alias = less == 0 ? s->base + at : alias;
    if (wide) {
        s->rows.wide[at] = (alias_row16){threshold, alias};
    } else {
        s->rows.narrow[at] = (alias_row8){(uint32_t)threshold, (uint32_t)alias};
    }
}

INLINE void put_rows(const build *p, const section *s, int wide)
{
    if (wide) {
        memcpy((alias_row16 *)p->rows + s->base, s->rows.wide, s->count * sizeof(alias_row16));
    } else {
        memcpy((alias_row8 *)p->rows + s->base, s->rows.narrow, s->count * sizeof(alias_row8));
    }
}

/* yes where mask is all ones, no where it is zero.  The compiler is kept from seeing a condition:
 * it would make it a branch, which goes wrong every other time. */
INLINE uint64_t choose(uint64_t mask, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & mask);
}

INLINE uint64_t opaque(uint64_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

/* The sweep, while there are light items to fill and heavy items to do it. */
INLINE void pack(section *s, int wide, uint64_t capacity)
{
    const int64_t *light_less = s->items.light, *heavy_less = s->items.heavy;
    const uint32_t *light_item = s->items.light_item, *heavy_item = s->items.heavy_item;
    const uint32_t lights = s->lights, last = s->heavies - 1;
    uint32_t light = 0, heavy = 0;
    int64_t rest = heavy_less[0];

    if (s->heavies == 0) {
        s->light = 0;
        return;
    }
    while (light < lights && heavy < last) {
        uint64_t fill = opaque((uint64_t)(rest >> 63)); /* all ones: the heavy item fills a light */
        uint64_t less = choose(fill, (uint64_t)light_less[light], (uint64_t)rest);
        uint32_t at = (uint32_t)choose(fill, light_item[light], heavy_item[heavy]);

        rest += (int64_t)choose(fill, (uint64_t)light_less[light], (uint64_t)heavy_less[heavy + 1]);
        light -= (uint32_t)fill;
        heavy += 1 + (uint32_t)fill;
        put(s, wide, capacity, at, (int64_t)less, s->base + heavy_item[heavy]);
    }
    while (light < lights && rest < 0) {
        put(s, wide, capacity, light_item[light], light_less[light], s->base + heavy_item[heavy]);
        rest += light_less[light++];
    }
    while (heavy < last && rest >= 0) {
        put(s, wide, capacity, heavy_item[heavy], rest, s->base + heavy_item[heavy + 1]);
        rest += heavy_less[++heavy];
    }
    s->light = light;
    s->heavy = heavy;
    s->rest = rest;
}

INLINE void load_and_pack(const build *p, section *s, int wide, uint64_t b)
{
    s->base = b * ALIAS_BLOCK;
    s->count = alias_mass_count(p->plan, b);
    alias_mass_block(p->plan, b, s->q);
    s->lights = p->plan->kernels->split(s->q, s->count, p->capacity, &s->items);
    s->heavies = s->count - s->lights;
    pack(s, wide, p->capacity);
}

/* A section whose light items are all packed: lists its remaining heavy items. */
INLINE void surplus_section(build *p, section *s, int wide, uint64_t b)
{
    uint64_t count, offset, end = p->surplus[b];
    uint32_t h;

    load_and_pack(p, s, wide, b);
    put_rows(p, s, wide);
    count = s->heavies - s->heavy;
#pragma omp atomic capture
    {
        offset = p->heavies;
        p->heavies += count;
    }
    p->range[b] = (heavy_range){offset, count};
    end -= (uint64_t)s->rest;
    p->heavy[offset++] = (heavy_rest){s->base + s->items.heavy_item[s->heavy], end};
    for (h = s->heavy + 1; h < s->heavies; h++) {
        end -= (uint64_t)s->items.heavy[h];
        p->heavy[offset++] = (heavy_rest){s->base + s->items.heavy_item[h], end};
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

/* A section whose heavy items are used up: gives its remaining light items to the listed ones. */
INLINE void deficit_section(const build *p, section *s, int wide, uint64_t b)
{
    uint64_t d = p->deficit[b];
    cursor c = {0, NULL, NULL};
    uint32_t i;

    load_and_pack(p, s, wide, b);
    if (d == p->deficit[b + 1]) {
        /* Exactly even: every remaining bucket is its item's own. */
        if (s->heavies > 0) {
            put(s, wide, p->capacity, s->items.heavy_item[s->heavy], 0, 0);
        }
        for (i = s->light; i < s->lights; i++) {
            put(s, wide, p->capacity, s->items.light_item[i], 0, 0);
        }
        put_rows(p, s, wide);
        return;
    }
    c = find_heavy(p, d);
    if (s->heavies > 0) {
        put(s, wide, p->capacity, s->items.heavy_item[s->heavy], s->rest, c.now->item);
        d += (uint64_t)s->rest;
        finish_heavies(p, wide, &c, d);
    }
    for (i = s->light; i < s->lights; i++) {
        put(s, wide, p->capacity, s->items.light_item[i], s->items.light[i], c.now->item);
        d += (uint64_t)s->items.light[i];
        if (c.now->end <= d) {
            finish_heavies(p, wide, &c, d);
        }
    }
    put_rows(p, s, wide);
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
            }
        }
#pragma omp for schedule(dynamic, 16)
        for (b = 0; b < p->plan->blocks; b++) {
            if (p->surplus[b] == p->surplus[b + 1]) {
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
