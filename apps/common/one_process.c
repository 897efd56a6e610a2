/* The check that a command which knows only one process was not started as several ranks. */
#include "apps/common/one_process.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
#include "mpi/dist.h"

int one_process(const char *command, const char *does)
{
    int status = dist_start();

    if (status == DIST_OK && dist_size() == 1) {
        edgefile_probe_first(interrupt_signal); /* files that it is given may be anybody's */
        return EXIT_OK;
    }
    if (dist_rank() == 0 && status != DIST_OK) {
        runtime_error(command, "%s", dist_strerror(status));
    } else if (dist_rank() == 0) {
        runtime_error(command, "started as %d ranks; this version %s from one process", dist_size(),
                      does);
    }
    return EXIT_RUNTIME;
}
