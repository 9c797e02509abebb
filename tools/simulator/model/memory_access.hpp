// One access to memory, and what the model answers.
#pragma once

#include <cstdint>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

/// Where the data was.
enum class Source : std::uint8_t { L1, L2, L3, OtherCore, LocalMemory, RemoteMemory };
constexpr unsigned source_count = 6;

enum class Kind : std::uint8_t {
    Load,
    Store,
    LockedLoad, // takes the line for writing, too
    LockedStore,
    Fetch, // of instructions: has a cache of its own, as large as the L1
    PrefetchL1,
    PrefetchL2,
    PrefetchNonTemporal, // into the L1, not into the L3
    PrefetchForWrite,
};
constexpr bool for_writing(Kind kind) {
    return kind == Kind::Store || kind == Kind::LockedLoad || kind == Kind::LockedStore ||
           kind == Kind::PrefetchForWrite;
}
constexpr bool is_prefetch(Kind kind) {
    return kind >= Kind::PrefetchL1;
}
constexpr bool writes(Kind kind) {
    return kind == Kind::Store || kind == Kind::LockedStore;
}

struct Access {
    std::uint64_t virtual_address;
    std::uint64_t physical_address;
    std::uint32_t bytes;
    Kind kind;
    std::uint8_t page_bits = 12; // log2 of the page's size
};

struct Answer {
    Time done;        // when what waits for the access continues
    Time accepted;    // when a buffer was free for it: from then on a prefetch holds nothing else up
    Time translation; // of the time from start to done, what the TLB took
    Source source;
    bool hit_under_way; // the line was already on its way, by an earlier access of this core
};

} // namespace mxk::simulator
