/* What the options of chung_lu ask for, and the rules between them. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "apps/chung_lu/table.h"
#include "apps/client/client.h"
#include "apps/common/cpu.h"
#include "apps/common/from_option.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "mpi/dist.h"
#include <string.h>

static int error_pair(int a, int b)
{
    return usage_error("", "--%s: given together with --%s, allowed: one of them",
                       chung_lu_table[a].name, chung_lu_table[b].name);
}

/* A number in (above, most], or with least in [least, most]. */
static int number(int which, const char *text, double above, double least, double most,
                  double *value)
{
    number_status status = parse_double(text, value);

    if (status == NUMBER_MALFORMED) {
        return usage_error("", "--%s: '%s' is not a number, allowed: %s",
                           chung_lu_table[which].name, text, chung_lu_table[which].allowed);
    }
    if (status != NUMBER_OK || !(*value > above && *value >= least && *value <= most)) {
        return usage_error("", "--%s: '%s' is out of range, allowed: %s",
                           chung_lu_table[which].name, text, chung_lu_table[which].allowed);
    }
    return EXIT_OK;
}

static int resolve_like(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    static const int of_like[] = {MULTIPLY, FROM, DATASETS};

    for (size_t i = 0; i < sizeof of_like / sizeof of_like[0]; i++) {
        if (given[of_like[i]] && !given[LIKE]) {
            return usage_error("", "--%s: given without --like, allowed: with it",
                               chung_lu_table[of_like[i]].name);
        }
    }
    o->like = (chung_lu_like){.name = raw->like,
                              .datasets = raw->datasets,
                              .format = given[FROM] ? raw->from : -1,
                              .multiply = raw->multiply};
    return given[LIKE] ? from_option_check("", raw->like, given[FROM], raw->from, raw->datasets)
                       : EXIT_OK;
}

static int resolve_model(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    static const int others[] = {DEGREES, POWER_LAW, VERTICES, MIN_DEGREE, MAX_DEGREE};
    int status;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (given[LIKE] && given[others[i]]) {
            return error_pair(LIKE, others[i]);
        }
        if (given[DEGREES] && i > 0 && given[others[i]]) {
            return error_pair(DEGREES, others[i]);
        }
    }
    if (given[EDGES] && given[AVERAGE_DEGREE]) {
        return error_pair(EDGES, AVERAGE_DEGREE);
    }
    o->degrees = raw->degrees;
    o->vertices = raw->degrees != NULL || raw->like != NULL ? 0 : raw->vertices;
    o->edges = raw->edges;
    o->edges_given = given[EDGES];
    o->job.model.seed = raw->seed;
    status = resolve_like(raw, given, o);
    if (status == EXIT_OK) {
        status = number(POWER_LAW, raw->power_law, 1, 1, 1000, &o->exponent);
    }
    if (status == EXIT_OK) {
        status =
            number(MIN_DEGREE, raw->min_degree, 0, LEAST_DEGREE, DEGREES_MAX_VALUE, &o->min_degree);
    }
    if (status == EXIT_OK && given[MAX_DEGREE]) {
        status = number(MAX_DEGREE, raw->max_degree, 0, o->min_degree, DEGREES_MAX_VALUE,
                        &o->max_degree);
    }
    if (status == EXIT_OK && given[AVERAGE_DEGREE]) {
        status = number(AVERAGE_DEGREE, raw->average_degree, 0, 0, DEGREES_MAX_VALUE,
                        &o->average_degree);
    }
    return status;
}

/* Which format, and what it asks of the graph. */
static int resolve_format(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    int format = raw->format, by_name = -1;

    if (!given[FORMAT] && given[OUTPUT] && strcmp(raw->output, "-") != 0) {
        if (graphfile_format_of_name(raw->output, &by_name) != EDGEFILE_OK) {
            return usage_error("", "--output: %s; --format takes any name", edgefile_detail());
        }
        format = by_name >= 0 ? by_name : format;
    }
    o->job.format = (graphfile_format)format;
    if (!given[OUTPUT]) {
        graphfile_default_name(o->job.format, o->default_output, sizeof o->default_output);
        o->job.output = o->default_output;
    } else if (strcmp(raw->output, "-") == 0 &&
               !(graphfile_table[format]->traits & GRAPHFILE_PIPE)) {
        return usage_error(
            "", "--output: '-' given with --format %s, allowed: with text and pairs of integers",
            graphfile_names[format]);
    }
    if (raw->graph.weights != NULL && !edge_options_weights(raw->graph.weights, &o->job.model)) {
        return usage_error("", "--weights: '%s' is unknown, allowed: %s", raw->graph.weights,
                           EDGE_WEIGHTS_ALLOWED);
    }
    if (raw->graph.weights != NULL &&
        edge_options_fit_weights("", "format", raw->graph.weights, &o->job.model, o->job.format) !=
            EXIT_OK) {
        return EXIT_USAGE;
    }
    if (client_check_terminal("", "--output", o->job.output, o->job.format,
                              raw->force || raw->dry_run) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->job.columns = raw->columns;
    o->job.compress = raw->compress;
    o->job.encoding = (graphfile_encoding)raw->encoding;
    o->job.row_group = raw->row_group;
    if (raw->unique && (raw->graph.dedup || raw->graph.simple)) {
        return usage_error("", "--unique: given together with --%s, allowed: one of them",
                           raw->graph.dedup ? "dedup" : "simple");
    }
    return EXIT_OK;
}

static int resolve(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    engine_id_type(raw->id_type, &o->job.id_bytes, &o->job.id_sign);
    if (resolve_format(raw, given, o) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->job.model.backend = (rmat_backend)raw->backend;
    if (given[DEVICES] && o->job.model.backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "", "--devices: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    o->job.device_count = raw->devices.count;
    memcpy(o->job.devices, raw->devices.item, sizeof o->job.devices);
    o->job.threads = raw->threads > 0     ? (int)raw->threads
                     : engine_ranks() > 1 ? dist_processors()
                                          : cpu_usable();
    o->job.fall_back = o->job.model.backend == RMAT_BACKEND_AUTO;
    o->job.io = (edgefile_path)raw->path;
    o->job.layout = (edgefile_layout)raw->layout;
    client_obey_tests(&o->job);
    o->job.memory = raw->memory;
    o->job.device_memory = raw->device_memory;
    o->graph = raw->graph;
    o->unique = raw->unique;
    return resolve_model(raw, given, o);
}

int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out)
{
    chung_lu_values raw = {
        .multiply = 1, .power_law = "2.5", .min_degree = "1", .vertices = 1 << 20, .seed = 1};
    bool given[OPTIONS_MAX];
    int status = options_parse(&chung_lu_command_line, argc, argv, &raw, given, NULL);

    *out = (chung_lu_options){.dry_run = raw.dry_run,
                              .json = raw.json,
                              .quiet = raw.quiet,
                              .help = raw.help,
                              .version = raw.version,
                              .man = raw.man};
    engine_job_default(&out->job);
    out->job.output = raw.output != NULL ? raw.output : "graph.h5";
    out->job.replace = raw.force;
    return status != EXIT_OK || raw.help || raw.version || raw.man ? status
                                                                   : resolve(&raw, given, out);
}
