/* Statistics of edges from the JSON object that statistics_json() makes. */
#include "apps/client/statistics.h"
#include "apps/common/numbers.h"
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* The first member that was missing or of the wrong kind, or NULL. */
typedef struct {
    const char *wrong;
} reading;

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;

    json_object_object_get_ex(object, name, &value);
    return value;
}

static uint64_t take_count(reading *r, json_object *value, const char *name)
{
    if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0) {
        r->wrong = name;
        return 0;
    }
    return json_object_get_uint64(value);
}

static uint64_t count_of(reading *r, json_object *object, const char *name)
{
    return take_count(r, member(object, name), name);
}

/* An array of exactly n, or of 0 to `most` where n is -1.  Returns how many. */
static int list_of(reading *r, json_object *object, const char *name, int n, int most,
                   json_object **list)
{
    *list = member(object, name);
    if (!json_object_is_type(*list, json_type_array) ||
        json_object_array_length(*list) > (size_t)most ||
        (n >= 0 && json_object_array_length(*list) != (size_t)n)) {
        r->wrong = name;
        return 0;
    }
    return (int)json_object_array_length(*list);
}

static json_object *element(json_object *list, int i)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_get_idx(list, (size_t)i)
                                                      : NULL;
}

static void take_counts(reading *r, json_object *object, uint64_t *to, int n)
{
    json_object *list;

    for (int i = 0; i < list_of(r, object, "edges", n, n, &list); i++) {
        to[i] = take_count(r, element(list, i), "edges");
    }
}

static void take_ranges(reading *r, json_object *root, statistics *s)
{
    json_object *list;

    s->ranges = list_of(r, root, "ranges", -1, STATISTICS_RANGES, &list);
    for (int i = 0; i < s->ranges; i++) {
        json_object *range = element(list, i);

        s->range[i].first = take_count(r, element(range, 0), "ranges");
        s->range[i].count = take_count(r, element(range, 1), "ranges");
        if (s->range[i].first > RMAT_MAX_EDGES || s->range[i].count > RMAT_MAX_EDGES) {
            r->wrong = "ranges";
        }
    }
}

static void take_vertices(reading *r, json_object *root, statistics *s)
{
    json_object *list;

    s->vertices = list_of(r, root, "vertices", -1, RMAT_TALLY_VERTICES, &list);
    for (int i = 0; i < s->vertices; i++) {
        json_object *vertex = element(list, i);

        s->vertex[i] = count_of(r, vertex, "vertex");
        s->out[i] = count_of(r, vertex, "out");
        s->in[i] = count_of(r, vertex, "in");
    }
}

static void take_levels(reading *r, json_object *root, statistics *s)
{
    json_object *list, *pairs, *expected;

    s->levels = list_of(r, root, "levels", -1, RMAT_MAX_SCALE, &list);
    list_of(r, root, "neighbouring_levels", s->levels > 0 ? s->levels - 1 : 0, RMAT_MAX_SCALE,
            &pairs);
    for (int l = 0; l < s->levels; l++) {
        json_object *level = element(list, l);

        take_counts(r, level, s->quadrants[l], 4);
        if (l + 1 < s->levels) {
            take_counts(r, element(pairs, l), s->pairs[l], 16);
        }
        if (s->expects && list_of(r, level, "expected", 4, 4, &expected) == 4) {
            for (int q = 0; q < 4; q++) {
                s->expected[l][q] = json_object_get_double(element(expected, q));
            }
        }
    }
}

static void take_all(reading *r, json_object *root, statistics *s)
{
    json_object *loops = member(root, "loops");
    json_object *model = member(root, "model"), *fingerprint = member(root, "fingerprint");

    if (!json_object_is_type(model, json_type_string) ||
        strlen(json_object_get_string(model)) >= sizeof s->model) {
        r->wrong = "model";
        return;
    }
    strcpy(s->model, json_object_get_string(model));
    s->square = loops != NULL;
    s->loops = s->square ? count_of(r, loops, "edges") : 0;
    s->expected_loops = json_object_get_double(member(loops, "expected"));
    s->expects = json_object_get_boolean(member(root, "predicted"));
    s->expects_pairs = json_object_get_boolean(member(root, "independent_levels"));
    take_ranges(r, root, s);
    take_vertices(r, root, s);
    take_levels(r, root, s);
    s->edges = count_of(r, root, "drawn_edges");
    s->redraws = count_of(r, root, "redraws");
    s->graph_edges = count_of(r, root, "edges");
    if (!json_object_is_type(fingerprint, json_type_string) ||
        parse_u64(json_object_get_string(fingerprint), &s->fingerprint) != NUMBER_OK) {
        r->wrong = "fingerprint";
    }
}

int statistics_read(statistics *s, const char *path, char *text, size_t size)
{
    json_object *root;
    reading r = {NULL};

    memset(s, 0, sizeof *s);
    errno = 0;
    root = json_object_from_file(path);
    if (root == NULL) {
        snprintf(text, size, "'%s': %s", path, errno != 0 ? strerror(errno) : "is not JSON");
        return -1;
    }
    take_all(&r, root, s);
    json_object_put(root);
    if (r.wrong != NULL) {
        snprintf(text, size,
                 "'%s': '%s' is missing or has another type, allowed: what rmat generate "
                 "--statistics --json prints",
                 path, r.wrong);
        return -1;
    }
    return 0;
}
