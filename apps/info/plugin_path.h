/* rmat info --plugin-path. */
#ifndef APPS_INFO_PLUGIN_PATH_H
#define APPS_INFO_PLUGIN_PATH_H

/* Prints the folder of the HDF5 plug-in, for HDF5_PLUGIN_PATH.  Returns an exit code. */
int info_plugin_path(void);

#endif
