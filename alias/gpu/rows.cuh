/*
 * alias/gpu/rows.cuh - writing rows of either width and layout behind one interface, chosen at
 * compile time.
 */
#ifndef ALIAS_GPU_ROWS_CUH
#define ALIAS_GPU_ROWS_CUH

#include "alias/gpu/state.h"

#include <type_traits>

/* Makes and writes rows in canonical form: alias = item in a bucket that belongs to its item only.
 */
template <bool WIDE, bool SOA> struct alias_row_writer {
    using word = typename std::conditional<WIDE, uint64_t, uint32_t>::type;
    using pair = typename std::conditional<WIDE, alias_row16, alias_row8>::type;

    alias_gpu_rows rows;

    __device__ __forceinline__ pair make(uint64_t item, uint64_t threshold, uint64_t alias) const
    {
        if (threshold == 1ull << rows.k) {
            alias = item;
        }
        return pair{(word)threshold, (word)alias};
    }

    __device__ __forceinline__ void put(uint64_t item, pair row) const
    {
        if (SOA) {
            ((word *)rows.rows)[item] = row.threshold;
            ((word *)rows.alias)[item] = row.alias;
        } else {
            ((pair *)rows.rows)[item] = row;
        }
    }
};

/* Calls f with the writer for these rows and returns what it returns. */
template <typename F> int alias_with_writer(const alias_gpu_rows &rows, F f)
{
    bool soa = rows.alias != NULL;

    if (rows.row_bytes == 8) {
        return soa ? f(alias_row_writer<false, true>{rows})
                   : f(alias_row_writer<false, false>{rows});
    }
    return soa ? f(alias_row_writer<true, true>{rows}) : f(alias_row_writer<true, false>{rows});
}

#endif
