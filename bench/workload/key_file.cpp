#include "bench/workload/workload.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "arch/files.hpp"
#include "base/units.hpp"
#include "bench/workload/key_numbers.hpp"
#include "bench/workload/text_lines.hpp"
#include "kernel/memory/scratch_memory.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t max_bytes = 256 * GiB;

Result<NodeArray<std::uint64_t>> parse_keys(std::string_view text, std::uint64_t count, NodeId node) {
    auto keys = MXK_TRY(KeyNumbers::create(count, node));
    for (std::size_t i = 0; i < count; ++i) {
        if (text.empty()) return Error::of("expected {} keys, one for each of --ops, got {}", count, i);
        std::string_view const line = next_line(text);
        auto const key = parse_number(line);
        if (!is_key(key))
            return Error::of("line {}: expected a key from 1 to {}, decimal or 0x and hexadecimal, got '{}'", i + 1,
                             Keys::max, shown(line).view());
        if (auto const number = keys.number_of(*key); number != i)
            return Error::of("line {}: expected a key that is on no line before, got '{}' as on line {}", i + 1,
                             shown(line).view(), number + 1);
    }
    return std::move(keys).take_keys();
}

Result<NodeArray<std::uint64_t>> read_file(std::string_view path, std::uint64_t count, NodeId node) {
    memory::ScratchMemory memory(node);
    Arena arena(memory);
    auto const bytes = MXK_TRY(arch::read_file(path, max_bytes, arena));
    return parse_keys({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, count, node);
}

} // namespace

Result<NodeArray<std::uint64_t>> read_keys(Workload& workload, NodeId node) {
    if (workload.keys.kind != Keys::Kind::File) return NodeArray<std::uint64_t>();
    auto keys = read_file(workload.keys.path, workload.operations, node);
    if (!keys) return Error::of("--keys file: {}", keys.error().message());
    workload.keys.listed = keys.value().span().first(workload.operations);
    return keys;
}

} // namespace mxk::bench
