#include "tools/simulator/model/line_directory.hpp"

#include <algorithm>
#include <stdexcept>

namespace mxk::simulator {
namespace {
constexpr std::uint64_t max_address = std::uint64_t{240} << 30; // so that a line's number has 32 bits, page tables' too
}

void Directory::map(std::span<MemoryRange const> ranges) {
    std::uint64_t end = page_tables_;
    for (MemoryRange const& range : ranges) {
        if (range.begin >= range.end || range.end > max_address || range.node >= nowhere)
            throw std::runtime_error("a range of memory is empty, above 240 GiB or on no node");
        end = std::max(end, range.end);
    }
    std::uint64_t const part_bytes = std::uint64_t{1} << part_bits;
    page_tables_ = (end + part_bytes - 1) / part_bytes * part_bytes;
    parts_.resize((page_tables_ + page_table_pages * 4096) >> part_bits);
    for (MemoryRange const& range : ranges)
        for (std::uint64_t at = range.begin >> part_bits; at << part_bits < range.end; ++at)
            parts_[at].node = static_cast<std::uint8_t>(range.node);
    for (std::uint64_t at = page_tables_ >> part_bits; at != parts_.size(); ++at) parts_[at].node = 0;
}

void Directory::allocate(Part& part) {
    part.lines = std::make_unique<DirectoryLine[]>(lines_per_part);
}

} // namespace mxk::simulator
