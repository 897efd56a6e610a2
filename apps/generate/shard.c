/* --shard: which shard of the graph is made, in which file and folder. */
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/status.h"
#include "apps/generate/generate.h"
#include "apps/generate/model.h"
#include "io/edgefile_shards.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse(const char *text, uint64_t *shard, uint64_t *shards)
{
    const char *slash = strchr(text, '/');
    char first[NUMBER_TEXT];

    if (slash == NULL || (size_t)(slash - text) >= sizeof first) {
        return false;
    }
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    return parse_u64(first, shard) == NUMBER_OK && parse_u64(slash + 1, shards) == NUMBER_OK &&
           *shard < *shards && *shards <= EDGEFILE_MAX_SHARDS;
}

int generate_resolve_shard(const generate_values *raw, const bool *given, generate_options *out)
{
    const char *graph = out->job.output;
    char *path;

    if (!given[GENERATE_SHARD]) {
        return EXIT_OK;
    }
    if (given[GENERATE_LAYOUT]) {
        return generate_error_pair(GENERATE_LAYOUT, GENERATE_SHARD);
    }
    if (!parse(raw->shard, &out->job.shard, &out->job.shards)) {
        return usage_error("generate", "--shard: '%s' is not K/N, allowed: %s", raw->shard,
                           generate_table[GENERATE_SHARD].allowed);
    }
    if (edgefile_shard_name(&path, graph, (int)out->job.shard) != EDGEFILE_OK) {
        return runtime_error("generate", "%s", edgefile_detail());
    }
    if (strlen(path) >= sizeof out->shard_output) {
        free(path);
        return usage_error(
            "generate",
            "--output: '%s' is too long, allowed: shards whose paths have up to %d bytes", graph,
            (int)sizeof out->shard_output - 1);
    }
    strcpy(out->shard_output, path);
    free(path);
    out->graph_output = graph;
    out->job.output = out->shard_output;
    return EXIT_OK;
}

int generate_open_shard(generate_options *o)
{
    if (o->job.shards == 0 ||
        edgefile_shard_folder_make(o->graph_output, &o->made_folder) == EDGEFILE_OK) {
        return ENGINE_OK;
    }
    return engine_fail("%s", edgefile_detail());
}

void generate_close_shard(generate_options *o)
{
    char *end = o->made_folder ? strrchr(o->shard_output, '/') : NULL;

    if (end != NULL) {
        *end = '\0';
        rmdir(o->shard_output); /* unless there is something in it by now */
        *end = '/';
    }
}
