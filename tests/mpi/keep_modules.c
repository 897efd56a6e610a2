/*
 * Loaded with LD_PRELOAD under the leak sanitizer, this keeps Open MPI's modules loaded.  Otherwise
 * their leaks come from "<unknown module>" at the end, which no suppression matches.
 */
#include <dlfcn.h>

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
