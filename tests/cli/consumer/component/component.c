/* A program that uses one component of the installed libraries. */
#include <stdio.h>

#if defined(COMPONENT_ALIAS)
#include "alias/alias.h"

int main(void)
{
    printf("alias: %s\n", alias_strerror(ALIAS_OK));
    return 0;
}
#elif defined(COMPONENT_CORE)
#include "rmat/rmat.h"

int main(void)
{
    printf("core: rmat %s\n", rmat_version());
    return 0;
}
#elif defined(COMPONENT_ENGINE)
#include "engine/engine.h"

int main(void)
{
    engine_job job;

    engine_job_default(&job);
    printf("engine: %s\n", job.output);
    return engine_check(&job) != ENGINE_OK;
}
#else
#include "io/edgefile.h"

int main(void)
{
    printf("io: %s\n", edgefile_detail());
    return 0;
}
#endif
