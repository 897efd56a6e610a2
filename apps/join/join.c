/* rmat join: the master of shards that were made one by one. */
#include "apps/client/commands.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "io/edgefile_shards.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct {
    bool force, json, quiet, help;
} join_values;

enum { FORCE, JSON, QUIET, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FORCE] = OPTION_ROW_FORCE(join_values, force, "Options", "replace FILE if it exists"),
    [JSON] = OPTION_ROW_JSON(join_values, json, "Options", "print one JSON object"),
    [QUIET] = OPTION_ROW_QUIET(join_values, quiet, "Options", "print no summary unless --json asks for it"),
    [HELP] = OPTION_ROW_HELP(join_values, help, "Options"),
};
/* clang-format on */

const command_line join_command_line = {
    .command = "join",
    .synopsis = "join FILE [OPTION]...",
    .summary = "Join the shards of a graph that 'rmat generate --shard K/N' made one by one: write "
               "FILE, through "
               "which the N shards in the folder FILE.shards are read as one graph. The shards "
               "stay where they are and are "
               "not copied.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .notes = "The shards must be complete and belong to one graph. Only their attributes are "
             "checked for this; 'rmat "
             "verify FILE' checks their edges.\nExit status: 0 "
             "success, 1 a shard is missing, damaged or of another graph, 2 wrong usage.",
};

static int join_shards(const char *name, const join_values *o)
{
    edgefile_joined joined;
    json_object j;
    const int status = edgefile_join(name, o->force, &joined);

    if (status != EDGEFILE_OK) {
        return runtime_error("join", "%s%s", edgefile_detail(),
                             status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
    }
    if (o->json) {
        json_begin(&j, stdout);
        json_string(&j, "file", name);
        json_u64(&j, "shards", (uint64_t)joined.shards);
        json_u64(&j, "edges", joined.edges);
        json_hex(&j, "fingerprint", joined.fingerprint);
        json_end(&j);
    } else if (!o->quiet) {
        text_line(stdout, "file         %s", name);
        text_line(stdout, "layout       sharded: %d file%s in %s.shards", joined.shards,
                  joined.shards == 1 ? "" : "s", name);
        printf("edges        %" PRIu64 "\n", joined.edges);
        printf("fingerprint  0x%016" PRIx64 "\n", joined.fingerprint);
    }
    return EXIT_OK;
}

int join_main(int argc, char **argv)
{
    join_values values = {false};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status;
    const bool goes_on =
        one_process_parse(&join_command_line, "reads", argc, argv, &values, given, &name, &status);

    if (goes_on && name == NULL) {
        status = usage_error("join", "FILE missing, allowed: the path of the graph");
    } else if (goes_on) {
        status = join_shards(name, &values);
    }
    dist_stop();
    return status;
}
