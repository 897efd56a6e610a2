/*
 * How the parts of the engine report failures and warnings.  Private to the engine and the
 * programs above it.
 *
 * A function that fails leaves one line of text, without a full stop, and returns a status, as in
 * `return engine_fail("%s: %s", name, strerror(errno));`.  Text and status belong to the thread;
 * threads that the engine starts hand theirs over to the one that waits for them.
 */
#ifndef APPS_ENGINE_STATUS_H
#define APPS_ENGINE_STATUS_H

#include "apps/engine/engine.h"

enum { ENGINE_FIELD = 32 }; /* bytes of a field's name */

/* A run-time failure.  Returns ENGINE_ERR_RUN. */
int engine_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same after a function of edgefile.h or graphfile.h returned this status, where no pipe was
 * written.  The field is
 * "replace" where the file exists and may not be replaced. */
int engine_fail_file(int status);

/* The same of graphfile.h.  Where the reader of a pipe has left, nobody need be told: no text. */
int engine_fail_graphfile(int status);

/* A job that cannot be done as it is described: `field` is wrong (engine_field()).  Returns
 * ENGINE_ERR_JOB. */
int engine_refuse(const char *field, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The watch asked to stop, for this reason.  Returns ENGINE_STOPPED. */
int engine_stop_with(int reason);

/* Another thread's or rank's text and field. */
void engine_set_detail(const char *field, const char *text);

/* Something that the caller should know: kept until the ranks share it (ranks/ranks.h). */
void engine_note_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void engine_take_warning(char text[ENGINE_TEXT]); /* "" where there is none */

#endif
