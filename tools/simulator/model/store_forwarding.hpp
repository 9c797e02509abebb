// The data of the last stores, by their address: a load of what is not yet written gets it from the store buffer.
#pragma once

#include <array>
#include <cstdint>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

/// Of words of 8 bytes; the newest store of some that share an entry is known.
class StoreForwarding {
  public:
    struct Entry {
        std::uint64_t word = ~std::uint64_t{0};
        Time data = 0;    // when the stored value was known
        Time written = 0; // when it was in the cache
    };

    Entry const* find(std::uint64_t physical) const {
        Entry const& entry = entries_[physical / 8 % entries_.size()];
        return entry.word == physical / 8 ? &entry : nullptr;
    }

    void store(std::uint64_t physical, std::uint32_t bytes, Time data, Time written) {
        for (std::uint64_t word = physical / 8; word <= (physical + bytes - 1) / 8; ++word)
            entries_[word % entries_.size()] = {word, data, written};
    }

  private:
    std::array<Entry, 512> entries_{};
};

} // namespace mxk::simulator
