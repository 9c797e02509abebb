// The prefetcher of a core's second level: it follows streams, which are accesses that miss the first level line after
// line, upwards, and asks for what comes next. Within a page of 4 KiB, since it knows physical addresses only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/simulator/model/cache.hpp"

namespace mxk::simulator {

class Streams {
  public:
    /// count: streams that are followed at a time, 0: none. distance: lines ahead of the last access.
    Streams(unsigned count, unsigned distance)
        : streams_(count)
        , distance_(distance) {}

    /// Lines to ask for, in order; none: begin == end.
    struct Lines {
        LineNumber begin;
        LineNumber end;
    };

    /// An access has missed the first level.
    Lines missed(LineNumber line) {
        if (streams_.empty()) return {line, line};
        ++now_;
        auto const found =
            std::find_if(streams_.begin(), streams_.end(), [line](Stream const& it) { return it.next == line; });
        if (found == streams_.end()) {
            auto const older = [](Stream const& left, Stream const& right) { return left.used < right.used; };
            *std::min_element(streams_.begin(), streams_.end(), older) = Stream{line + 1, line + 1, 1, now_};
            return {line, line};
        }
        found->next = line + 1;
        found->used = now_;
        if (++found->length < min_length) return {line, line};
        LineNumber const end = std::min(line + 1 + distance_, (line / page_lines + 1) * page_lines);
        LineNumber const begin = std::max(found->asked, line + 1);
        found->asked = std::max(found->asked, end);
        return {std::min(begin, end), end};
    }

  private:
    static constexpr LineNumber page_lines = 64;
    static constexpr unsigned min_length = 3; // two lines may be a single object

    struct Stream {
        LineNumber next = 0;  // where it continues
        LineNumber asked = 0; // up to here all was asked for
        unsigned length = 0;
        std::uint64_t used = 0;
    };

    std::vector<Stream> streams_;
    unsigned distance_;
    std::uint64_t now_ = 0;
};

} // namespace mxk::simulator
