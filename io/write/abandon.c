/*
 * abandon.c - removes the partial files that this process holds, for an exit that comes from
 * elsewhere: libgomp ends the process where it cannot start a thread, and HDF5 where memory is
 * exhausted at a few places.
 */
#include "io/private.h"
#include "io/resume/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct held {
    pid_t owner; /* a child that it forks inherits the list, not the files */
    int fd;
    struct held *next;
    char partial[];
} held;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static held *all;

int edgefile_held_add(int fd, const char *partial)
{
    held *h = malloc(sizeof *h + strlen(partial) + 1);

    if (h == NULL) {
        return edgefile_no_memory(partial);
    }
    h->owner = getpid();
    h->fd = fd;
    strcpy(h->partial, partial);
    pthread_mutex_lock(&lock);
    h->next = all;
    all = h;
    pthread_mutex_unlock(&lock);
    return EDGEFILE_OK;
}

void edgefile_held_drop(int fd)
{
    held **link, *gone;

    pthread_mutex_lock(&lock);
    for (link = &all; *link != NULL && (*link)->fd != fd; link = &(*link)->next) {
    }
    gone = *link;
    if (gone != NULL) {
        *link = gone->next;
    }
    pthread_mutex_unlock(&lock);
    free(gone);
}

/* The list stays locked: whoever still writes is at the end of the process, too. */
void edgefile_abandon(void)
{
    if (pthread_mutex_trylock(&lock) != 0) {
        return;
    }
    for (const held *h = all; h != NULL; h = h->next) {
        if (h->owner == getpid() && edgefile_partial_is_ours(h->partial, h->fd)) {
            edgefile_shard_folder_remove(h->partial);
            edgefile_record_remove(h->partial, true);
            edgefile_partial_remove(h->partial, h->fd);
        }
    }
}
