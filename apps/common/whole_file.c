/* Small output files: checks against the command's input, and memory that becomes a file. */
#include "apps/common/whole_file.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_dash(const char *name)
{
    return strcmp(name, "-") == 0;
}

bool whole_file_is_input(const char *name, const char *input)
{
    struct stat out, in;

    return stat(name, &out) == 0 && S_ISREG(out.st_mode) && stat(input, &in) == 0 &&
           out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}

/* One line on stderr. */
static int report_file_error(const whole_file *f, const char *text, const char *more)
{
    return runtime_error(f->command, "--%s: %s%s", f->option, text, more);
}

int whole_file_open(whole_file *f, const char *command, const char *option, const char *name,
                    bool force, const char *input)
{
    int status;

    *f = (whole_file){.command = command, .option = option};
    if (name == NULL) {
        return EXIT_OK;
    }
    if (!is_dash(name) && input != NULL && whole_file_is_input(name, input)) {
        return report_file_error(f, name, ": is the file that is read, allowed: another file");
    }
    status = is_dash(name) ? EDGEFILE_OK : edgefile_small_create(&f->file, name, force);
    if (status != EDGEFILE_OK) {
        return report_file_error(f, edgefile_detail(),
                                 status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
    }
    f->stream = open_memstream(&f->text, &f->bytes);
    return f->stream != NULL
               ? EXIT_OK
               : whole_file_close(f, report_file_error(f, name, ": memory is exhausted"));
}

int whole_file_close(whole_file *f, int status)
{
    const bool failed = f->stream != NULL && ferror(f->stream) != 0;

    if (f->stream != NULL && (fclose(f->stream) != 0 || failed) && status == EXIT_OK) {
        status = report_file_error(f, "memory is exhausted", "");
    }
    if (status == EXIT_OK && f->file != NULL) {
        if (edgefile_small_publish(f->file, f->text, f->bytes) != EDGEFILE_OK) {
            status = report_file_error(f, edgefile_detail(), "");
        }
    } else if (status == EXIT_OK && f->stream != NULL) {
        fwrite(f->text, 1, f->bytes, stdout);
        status = finish_stdout(f->command);
    }
    edgefile_small_close(f->file);
    free(f->text);
    *f = (whole_file){0};
    return status;
}
