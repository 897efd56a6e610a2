/* --dry-run: sizes from arithmetic, speed from a moment's work without a file. */
#include "apps/common/message.h"
#include "apps/engine/ranks/agree.h"
#include "apps/generate/estimate.h"
#include "mpi/dist.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Bytes free to this user where the file is to go.  Returns 0 or an errno. */
static int free_space(const char *output, uint64_t *bytes)
{
    const char *slash = strrchr(output, '/');
    char folder[4096] = ".";
    struct statvfs fs;

    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", slash == output ? 1 : (int)(slash - output),
                 output);
    }
    if (statvfs(folder, &fs) != 0) {
        return errno;
    }
    *bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    return 0;
}

int generate_dry_run(const generate_options *options, generate_backend *backend,
                     const edgefile_spec *spec, const char *command)
{
    generate_estimate e = {
        .options = options, .backend = backend, .command = command, .bytes = edgefile_bytes(spec)};
    char place[PATH_MAX];
    struct stat st;
    int status = generate_agree(generate_name_sorted(options, place));

    if (status != EXIT_OK) {
        return status;
    }

    if (dist_rank() == 0 && options->layout != EDGEFILE_LAYOUT_SHARDED) {
        edgefile_measure(spec, &e.bytes); /* or it stays about that */
    }
    e.exists = strcmp(options->output, "-") != 0 && stat(options->output, &st) == 0;
    e.room_error = free_space(place, &e.room);
    e.exact = 1;
    status = options->sorted              ? generate_estimate_sorted(&e, backend)
             : generate_converts(options) ? EXIT_OK
                                          : generate_estimate_list(&e, backend);
    if (status == EXIT_OK && generate_converts(options)) {
        status = generate_agree(generate_estimate_converted(&e));
    }
    if (status != EXIT_OK || dist_rank() != 0) {
        return status;
    }
    if (options->json) {
        generate_estimate_json(&e);
    } else if (!options->quiet) {
        generate_estimate_lines(&e);
    }
    return EXIT_OK;
}
