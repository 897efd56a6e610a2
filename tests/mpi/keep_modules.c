/*
 * To be loaded with LD_PRELOAD under the leak sanitizer: Open MPI's modules stay loaded, or what
 * they leak comes from "<unknown module>" at the end, which no suppression matches.
 */
#include <dlfcn.h>

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
