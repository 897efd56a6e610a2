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

static json_object *json_member(json_object *object, const char *name)
{
    json_object *value = NULL;

    json_object_object_get_ex(object, name, &value);
    return value;
}

static uint64_t read_count(reading *r, json_object *value, const char *name)
{
    if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0) {
        r->wrong = name;
        return 0;
    }
    return json_object_get_uint64(value);
}

static uint64_t read_member_count(reading *r, json_object *object, const char *name)
{
    return read_count(r, json_member(object, name), name);
}

/* An array of exactly n, or of 0 to `most` where n is -1.  Returns how many. */
static int read_list(reading *r, json_object *object, const char *name, int n, int most,
                     json_object **list)
{
    *list = json_member(object, name);
    if (!json_object_is_type(*list, json_type_array) ||
        json_object_array_length(*list) > (size_t)most ||
        (n >= 0 && json_object_array_length(*list) != (size_t)n)) {
        r->wrong = name;
        return 0;
    }
    return (int)json_object_array_length(*list);
}

static json_object *list_element(json_object *list, int i)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_get_idx(list, (size_t)i)
                                                      : NULL;
}

static void read_counts(reading *r, json_object *object, uint64_t *to, int n)
{
    json_object *list;

    for (int i = 0; i < read_list(r, object, "edges", n, n, &list); i++) {
        to[i] = read_count(r, list_element(list, i), "edges");
    }
}

static void read_ranges(reading *r, json_object *root, statistics *s)
{
    json_object *list;

    s->ranges = read_list(r, root, "ranges", -1, STATISTICS_RANGES, &list);
    for (int i = 0; i < s->ranges; i++) {
        json_object *range = list_element(list, i);

        s->range[i].first = read_count(r, list_element(range, 0), "ranges");
        s->range[i].count = read_count(r, list_element(range, 1), "ranges");
        if (s->range[i].first > RMAT_MAX_EDGES || s->range[i].count > RMAT_MAX_EDGES) {
            r->wrong = "ranges";
        }
    }
}

static void read_vertices(reading *r, json_object *root, statistics *s)
{
    json_object *list;

    s->vertices = read_list(r, root, "vertices", -1, RMAT_TALLY_VERTICES, &list);
    for (int i = 0; i < s->vertices; i++) {
        json_object *vertex = list_element(list, i);

        s->vertex[i] = read_member_count(r, vertex, "vertex");
        s->out[i] = read_member_count(r, vertex, "out");
        s->in[i] = read_member_count(r, vertex, "in");
    }
}

static void read_levels(reading *r, json_object *root, statistics *s)
{
    json_object *list, *pairs, *expected;

    s->levels = read_list(r, root, "levels", -1, RMAT_MAX_SCALE, &list);
    read_list(r, root, "neighbouring_levels", s->levels > 0 ? s->levels - 1 : 0, RMAT_MAX_SCALE,
              &pairs);
    for (int l = 0; l < s->levels; l++) {
        json_object *level = list_element(list, l);

        read_counts(r, level, s->quadrants[l], 4);
        if (l + 1 < s->levels) {
            read_counts(r, list_element(pairs, l), s->pairs[l], 16);
        }
        if (s->expects && read_list(r, level, "expected", 4, 4, &expected) == 4) {
            for (int q = 0; q < 4; q++) {
                s->expected[l][q] = json_object_get_double(list_element(expected, q));
            }
        }
    }
}

static void read_statistics(reading *r, json_object *root, statistics *s)
{
    json_object *loops = json_member(root, "loops");
    json_object *model = json_member(root, "model"),
                *fingerprint = json_member(root, "fingerprint");

    if (!json_object_is_type(model, json_type_string) ||
        strlen(json_object_get_string(model)) >= sizeof s->model) {
        r->wrong = "model";
        return;
    }
    strcpy(s->model, json_object_get_string(model));
    s->square = loops != NULL;
    s->loops = s->square ? read_member_count(r, loops, "edges") : 0;
    s->expected_loops = json_object_get_double(json_member(loops, "expected"));
    s->expects = json_object_get_boolean(json_member(root, "predicted"));
    s->expects_pairs = json_object_get_boolean(json_member(root, "independent_levels"));
    read_ranges(r, root, s);
    read_vertices(r, root, s);
    read_levels(r, root, s);
    s->edges = read_member_count(r, root, "drawn_edges");
    s->redraws = read_member_count(r, root, "redraws");
    s->graph_edges = read_member_count(r, root, "edges");
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
    read_statistics(&r, root, s);
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
