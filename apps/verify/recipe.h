/* Files of any other format than our HDF5, which are made again by a command line. */
#ifndef APPS_VERIFY_RECIPE_H
#define APPS_VERIFY_RECIPE_H

#include "apps/verify/verify.h"
#include "io/graphfile.h"

/* Is it a file of another format, by its contents, or else by its name, or as the user says? */
bool recipe_format(const verify_options *options, graphfile_format *format);

/* Reports whether the command line makes this file.  Returns 0, or the signal that stopped it. */
int verify_recipe(verify_report *report, const verify_options *options, graphfile_format format);

#endif
