/* A user's program that calls the installed libraries. */
#include "alias/alias.h"
#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const double weights[2] = {1, 3};
    uint64_t src[16], dst[16];
    alias_table *table;
    rmat_config config;
    rmat_gen *gen;
    edgefile_reader *reader;

    if (argc != 2 || edgefile_open(&reader, argv[1]) != 0 ||
        alias_create(&table, NULL, weights, 2, NULL) != 0) {
        return 1;
    }
    rmat_config_default(&config);
    if (rmat_create(&gen, &config) != 0 || rmat_generate(gen, 0, 16, src, dst) != 0) {
        return 1;
    }
    printf("rmat %s: %" PRIu64 " edges, first %" PRIu64 " %" PRIu64 "\n", rmat_version(),
           edgefile_edges(reader), src[0], dst[0]);
    edgefile_close(reader);
    alias_destroy(table);
    rmat_destroy(gen);
    return 0;
}
