/* Philox4x32-10 gives the known answers that Random123 publishes (kat_vectors). */
#include "alias/core/philox.h"
#include "tests/support/run_suite.h"

typedef struct {
    uint32_t counter[4], key[2], expected[4];
} vector;

static const vector vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

START_TEST(known_answers)
{
    const vector *v = &vectors[_i];
    philox_block b = philox4x32_10(v->counter[0], v->counter[1], v->counter[2], v->counter[3],
                                   v->key[0], v->key[1]);

    for (int j = 0; j < 4; j++) {
        ck_assert_uint_eq(b.v[j], v->expected[j]);
    }
}

START_TEST(counter_layout)
{
    /* The third vector again, through 64-bit seed and index. */
    philox_block b = philox_at(0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x13198a2e, 0x03707344);

    for (int j = 0; j < 4; j++) {
        ck_assert_uint_eq(b.v[j], vectors[2].expected[j]);
    }
}

TEST_CASES(philox, 120, LOOP(known_answers, 0, (int)(COUNT(vectors))), ONCE(counter_layout))
