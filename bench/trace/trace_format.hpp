// A recorded workload in bytes: operations on keys, in the order in which they were asked for. Two forms, told apart by
// how they begin. docs/bench-trace.md has both for people who write such files.
//
// Binary, little-endian, nothing aligned, nothing between or behind:
//
//     offset  bytes
//     0       8      "MXKTRACE"
//     8       4      byte order mark 0x01020304
//     12      4      version 1
//     16      8      operations, 1 to 4,000,000,000
//     24      4      CRC-32 (base/crc32.hpp) of the 24 bytes before and of all operations
//     28      4      0
//     32      17     the first operation: 1 byte which, 8 the key, 8 the value; and so on
//
// Text: the line `mxk-trace 1`, then a line for each operation: its name, the key, and the value of those that write
// one. Numbers are decimal or, with 0x in front, hexadecimal. Blank lines, and what stands behind a #, say nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/workload/keys.hpp"
#include "hashtable/operation.hpp"

namespace mxk::bench {

struct TraceRecord {
    Operation operation;
    std::uint64_t key;   // 1 to Keys::max
    std::uint64_t value; // of what does not write one: 0
};

namespace trace_format {

constexpr std::string_view magic = "MXKTRACE";
constexpr std::string_view text_head = "mxk-trace 1"; // the text's first line
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint32_t swapped_byte_order = 0x04030201; // as read on a machine of the other order
constexpr std::uint32_t version = 1;
constexpr std::uint64_t max_operations = 4'000'000'000;

constexpr std::size_t byte_order_at = 8;
constexpr std::size_t version_at = 12;
constexpr std::size_t count_at = 16;
constexpr std::size_t check_sum_at = 24;
constexpr std::size_t zero_at = 28;
constexpr std::size_t header_bytes = 32;

// Within an operation.
constexpr std::size_t key_offset = 1;
constexpr std::size_t value_offset = 9;
constexpr std::size_t record_bytes = 17;

struct NamedOperation {
    std::string_view name;
    bool writes_value;
};
// By their numbers in the binary form, which never change.
constexpr std::array<NamedOperation, 6> operations{
    {{"insert", true}, {"find", false}, {"erase", false}, {"update", true}, {"upsert", true}, {"modify", true}}};
static_assert(static_cast<int>(Operation::Insert) == 0 && static_cast<int>(Operation::Find) == 1 &&
              static_cast<int>(Operation::Erase) == 2 && static_cast<int>(Operation::Update) == 3 &&
              static_cast<int>(Operation::Upsert) == 4 && static_cast<int>(Operation::Modify) == 5);

} // namespace trace_format

constexpr trace_format::NamedOperation const& description_of(Operation operation) {
    return trace_format::operations[static_cast<std::size_t>(operation)];
}

} // namespace mxk::bench
