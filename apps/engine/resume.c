/* Work that is interrupted and goes on later, as far as the engine has to do with it. */
#include "apps/engine/resume.h"
#include "apps/engine/status.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The formats of lists that can be resumed, HDF5 aside. */
static void list_resumable(char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < GRAPHFILE_N_FORMATS && used < size; i++) {
        if (!(graphfile_table[i]->traits & GRAPHFILE_EDGEFILE) &&
            graphfile_check_resume((graphfile_format)i) == EDGEFILE_OK) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     graphfile_names[i]);
        }
    }
}

int engine_check_resume(const engine_job *job)
{
    char names[256];

    if (!job->resume) {
        return ENGINE_OK;
    }
    if (strcmp(job->output, "-") == 0) {
        return engine_refuse("resume", "given for standard output, allowed: for a file");
    }
    if (engine_is_foreign(job) &&
        (engine_sorts(job) || graphfile_check_resume(job->format) != EDGEFILE_OK)) {
        list_resumable(names, sizeof names);
        return engine_refuse(
            "resume", "given with %sformat %s, allowed: with h5, csr, and lists as %s",
            engine_sorts(job) ? "a sorted graph in " : "", graphfile_names[job->format], names);
    }
    return ENGINE_OK;
}

/* Is the file the shard that the job makes, or a whole graph if the job makes one? */
static bool is_same_shard(edgefile_reader *r, const engine_job *job)
{
    uint64_t shard = 0, shards = 0;

    if (edgefile_get_u64(r, "first_edge", &shard) != EDGEFILE_OK) {
        return job->shards == 0; /* only a shard has a first edge */
    }
    return edgefile_get_u64(r, "shard", &shard) == EDGEFILE_OK && shard == job->shard &&
           edgefile_get_u64(r, "shards", &shards) == EDGEFILE_OK && shards == job->shards;
}

bool engine_is_complete(const engine_job *job, const char *command, engine_result *result)
{
    char text[sizeof result->command];
    edgefile_reader *r = NULL;
    struct stat file;
    bool same = job->resume && !job->replace && !engine_is_foreign(job) &&
                stat(job->output, &file) == 0 && S_ISREG(file.st_mode) &&
                edgefile_open(&r, job->output) == EDGEFILE_OK;

    same = same && edgefile_get_string(r, "command", text, sizeof text) == EDGEFILE_OK &&
           strcmp(text, command) == 0 &&
           (edgefile_format_of(r) == EDGEFILE_CSR) == (job->format == GRAPHFILE_CSR) &&
           edgefile_id_bytes(r) == job->id_bytes && edgefile_weight_of(r) == job->weight &&
           is_same_shard(r, job);
    if (same && result != NULL) {
        result->edges = result->stream_edges = result->resumed_edges = edgefile_edges(r);
        result->file_bytes = (uint64_t)file.st_size;
        edgefile_get_u64(r, "fingerprint", &result->fingerprint);
        edgefile_get_u64(r, "stream_edges", &result->stream_edges);
    }
    edgefile_close(r);
    return same;
}

/* The first span that ends behind the edge; n_spans: none does. */
static size_t span_behind(const engine_target *t, uint64_t edge)
{
    size_t low = 0, high = t->n_spans;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (t->spans[middle].first + t->spans[middle].count > edge) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void engine_wanted(const graphfile_writer *writer, const engine_target *target, uint64_t *first,
                   uint64_t *count)
{
    const uint64_t end = *first + *count;
    size_t i;

    if (writer != NULL) {
        graphfile_missing(writer, first, count);
    }
    if (target == NULL || target->spans == NULL) {
        return;
    }
    i = span_behind(target, *first);
    if (i == target->n_spans || target->spans[i].first >= end) {
        *first = end;
        *count = 0;
    } else {
        const engine_span *s = &target->spans[i];

        *first = s->first > *first ? s->first : *first;
        *count = (s->first + s->count < end ? s->first + s->count : end) - *first;
    }
}

int engine_remainder_next(void *remainder, uint64_t *first, uint64_t *count)
{
    engine_remainder *x = remainder;

    for (;;) {
        int more = 1;

        if (x->count == 0 && x->source != NULL) {
            more = x->source->next(x->source->state, &x->first, &x->count);
        } else if (x->count == 0) {
            more = x->begun ? 0 : 1;
            x->first = x->begin;
            x->count = x->begun ? 0 : x->edges;
            x->begun = true;
        }
        if (more != 1) {
            return more;
        }
        *first = x->first;
        *count = x->count;
        engine_wanted(x->writer, x->target, first, count);
        x->count -= *first + *count - x->first;
        x->first = *first + *count;
        if (*count > 0) {
            return 1;
        }
    }
}

void engine_give_up(const engine_job *job, graphfile_writer **writer)
{
    if (job->resume) {
        graphfile_keep_partial(writer);
    } else {
        graphfile_abort(writer);
    }
}
