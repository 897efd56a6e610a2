/* The ranks of the job as the callbacks that edgefile.h wants of processes that write together. */
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void rank_name(char *text, size_t size)
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

enum { ABANDON_TEXT = 8192 };

typedef struct {
    void (*tell)(const char *text);
} rank_lost;

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
        rank_name(detail, size);
    }
    return dist_agree(status, detail, size, NULL);
}

/* A write that waits for a dead rank never returns, so that this process can only end.  The
 * launcher then ends the other ranks.  What they wrote by HDF5 nobody can resume. */
static void abandon(void *state, const char *detail)
{
    const rank_lost *lost = state;
    char text[ABANDON_TEXT];

    snprintf(text, sizeof text, "%.4096s", detail);
    rank_name(text, sizeof text);
    if (lost->tell != NULL) {
        lost->tell(text);
    }
    edgefile_abandon();
    _exit(1);
}

const edgefile_group *rank_group(void (*tell)(const char *text), double timeout)
{
    static edgefile_group group;
    static rank_lost lost;

    if (dist_size() == 1) {
        return NULL;
    }
    lost.tell = tell;
    /* Twice, for a rank that is not heard of to be named first.  Rank 0 speaks for those that are
     * caught with it: launchers take seconds to end the others. */
    group = (edgefile_group){.rank = dist_rank(),
                             .size = dist_size(),
                             .hosts = dist_host_count(),
                             .state = &lost,
                             .broadcast = broadcast,
                             .sum = sum,
                             .agree = agree,
                             .abandon = abandon,
                             .patience = 2 * timeout + (dist_rank() > 0 ? 5 : 0),
                             .communicator = dist_communicator()};
    return &group;
}
