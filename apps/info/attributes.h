/* The attributes of an edge file, for `rmat info`. */
#ifndef APPS_INFO_ATTRIBUTES_H
#define APPS_INFO_ATTRIBUTES_H

#include "apps/common/json.h"
#include "io/edgefile.h"

/* Those that there are, as lines on standard output, or into a JSON object. */
void info_attributes(edgefile_reader *r, json_object *json);

/* Reads them, for edgefile_unanswered(). */
void info_attributes_read(edgefile_reader *r);

#endif
