// A private cache: which lines it has, in which state, and from when on (a line is entered when it is asked for, and
// its data comes later: a second access to it waits for the same arrival).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/simulator/model/lru_sets.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/memory_access.hpp"

namespace mxk::simulator {

/// A line's number is its physical address / 64; 0 is none (that line of the machine, the real mode's vectors, is 1).
using LineNumber = std::uint32_t;

enum class State : std::uint8_t { Invalid, Shared, Exclusive, Modified };

struct CacheLine {
    Time ready = 0;   // when the data is there
    Time written = 0; // when the core's last store is: another core cannot have got it before
    LineNumber line = 0;
    State state = State::Invalid;
    Source source = Source::L1; // where it came from: what an access waits for before `ready`
    bool watched = false;       // its accesses are counted one by one (line_statistics.hpp)
};
static_assert(sizeof(CacheLine) == 24);

class Cache {
  public:
    explicit Cache(CacheParameters const& parameters)
        : ways_(parameters.ways)
        , sets_(static_cast<std::uint32_t>(parameters.bytes / Machine::line_bytes / parameters.ways))
        , set_(sets_)
        , lines_(std::size_t{sets_} * ways_) {}

    /// The line, which is the last used one then, or null.
    CacheLine* find(LineNumber line) {
        CacheLine* const set = first(line);
        if (set->line == line) return set;
        for (CacheLine* at = set + 1; at != set + ways_; ++at)
            if (at->line == line) return to_front(set, at);
        return nullptr;
    }

    /// The same without a change of the order.
    CacheLine* peek(LineNumber line) {
        CacheLine* const set = first(line);
        for (CacheLine* at = set; at != set + ways_; ++at)
            if (at->line == line) return at;
        return nullptr;
    }

    /// Adds what is not there; what had to make room, perhaps Invalid.
    CacheLine insert(CacheLine const& added) {
        CacheLine* const set = first(added.line);
        CacheLine const victim = set[ways_ - 1];
        std::copy_backward(set, set + ways_ - 1, set + ways_);
        *set = added;
        return victim;
    }

    /// Its last state: Invalid, if it was not there.
    State remove(LineNumber line) {
        CacheLine* const set = first(line);
        CacheLine* const end = set + ways_;
        for (CacheLine* at = set; at != end; ++at) {
            if (at->line != line) continue;
            State const state = at->state;
            std::copy(at + 1, end, at);
            end[-1] = CacheLine{};
            return state;
        }
        return State::Invalid;
    }

  private:
    CacheLine* first(LineNumber line) { return lines_.data() + std::size_t{set_(line)} * ways_; }

    static CacheLine* to_front(CacheLine* set, CacheLine* at) {
        CacheLine const found = *at;
        std::copy_backward(set, at, at + 1);
        *set = found;
        return set;
    }

    unsigned ways_;
    std::uint32_t sets_;
    SetIndex set_;
    std::vector<CacheLine> lines_;
};

} // namespace mxk::simulator
