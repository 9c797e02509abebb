#pragma once

#include <cstdint>

namespace mxk {

// What became of an insert. Full: there is no place for the key and no memory to make one; the table is as it was.
enum class Insert : std::uint8_t { Inserted, Present, Full };

} // namespace mxk
