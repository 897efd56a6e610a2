/* Rows of every width and layout behind one interface, chosen at compile time. */
#ifndef ALIAS_GPU_ROWS_CUH
#define ALIAS_GPU_ROWS_CUH

#include "alias/core/draw.h"
#include "alias/gpu/state.h"

#include <type_traits>

/* Writes rows in their canonical form: a bucket that is its item's alone has alias = item. */
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

/* Calls f(writer) with the writer that fits. */
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
