/* Graph500's stream on a GPU: the edges and weights of the CPU, at scales of every number of levels
 * that the kernel treats by itself, in ranges cut anywhere, by ids of both widths. */
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_graph500.h"
#include "tests/support/gpu_util.h"
#include "tests/support/must.h"

#include <stdbool.h>
#include <string.h>

enum { MOST = 3 << 20 };

static char memory[2][3][(size_t)MOST * 8]; /* of the CPU and the GPU: src, dst, weight */

static rmat_arrays arrays_of(int backend, int id_bytes, bool weights)
{
    return (rmat_arrays){memory[backend][0], memory[backend][1],
                         weights ? memory[backend][2] : NULL, id_bytes};
}

static void compare(rmat_gen *const gen[2], int scale, uint64_t first, uint64_t count, int id_bytes,
                    bool weights)
{
    const size_t bytes[] = {count * (size_t)id_bytes, count * (size_t)id_bytes,
                            weights ? count * 4 : 0};

    for (int b = 0; b < 2; b++) {
        const rmat_arrays to = arrays_of(b, id_bytes, weights);
        const int st = rmat_generate_arrays(gen[b], first, count, &to);

        must(st == RMAT_OK, "scale %d, backend %d: %s %s", scale, b, rmat_strerror(st),
             rmat_gpu_error());
    }
    for (int a = 0; a < 3; a++) {
        must(!memcmp(memory[0][a], memory[1][a], bytes[a]),
             "scale %d, edges [%lu, +%lu), %d bytes: array %d differs", scale, first, count,
             id_bytes, a);
    }
}

START_TEST(as_the_cpu)
{
    static const int scales[] = {1, 2, 3, 4, 5, 6, 20, 26, 30, 31, 32, 33, 36, 42, 60, 62};
    const int scale = scales[_i];
    const uint64_t far = RMAT_MAX_EDGES / 3 + 100;
    rmat_graph500 *g;
    rmat_gen *gen[2];
    rmat_config config;
    rmat_source source;

    must(!rmat_graph500_create(&g, scale, RMAT_GRAPH500_SEED1, RMAT_GRAPH500_SEED2, RMAT_ISA_AUTO),
         "create");
    source = rmat_graph500_source(g, RMAT_MAX_EDGES, 1);
    for (int b = 0; b < 2; b++) {
        rmat_config_default(&config);
        config.backend = b ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
        must(!rmat_create_from(&gen[b], &source, &config), "backend %d: %s", b, rmat_gpu_error());
    }
    for (int id_bytes = scale <= 32 ? 4 : 8; id_bytes <= 8; id_bytes += 4) {
        compare(gen, scale, 0, MOST, id_bytes, true); /* long enough for numbers to be rejected */
        compare(gen, scale, far, 100003, id_bytes, false);
        for (uint64_t at = 0; at < 2000; at += 1 + at % 300) {
            compare(gen, scale, far + at, 1 + at * 7 % 900, id_bytes, at % 2);
        }
    }
    for (int b = 0; b < 2; b++) {
        rmat_destroy(gen[b]);
    }
    rmat_graph500_destroy(g);
}
END_TEST

TEST_CASES(rmat_gpu_graph500, 120, LOOP(as_the_cpu, 0, 16))
