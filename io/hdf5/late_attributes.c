/* late_attributes.c - attributes whose values are known only when the file is committed. */
#include "io/private.h"

#include <stdlib.h>
#include <string.h>

int edgefile_late_keep(edgefile_output *w, const graphfile_spec *spec)
{
    w->late_name = calloc(spec->n_attrs + 1, sizeof *w->late_name);
    w->late = calloc(spec->n_attrs + 1, sizeof *w->late);
    if (w->late_name == NULL || w->late == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        if (attr->type != EDGEFILE_U64 || attr->count != 1) {
            continue;
        }
        w->late_name[w->n_late] = strdup(attr->name);
        if (w->late_name[w->n_late++] == NULL) {
            return edgefile_no_memory(NULL);
        }
    }
    return EDGEFILE_OK;
}

int edgefile_late_set(edgefile_output *w, const char *name, uint64_t value)
{
    for (size_t i = 0; i < w->n_late; i++) {
        if (strcmp(w->late_name[i], name) == 0) {
            w->late[i] = (edgefile_late){value, true};
            return EDGEFILE_OK;
        }
    }
    return edgefile_fail(EDGEFILE_ERR_ATTR, "%s: there is no attribute '%s' of one number to set",
                         w->partial, name);
}

/* All processes have the same spec, and so the same attributes in the same order. */
void edgefile_late_share(edgefile_output *w)
{
    if (w->n_late > 0) {
        edgefile_group_broadcast(w->group, w->late, w->n_late * sizeof *w->late);
    }
}

void edgefile_late_free(edgefile_output *w)
{
    for (size_t i = 0; i < w->n_late; i++) {
        free(w->late_name[i]);
    }
    free(w->late_name);
    free(w->late);
}
