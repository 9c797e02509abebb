// What a core has for itself: first-level caches of data and instructions, the second level, which has all that they
// have, the TLB, the buffers of lines under way, and the prefetchers.
#pragma once

#include <algorithm>

#include "tools/simulator/model/buffers.hpp"
#include "tools/simulator/model/cache.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/streams.hpp"
#include "tools/simulator/model/strides.hpp"
#include "tools/simulator/model/tlb_model.hpp"

namespace mxk::simulator {

struct PrivateCaches {
    explicit PrivateCaches(Machine const& machine)
        : data(machine.l1)
        , code(machine.l1)
        , second(machine.l2)
        , tlb(machine.tlb)
        , line_fill_buffers(machine.core.line_fill_buffers)
        , l2_buffers(machine.core.l2_buffers)
        , streams(machine.core.prefetch_streams, machine.core.prefetch_distance)
        , strides(machine.core.prefetch_strides) {}

    bool has(LineNumber line) { return second.peek(line) != nullptr; }

    /// Its last state: Modified, if it has newer data than all below. Invalid, if it was not there.
    State remove(LineNumber line) {
        State const first = data.remove(line);
        code.remove(line);
        State const second_state = second.remove(line);
        return first > second_state ? first : second_state;
    }

    /// Others share it from now on; the state that it had.
    State share(LineNumber line, bool watched) {
        State before = State::Invalid;
        for (Cache* const cache : {&data, &second}) {
            CacheLine* const found = cache->peek(line);
            if (found == nullptr) continue;
            if (found->state > before) before = found->state;
            found->state = State::Shared;
            found->watched = watched;
        }
        return before;
    }

    /// When the core last wrote it.
    Time last_written(LineNumber line) {
        CacheLine const* const first = data.peek(line);
        CacheLine const* const below = second.peek(line);
        return std::max(first != nullptr ? first->written : 0, below != nullptr ? below->written : 0);
    }

    /// Enters it into a first-level cache, which does not have it.
    void insert_first(Cache& first, CacheLine const& line) {
        CacheLine const victim = first.insert(line);
        if (victim.state != State::Modified) return;
        if (CacheLine* const below = second.peek(victim.line)) {
            below->state = State::Modified;
            below->written = std::max(below->written, victim.written);
        }
    }

    Cache data;
    Cache code;
    Cache second;
    Tlb tlb;
    Buffers line_fill_buffers;
    Buffers l2_buffers;
    Streams streams;
    Strides strides;
};

} // namespace mxk::simulator
