/* Spelling suggestions: which of several names a mistyped word most likely means. */
#ifndef APPS_COMMON_NEAR_H
#define APPS_COMMON_NEAR_H

#include <stddef.h>

/* A search in progress.  Start with {.word = ..., .length = ...}, then offer the names. */
typedef struct {
    const char *word; /* what the user typed; need not end after `length` characters */
    size_t length;
    const char *name; /* the nearest name so far, or NULL while none is near enough */
    size_t edits;     /* between the word and that name */
} near_search;

/* Compare one more name, which must stay valid; the first of equally near names is kept. */
void near_offer(near_search *search, const char *name);

/* The nearest of these names (the array ends with NULL), or NULL if none is near enough. */
const char *near_name(const char *word, const char *const *names);

#endif
