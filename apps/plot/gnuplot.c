/* gnuplot as a child process, which reads the script from and writes the picture to unnamed
 * temporary files. */
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/plot/plot.h"
#include "io/small_file.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

/* Start a child with the default handling of signals.  Returns 0 or an errno. */
static int start_child(pid_t *pid, char *const argv[], const int fds[3])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t ignored;
    int error;

    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++) {
        posix_spawn_file_actions_adddup2(&files, fds[i], i);
    }
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Wait for the child, and kill it if a signal asks this process to stop.  Returns whether it
 * succeeded. */
static bool await_child(pid_t pid)
{
    const struct timespec soon = {0, 5000000};
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (interrupt_signal() != 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return false;
        }
        nanosleep(&soon, NULL);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The contents of a file, followed by a 0; NULL if not all of it could be read, and errno says why.
 */
static char *read_contents(FILE *file, size_t *bytes)
{
    struct stat about;
    char *text;

    if (fstat(fileno(file), &about) != 0) {
        return NULL;
    }
    *bytes = (size_t)about.st_size;
    text = malloc(*bytes + 1);
    if (text == NULL) {
        return NULL;
    }
    if (edgefile_get(fileno(file), 0, *bytes, text) < *bytes) {
        errno = errno != 0 ? errno : EIO;
        free(text);
        return NULL;
    }
    text[*bytes] = '\0';
    return text;
}

/* The last line that is not empty, in which gnuplot names the error. */
static const char *last_line(char *text)
{
    char *line;

    for (size_t n = strlen(text); n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '); n--) {
        text[n - 1] = '\0';
    }
    line = strrchr(text, '\n');
    line = line != NULL ? line + 1 : text;
    line += strspn(line, " \t");
    return *line != '\0' ? line : "it gave no reason";
}

static int start_failed(int error)
{
    if (error == ENOENT) {
        return runtime_error("plot", "needs gnuplot: apt-get install gnuplot-nox");
    }
    return runtime_error("plot", "gnuplot cannot be started: %s", strerror(error));
}

static int run_child(char *const argv[], FILE *in, FILE *out, FILE *said)
{
    const int fds[3] = {fileno(in), fileno(out), fileno(said)};
    size_t bytes;
    char *text;
    pid_t pid;
    int error = start_child(&pid, argv, fds), status = EXIT_OK;

    if (error != 0) {
        return start_failed(error);
    }
    if (await_child(pid)) {
        return EXIT_OK;
    }
    if (interrupt_signal() != 0) {
        runtime_error("plot", "stopped by %s, no picture was made",
                      interrupt_name(interrupt_signal()));
        return 128 + interrupt_signal();
    }
    text = read_contents(said, &bytes);
    status = runtime_error("plot", "gnuplot failed: %s", text != NULL ? last_line(text) : "");
    free(text);
    return status;
}

int plot_gnuplot_find(void)
{
    char name[] = "gnuplot", version[] = "--version";
    char *const argv[] = {name, version, NULL};
    FILE *nothing = fopen("/dev/null", "r+");
    int status = nothing != NULL ? run_child(argv, nothing, nothing, nothing)
                                 : runtime_error("plot", "/dev/null: %s", strerror(errno));

    if (nothing != NULL) {
        fclose(nothing);
    }
    return status;
}

int plot_gnuplot_run(FILE *script, FILE *picture)
{
    char name[] = "gnuplot", defaults[] = "-d"; /* no .gnuplot */
    char *const argv[] = {name, defaults, NULL};
    FILE *out = tmpfile(), *said = tmpfile();
    char *drawn = NULL, *text = NULL;
    size_t bytes = 0, n;
    int status = EXIT_OK;

    if (out == NULL || said == NULL || fflush(script) != 0 || ferror(script)) {
        status = runtime_error("plot", "a temporary file cannot be written: %s", strerror(errno));
    } else {
        rewind(script);
        status = run_child(argv, script, out, said);
    }
    if (status == EXIT_OK && (drawn = read_contents(out, &bytes)) == NULL) {
        status = runtime_error("plot", "the picture cannot be read: %s", strerror(errno));
    } else if (status == EXIT_OK && bytes < 100) {
        text = read_contents(said, &n);
        status = runtime_error("plot", "gnuplot made no picture: %s",
                               text != NULL ? last_line(text) : "");
    } else if (status == EXIT_OK) {
        fwrite(drawn, 1, bytes, picture);
    }
    free(drawn);
    free(text);
    if (out != NULL) {
        fclose(out);
    }
    if (said != NULL) {
        fclose(said);
    }
    return status;
}
