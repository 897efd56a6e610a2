/* record_files.c - the files of records: NAME.partial.resume and NAME.partial.resume.K. */
#include "io/private.h"
#include "io/resume/record.h"
#include "io/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((off_t)1 << 30)

static char *name_of(const char *partial, int rank)
{
    char *name;
    const int n = rank == 0 ? asprintf(&name, "%s.resume", partial)
                            : asprintf(&name, "%s.resume.%d", partial, rank);

    return n < 0 ? NULL : name;
}

int edgefile_record_write(const edgefile_record *r, const char *partial, int rank)
{
    char *name = name_of(partial, rank), *text = edgefile_record_text(r);
    edgefile_small *file = NULL;
    int st = name != NULL && text != NULL ? edgefile_small_create(&file, name, true)
                                          : edgefile_no_memory(partial);

    if (st == EDGEFILE_OK) {
        st = edgefile_small_publish(file, text, strlen(text));
    }
    edgefile_small_close(file);
    free(text);
    free(name);
    return st;
}

/* The records beside a partial file. */
typedef struct {
    char **name;
    size_t n;
} name_list;

static void free_names(name_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->name[i]);
    }
    free(list->name);
}

/* Is it ".resume" or ".resume.K" that follows?  unfinished: and ".partial", of a process that ended
 * while it wrote a record. */
static bool is_suffix(const char *suffix, bool unfinished)
{
    static const char word[] = ".resume";

    if (strncmp(suffix, word, sizeof word - 1) != 0) {
        return false;
    }
    suffix += sizeof word - 1;
    if (*suffix == '.' && suffix[1] >= '0' && suffix[1] <= '9') {
        suffix += 1 + strspn(suffix + 1, "0123456789");
    }
    return strcmp(suffix, unfinished ? ".partial" : "") == 0;
}

/* The name of an entry beside the partial file, whose folder takes so many characters. */
static int add_name(name_list *list, const char *partial, int folder, const char *entry)
{
    char **larger = realloc(list->name, (list->n + 1) * sizeof *larger);

    if (larger == NULL) {
        return edgefile_no_memory(partial);
    }
    list->name = larger;
    if (asprintf(&larger[list->n], "%.*s%s", folder, partial, entry) < 0) {
        return edgefile_no_memory(partial);
    }
    list->n++;
    return EDGEFILE_OK;
}

static int list_names(const char *partial, bool unfinished, name_list *list)
{
    const char *slash = strrchr(partial, '/'), *base = slash != NULL ? slash + 1 : partial;
    char *folder = slash == NULL ? strdup(".") : strndup(partial, (size_t)(base - partial));
    DIR *all = folder != NULL ? opendir(folder) : NULL;
    struct dirent *entry;
    int st = EDGEFILE_OK;

    *list = (name_list){0};
    if (all == NULL) {
        st = folder == NULL ? edgefile_no_memory(partial)
                            : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", folder);
        free(folder);
        return st;
    }
    while (st == EDGEFILE_OK && (errno = 0, entry = readdir(all)) != NULL) {
        const size_t n = strlen(base);

        if (strncmp(entry->d_name, base, n) == 0 &&
            (is_suffix(entry->d_name + n, false) ||
             (unfinished && is_suffix(entry->d_name + n, true)))) {
            st = add_name(list, partial, (int)(base - partial), entry->d_name);
        }
    }
    if (st == EDGEFILE_OK && errno != 0) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", folder);
    }
    closedir(all);
    free(folder);
    return st;
}

/* The contents of a file as a string, which the caller frees. */
static int load(const char *name, char **text)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat about;
    int st = EDGEFILE_OK;

    *text = NULL;
    if (fd < 0 || fstat(fd, &about) != 0) {
        st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", name);
    } else if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not a record of a run to be resumed", name);
    } else if ((*text = malloc((size_t)about.st_size + 1)) == NULL) {
        st = edgefile_no_memory(name);
    } else {
        const uint64_t have = edgefile_get(fd, 0, (uint64_t)about.st_size, *text);

        (*text)[have] = '\0';
        st = errno == 0 ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    if (fd >= 0) {
        close(fd);
    }
    return st;
}

static int read_one(edgefile_record *r, const char *name, bool is_first)
{
    edgefile_record one = {0};
    char *text;
    int st = load(name, &text);

    if (st == EDGEFILE_OK) {
        st = edgefile_record_parse(&one, text, name);
    }
    if (st == EDGEFILE_OK && is_first) {
        *r = one;
        one = (edgefile_record){0};
    } else if (st == EDGEFILE_OK && one.n_parts != r->n_parts) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: belongs to a graph of %d files, other records to one of %d", name,
                           one.n_parts, r->n_parts);
    } else if (st == EDGEFILE_OK) {
        st = edgefile_record_merge(r, &one);
    }
    edgefile_record_free(&one);
    free(text);
    return st;
}

int edgefile_record_read(edgefile_record *r, const char *partial, bool *found)
{
    name_list list;
    int st = list_names(partial, false, &list);

    *r = (edgefile_record){0};
    for (size_t i = 0; i < list.n && st == EDGEFILE_OK; i++) { /* shorter: process 0's */
        if (strlen(list.name[i]) < strlen(list.name[0])) {
            char *name = list.name[i];

            list.name[i] = list.name[0];
            list.name[0] = name;
        }
    }
    for (size_t i = 0; i < list.n && st == EDGEFILE_OK; i++) {
        st = read_one(r, list.name[i], i == 0);
    }
    *found = list.n > 0;
    free_names(&list);
    return st;
}

int edgefile_record_remove(const char *partial, bool all)
{
    char *first = name_of(partial, 0);
    name_list list = {0};
    int st = first != NULL ? list_names(partial, true, &list) : edgefile_no_memory(partial);
    bool removed = false;

    for (size_t i = 0; i < list.n && st == EDGEFILE_OK; i++) {
        if (all || strcmp(list.name[i], first) != 0) {
            removed = true;
            if (unlink(list.name[i]) != 0 && errno != ENOENT) {
                st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", list.name[i]);
            }
        }
    }
    if (st == EDGEFILE_OK && removed) {
        st = edgefile_sync_folder_of(partial);
    }
    free_names(&list);
    free(first);
    return st;
}
