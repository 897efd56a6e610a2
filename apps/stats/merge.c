/* rmat stats --merge FILE FILE...: its own arguments, as no other form has so many files. */
#include "apps/stats/merge.h"
#include "apps/client/statistics_json.h"
#include "apps/common/message.h"
#include "apps/common/text.h"
#include <stdlib.h>
#include <string.h>

bool stats_wants_merge(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--merge") == 0) {
            return true;
        }
    }
    return false;
}

static int add(statistics *all, const char *path, const char *first, statistics *one)
{
    char text[1024];
    const char *why;

    if (statistics_read(one, path, text, sizeof text) != 0) {
        return runtime_error("stats", "%s", text);
    }
    if (first == NULL) {
        *all = *one;
        return EXIT_OK;
    }
    why = statistics_add(all, one);
    return why == NULL ? EXIT_OK
                       : usage_error("stats", "--merge: '%s' cannot be added to '%s'%s: %s", path,
                                     first, all->ranges > 1 ? " and the others" : "", why);
}

/* The files are what is left of argv[0..argc) without options.  Returns an exit code. */
static int take_options(int *argc, char **argv, bool *json)
{
    int files = 0;

    for (int i = 0; i < *argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            *json = true;
        } else if (argv[i][0] != '-') {
            argv[files++] = argv[i];
        } else if (strcmp(argv[i], "--merge") != 0) {
            return usage_error("stats", "%s: given together with --merge, allowed: --json",
                               argv[i]);
        }
    }
    *argc = files;
    return files >= 2 ? EXIT_OK
                      : usage_error("stats", "--merge: %d file%s given, allowed: 2 or more", files,
                                    files == 1 ? "" : "s");
}

int stats_merge(int argc, char **argv)
{
    statistics *all = calloc(2, sizeof *all);
    json_object o;
    bool json = false;
    int status = all != NULL ? take_options(&argc, argv, &json)
                             : runtime_error("stats", "memory is exhausted");

    for (int i = 0; i < argc && status == EXIT_OK; i++) {
        status = add(all, argv[i], i > 0 ? argv[0] : NULL, all + 1);
    }
    if (status == EXIT_OK && json) {
        json_begin(&o, stdout);
        statistics_json(&o, all);
        json_end(&o);
    } else if (status == EXIT_OK) {
        text_line(stdout, "model        %s", all->model);
        statistics_print(stdout, all);
    }
    free(all);
    return status;
}
