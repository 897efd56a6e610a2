/* record.c - the text of a record, and its parts. */
#include "io/resume/record.h"
#include "io/files.h"
#include "io/hdf5_layout.h"
#include "io/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int edgefile_record_init(edgefile_record *r, int n_parts)
{
    *r = (edgefile_record){.n_parts = n_parts};
    r->parts = calloc((size_t)n_parts + 1, sizeof *r->parts);
    return r->parts != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
}

void edgefile_record_free(edgefile_record *r)
{
    for (int k = 0; k < r->n_parts && r->parts != NULL; k++) {
        edgefile_extents_free(&r->parts[k].edges);
        edgefile_extents_free(&r->parts[k].pointers);
    }
    free(r->parts);
    free(r->marks);
    free(r->graph);
    *r = (edgefile_record){0};
}

static int add_all(edgefile_extents *to, const edgefile_extents *from)
{
    for (size_t i = 0; i < from->n; i++) {
        EDGEFILE_TRY(edgefile_extents_add(to, from->list[i].first, from->list[i].end));
    }
    return EDGEFILE_OK;
}

/* A full list takes a new sample in place of an older one, any of them. */
static void add_sample(edgefile_part_record *p, const edgefile_sample *sample)
{
    const bool full = p->n_samples == EDGEFILE_SAMPLES;

    p->samples[full ? (int)(sample->offset / EDGEFILE_SAMPLE_BYTES % EDGEFILE_SAMPLES)
                    : p->n_samples++] = *sample;
}

/* How many edges of one set are in the other. */
static uint64_t common(const edgefile_extents *a, const edgefile_extents *b)
{
    uint64_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        n += edgefile_extents_within(a, b->list[i].first, b->list[i].end);
    }
    return n;
}

static int merge_part(edgefile_part_record *to, const edgefile_part_record *from)
{
    const uint64_t twice = common(&to->edges, &from->edges);

    if (twice > 0 && twice < edgefile_extents_within(&from->edges, 0, UINT64_MAX)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "two records list the same edges");
    }
    if (twice == 0) {
        to->fingerprint += from->fingerprint;
    }
    EDGEFILE_TRY(add_all(&to->edges, &from->edges));
    EDGEFILE_TRY(add_all(&to->pointers, &from->pointers));
    for (int i = 0; i < from->n_samples; i++) {
        add_sample(to, &from->samples[i]);
    }
    return EDGEFILE_OK;
}

int edgefile_record_merge(edgefile_record *to, const edgefile_record *from)
{
    for (int k = 0; k < to->n_parts; k++) {
        EDGEFILE_TRY(merge_part(&to->parts[k], &from->parts[k]));
    }
    for (size_t i = 0; i < from->n_marks; i++) {
        EDGEFILE_TRY(edgefile_record_mark(to, &from->marks[i]));
    }
    if (from->place_edges > to->place_edges) {
        to->place_pieces = from->place_pieces;
        to->place_edges = from->place_edges;
        to->place_bytes = from->place_bytes;
        to->place_crc = from->place_crc;
    }
    return EDGEFILE_OK;
}

int edgefile_record_mark(edgefile_record *r, const struct edgefile_mark *mark)
{
    if (r->n_marks == r->mark_room) {
        const size_t room = r->mark_room > 0 ? 2 * r->mark_room : 64;
        struct edgefile_mark *marks = realloc(r->marks, room * sizeof *marks);

        if (marks == NULL) {
            return edgefile_no_memory(NULL);
        }
        r->marks = marks;
        r->mark_room = room;
    }
    r->marks[r->n_marks++] = *mark;
    return EDGEFILE_OK;
}

static void print_extents(FILE *out, const char *what, const edgefile_extents *s)
{
    for (size_t i = 0; i < s->n; i++) {
        fprintf(out, "%s %" PRIu64 " %" PRIu64 "\n", what, s->list[i].first, s->list[i].end);
    }
}

static void print_part(FILE *out, int k, const edgefile_part_record *p)
{
    if (p->edges.n == 0 && p->pointers.n == 0 && p->n_samples == 0) {
        return;
    }
    fprintf(out, "part %d %" PRIu64 "\n", k, p->fingerprint);
    print_extents(out, "edges", &p->edges);
    print_extents(out, "pointers", &p->pointers);
    for (int i = 0; i < p->n_samples; i++) {
        fprintf(out, "sample %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", p->samples[i].offset,
                p->samples[i].bytes, p->samples[i].checksum);
    }
}

/* FNV-1a. */
static uint32_t checksum(const char *text, size_t bytes)
{
    uint32_t sum = 0x811c9dc5;

    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ (unsigned char)text[i]) * 0x01000193;
    }
    return sum;
}

char *edgefile_record_text(const edgefile_record *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool failed;

    if (out == NULL) {
        edgefile_no_memory(NULL);
        return NULL;
    }
    fprintf(out, "rmat-record 1\n");
    if (r->graph != NULL) {
        fprintf(out, "graph %s\n", r->graph);
    }
    fprintf(out, "parts %d\n", r->n_parts);
    for (int k = 0; k < r->n_parts; k++) {
        print_part(out, k, &r->parts[k]);
    }
    for (size_t i = 0; i < r->n_marks; i++) {
        fprintf(out, "mark %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->marks[i].row, r->marks[i].col,
                r->marks[i].edge);
    }
    if (r->place_edges > 0) {
        fprintf(out, "place %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", r->place_pieces,
                r->place_edges, r->place_bytes, r->place_crc);
    }
    failed = fflush(out) != 0;
    if (!failed) {
        fprintf(out, "end %" PRIu32 "\n", checksum(text, bytes));
    }
    if (fclose(out) != 0 || failed) {
        edgefile_no_memory(NULL);
        free(text);
        text = NULL;
    }
    return text;
}

/* What follows the word, if the line begins with it. */
static const char *behind(const char *line, const char *word)
{
    const size_t n = strlen(word);

    return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static bool is_extent(const char *text, uint64_t *first, uint64_t *end)
{
    char after;

    return sscanf(text, "%" SCNu64 " %" SCNu64 "%c", first, end, &after) == 2 && *first < *end;
}

/* A line, without its newline, into the record.  *part: the one that lines tell of. */
static int take_line(edgefile_record *r, char *line, edgefile_part_record **part)
{
    uint64_t first, end;
    edgefile_sample sample;
    struct edgefile_mark mark;
    const char *rest;
    int k;

    if ((rest = behind(line, "graph")) != NULL && r->graph == NULL) {
        r->graph = strdup(rest);
        return r->graph != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
    }
    if ((rest = behind(line, "parts")) != NULL && r->parts == NULL) {
        char *graph = r->graph;
        const int n = atoi(rest);
        const int st =
            n < 1 || n > EDGEFILE_MAX_SHARDS ? EDGEFILE_ERR_FORMAT : edgefile_record_init(r, n);

        r->graph = graph;
        return st;
    }
    if ((rest = behind(line, "part")) != NULL && sscanf(rest, "%d %" SCNu64, &k, &first) == 2 &&
        k >= 0 && k < r->n_parts) {
        *part = &r->parts[k];
        (*part)->fingerprint = first;
        return EDGEFILE_OK;
    }
    if ((rest = behind(line, "place")) != NULL &&
        sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32, &r->place_pieces,
               &r->place_edges, &r->place_bytes, &r->place_crc) == 4) {
        return EDGEFILE_OK;
    }
    if ((rest = behind(line, "mark")) != NULL &&
        sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64, &mark.row, &mark.col, &mark.edge) == 3) {
        return edgefile_record_mark(r, &mark);
    }
    if (*part != NULL && (rest = behind(line, "edges")) != NULL && is_extent(rest, &first, &end)) {
        return edgefile_extents_add(&(*part)->edges, first, end);
    }
    if (*part != NULL && (rest = behind(line, "pointers")) != NULL &&
        is_extent(rest, &first, &end)) {
        return edgefile_extents_add(&(*part)->pointers, first, end);
    }
    if (*part != NULL && (rest = behind(line, "sample")) != NULL &&
        sscanf(rest, "%" SCNu64 " %" SCNu32 " %" SCNu32, &sample.offset, &sample.bytes,
               &sample.checksum) == 3 &&
        sample.bytes >= 1 && sample.bytes <= EDGEFILE_SAMPLE_BYTES) {
        add_sample(*part, &sample);
        return EDGEFILE_OK;
    }
    return EDGEFILE_ERR_FORMAT;
}

/* The lines between the first and the last one, if the last one's checksum is right. */
static int take_lines(edgefile_record *r, const char *text)
{
    static const char first[] = "rmat-record 1\n";
    const char *last = strstr(text, "\nend "), *at = text + strlen(first);
    edgefile_part_record *part = NULL;
    int st = EDGEFILE_OK;

    if (strncmp(text, first, strlen(first)) != 0 || last == NULL ||
        strtoull(last + 5, NULL, 10) != checksum(text, (size_t)(last + 1 - text))) {
        return EDGEFILE_ERR_FORMAT;
    }
    while (at <= last && st == EDGEFILE_OK) {
        const size_t n = strcspn(at, "\n");
        char *line = strndup(at, n);

        st = line != NULL ? take_line(r, line, &part) : edgefile_no_memory(NULL);
        free(line);
        at += n + 1;
    }
    return st == EDGEFILE_OK && r->parts == NULL ? EDGEFILE_ERR_FORMAT : st;
}

int edgefile_record_parse(edgefile_record *r, const char *text, const char *name)
{
    int st;

    *r = (edgefile_record){0};
    st = take_lines(r, text);
    return st == EDGEFILE_ERR_FORMAT
               ? edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: is not a record of a run to be resumed, or is damaged", name)
               : st;
}

int edgefile_record_sample(edgefile_part_record *p, const char *path, int fd, uint64_t offset,
                           uint32_t bytes)
{
    char data[EDGEFILE_SAMPLE_BYTES];
    edgefile_sample sample = {.offset = offset, .bytes = bytes};

    if (edgefile_get(fd, offset, bytes, data) != bytes) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading what was written: %m", path);
    }
    sample.checksum = checksum(data, bytes);
    add_sample(p, &sample);
    return EDGEFILE_OK;
}

int edgefile_record_check(const edgefile_part_record *p, const char *path, int fd)
{
    for (int i = 0; i < p->n_samples; i++) {
        const edgefile_sample *s = &p->samples[i];
        char data[EDGEFILE_SAMPLE_BYTES];
        const uint64_t have = edgefile_get(fd, s->offset, s->bytes, data);

        if (have != s->bytes && errno != 0) {
            return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
        }
        if (have != s->bytes || checksum(data, s->bytes) != s->checksum) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: byte %" PRIu64
                                 " is not what was written there: the file was changed since",
                                 path, s->offset);
        }
    }
    return EDGEFILE_OK;
}

/* The files of records: NAME.partial.resume and NAME.partial.resume.K. */

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
static int load_text(const char *name, char **text)
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
    int st = load_text(name, &text);

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

/* Sets of numbers, kept as the ranges that they form. */

/* The first range that ends at `at` or later. */
static size_t find_extent(const edgefile_extents *s, uint64_t at)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->list[middle].end < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Ranges that the new one touches become one with it. */
int edgefile_extents_add(edgefile_extents *s, uint64_t first, uint64_t end)
{
    const size_t at = find_extent(s, first);
    size_t behind = at;

    if (first >= end) {
        return EDGEFILE_OK;
    }
    if (s->n == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 16;
        struct edgefile_extent *list = realloc(s->list, room * sizeof *list);

        if (list == NULL) {
            return edgefile_no_memory(NULL);
        }
        s->list = list;
        s->room = room;
    }
    for (; behind < s->n && s->list[behind].first <= end; behind++) {
        first = smaller(first, s->list[behind].first);
        end = larger(end, s->list[behind].end);
    }
    memmove(&s->list[at + 1], &s->list[behind], (s->n - behind) * sizeof *s->list);
    s->list[at] = (struct edgefile_extent){first, end};
    s->n = s->n + 1 - (behind - at);
    return EDGEFILE_OK;
}

void edgefile_extents_missing(const edgefile_extents *s, uint64_t *first, uint64_t *count)
{
    const uint64_t end = *first + *count;

    for (size_t i = find_extent(s, *first); i < s->n && s->list[i].first <= *first; i++) {
        *first = larger(*first, smaller(s->list[i].end, end));
    }
    *count = end - *first;
    if (*count > 0) {
        const size_t i = find_extent(s, *first + 1);

        *count = i < s->n ? smaller(*count, s->list[i].first - *first) : *count;
    }
}

uint64_t edgefile_extents_within(const edgefile_extents *s, uint64_t first, uint64_t end)
{
    uint64_t n = 0;

    for (size_t i = find_extent(s, first); i < s->n && s->list[i].first < end; i++) {
        const uint64_t from = larger(first, s->list[i].first), to = smaller(end, s->list[i].end);

        n += to > from ? to - from : 0;
    }
    return n;
}

void edgefile_extents_free(edgefile_extents *s)
{
    free(s->list);
    *s = (edgefile_extents){0};
}
