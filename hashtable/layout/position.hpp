// Where a key belongs in a table: computed once from the key, when the memory is asked for it, and handed to what is
// then done with the key. Layouts differ in what they must know besides the cell (Detail): nothing, or the key's
// hash.
#pragma once

#include <cstdint>

#include "hashtable/layout/block.hpp"

namespace mxk {

struct NoDetail {};
struct HashDetail {
    std::uint64_t hash;
};
template <typename CellType, typename Detail = NoDetail> struct Position : Detail {
    Block* block;   // which the cell is in, if the table grows block by block; else null
    CellType* cell; // that an operation looks at first
};

} // namespace mxk
