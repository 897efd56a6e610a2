/*
 * rmat verify: files of any other format than our HDF5.
 *
 * They are made again by the command line that made them, and every byte is compared.  The command
 * line stands in the file, for formats that have a place for it; or it is given.
 */
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/progress.h"
#include "apps/engine/source/edge_source.h"
#include "apps/generate/generate.h"
#include "apps/verify/verify.h"
#include "io/small_file.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char program[] = "rmat generate ";

enum { RECIPE_TEXT = 2048, LOOK_BYTES = 1 << 16, MOST_WORDS = 128 };

/* The command line in these bytes, up to what is no character of it.  In a comment it may go on in
 * the next line, behind a blank unless that line begins within a word (io/formats/buffer.c). */
static bool find_command(char text[RECIPE_TEXT], const char *bytes, size_t n)
{
    const char *at = memmem(bytes, n, program, strlen(program));
    size_t length = 0;
    char line[3] = "\n";

    if (at == NULL) {
        return false;
    }
    memcpy(line + 1, at - bytes >= 2 ? at - 2 : "\n", 2); /* as its line begins */
    for (const char *end = bytes + n; at < end && length + 1 < RECIPE_TEXT; at++) {
        if (end - at > 3 && line[1] > ' ' && memcmp(at, line, 3) == 0) {
            at += 3;
            if (strchr(",/", text[length - 1]) == NULL) {
                text[length++] = ' ';
            }
        }
        if (*at < ' ' || *at > '~') {
            break;
        }
        text[length++] = *at;
    }
    text[length < RECIPE_TEXT ? length : RECIPE_TEXT - 1] = '\0';
    return true;
}

/* Bytes at the beginning of the file, of text as it was before it was compressed, or at its end
 * where `behind` is set; of a regular file.  Returns how many. */
static size_t read_some(const char *name, bool behind, char *to, size_t size)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st = {0};
    size_t n = 0;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        const uint64_t bytes = (uint64_t)st.st_size;

        n = behind ? 0 : edge_source_start(fd, to, size);
        if (n == 0) {
            n = (size_t)edgefile_get(fd, behind && bytes > size ? bytes - size : 0, size, to);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return n;
}

static bool look_in_file(char text[RECIPE_TEXT], const char *name)
{
    char *bytes = malloc(LOOK_BYTES);
    bool found = false;

    for (int behind = 0; behind < 2 && bytes != NULL && !found; behind++) {
        found = find_command(text, bytes, read_some(name, behind, bytes, LOOK_BYTES));
    }
    free(bytes);
    return found;
}

/* The command line that made the file, as the user says, or as stands in it or beside it. */
static bool find_recipe(char text[RECIPE_TEXT], const verify_options *o, graphfile_format format)
{
    char beside[PATH_MAX];

    if (o->command != NULL) {
        snprintf(text, RECIPE_TEXT, "%s", o->command);
        return true;
    }
    if (look_in_file(text, o->file)) {
        return true;
    }
    return format == GRAPHFILE_GRAPHALYTICS &&
           snprintf(beside, sizeof beside, "%s.properties", o->file) < (int)sizeof beside &&
           look_in_file(text, beside);
}

/* Whether a Parquet file has half of a graph: its footer says so. */
static bool is_icebug(const char *name)
{
    static const char key[] = "icebug_disk_version";
    char *bytes = malloc(LOOK_BYTES);
    const size_t n = bytes != NULL ? read_some(name, true, bytes, LOOK_BYTES) : 0;
    const bool found = n > 0 && memmem(bytes, n, key, sizeof key - 1) != NULL;

    free(bytes);
    return found;
}

/* The contents tell HDF5, of which there are several kinds, and not what text means; Matrix
 * Market's first line says whether the matrix is symmetric, Parquet's end whether it is icebug. */
bool recipe_format(const verify_options *o, graphfile_format *format)
{
    char start[64];
    const size_t n = read_some(o->file, false, start, sizeof start);
    const int named = graphfile_format_of(o->file);
    int found = graphfile_format_of_content(start, n);

    if (o->format >= 0) {
        found = o->format;
    } else if (found < 0 || (found == GRAPHFILE_H5 && named >= 0)) {
        found = named;
    } else if (found == GRAPHFILE_MTX && memmem(start, n, " symmetric", 10) != NULL) {
        found = GRAPHFILE_MTXSYM;
    } else if (found == GRAPHFILE_PARQUET && is_icebug(o->file)) {
        found = GRAPHFILE_ICEBUG;
    }
    if (n == 0 || found < 0 || found == GRAPHFILE_H5 || found == GRAPHFILE_CSR) {
        return false;
    }
    *format = (graphfile_format)found;
    return true;
}

/* The words of the command line behind "rmat generate"; *n of them, in `text`. */
static bool split_words(char *text, char *words[MOST_WORDS], int *n)
{
    char *rest = text;

    *n = 0;
    if (strncmp(text, program, strlen(program)) != 0) {
        return false;
    }
    rest += strlen(program);
    for (char *word; *n < MOST_WORDS && (word = strsep(&rest, " ")) != NULL;) {
        if (*word != '\0') {
            words[(*n)++] = word;
        }
    }
    return rest == NULL;
}

typedef struct {
    generate_options options;
    progress bar;
    bool shown, quiet;
} remaking;

static int show_made(void *state, const engine_progress *now)
{
    remaking *m = state;

    if (!m->shown) {
        progress_start(&m->bar, now->edges, now->edge_bytes, m->quiet);
        m->shown = true;
    }
    progress_show(&m->bar, now->phase, now->share, now->done);
    return interrupt_signal();
}

static void report_bytes(verify_report *report, const engine_result *made)
{
    const graphfile_committed *c = &made->compared;
    char where[32] = "";

    if (c->file > 0) {
        snprintf(where, sizeof where, " of file %d beside it", c->file);
    }
    if (c->differences > 0) {
        verify_wrong(report, "bytes",
                     "byte %" PRIu64 "%s is not what the command writes there; %" PRIu64
                     " bytes differ, are missing, or are too many",
                     c->first_difference, where, c->differences);
    } else {
        verify_ok(report, "bytes", "all %" PRIu64 " are those that the command writes", c->bytes);
    }
}

static bool names_format(char **words, int n)
{
    for (int i = 0; i < n; i++) {
        if (strncmp(words[i], "--format", strlen("--format")) == 0) {
            return true;
        }
    }
    return false;
}

/* The command's file has the format of this one, unless it says otherwise. */
static int parse_command(remaking *m, const verify_options *o, graphfile_format format,
                         char *command, char text[MESSAGE_TEXT])
{
    char *words[MOST_WORDS + 5], *output = (char *)o->file;
    int n, status;

    if (!split_words(command, words, &n)) {
        snprintf(text, MESSAGE_TEXT, "not a command line of 'rmat generate'");
        return EXIT_USAGE;
    }
    if (!names_format(words, n)) {
        words[n++] = "--format";
        words[n++] = (char *)graphfile_names[format];
    }
    words[n++] = "--output";
    words[n++] = output;
    message_keep();
    status = generate_options_parse(n, words, &m->options);
    message_take(text);
    return status;
}

int verify_recipe(verify_report *report, const verify_options *o, graphfile_format format)
{
    char command[RECIPE_TEXT], copy[RECIPE_TEXT], text[MESSAGE_TEXT] = "";
    remaking *m = calloc(1, sizeof *m);
    engine_result made = {0};
    int status, signal_number = 0;

    if (!find_recipe(command, o, format)) {
        verify_failed(report, "file",
                      "%s: is taken for %s, and does not say which command made it; give that by "
                      "--command, or "
                      "look at the graph by 'rmat stats'",
                      o->file, graphfile_names[format]);
        free(m);
        return 0;
    }
    snprintf(copy, sizeof copy, "%s", command);
    if (m == NULL || parse_command(m, o, format, copy, text) != EXIT_OK) {
        verify_failed(report, "command", "'%s': %s", command,
                      m == NULL ? "memory is exhausted" : text);
        free(m);
        return 0;
    }
    m->quiet = o->quiet;
    m->options.job.compare = true;
    m->options.job.resume = false;
    m->options.job.threads = o->threads;
    m->options.job.memory = o->memory;
    m->options.job.model.backend =
        o->backend == RMAT_BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    m->options.job.watch = (engine_watch){.tick = show_made, .state = m};
    status = generate_gapbs_open(&m->options);
    if (status == ENGINE_OK) {
        status = engine_write_file(&m->options.job, &made);
    }
    if (m->shown) {
        progress_end(&m->bar, status == ENGINE_OK);
    }
    if (status == ENGINE_OK) {
        verify_ok(report, "command", "%s: %" PRIu64 " edges", command, made.edges);
        report_bytes(report, &made);
    } else if (status == ENGINE_STOPPED) {
        signal_number = engine_stop_reason();
        verify_failed(report, "bytes", "stopped by %s", interrupt_name(signal_number));
    } else {
        verify_failed(report, "bytes", "%s", engine_detail());
    }
    generate_gapbs_close(&m->options);
    free(m);
    return signal_number;
}
