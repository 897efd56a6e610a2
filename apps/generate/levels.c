/* The file of --level-matrices: a b c d on a line, the most significant level first. */
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
