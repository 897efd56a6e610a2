/* The version of NVIDIA's kernel driver. */
#ifndef APPS_COMMON_DRIVER_VERSION_H
#define APPS_COMMON_DRIVER_VERSION_H

enum { DRIVER_VERSION_TEXT = 64 };

/* Find it in the first line of /proc/driver/nvidia/version; "unknown" if there is none. */
void driver_version_parse(const char *line, char version[DRIVER_VERSION_TEXT]);

/* The version of the running driver; "unknown" if there is none. */
void driver_version(char version[DRIVER_VERSION_TEXT]);

#endif
