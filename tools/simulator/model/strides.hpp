// The prefetcher by instruction: loads whose addresses are equally far apart from one to the next. It follows those
// that miss the first level, by lines, within a page of 4 KiB, since it knows physical addresses only.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/cache.hpp"

namespace mxk::simulator {

class Strides {
  public:
    /// entries: instructions that are followed, of which each has its place; 0: none.
    explicit Strides(unsigned entries)
        : entries_(entries) {}

    /// An instruction's access has missed the first level. The line to ask for, or 0.
    LineNumber missed(std::uint64_t code, LineNumber line) {
        if (entries_.empty() || code == 0) return 0;
        Entry& entry = entries_[(code ^ code >> 8) % entries_.size()];
        if (entry.code != code) {
            entry = {.code = code, .line = line};
            return 0;
        }
        auto const stride = static_cast<std::int32_t>(line - entry.line);
        entry.confirmed = stride == entry.stride && stride != 0 ? entry.confirmed + 1 : 0;
        entry.stride = stride;
        entry.line = line;
        if (entry.confirmed < min_confirmed) return 0;
        LineNumber const next = line + static_cast<std::uint32_t>(2 * stride);
        return next / page_lines == line / page_lines ? next : 0;
    }

  private:
    static constexpr LineNumber page_lines = 64;
    static constexpr unsigned min_confirmed = 2; // the same distance three times

    struct Entry {
        std::uint64_t code = 0;
        LineNumber line = 0;
        std::int32_t stride = 0;
        unsigned confirmed = 0;
    };

    std::vector<Entry> entries_;
};

} // namespace mxk::simulator
