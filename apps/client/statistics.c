/* Statistics of edges: from counts, added up, and tested against the model. */
#include "apps/client/statistics.h"
#include "apps/engine/attributes/model_attrs.h"
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

static void expect(statistics *s, const rmat_config *model)
{
    rmat_expectation e;

    if (model->stream != RMAT_STREAM_RMAT || rmat_expect(model, &e) != RMAT_OK) {
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
    expect(s, m);
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

static int compare(const void *a, const void *b)
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
    qsort(s->range, (size_t)s->ranges, sizeof *s->range, compare);
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

chi_result statistics_level(const statistics *s, int level)
{
    chi_cell cells[4];

    for (int q = 0; q < 4; q++) {
        cells[q].expected = s->expected[level][q] * (double)s->edges;
        cells[q].found = (double)s->quadrants[level][q];
    }
    return s->expects ? chi_squared(cells, 4, CHI_LEAST_EXPECTED) : (chi_result){.chance = 1};
}

chi_result statistics_pair(const statistics *s, int level)
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

chi_result statistics_loops(const statistics *s)
{
    /* An edge with its reverse is drawn once, and so is a loop. */
    const double drawn = (double)s->edges, times = s->graph_edges > s->edges ? 2 : 1;
    const double loops = (double)s->loops / times, expected = s->expected_loops * drawn;
    chi_cell cells[] = {{expected, loops}, {drawn - expected, drawn - loops}};

    return s->expects && s->square ? chi_squared(cells, 2, CHI_LEAST_EXPECTED)
                                   : (chi_result){.chance = 1};
}
