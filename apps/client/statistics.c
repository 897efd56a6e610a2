/* Statistics of edges: from counts, added up, tested against the model, and as lines or JSON. */
#include "apps/client/statistics.h"
#include "apps/common/json.h"
#include "apps/engine/attributes/model_attrs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The command of the whole list, but for how many edges it has. */
static void describe_model(char text[STATISTICS_MODEL], const rmat_config *model)
{
    rmat_config whole = *model;
    model_attrs attrs;

    whole.first = 0;
    whole.weights = RMAT_NO_WEIGHTS;
    model_attrs_fill(&attrs, &whole, MODEL_ANY_EDGES, (model_ids){0}, NULL);
    snprintf(text, STATISTICS_MODEL, "%.*s", STATISTICS_MODEL - 1,
             attrs.command + strlen("rmat generate "));
}

/* A level that only one side has: the other's bit is 0 there. */
static void expect_level(double to[4], const double q[4], bool has_src, bool has_dst)
{
    to[0] = q[0] + (has_dst ? 0 : q[1]) + (has_src ? 0 : q[2]);
    to[1] = has_dst ? q[1] + (has_src ? 0 : q[3]) : 0;
    to[2] = has_src ? q[2] + (has_dst ? 0 : q[3]) : 0;
    to[3] = has_src && has_dst ? q[3] : 0;
}

static void expect_levels(statistics *s, const rmat_config *model)
{
    rmat_expectation e;

    if (rmat_expect(model, &e) != RMAT_OK) { /* not every stream has some */
        return;
    }
    s->expects = true;
    s->expects_pairs = e.kept > 1 - 1e-12; /* but for rounding */
    s->expected_loops = e.loops;
    for (int l = 0; l < s->levels; l++) {
        const int bit = s->levels - 1 - l;

        expect_level(s->expected[l], e.quadrants[l], bit < model->rows_scale,
                     bit < model->cols_scale);
    }
}

void statistics_of(statistics *s, const engine_job *job, const rmat_tally_request *request,
                   const engine_counts *counts)
{
    const rmat_config *m = &job->model;
    const rmat_tally *t = &counts->tally;

    memset(s, 0, sizeof *s);
    describe_model(s->model, m);
    s->levels = m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale;
    expect_levels(s, m);
    s->square = m->rows == m->cols;
    s->range[0] = (statistics_range){m->first, job->edges};
    s->ranges = job->edges > 0;
    s->edges = t->edges;
    for (int l = 0; l < s->levels; l++) {
        const int bit = s->levels - 1 - l;

        rmat_tally_quadrants(t, bit, s->quadrants[l], NULL);
        if (l + 1 < s->levels) {
            rmat_tally_quadrants(t, bit - 1, NULL, s->pairs[l]);
        }
    }
    s->redraws = counts->redraws;
    s->graph_edges = t->graph_edges;
    s->loops = s->square ? t->loops : 0;
    s->fingerprint = t->fingerprint;
    s->vertices = request->vertices;
    memcpy(s->vertex, request->vertex, sizeof s->vertex);
    memcpy(s->out, t->out, sizeof s->out);
    memcpy(s->in, t->in, sizeof s->in);
}

static int compare_ranges(const void *a, const void *b)
{
    const statistics_range *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* NULL, or why they cannot be added. */
static const char *add_ranges(statistics *s, const statistics *more)
{
    int n = 0;

    if (s->ranges + more->ranges > STATISTICS_RANGES) {
        return "together they have too many ranges";
    }
    memcpy(s->range + s->ranges, more->range, (size_t)more->ranges * sizeof *s->range);
    s->ranges += more->ranges;
    qsort(s->range, (size_t)s->ranges, sizeof *s->range, compare_ranges);
    for (int i = 1; i < s->ranges; i++) {
        statistics_range *last = &s->range[n], *next = &s->range[i];

        if (next->first < last->first + last->count) {
            return "some edges were counted in both";
        }
        if (next->first == last->first + last->count) {
            last->count += next->count;
        } else {
            s->range[++n] = *next;
        }
    }
    s->ranges = s->ranges > 0 ? n + 1 : 0;
    return NULL;
}

const char *statistics_add(statistics *s, const statistics *more)
{
    const char *why;

    if (strcmp(s->model, more->model) != 0 || s->levels != more->levels ||
        memcmp(s->expected, more->expected, sizeof s->expected) != 0) {
        return "they are of different edge lists";
    }
    if (s->vertices != more->vertices || memcmp(s->vertex, more->vertex, sizeof s->vertex) != 0) {
        return "they count the degrees of different vertices";
    }
    why = add_ranges(s, more);
    if (why != NULL) {
        return why;
    }
    s->edges += more->edges;
    s->redraws += more->redraws;
    s->graph_edges += more->graph_edges;
    s->loops += more->loops;
    s->fingerprint += more->fingerprint;
    for (int l = 0; l < s->levels; l++) {
        for (int q = 0; q < 16; q++) {
            s->quadrants[l][q % 4] += q < 4 ? more->quadrants[l][q] : 0;
            s->pairs[l][q] += more->pairs[l][q];
        }
    }
    for (int i = 0; i < s->vertices; i++) {
        s->out[i] += more->out[i];
        s->in[i] += more->in[i];
    }
    return NULL;
}

/* The chi-squared tests: of a level, of a level and the next, of loops.  No cells: there is none.
 */
static chi_result test_level(const statistics *s, int level)
{
    chi_cell cells[4];

    for (int q = 0; q < 4; q++) {
        cells[q].expected = s->expected[level][q] * (double)s->edges;
        cells[q].found = (double)s->quadrants[level][q];
    }
    return s->expects ? chi_squared(cells, 4, CHI_LEAST_EXPECTED) : (chi_result){.chance = 1};
}

static chi_result test_pair(const statistics *s, int level)
{
    chi_cell cells[16];

    if (!s->expects_pairs || level + 1 >= s->levels) {
        return (chi_result){.chance = 1};
    }
    for (int i = 0; i < 16; i++) {
        cells[i].expected =
            s->expected[level][i / 4] * s->expected[level + 1][i % 4] * (double)s->edges;
        cells[i].found = (double)s->pairs[level][i];
    }
    return chi_squared(cells, 16, CHI_LEAST_EXPECTED);
}

static chi_result test_loops(const statistics *s)
{
    /* An edge with its reverse is drawn once, and so is a loop. */
    const double drawn = (double)s->edges, times = s->graph_edges > s->edges ? 2 : 1;
    const double loops = (double)s->loops / times, expected = s->expected_loops * drawn;
    chi_cell cells[] = {{expected, loops}, {drawn - expected, drawn - loops}};

    return s->expects && s->square ? chi_squared(cells, 2, CHI_LEAST_EXPECTED)
                                   : (chi_result){.chance = 1};
}

/* As JSON. */

static void json_test(json_object *o, chi_result r)
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

static void json_levels(json_object *o, const statistics *s)
{
    json_object list, level;

    json_array_begin(&list, o, "levels");
    for (int l = 0; l < s->levels; l++) {
        json_object_begin(&level, &list, NULL);
        json_u64_list(&level, "edges", s->quadrants[l], 4);
        if (s->expects) {
            json_f64_list(&level, "expected", s->expected[l], 4);
        }
        json_test(&level, test_level(s, l));
        json_object_end(&level);
    }
    json_array_end(&list);
    json_array_begin(&list, o, "neighbouring_levels");
    for (int l = 0; l + 1 < s->levels; l++) {
        json_object_begin(&level, &list, NULL);
        json_u64_list(&level, "edges", s->pairs[l], 16);
        json_test(&level, test_pair(s, l));
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
        json_u64_list(&list, NULL, (const uint64_t[]){s->range[i].first, s->range[i].count}, 2);
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
        json_test(&item, test_loops(s));
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
    json_levels(o, s);
}

/* As lines for people. */

static void print_ranges(FILE *f, const statistics *s)
{
    fprintf(f, "drawn        %" PRIu64 " edges", s->edges);
    for (int i = 0; i < s->ranges && i < 8; i++) {
        fprintf(f, "%s %" PRIu64 " to %" PRIu64, i == 0 ? ": numbers" : ",", s->range[i].first,
                s->range[i].first + s->range[i].count - 1);
    }
    fprintf(f, "%s\n", s->ranges > 8 ? ", ..." : "");
}

static void print_test(FILE *f, chi_result r)
{
    if (r.cells > 0) {
        fprintf(f, " %12.5g %3d  %8.3g", r.x, r.cells - 1, r.chance);
    } else {
        fprintf(f, " %12s %3s  %8s", "-", "-", "-");
    }
}

static void print_levels(FILE *f, const statistics *s)
{
    fprintf(f, "%-12s %9s %9s %9s %9s", "levels", "a", "b", "c", "d");
    fprintf(f, "%s\n", s->expects ? "  chi-squared  df    chance   with the next one" : "");
    for (int l = 0; l < s->levels; l++) {
        fprintf(f, "  %-10d", l);
        for (int q = 0; q < 4; q++) {
            fprintf(f, " %9.7f", (double)s->quadrants[l][q] / (double)s->edges);
        }
        if (s->expects) {
            print_test(f, test_level(s, l));
            if (l + 1 < s->levels) {
                print_test(f, test_pair(s, l));
            }
        }
        putc('\n', f);
    }
}

/* Where small cells were put together: the degrees of freedom alone would not say why they are
 * fewer, and a level without a test would not say why it has none. */
static void print_merged(FILE *f, const statistics *s)
{
    int levels = 0, pairs = 0;

    for (int l = 0; l < s->levels; l++) {
        levels += test_level(s, l).merged > 0;
        pairs += test_pair(s, l).merged > 0;
    }
    if (levels + pairs > 0) {
        fprintf(f,
                "%-12s in %d of %d levels and %d of %d pairs of neighbouring levels, cells with "
                "fewer than %.0f expected edges are merged before the test\n",
                "merged", levels, s->levels, pairs, s->levels - 1, CHI_LEAST_EXPECTED);
    }
}

/* The smallest chance of all tests, and of how many: with n tests of a right generator it is below
 * x / n about as often as one of them is below x. */
static void print_worst(FILE *f, const statistics *s)
{
    double worst = 2;
    int tests = 0;

    for (int i = 0; i <= 2 * s->levels; i++) {
        const chi_result r = i == 2 * s->levels ? test_loops(s)
                             : i % 2 == 0       ? test_level(s, i / 2)
                                                : test_pair(s, i / 2);

        tests += r.cells > 0;
        worst = r.cells > 0 && r.chance < worst ? r.chance : worst;
    }
    if (tests > 0) {
        fprintf(f, "%-12s %d, smallest chance %.3g: %s\n", "tests", tests, worst,
                worst < 1e-6 / tests ? "the edges DO NOT FIT the model"
                                     : "the edges fit the model");
    }
}

void statistics_print(FILE *f, const statistics *s)
{
    const chi_result loops = test_loops(s);

    print_ranges(f, s);
    if (s->edges > 0) {
        fprintf(f, "%-12s %" PRIu64 " draws were rejected and repeated, %.3g per edge\n", "redraws",
                s->redraws, (double)s->redraws / (double)s->edges);
    }
    if (s->graph_edges != s->edges) {
        fprintf(f, "%-12s %" PRIu64 " edges\n", "graph", s->graph_edges);
    }
    if (s->square) {
        fprintf(f, "%-12s %" PRIu64, "loops", s->loops);
        if (loops.cells > 0) {
            fprintf(f, ", chi-squared %.4g, chance %.3g", loops.x, loops.chance);
        } else if (loops.merged > 0) {
            fprintf(f, ", not tested: fewer than %.0f are expected", CHI_LEAST_EXPECTED);
        }
        putc('\n', f);
    }
    fprintf(f, "%-12s 0x%016" PRIx64 "\n", "fingerprint", s->fingerprint);
    for (int i = 0; i < s->vertices; i++) {
        fprintf(f, "%-12s vertex %" PRIu64 ": out %" PRIu64 ", in %" PRIu64 "\n",
                i == 0 ? "degrees" : "", s->vertex[i], s->out[i], s->in[i]);
    }
    if (s->edges > 0) {
        print_levels(f, s);
        print_merged(f, s);
        print_worst(f, s);
    }
}
