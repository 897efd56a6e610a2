/* rmat generate --statistics: which options it leaves a place for, and what it prints. */
#include "apps/client/statistics.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/generate/describe.h"
#include "apps/generate/generate.h"
#include "apps/generate/model.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int refuse_vertex(const char *list, const rmat_config *model)
{
    const uint64_t most = (model->rows > model->cols ? model->rows : model->cols) - 1;

    return usage_error(
        "generate",
        "--degrees-of: '%s' is not a list of vertices, allowed: up to %d, each from 0 to "
        "%" PRIu64 ", with commas between them",
        list, RMAT_TALLY_VERTICES, most);
}

static int resolve_vertices(const char *list, const rmat_config *model, rmat_tally_request *request)
{
    const uint64_t vertices = model->rows > model->cols ? model->rows : model->cols;
    const char *at = list;

    for (request->vertices = 0; at != NULL; request->vertices++) {
        const char *comma = strchr(at, ',');
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        char text[NUMBER_TEXT];
        uint64_t vertex;

        snprintf(text, sizeof text, "%.*s", (int)length, at);
        if (length >= sizeof text || parse_u64(text, &vertex) != NUMBER_OK || vertex >= vertices ||
            request->vertices == RMAT_TALLY_VERTICES) {
            return refuse_vertex(list, model);
        }
        request->vertex[request->vertices] = vertex;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return EXIT_OK;
}

int generate_resolve_statistics(const generate_values *raw, const bool *given,
                                generate_options *out)
{
    static const int files[] = {GENERATE_UNIQUE,
                                GENERATE_DEDUP,
                                GENERATE_SIMPLE,
                                GENERATE_FORMAT,
                                GENERATE_SORTED,
                                GENERATE_ID_TYPE,
                                GENERATE_FILE_NAME,
                                GENERATE_FORCE,
                                GENERATE_LAYOUT,
                                GENERATE_DRY_RUN,
                                GENERATE_PATH,

                                GENERATE_MEMORY,
                                GENERATE_DEVICE_MEMORY,
                                GENERATE_COLUMNS,
                                GENERATE_VIRTUAL,
                                GENERATE_COMPRESS,
                                GENERATE_SHARD,
                                -1};
    const int file = generate_any(given, files);

    out->request = (rmat_tally_request){.levels = 1, .neighbours = 1, .graph = 1};
    if (!raw->statistics) {
        return given[GENERATE_DEGREES_OF]
                   ? usage_error("generate",
                                 "--degrees-of: given without --statistics, allowed: with it")
                   : EXIT_OK;
    }
    if (file >= 0) {
        return generate_error_pair(file, GENERATE_STATISTICS);
    }
    return given[GENERATE_DEGREES_OF]
               ? resolve_vertices(raw->degrees_of, &out->job.model, &out->request)
               : EXIT_OK;
}

static void print_makers(FILE *f, const engine_counts *c)
{
    char rate[NUMBER_TEXT];

    fprintf(f, "time         %.3f s, %s edges/s by %d rank%s", c->seconds,
            format_si(rate, (double)c->tally.graph_edges / c->seconds), c->totals.ranks,
            c->totals.ranks == 1 ? "" : "s");
    if (c->totals.gpus > 0) {
        fprintf(f, " on %d GPU%s", c->totals.gpus, c->totals.gpus == 1 ? "" : "s");
    }
    if (c->totals.threads > 0) {
        fprintf(f, "%s %d thread%s", c->totals.gpus > 0 ? " and" : " with", c->totals.threads,
                c->totals.threads == 1 ? "" : "s");
    }
    putc('\n', f);
    if (c->totals.gpu_failed > 0) {
        fprintf(f, "gpu          not used: %s\n", c->totals.gpu_failed_text);
    }
}

int generate_print_statistics(const generate_options *o, const engine_counts *counts)
{
    statistics *s = malloc(sizeof *s);
    json_object j;

    if (s == NULL) {
        return runtime_error("generate", "memory is exhausted");
    }
    statistics_of(s, &o->job, &o->request, counts);
    if (o->json) {
        json_begin(&j, stdout);
        statistics_json(&j, s);
        json_string(&j, "library_version", rmat_version());
        json_u64(&j, "ranks", (uint64_t)counts->totals.ranks);
        json_u64(&j, "gpus", (uint64_t)counts->totals.gpus);
        json_u64(&j, "threads", (uint64_t)counts->totals.threads);
        json_f64(&j, "seconds", counts->seconds);
        json_end(&j);
    } else { /* also with --quiet: the counts are what was asked for, not a summary */
        generate_print_model(stdout, &o->job, counts->tally.graph_edges, false);
        statistics_print(stdout, s);
        print_makers(stdout, counts);
    }
    free(s);
    return EXIT_OK;
}
