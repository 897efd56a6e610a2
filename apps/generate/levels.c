/* Matrices that are read: the file of --level-matrices, with a b c d on a line, the most
 * significant level first; and the text of --initiator. */
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/generate/model.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_TEXT = 1024 };

#define BLANKS " \t\r\n"

static int line_error(const char *path, int line, const char *word, const char *what)
{
    return usage_error("generate",
                       "--level-matrices: %s, line %d: '%s' %s, allowed: four probabilities that "
                       "add up to 1 within 1e-9",
                       path, line, word, what);
}

static int parse_matrix(const char *path, int line, char *text, rmat_matrix *matrix)
{
    double p[4] = {0};
    char *rest, sum[NUMBER_TEXT];
    int n = 0;

    for (char *word = strtok_r(text, BLANKS, &rest); word != NULL;
         word = strtok_r(NULL, BLANKS, &rest)) {
        double x;

        if (n == 4) {
            return line_error(path, line, word, "is a fifth word");
        }
        if (parse_double(word, &x) != NUMBER_OK) {
            return line_error(path, line, word, "is not a number");
        }
        if (!(x >= 0 && x <= 1)) {
            return line_error(path, line, word, "is out of range");
        }
        p[n++] = x;
    }
    if (n < 4) {
        snprintf(sum, sizeof sum, "%d", n);
        return line_error(path, line, sum, n == 1 ? "number is too few" : "numbers are too few");
    }
    if (fabs(p[0] + p[1] + p[2] + p[3] - 1) > 1e-9) {
        snprintf(sum, sizeof sum, "%.12g", p[0] + p[1] + p[2] + p[3]);
        return line_error(path, line, sum, "is the sum of the four");
    }
    *matrix = (rmat_matrix){p[0], p[1], p[2], p[3]};
    return EXIT_OK;
}

static int parse_lines(const char *path, FILE *file, int count, rmat_matrix *levels)
{
    char text[LINE_TEXT];
    int n = 0, status = EXIT_OK;

    for (int line = 1; status == EXIT_OK && fgets(text, sizeof text, file) != NULL; line++) {
        if (strchr(text, '\n') == NULL && !feof(file)) {
            text[32] = '\0';
            return line_error(path, line, text, "begins a line of more than 1000 characters");
        }
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, BLANKS)] == '\0') {
            continue;
        }
        if (n == count) {
            return usage_error(
                "generate",
                "--level-matrices: %s, line %d: there is one matrix too many, allowed: %d, one for "
                "each level",
                path, line, count);
        }
        status = parse_matrix(path, line, text, &levels[n++]);
    }
    if (status == EXIT_OK && ferror(file)) {
        return usage_error("generate",
                           "--level-matrices: '%s': %s, allowed: a file that can be read", path,
                           strerror(errno));
    }
    if (status == EXIT_OK && n < count) {
        return usage_error("generate",
                           "--level-matrices: '%s' has %d matri%s, allowed: %d, one for each level",
                           path, n, n == 1 ? "x" : "ces", count);
    }
    return status;
}

int generate_read_levels(const char *path, int count, rmat_matrix *levels)
{
    FILE *file = fopen(path, "r");
    int status;

    if (file == NULL) {
        return usage_error("generate",
                           "--level-matrices: '%s': %s, allowed: a file that can be read", path,
                           strerror(errno));
    }
    status = parse_lines(path, file, count, levels);
    fclose(file);
    return status;
}

/* --initiator. */

static int initiator_error(const char *text, const char *what)
{
    return usage_error("generate", "--initiator: '%s' %s, allowed: %s", text, what,
                       GENERATE_INITIATOR_ALLOWED);
}

/* A row of numbers up to the end of it; *text moves there.  Returns how many
 * numbers there are, or -1. */
static int parse_row(const char **text, double row[RMAT_MAX_ORDER + 1])
{
    const char *at = *text;
    int n = 0;

    while (*(at += strspn(at, BLANKS ",")) != ';' && *at != '/' && *at != '\0') {
        const size_t length = strcspn(at, BLANKS ",;/");
        char word[NUMBER_TEXT];

        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (length >= sizeof word || n > RMAT_MAX_ORDER ||
            parse_double(word, &row[n]) != NUMBER_OK || !(row[n] >= 0)) {
            return -1;
        }
        row[n] += 0.0; /* no -0 */
        n++;
        at += length;
    }
    *text = at;
    return n;
}

int generate_parse_initiator(const char *text, int *order, double entries[RMAT_MAX_INITIATOR])
{
    const char *at = text;
    double row[RMAT_MAX_ORDER + 1], sum = 0;
    int n = 0, rows = 0;

    do {
        const int found = parse_row(&at, row);

        n = rows == 0 ? found : n;
        if (found < 0) {
            return initiator_error(text, "has something else than weights");
        }
        if (found != n || n < 2 || n > RMAT_MAX_ORDER || rows == n) {
            return initiator_error(text, "is no square matrix of such a size");
        }
        for (int k = 0; k < n; k++) {
            entries[rows * n + k] = row[k];
            sum += row[k];
        }
        rows++;
        at++;
    } while (at[-1] != '\0');
    if (rows < n || !(sum > 0) || !isfinite(sum)) {
        return initiator_error(text, rows < n ? "is no square matrix of such a size"
                                              : "has no sum to divide by");
    }
    for (int k = 0; k < n * n && fabs(sum - 1) > 1e-9; k++) {
        entries[k] /= sum;
    }
    *order = n;
    return EXIT_OK;
}
