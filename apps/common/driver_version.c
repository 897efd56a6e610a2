/*
 * The version of NVIDIA's kernel driver, from the text that it offers in /proc.  The words around
 * the number have changed over the years and differ between the open and the proprietary driver,
 * but in all of them the version is the first word that consists of digits and dots:
 *
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:17:21 UTC 2025
 *   NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  ...
 */
#include "apps/common/driver_version.h"
#include <stdio.h>
#include <string.h>

void driver_version_parse(const char *line, char version[DRIVER_VERSION_TEXT])
{
    static const char blanks[] = " \t\n";

    snprintf(version, DRIVER_VERSION_TEXT, "unknown");
    for (line += strspn(line, blanks); *line != '\0'; line += strspn(line, blanks)) {
        size_t length = strcspn(line, blanks);

        if (strspn(line, "0123456789.") == length && memchr(line, '.', length) != NULL) {
            snprintf(version, DRIVER_VERSION_TEXT, "%.*s", (int)length, line);
            return;
        }
        line += length;
    }
}

void driver_version(char version[DRIVER_VERSION_TEXT])
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[512] = "";

    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    driver_version_parse(line, version);
}
