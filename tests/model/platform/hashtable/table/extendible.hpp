// hashtable/table/extendible.hpp for the model checker: what owners of shards know of a table. A test has one of its
// own.
#pragma once

#include <concepts>

#include "base/result.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/table/table_size.hpp"
#include "hashtable/table/work_listener.hpp"

namespace mxk {

template <typename Cells>
concept BehindCells = requires(typename Cells::Key const& key, typename Cells::Position const& at) {
    { Cells::is_behind(key, at) } -> std::same_as<bool>;
    Cells::prefetch_behind(key, at);
};

} // namespace mxk
