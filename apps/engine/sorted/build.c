/* The intervals of a rank, made one after another beside the pipeline that writes them. */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include <signal.h>

static bool quits(sorted_run *r)
{
    bool quit;

    pthread_mutex_lock(&r->lock);
    quit = r->quit;
    pthread_mutex_unlock(&r->lock);
    return quit || dist_stopping() != 0;
}

static int tick(void *run, uint64_t made)
{
    sorted_run *r = run;

    r->made += made;
    return quits(r);
}

/* Waits until the memory's last interval has been read; false: there will be no more. */
static bool wait_for(sorted_run *r, const sorted_slot *slot)
{
    bool quit;

    pthread_mutex_lock(&r->lock);
    while (slot->made && !r->quit) {
        pthread_cond_wait(&r->changed, &r->lock);
    }
    quit = r->quit;
    pthread_mutex_unlock(&r->lock);
    return !quit;
}

/* Rows whose first cell lies in interval i have their pointers from it; behind the last row comes
 * the number of all edges. */
static void set_rows(const sorted_run *r, uint64_t i, sorted_slot *slot)
{
    const rmat_cell *first = &r->cuts.cells[i], *end = &r->cuts.cells[i + 1];
    bool last = end->src == r->job->model.rows;

    slot->first_row = first->src + (first->dst > 0);
    slot->end_row = end->src + (end->dst > 0 || (last && first->src < end->src));
}

static void hand_over(sorted_run *r, uint64_t i, sorted_slot *slot, uint64_t first)
{
    uint64_t width = 8 / (uint64_t)r->job->id_bytes;

    pthread_mutex_lock(&r->lock);
    set_rows(r, i, slot);
    slot->first = first;
    slot->edges = rmat_interval_edges(slot->interval);
    slot->left = slot->edges;
    if (r->format == GRAPHFILE_CSR) {
        slot->left += (slot->end_row - slot->first_row) * width;
    }
    slot->given = false;
    slot->made = true;
    r->begun++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Has an earlier run left all that comes from interval i, which begins with edge *first?  If so,
 * *first becomes that of the next interval. */
static bool is_there(const sorted_run *r, uint64_t i, uint64_t *first)
{
    const rmat_cell *behind = &r->cuts.cells[i + 1];
    sorted_slot slot = {0};
    uint64_t end;

    set_rows(r, i, &slot);
    if (r->writer == NULL || !graphfile_marked(r->writer, behind->src, behind->dst, &end) ||
        end < *first || !graphfile_has_edges(r->writer, *first, end - *first) ||
        (r->format == GRAPHFILE_CSR &&
         !graphfile_has_pointers(r->writer, slot.first_row, slot.end_row - slot.first_row))) {
        return false;
    }
    *first = end;
    return true;
}

static int build(sorted_run *r)
{
    uint64_t first = r->starts[dist_rank()], stream = sorted_stream(r, r->draws), made = 0;
    int status;

    for (uint64_t i = 0; i < r->cuts.n; i++) { /* more, where an interval was cut in two */
        sorted_slot *slot = &r->slots[made % (uint64_t)r->plan.intervals];

        if ((i > 0 || !r->kept) && is_there(r, i, &first)) {
            continue;
        }
        made++;
        if (!wait_for(r, slot)) {
            return SORTED_STOPPED;
        }
        if (i > 0 || !r->kept) {
            r->pass++;
            status = sorted_make_interval(r, slot->interval, i, stream, tick);
            if (status != RMAT_OK) {
                return sorted_failed(r, status);
            }
        }
        hand_over(r, i, slot, first);
        first += slot->edges;
        if (r->writer != NULL && graphfile_mark(r->writer, r->cuts.cells[i + 1].src,
                                                r->cuts.cells[i + 1].dst, first) != EDGEFILE_OK) {
            return sorted_failed(r, RMAT_ERR_NOMEM);
        }
    }
    return RMAT_OK;
}

static void *run(void *argument)
{
    sorted_run *r = argument;
    int status = build(r);

    pthread_mutex_lock(&r->lock);
    r->status = status;
    r->ended = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

int sorted_build_start(sorted_run *r, pthread_t *thread)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    error = pthread_create(thread, NULL, run, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int sorted_build_end(sorted_run *r, pthread_t thread, bool quit)
{
    pthread_mutex_lock(&r->lock);
    r->quit = r->quit || quit;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(thread, NULL);
    return r->status;
}
