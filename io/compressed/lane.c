/* lane.c - encoded chunks on their way into a file: see lane.h. */
#include "io/compressed/lane.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD ((uint64_t)256 << 20) /* bytes of disk space that are allocated ahead */

void edgefile_lane_init(edgefile_lane *l, edgefile_part *part, bool direct, bool rounds)
{
    *l = (edgefile_lane){.part = part, .direct = direct, .rounds = rounds};
    pthread_mutex_init(&l->lock, NULL);
}

static void free_list(edgefile_encoded *e)
{
    while (e != NULL) {
        edgefile_encoded *next = e->next;

        free(e->data);
        free(e);
        e = next;
    }
}

void edgefile_lane_free(edgefile_lane *l)
{
    free_list(l->waiting);
    free_list(l->spare);
    pthread_mutex_destroy(&l->lock);
}

edgefile_encoded *edgefile_lane_take(edgefile_lane *l, size_t bytes)
{
    edgefile_encoded *e;

    pthread_mutex_lock(&l->lock);
    e = l->spare;
    if (e != NULL) {
        l->spare = e->next;
    }
    pthread_mutex_unlock(&l->lock);
    if (e != NULL || (e = calloc(1, sizeof *e)) == NULL) {
        return e;
    }
    e->data = aligned_alloc(EDGEFILE_CHUNK_PAGE, edgefile_chunk_page(bytes));
    if (e->data == NULL) {
        free(e);
        return NULL;
    }
    return e;
}

void edgefile_lane_give(edgefile_lane *l, edgefile_encoded *e)
{
    pthread_mutex_lock(&l->lock);
    e->next = l->spare;
    l->spare = e;
    pthread_mutex_unlock(&l->lock);
}

/* Takes the next chunk out of those that wait and gives it its place; NULL: it is not there.  Under
 * the lock. */
static edgefile_encoded *place_next(edgefile_lane *l)
{
    edgefile_encoded **link = &l->waiting, *e;

    while (*link != NULL && (*link)->number != l->next) {
        link = &(*link)->next;
    }
    e = *link;
    if (e != NULL) {
        *link = e->next;
        *e->place = (edgefile_chunk){l->end, e->bytes};
        l->end += edgefile_chunk_page(e->bytes);
        l->next++;
    }
    return e;
}

/* Not for small files.  Where the file system cannot, the writes allocate, and report a full disk.
 * Under the lock, which is open while the system allocates: that takes some 20 ms, in which others
 * write where it has. */
static void reserve(edgefile_lane *l, uint64_t from)
{
    if (l->direct && l->end - l->base >= AHEAD / 4 && l->end + AHEAD / 4 > l->reserved) {
        const uint64_t until = l->end + AHEAD;
        bool allocated;

        from = l->reserved > from ? l->reserved : from;
        l->reserved = until;
        pthread_mutex_unlock(&l->lock);
        allocated = edgefile_set_aside(l->part->fd, from, until - from) == 0;
        pthread_mutex_lock(&l->lock);
        if (!allocated) {
            l->reserved = UINT64_MAX;
        }
    }
}

static int write_chunk(edgefile_lane *l, edgefile_encoded *e)
{
    const uint64_t bytes = edgefile_chunk_page(e->bytes);

    memset(e->data + e->bytes, 0, bytes - e->bytes);
    if (edgefile_put(l->part->fd, l->direct ? l->part->direct_fd : -1, e->place->offset, bytes,
                     e->data) < bytes) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", l->part->path);
    }
    return EDGEFILE_OK;
}

int edgefile_lane_add(edgefile_lane *l, edgefile_encoded *e)
{
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&l->lock);
    e->next = l->waiting;
    l->waiting = e;
    while (st == EDGEFILE_OK && !l->rounds && (e = place_next(l)) != NULL) {
        reserve(l, e->place->offset);
        pthread_mutex_unlock(&l->lock);
        st = write_chunk(l, e);
        edgefile_lane_give(l, e);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return st;
}

/* How many chunks wait, and their bytes in the file. */
static uint64_t look_at_waiting(const edgefile_lane *l, uint64_t *bytes)
{
    uint64_t n = 0;

    *bytes = 0;
    for (const edgefile_encoded *e = l->waiting; e != NULL; e = e->next) {
        n++;
        *bytes += edgefile_chunk_page(e->bytes);
    }
    return n;
}

int edgefile_lane_end_round(edgefile_lane *l, const edgefile_group *group)
{
    const char *path = l->part->path;
    uint64_t bytes, n = look_at_waiting(l, &bytes);
    uint64_t before, before_bytes, all, all_bytes, end, next;
    edgefile_encoded *e;
    int st = EDGEFILE_OK;

    EDGEFILE_TRY(edgefile_group_share(group, path, n, &before, &all));
    EDGEFILE_TRY(edgefile_group_share(group, path, bytes, &before_bytes, &all_bytes));
    end = l->end + all_bytes;
    next = l->next + all;
    l->end += before_bytes;
    l->next += before;
    if (l->direct && bytes > 0 && l->reserved != UINT64_MAX &&
        edgefile_set_aside(l->part->fd, l->end, bytes) != 0) {
        l->reserved = UINT64_MAX;
    }
    while (st == EDGEFILE_OK && (e = place_next(l)) != NULL) {
        st = write_chunk(l, e);
        edgefile_lane_give(l, e);
    }
    if (st == EDGEFILE_OK && l->waiting != NULL) {
        st = edgefile_fail(EDGEFILE_ERR_RANGE, "%s: a round has no chunk %llu", path,
                           (unsigned long long)l->next);
    }
    l->end = end;
    l->next = next;
    return st;
}
