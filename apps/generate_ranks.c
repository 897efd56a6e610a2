#include "apps/generate_ranks.h"
#include "apps/message.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void generate_name_rank(char *text, size_t size)
{
    char host[256] = "?", name[300];
    size_t length;

    if (dist_size() == 1) {
        return;
    }
    gethostname(host, sizeof host - 1);
    length = (size_t)snprintf(name, sizeof name, "rank %d on host %s: ", dist_rank(), host);
    if (length < size) {
        size_t rest = strnlen(text, size - length - 1);

        memmove(text + length, text, rest);
        text[length + rest] = '\0';
        memcpy(text, name, length);
    }
}

int generate_agree(int status)
{
    char text[MESSAGE_TEXT] = "";

    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME) {
        generate_name_rank(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text, NULL);
    if (status != EXIT_OK && dist_rank() == 0) {
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
        generate_name_rank(text, sizeof text);
    }
    dist_agree(text[0] != '\0', text, sizeof text, NULL);
    if (dist_rank() == 0 && ranks > 1) {
        message_print("generate", "%s; likewise on %" PRIu64 " more ranks", text, ranks - 1);
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
    static char first[SAME_ITEMS][SAME_TEXT]; /* rank 0's */
    int status = EXIT_OK;

    for (int i = 0; i < SAME_ITEMS; i++) {
        snprintf(first[i], SAME_TEXT, "%s", mine[i]);
    }
    dist_broadcast(first, sizeof first);
    for (int i = 0; i < SAME_ITEMS && status == EXIT_OK; i++) {
        if (strncmp(first[i], mine[i], SAME_TEXT - 1) != 0) {
            status = usage_error("generate",
                                 "%s: '%s' on rank %d, '%s' on rank 0, allowed: the same on all "
                                 "ranks",
                                 names[i], mine[i], dist_rank(), first[i]);
        }
    }
    return generate_agree(status);
}

/* --- dist as edgefile wants it --- */

static void broadcast(void *state, void *data, size_t bytes)
{
    (void)state;
    dist_broadcast(data, bytes);
}

static void sum(void *state, uint64_t *values, size_t count)
{
    (void)state;
    dist_sum(values, count);
}

static int agree(void *state, int status, char *detail, size_t size)
{
    (void)state;
    if (status != EDGEFILE_OK) {
        generate_name_rank(detail, size);
    }
    return dist_agree(status, detail, size, NULL);
}

/* The launcher ends the others of a job of which one rank leaves so. */
static void abandon(void *state, const char *detail)
{
    char text[MESSAGE_TEXT];

    (void)state;
    snprintf(text, sizeof text, "%.4096s", detail);
    generate_name_rank(text, sizeof text);
    message_print("generate", "%s", text);
    _exit(EXIT_RUNTIME);
}

const edgefile_group *generate_group(void)
{
    static edgefile_group group;

    if (dist_size() == 1) {
        return NULL;
    }
    group = (edgefile_group){.rank = dist_rank(),
                             .size = dist_size(),
                             .hosts = dist_host_count(),
                             .broadcast = broadcast,
                             .sum = sum,
                             .agree = agree,
                             .abandon = abandon,
                             .communicator = dist_communicator()};
    return &group;
}
