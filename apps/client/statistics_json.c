/* Statistics of edges as JSON. */
#include "apps/client/statistics_json.h"

static void print_numbers(json_object *o, const char *key, const uint64_t *numbers, int n)
{
    json_object list;

    json_array_begin(&list, o, key);
    for (int i = 0; i < n; i++) {
        json_u64(&list, NULL, numbers[i]);
    }
    json_array_end(&list);
}

static void print_test(json_object *o, chi_result r)
{
    if (r.cells > 0 || r.merged > 0) {
        json_u64(o, "merged_cells", (uint64_t)r.merged);
    }
    if (r.cells > 0) {
        json_f64(o, "chi_squared", r.x);
        json_u64(o, "degrees_of_freedom", (uint64_t)r.cells - 1);
        json_f64(o, "chance", r.chance);
    }
}

static void print_levels(json_object *o, const statistics *s)
{
    json_object list, level, expected;

    json_array_begin(&list, o, "levels");
    for (int l = 0; l < s->levels; l++) {
        json_object_begin(&level, &list, NULL);
        print_numbers(&level, "edges", s->quadrants[l], 4);
        if (s->expects) {
            json_array_begin(&expected, &level, "expected");
            for (int q = 0; q < 4; q++) {
                json_f64(&expected, NULL, s->expected[l][q]);
            }
            json_array_end(&expected);
        }
        print_test(&level, statistics_level(s, l));
        json_object_end(&level);
    }
    json_array_end(&list);
    json_array_begin(&list, o, "neighbouring_levels");
    for (int l = 0; l + 1 < s->levels; l++) {
        json_object_begin(&level, &list, NULL);
        print_numbers(&level, "edges", s->pairs[l], 16);
        print_test(&level, statistics_pair(s, l));
        json_object_end(&level);
    }
    json_array_end(&list);
}

void statistics_json(json_object *o, const statistics *s)
{
    json_object list, item;

    json_string(o, "model", s->model);
    json_array_begin(&list, o, "ranges");
    for (int i = 0; i < s->ranges; i++) {
        print_numbers(&list, NULL, (const uint64_t[]){s->range[i].first, s->range[i].count}, 2);
    }
    json_array_end(&list);
    json_u64(o, "drawn_edges", s->edges);
    json_u64(o, "redraws", s->redraws);
    json_u64(o, "edges", s->graph_edges);
    if (s->square) {
        json_object_begin(&item, o, "loops");
        json_u64(&item, "edges", s->loops);
        if (s->expects) {
            json_f64(&item, "expected", s->expected_loops);
        }
        print_test(&item, statistics_loops(s));
        json_object_end(&item);
    }
    json_hex(o, "fingerprint", s->fingerprint);
    json_array_begin(&list, o, "vertices");
    for (int i = 0; i < s->vertices; i++) {
        json_object_begin(&item, &list, NULL);
        json_u64(&item, "vertex", s->vertex[i]);
        json_u64(&item, "out", s->out[i]);
        json_u64(&item, "in", s->in[i]);
        json_object_end(&item);
    }
    json_array_end(&list);
    json_bool(o, "predicted", s->expects);
    json_bool(o, "independent_levels", s->expects_pairs);
    print_levels(o, s);
}
