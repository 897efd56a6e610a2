#include "apps/engine/ranks/agree.h"
#include "apps/common/message.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int generate_agree(int status)
{
    char text[MESSAGE_TEXT] = "";

    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME) {
        rank_name(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text, NULL);
    if (status != EXIT_OK && text[0] != '\0' && dist_rank() == 0) { /* else it is nobody's fault */
        message_print("generate", "%s", text);
    }
    return status;
}

void generate_warn(void)
{
    char text[MESSAGE_TEXT];
    uint64_t ranks;

    message_take(text);
    ranks = text[0] != '\0';
    dist_sum(&ranks, 1);
    if (ranks == 0) {
        return;
    }
    if (text[0] != '\0') {
        rank_name(text, sizeof text);
    }
    dist_agree(text[0] != '\0', text, sizeof text, NULL);
    if (dist_rank() == 0 && ranks > 1) {
        message_print("generate", "%s; likewise on %" PRIu64 " more rank%s", text, ranks - 1,
                      ranks == 2 ? "" : "s");
    } else if (dist_rank() == 0) {
        message_print("generate", "%s", text);
    }
}

enum { SAME_ITEMS = 7, SAME_TEXT = 4096 };

int generate_same_job(const generate_options *o, const char *command)
{
    static const char *const names[SAME_ITEMS] = {"version", "graph",     "--output", "--layout",
                                                  "--io",    "--dry-run", "--force"};
    const char *mine[SAME_ITEMS] = {rmat_version(),
                                    command,
                                    o->output,
                                    generate_layout_name(o->layout),
                                    generate_path_name(o->path),
                                    o->dry_run ? "given" : "not given",
                                    o->force ? "given" : "not given"};
    static char first[SAME_ITEMS][SAME_TEXT]; /* rank 0's, and so are the levels */
    rmat_matrix levels[RMAT_MAX_SCALE];
    int status = EXIT_OK;

    for (int i = 0; i < SAME_ITEMS; i++) {
        snprintf(first[i], SAME_TEXT, "%s", mine[i]);
    }
    dist_broadcast(first, sizeof first);
    memcpy(levels, o->levels, sizeof levels);
    dist_broadcast(levels, sizeof levels);
    for (int i = 0; i < SAME_ITEMS && status == EXIT_OK; i++) {
        if (strncmp(first[i], mine[i], SAME_TEXT - 1) != 0) {
            status = usage_error("generate",
                                 "%s: '%s' on rank %d, '%s' on rank 0, allowed: the same on all "
                                 "ranks",
                                 names[i], mine[i], dist_rank(), first[i]);
        }
    }
    /* The command says FILE, whatever the matrices. */
    if (status == EXIT_OK && memcmp(levels, o->levels, sizeof levels) != 0) {
        status = usage_error("generate",
                             "--level-matrices: other matrices on rank %d than on rank 0, allowed: "
                             "the same on all ranks",
                             dist_rank());
    }
    return generate_agree(status);
}
