/*
 * communities.c - a generator on alias tables alone: random graphs with communities whose vertices
 * have power-law degrees, the degree-corrected stochastic block model (B. Karrer, M. E. J. Newman,
 * "Stochastic blockmodels and community structure in networks", Physical Review E 83, 2011).
 *
 * It needs the folder alias/ and nothing else.  In the folder that holds alias/:
 *
 *     cc -O3 -ffp-contract=off -fopenmp -I. -o communities communities.c alias/alias*.c \
 *         alias/cpu/[a-z]*.c -lm
 *     ./communities 100000 50 1000000 0.2 > graph.el
 *
 * An edge takes three draws.  A table over all pairs of communities gives the communities of its
 * two ends; a pair's weight is the expected number of edges between them.  Each community has a
 * table over its vertices, weighted by their expected degrees, which gives the ends.  The draws'
 * random bits follow from the seed and the number of the edge.  So threads make edges in any order,
 * and the graph is the same for any number of threads.  Loops and copies of edges occur, as in the
 * model.
 */
#include "alias/alias.h"
#include "alias/core/draw.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096, PIECE = 1 << 16 };

/* A table with its rows, for draws inline. */
typedef struct {
    uint64_t first, n; /* the vertices of a community */
    alias_table *table;
    const alias_row8 *rows;
} chooser;

static void make(chooser *c, const double *weights)
{
    const alias_config config = {.backend = ALIAS_BACKEND_CPU, .row_bytes = 8};
    const int status = alias_create(&c->table, &config, weights, c->n, NULL);

    if (status != ALIAS_OK) {
        fprintf(stderr, "communities: %s\n", alias_strerror(status));
        exit(1);
    }
    c->rows = alias_row_array(c->table);
}

static uint64_t choose(const chooser *c, uint64_t seed, uint64_t t)
{
    return c->first + alias_draw8(c->rows, c->n, alias_draw_bits(seed, t));
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    const uint64_t k = argc > 2 ? strtoull(argv[2], NULL, 10) : 50;
    const uint64_t edges = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
    const double mixing = argc > 4 ? strtod(argv[4], NULL) : 0.2;
    const uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    static chooser community[MOST], pair;
    static uint64_t ends[PIECE][2];
    uint64_t inside = 0;
    double all = 0, sum = 0, expected = 1 - mixing, *weights;

    if (argc > 6 || k < 1 || k > MOST || n < k || n > (uint64_t)1 << 31 ||
        !(mixing >= 0 && mixing <= 1)) {
        fprintf(stderr,
                "usage: communities [VERTICES, to 2^31 [COMMUNITIES, 1 to %d [EDGES "
                "[MIXING, 0 to 1 [SEED]]]]]\n",
                MOST);
        return 2;
    }
    weights = malloc((n > k * k ? n : k * k) * sizeof *weights);
    if (weights == NULL) {
        fprintf(stderr, "communities: there is too little memory\n");
        return 1;
    }
    /* Sizes fall as 1/sqrt(r + 1), and so do the weights of the vertices in a community, which
     * makes the number of vertices of degree d fall as d^-3. */
    for (uint64_t r = 0; r < k; r++) {
        all += 1 / sqrt((double)(r + 1));
    }
    for (uint64_t r = 0, end = 0; r < k; r++) {
        sum += 1 / sqrt((double)(r + 1));
        community[r].first = end;
        end = r + 1 == k ? n : (uint64_t)((double)(n - k) * sum / all) + r + 1;
        community[r].n = end - community[r].first;
        for (uint64_t v = 0; v < community[r].n; v++) {
            weights[v] = 1 / sqrt((double)(v + 1));
        }
        make(&community[r], weights);
    }
    /* A fraction `mixing` of the edges ignores communities; the others stay within one. */
    for (uint64_t r = 0; r < k; r++) {
        const double share = (double)community[r].n / (double)n;

        for (uint64_t s = 0; s < k; s++) {
            weights[r * k + s] = mixing * share * (double)community[s].n / (double)n;
        }
        weights[r * k + r] += (1 - mixing) * share;
        expected += mixing * share * share;
    }
    pair.n = k * k;
    make(&pair, weights);
    for (uint64_t done = 0; done < edges; done += PIECE) {
        const uint64_t now = edges - done < PIECE ? edges - done : PIECE;

#pragma omp parallel for reduction(+ : inside)
        for (uint64_t i = 0; i < now; i++) {
            const uint64_t t = 4 * (done + i), rs = choose(&pair, seed, t);

            ends[i][0] = choose(&community[rs / k], seed, t + 2);
            ends[i][1] = choose(&community[rs % k], seed, t + 3);
            inside += rs / k == rs % k;
        }
        for (uint64_t i = 0; i < now; i++) {
            printf("%llu %llu\n", (unsigned long long)ends[i][0], (unsigned long long)ends[i][1]);
        }
    }
    fprintf(stderr, "%llu of %llu edges within communities, expected %.9g\n",
            (unsigned long long)inside, (unsigned long long)edges, expected * (double)edges);
    for (uint64_t r = 0; r < k; r++) {
        alias_destroy(community[r].table);
    }
    alias_destroy(pair.table);
    free(weights);
    return fflush(stdout) != 0 || ferror(stdout);
}
