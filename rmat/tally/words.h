/*
 * words.h - private to rmat/: the words whose set bits are counted for one edge.
 *
 * Of an edge's source s and destination d, and of both moved by one place, s1 = s >> 1 and d1 =
 * d >> 1, bit k of s & d1 says whether bit k of the source and bit k + 1 of the destination are
 * set.  Twelve such words have everything that two neighbouring levels of the recursion can tell.
 */
#ifndef RMAT_TALLY_WORDS_H
#define RMAT_TALLY_WORDS_H

enum { RMAT_LEVEL_WORDS = 3, RMAT_NEIGHBOUR_WORDS = 12 };

/* The sets of bits, as in rmat_tally.bits, that the words stand for. */
#define RMAT_TALLY_SETS                                                                            \
    {                                                                                              \
        1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15                                                    \
    }

/* Sets w[0..n), n one of the above, from unsigned integers of any width; of words with several ids,
 * s1 and d1 must not have bits of the id next to it. */
#define RMAT_TALLY_WORDS(w, n, s, d, s1, d1)                                                       \
    do {                                                                                           \
        (w)[0] = (s);                                                                              \
        (w)[1] = (d);                                                                              \
        (w)[2] = (s) & (d);                                                                        \
        if ((n) == RMAT_NEIGHBOUR_WORDS) {                                                         \
            (w)[3] = (s) & (s1);                                                                   \
            (w)[4] = (d) & (s1);                                                                   \
            (w)[5] = (s) & (d) & (s1);                                                             \
            (w)[6] = (s) & (d1);                                                                   \
            (w)[7] = (d) & (d1);                                                                   \
            (w)[8] = (s) & (d) & (d1);                                                             \
            (w)[9] = (s) & (s1) & (d1);                                                            \
            (w)[10] = (d) & (s1) & (d1);                                                           \
            (w)[11] = (s) & (d) & (s1) & (d1);                                                     \
        }                                                                                          \
    } while (0)

#endif
