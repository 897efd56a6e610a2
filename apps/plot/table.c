/* The numbers of the picture as a table. */
#include "apps/plot/plot.h"
#include <inttypes.h>
#include <stdio.h>

/* Behind a tab; "-" where there is none. */
static void number(FILE *stream, bool known, double value)
{
    if (known) {
        fprintf(stream, "\t%.9g", value);
    } else {
        fprintf(stream, "\t-");
    }
}

void plot_table(FILE *stream, const plot_data *d)
{
    if (d->degrees) {
        fprintf(stream, "#degree\tfirst\tlast\tvertices\texpected%s\n",
                d->ccdf ? "\tshare\texpected_share" : "");
    }
    for (int k = 0; k < RMAT_KINDS && d->degrees; k++) {
        static const char *const names[RMAT_KINDS] = {"out", "in", "total"};

        for (int i = 0; i < d->bins.count && d->kinds[k]; i++) {
            fprintf(stream, "%s\t%" PRIu64 "\t%" PRIu64 "\t", names[k], d->bins.first[i],
                    d->bins.first[i + 1] - 1);
            if (d->counted) {
                fprintf(stream, "%" PRIu64, d->number[k][i]);
            } else {
                fprintf(stream, "-");
            }
            number(stream, d->expected[k], d->expectation[k][i]);
            if (d->ccdf) {
                number(stream, d->counted, d->share[k][i]);
                number(stream, d->expected[k], d->expected_share[k][i]);
            }
            fprintf(stream, "\n");
        }
    }
    if (d->adjacency) {
        fprintf(stream, "#cell\tsource\tdestination\tedges\n");
    }
    for (int i = 0; d->adjacency && i < d->grid.cells[0]; i++) {
        for (int j = 0; j < d->grid.cells[1]; j++) {
            const double x = d->density[i * d->grid.cells[1] + j];

            if (x > 0) {
                fprintf(stream, "cell\t%" PRIu64 "\t%" PRIu64 "\t%.15g\n",
                        (uint64_t)i << d->grid.shift[0], (uint64_t)j << d->grid.shift[1], x);
            }
        }
    }
}
