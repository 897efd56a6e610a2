/* Standard input as a file that can be read anywhere. */
#ifndef APPS_ENGINE_SOURCE_SPOOL_H
#define APPS_ENGINE_SOURCE_SPOOL_H

#include "apps/engine/engine.h"

/* *fd: standard input itself where it is a file at its beginning, else a copy without a name in the
 * folder (NULL: TMPDIR, or /tmp), which is gone when it is closed.  Returns an engine_status. */
int spool_stdin(int *fd, const char *folder, const engine_watch *watch);

#endif
