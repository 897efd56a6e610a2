/* The picture of a fit: degrees of the graph and of the models. */
#ifndef APPS_FIT_PICTURE_H
#define APPS_FIT_PICTURE_H

#include "apps/common/whole_file.h"
#include "apps/fit/fit.h"

typedef struct {
    whole_file file;
    const char *terminal; /* of gnuplot; NULL: there is no picture */
} fit_picture;

/* Before the work: checks the name (NULL: no picture) and that gnuplot is there.  Returns an exit
 * code; where it is not EXIT_OK there is nothing to be closed. */
int fit_picture_open(fit_picture *p, const char *name, bool force, const char *input);

/* Draws, if the status is EXIT_OK; else removes what there is.  Returns an exit code. */
int fit_picture_close(fit_picture *p, const fit_report *report, int status);

#endif
