/* Statistics of edges as members of a JSON object.  A header of its own, as the library that reads
 * them, json-c, has a json_object too. */
#ifndef APPS_CLIENT_STATISTICS_JSON_H
#define APPS_CLIENT_STATISTICS_JSON_H

#include "apps/client/statistics.h"
#include "apps/common/json.h"

void statistics_json(json_object *o, const statistics *s);

#endif
