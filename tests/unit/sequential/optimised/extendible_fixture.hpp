// Memory, and a kind of table that grows block by block: what a test is run with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/sequential/optimised/growing_table.hpp"

namespace mxk::test {

class ExtendibleTest : public MemoryTest, public testing::WithParamInterface<TableKind> {
  protected:
    static TableKind const& kind() { return GetParam(); }
};

inline auto all_tables() {
    return testing::Values(open_table, open_table_of_bytes, cuckoo_table, cuckoo_table_of_bytes, bucketed_table,
                           chained_table_of_bytes);
}
inline std::string name_of(testing::TestParamInfo<TableKind> const& info) {
    return info.param.name;
}

} // namespace mxk::test
