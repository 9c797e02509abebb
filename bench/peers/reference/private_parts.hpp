// A reference in which nothing is shared: each core has a Part of its own, for the keys of its own slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/peers/measured_table.hpp"

namespace mxk::bench {

// Part: constructed from the core's index and the keys it must hold; insert, find, erase, prefetch, size.
template <typename Part> class PrivateParts {
  public:
    PrivateParts(std::size_t capacity, std::size_t cores) {
        for (std::size_t core = 0; core < cores; ++core) parts_.emplace_back(core, share_of(capacity, cores));
    }

    std::size_t size() {
        std::size_t sum = 0;
        for (Part const& part : parts_) sum += part.size();
        return sum;
    }

    class Session {
      public:
        Session(PrivateParts& table, std::size_t core)
            : part_(table.parts_[core]) {}
        bool insert(std::uint64_t key, std::uint64_t value) { return part_.insert(key, value); }
        std::optional<std::uint64_t> find(std::uint64_t key) { return part_.find(key); }
        bool erase(std::uint64_t key) { return part_.erase(key); }
        void prefetch(std::uint64_t key) { part_.prefetch(key); }

      private:
        Part& part_;
    };

  private:
    std::vector<Part> parts_; // by core
};

} // namespace mxk::bench
