// One owner's table of keys and 64 bits with each, as joins and groups use it: it grows with its keys.
#pragma once

#include <cstdint>

#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/extendible.hpp"

namespace mxk::query {

using KeyTable = Extendible<OpenSlots<>, MixedHash>;

// Of a query's key, from 0 to 2^64 - 2: the table has no key 0.
inline std::uint64_t table_key(std::uint64_t key) {
    return key + 1;
}

} // namespace mxk::query
