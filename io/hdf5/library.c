/*
 * library.c - loads HDF5 when the first file needs it (RMAT_HDF5_AT_RUNTIME).
 *
 * The library that RMAT_HDF5 names, or else the first of a list of the system's names, or else the
 * one that RMAT_HDF5_FALLBACK names (the Python package sets it to that of h5py; what comes before
 * the last colon are libraries that it needs and cannot find for itself), is opened for
 * this library alone: its symbols are seen by nobody else, and another HDF5 in the process goes on
 * undisturbed.  One is taken if its version is known to behave as expected and it has all that
 * library.h lists; else the next is tried.  The one that is taken stays until the process ends.
 */
#include "io/hdf5_layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Debian has its serial HDF5 under a name of its own.  The last two come with development files. */
static const char *const names[] = {
    "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5_serial.so.320",
    "libhdf5.so.103",        "libhdf5.so.200",        "libhdf5.so.310",
    "libhdf5.so.320",        "libhdf5_serial.so",     "libhdf5.so"};

/* What the table has, and where. */
static const struct {
    const char *name;
    size_t at;
} entries[] = {
#define ENTRY(name) {#name, offsetof(edgefile_hdf5_table, p_##name)},
    EDGEFILE_HDF5_FUNCTIONS(ENTRY) EDGEFILE_HDF5_IDS(ENTRY)
#undef ENTRY
};

edgefile_hdf5_table edgefile_hdf5;

/* The lock of edgefile_hdf5_begin() guards them, but for the last, which is set before threads. */
static bool is_loaded;
static char loaded[1024]; /* the library's path */
static bool no_exit_handler;

bool edgefile_hdf5_is_loaded(void)
{
    return is_loaded;
}

/* HDF5 itself starts with the first file; a failure is reported there. */
int edgefile_no_exit_handler(void)
{
    no_exit_handler = true;
    return EDGEFILE_OK;
}

/* Where a later release has a second version of a function, the first is called NAME1. */
static void *find_function(void *library, const char *name)
{
    char first[64];
    void *found = dlsym(library, name);

    if (found == NULL) {
        snprintf(first, sizeof first, "%s1", name);
        found = dlsym(library, first);
    }
    return found;
}

/* NULL, or the name of what the library lacks. */
static const char *fill_function(edgefile_hdf5_table *table, void *library)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found = find_function(library, entries[i].name);

        if (found == NULL) {
            return entries[i].name;
        }
        memcpy((char *)table + entries[i].at, &found, sizeof found);
    }
    return NULL;
}

/* 1.10.7 is the first with H5Pset_file_locking(); of 3.0 nothing is known. */
static bool is_supported(unsigned major, unsigned minor, unsigned release)
{
    return major == 2 || (major == 1 && (minor > 10 || (minor == 10 && release >= 7)));
}

/* Before it is asked for its version: with that, HDF5 begins. */
static int see_version(const edgefile_hdf5_table *table, const char *name, char *why, size_t size)
{
    unsigned major = 0, minor = 0, release = 0;

    if (no_exit_handler) {
        table->p_H5dont_atexit();
    }
    if (table->p_H5get_libversion(&major, &minor, &release) < 0 ||
        !is_supported(major, minor, release)) {
        snprintf(why, size, "%s is HDF5 %u.%u.%u, expected 1.10.7 or later, below 3.0", name, major,
                 minor, release);
        return -1;
    }
    if (table->p_H5open() < 0) {
        snprintf(why, size, "%s cannot be initialised", name);
        return -1;
    }
    return 0;
}

static void keep_path(void *library, const char *name)
{
    struct link_map *map = NULL;
    const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && *map->l_name != '\0';

    snprintf(loaded, sizeof loaded, "%s", known ? map->l_name : name);
}

/* -1: this one cannot be used, and `why` says what is wrong with it, unless there is none. */
static int try(const char *name, char *why, size_t size)
{
    edgefile_hdf5_table table;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *missing;

    if (library == NULL) {
        const char *error = dlerror();

        snprintf(why, size, "%s", error != NULL ? error : name);
        return -1;
    }
    missing = fill_function(&table, library);
    if (missing != NULL) {
        snprintf(why, size, "%s lacks %s", name, missing);
        dlclose(library);
        return -1;
    }
    /* One that has begun is not closed: it may have left something behind in the process. */
    if (see_version(&table, name, why, size) != 0) {
        return -1;
    }
    edgefile_hdf5 = table;
    keep_path(library, name);
    is_loaded = true;
    return 0;
}

/* The last of the list; those before it are loaded first, and stay. */
static int try_list(const char *list, char *why, size_t size)
{
    const char *colon = strrchr(list, ':');
    char *needed = colon != NULL ? strndup(list, (size_t)(colon - list)) : NULL;
    char *rest = needed, *name;

    while ((name = strsep(&rest, ":")) != NULL) {
        dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    free(needed);
    return try(colon != NULL ? colon + 1 : list, why, size);
}

int edgefile_hdf5_load(const char *name)
{
    const char *chosen = secure_getenv("RMAT_HDF5"),
               *fallback = secure_getenv("RMAT_HDF5_FALLBACK");
    const char *colon = name != NULL ? ": " : "";
    char why[512];

    name = name != NULL ? name : "";
    if (is_loaded) {
        return EDGEFILE_OK;
    }
    if (chosen != NULL && *chosen != '\0') {
        return try(chosen, why, sizeof why) == 0
                   ? EDGEFILE_OK
                   : edgefile_fail(EDGEFILE_ERR_NO_HDF5,
                                   "%s%sthe library that RMAT_HDF5 names cannot be used as HDF5: "
                                   "%s",
                                   name, colon, why);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (try(names[i], why, sizeof why) == 0) {
            return EDGEFILE_OK;
        }
    }
    if (fallback != NULL && *fallback != '\0' && try_list(fallback, why, sizeof why) == 0) {
        return EDGEFILE_OK;
    }
    return edgefile_fail(EDGEFILE_ERR_NO_HDF5,
                         "%s%sHDF5 was not found: install libhdf5 (Debian: libhdf5-103-1) or name "
                         "the library in RMAT_HDF5",
                         name, colon);
}

int edgefile_hdf5_describe(char version[EDGEFILE_HDF5_VERSION], char *path, size_t size)
{
    unsigned major = 0, minor = 0, release = 0;

    EDGEFILE_TRY(edgefile_hdf5_need(NULL));
    edgefile_hdf5_begin();
    H5get_libversion(&major, &minor, &release);
    edgefile_hdf5_end();
    snprintf(version, EDGEFILE_HDF5_VERSION, "%u.%u.%u", major, minor, release);
    if (path != NULL) {
        snprintf(path, size, "%s", loaded);
    }
    return EDGEFILE_OK;
}
