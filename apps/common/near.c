/*
 * The Damerau-Levenshtein distance in its "optimal string alignment" form: the least number of
 * characters to insert, drop, replace or swap with their neighbour that turns one word into the
 * other.  Row i of the table holds the distances between the first i characters of the word and
 * every prefix of the name, so that three rows suffice.  Upper and lower case count as equal.
 *
 * A name is near enough at a distance of 2, or 1 if neither word has more than four characters, or
 * 0 if neither has more than three: "gpu" is no misspelt "cpu".
 */
#include "apps/common/near.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 }; /* longer words are no misspelt names */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];

    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *one_back = rows[(i + 2) % 3], *two_back = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = least(row[j - 1], one_back[j]) + 1;
            row[j] = least(row[j], one_back[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
                row[j] = least(row[j], two_back[j - 2] + 1);
            }
        }
    }
    return rows[n % 3][m];
}

void near_offer(near_search *search, const char *name)
{
    const size_t length = strlen(name);
    const size_t longer = length > search->length ? length : search->length;
    const size_t limit = longer < 4 ? 0 : longer == 4 ? 1 : 2;
    size_t edits;

    if (longer > LONGEST || search->length == 0) {
        return;
    }
    edits = distance(search->word, search->length, name, length);
    if (edits <= limit && (search->name == NULL || edits < search->edits)) {
        search->name = name;
        search->edits = edits;
    }
}

const char *near_name(const char *word, const char *const *names)
{
    near_search search = {.word = word, .length = strlen(word)};

    for (; *names != NULL; names++) {
        near_offer(&search, *names);
    }
    return search.name;
}
