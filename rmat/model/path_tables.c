/*
 * Path tables: an alias table for each group of six levels, over the 4^6 paths through them
 * (STREAM.md, "Tables").
 *
 * The integer mass of a path is split off level by level from a total of 2^62.  The sweep of the
 * alias library then turns the 4096 masses into a table.  Groups with the same six matrices share a
 * table.  So a graph without per-level matrices has a single one, which stays in the first-level
 * cache.
 */
#include "alias/alias.h"
#include "alias/core/draw.h"
#include "rmat/model/generator.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

#define MASS ((uint64_t)1 << 62) /* the sum of the masses of all paths of a group */

__extension__ typedef unsigned __int128 u128;

int rmat_level_masses(const rmat_matrix *m, uint64_t e[4])
{
    const double entry[4] = {m->a, m->b, m->c, m->d};
    uint64_t whole[4], sum = 0;
    int largest = 0;

    for (int k = 0; k < 4; k++) {
        whole[k] = (uint64_t)(entry[k] * 0x1p62);
        sum += whole[k];
        if (whole[k] > whole[largest]) {
            largest = k;
        }
    }
    e[largest] = MASS;
    for (int k = 0; k < 4; k++) {
        if (k != largest) {
            e[k] = (uint64_t)((u128)whole[k] * MASS / sum);
            e[largest] -= e[k];
        }
    }
    return largest;
}

/*
 * Splits the whole mass level by level, into the masses of 1, 4, 16, ..., 4096 longer and longer
 * paths.  A path of i levels is numbered by its i source bits above its i destination bits.
 */
static void path_masses(const rmat_matrix *level, uint64_t q[RMAT_GROUP_PATHS])
{
    q[0] = MASS;
    for (int i = 0; i < RMAT_GROUP_LEVELS; i++) {
        uint64_t longer[RMAT_GROUP_PATHS], e[4];
        int largest = rmat_level_masses(&level[i], e);

        for (unsigned prefix = 0; prefix < 1u << 2 * i; prefix++) {
            unsigned src = prefix >> i, dst = prefix & ((1u << i) - 1);
            uint64_t rest = q[prefix], part;

            for (unsigned k = 0; k < 4; k++) {
                if ((int)k != largest) {
                    part = (uint64_t)(((u128)q[prefix] * e[k]) >> 62);
                    longer[(2 * src + k / 2) << (i + 1) | (2 * dst + k % 2)] = part;
                    rest -= part;
                }
            }
            longer[(2 * src + (unsigned)largest / 2) << (i + 1) |
                   (2 * dst + (unsigned)largest % 2)] = rest;
        }
        memcpy(q, longer, sizeof *q << 2 * (i + 1));
    }
}

int rmat_build_table(const uint64_t *masses, uint32_t n, uint64_t *full, uint32_t *fast)
{
    alias_config config;
    alias_table *table;
    const alias_row16 *rows;
    int st;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.builder = ALIAS_BUILDER_SWEEP; /* STREAM.md and ROWS.md define the tables by the sweep */
    config.row_bytes = 16;                /* buckets of 2^62 / n */
    config.threads = 1;
    st = alias_create_masses(&table, &config, masses, n);
    if (st) {
        return st == ALIAS_ERR_NOMEM ? RMAT_ERR_NOMEM : RMAT_ERR_MATRIX;
    }
    rows = alias_row_array(table);
    for (uint32_t i = 0; i < n; i++) {
        /* A row without a share of another value is its own alias; its threshold of 2^64 wraps to
         * 0. */
        full[i] = rows[i].threshold << (64 - alias_log2_capacity(table));
        fast[i] = (uint32_t)(full[i] >> 44) << 12 | (uint32_t)rows[i].alias;
    }
    alias_destroy(table);
    return RMAT_OK;
}

int rmat_share_tables(const void *groups, size_t bytes, int n, uint8_t *table_of)
{
    const char *group = groups;
    int tables = 0;

    for (int g = 0; g < n; g++) {
        int same = 0;

        while (memcmp(group + (size_t)same * bytes, group + (size_t)g * bytes, bytes) != 0) {
            same++;
        }
        table_of[g] = same < g ? table_of[same] : (uint8_t)tables++;
    }
    return tables;
}

int rmat_build_tables(rmat_gen *gen)
{
    const rmat_config *c = &gen->config;
    const int scale = rmat_scale(c), groups = (scale + RMAT_GROUP_LEVELS - 1) / RMAT_GROUP_LEVELS;
    rmat_matrix level[RMAT_MAX_GROUPS * RMAT_GROUP_LEVELS];
    uint8_t table_of[RMAT_MAX_GROUPS];
    size_t tables;
    uint64_t *full;
    uint32_t *fast;

    /* Levels beyond the graph's last one repeat the last one, so that the last group can share the
     * other groups' table.  Their bits are dropped. */
    for (int l = 0; l < groups * RMAT_GROUP_LEVELS; l++) {
        level[l] = gen->levels[l < scale ? l : scale - 1];
    }
    tables = (size_t)rmat_share_tables(level, RMAT_GROUP_LEVELS * sizeof *level, groups, table_of);
    gen->table_bytes = tables * RMAT_GROUP_PATHS * (sizeof *full + sizeof *fast);
    gen->tables = aligned_alloc(64, gen->table_bytes);
    if (gen->tables == NULL) {
        return RMAT_ERR_NOMEM;
    }
    full = gen->tables;
    fast = (uint32_t *)(full + tables * RMAT_GROUP_PATHS);
    for (int g = 0, built = 0; g < groups; g++) {
        const size_t at = (size_t)table_of[g] * RMAT_GROUP_PATHS;

        if (table_of[g] == built) {
            uint64_t masses[RMAT_GROUP_PATHS];

            path_masses(level + g * RMAT_GROUP_LEVELS, masses);
            RMAT_OR_RETURN(rmat_build_table(masses, RMAT_GROUP_PATHS, full + at, fast + at));
            built++;
        }
        gen->view.full[g] = full + at;
        gen->view.fast[g] = fast + at;
    }
    gen->view.groups = groups;
    gen->view.drop = RMAT_GROUP_LEVELS * groups - scale;
    gen->view.src_mask = (UINT64_C(1) << c->rows_scale) - 1;
    gen->view.dst_mask = (UINT64_C(1) << c->cols_scale) - 1;
    gen->view.seed = c->seed;
    return RMAT_OK;
}
